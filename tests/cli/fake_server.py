"""A server whose answers a test lays down: for what commands make of them, without bots or a database."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.message import Message

from beanproto.v1 import league_pb2
from beanproto.v1.league_pb2_grpc import LeagueServicer, add_LeagueServicer_to_server

Answer = Message | Callable[[Any, grpc.ServicerContext], Any]


@dataclass
class FakeLeague:
    """`answers`: per call, a message or a function of the request. `asked`: every request, in order."""

    address: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Message] = field(default_factory=list)

    def answer(self, call: str, request: Message, context: grpc.ServicerContext) -> Any:
        self.asked.append(request)
        if call not in self.answers:
            context.abort(grpc.StatusCode.NOT_FOUND, f"this test has no answer to {call}")
        laid = self.answers[call]
        return laid(request, context) if callable(laid) else laid


@contextmanager
def fake_league() -> Iterator[FakeLeague]:
    """Serve a `FakeLeague` on a port of its own."""
    fake = FakeLeague()
    calls = league_pb2.DESCRIPTOR.services_by_name["League"].methods_by_name
    methods = {call: lambda _, request, context, call=call: fake.answer(call, request, context) for call in calls}
    servicer = type("FakeServicer", (LeagueServicer,), methods)()
    server = grpc.server(ThreadPoolExecutor(4))
    add_LeagueServicer_to_server(servicer, server)  # type: ignore[no-untyped-call, unused-ignore]
    fake.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield fake
    server.stop(0).wait()
