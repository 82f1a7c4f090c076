"""What tests of the service share: expected refusals, submissions, and servers that demand tokens."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from beanleague.service.access import Cost
from beanleague.service.endpoint import Certificate
from beanleague.service.gate import Allowance, ServerLimits
from beanleague.service.server import served
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools


def code(error: grpc.RpcError) -> grpc.StatusCode:
    """Return how a call ended."""
    assert isinstance(error, grpc.Call)
    return error.code()


@contextmanager
def refused(status: grpc.StatusCode, details: str) -> Iterator[None]:
    """Expect that a call ends with `status` and a message with `details` in it."""
    with pytest.raises(grpc.RpcError) as error:
        yield
    assert error.value.code() is status
    assert details in (error.value.details() or "")


def check(stub: LeagueStub, data: bytes) -> pb.BotReport:
    """Let the service check a bundle and return its last report."""
    *_, known = stub.TryBot(pb.TryBotRequest(bundle=data))
    return known.report


def submit(stub: LeagueStub, data: bytes) -> pb.SubmittedBot:
    """Submit a bundle and return the version it became."""
    *_, known = stub.TryBot(pb.TryBotRequest(bundle=data, submit=True))
    return known.submitted


@dataclass
class Guarded:
    """A server at `address`, its `store` opened once more, and callers of it."""

    address: str
    store: Store
    channel: grpc.Channel
    tokens: dict[str, str] = field(default_factory=dict)

    def token(self, name: str, role: str = "", lifetime: float | None = None) -> str:
        """Return the token of `name`, created if necessary; the role is that of the name unless it is given."""
        if name not in self.tokens:
            _, self.tokens[name] = self.store.tokens.new(name, role or name, lifetime)
        return self.tokens[name]

    def stub(self, name: str, role: str = "") -> LeagueStub:
        """Return the calls as `name` makes them."""
        return self.stub_with(self.token(name, role))

    def stub_with(self, token: str) -> LeagueStub:
        """Return the calls with this token."""
        return LeagueStub(grpc.intercept_channel(self.channel, WithToken(token)))

    def as_caller(self, name: str, role: str = "") -> grpc.Channel:
        """Return the channel as `name` calls over it."""
        return grpc.intercept_channel(self.channel, WithToken(self.token(name, role)))

    def raw(self, call: str, service: str = "League") -> Any:
        """Return a call that sends and takes streams of bytes."""
        return self.channel.stream_stream(
            f"/beanproto.v1.{service}/{call}", request_serializer=bytes, response_deserializer=bytes
        )


class WithToken(
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[type-arg]
    grpc.UnaryStreamClientInterceptor,  # type: ignore[type-arg]
    grpc.StreamStreamClientInterceptor,  # type: ignore[type-arg]
):
    def __init__(self, token: str) -> None:
        self.metadata = bearer(token)

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(client_call_details._replace(metadata=self.metadata), request)

    intercept_unary_stream = intercept_unary_unary
    intercept_stream_stream = intercept_unary_unary  # type: ignore[assignment]  # its request is an iterator


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata that shows a token."""
    return (("authorization", f"Bearer {token}"),)


@contextmanager
def guarded(
    folder: Path,
    *,
    listen: str = "127.0.0.1:0",
    certificate: Certificate | None = None,
    allowances: Mapping[Cost, Allowance] | None = None,
    limits: ServerLimits = ServerLimits(),  # noqa: B008  # frozen
    pools: FakePools | None = None,
) -> Iterator[Guarded]:
    """Serve the database a.db in `folder`; tokens are demanded, and limits set only if `allowances` are given."""
    url = f"sqlite:///{folder / 'a.db'}"
    with ExitStack() as stack:
        serving = stack.enter_context(
            served(
                listen,
                url,
                certificate=certificate,
                require_tokens=True,
                allowances=allowances or {},
                limits=limits,
                cache=folder / "cache",
                start_pool=pools or FakePools(),
            )
        )
        target = f"localhost:{serving.address.rpartition(':')[2]}"
        credentials = grpc.ssl_channel_credentials(certificate.chain.read_bytes()) if certificate else None
        channel = grpc.secure_channel(target, credentials) if credentials else grpc.insecure_channel(target)
        yield Guarded(target, stack.enter_context(Store(url)), stack.enter_context(channel))


def certified(folder: Path, *names: str) -> Certificate:
    """Write a certificate for these names, by an authority whose own is in authority.pem, and its key to `folder`."""
    authority = trustme.CA()
    made = authority.issue_cert(*names)
    authority.cert_pem.write_to_path(folder / "authority.pem")
    made.private_key_pem.write_to_path(folder / "key.pem")
    chain = folder / "cert.pem"
    chain.write_bytes(b"".join(part.bytes() for part in made.cert_chain_pems) + authority.cert_pem.bytes())
    return Certificate(chain, folder / "key.pem")
