"""Records, messages, and a server whose answers a test lays down, without bots or a database."""

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from beanleague.games import Action, Fault, PlayedMove, Record, new_game
from beanleague.games.bohnanza import Accept, Stop
from beanproto.v1 import league_pb2
from beanproto.v1.league_pb2_grpc import LeagueServicer, add_LeagueServicer_to_server
from tests.waiting import TIMEOUT_S

WIDTH = {"COLUMNS": "0" if os.environ.get("COLUMNS") == "0" else "100"}
"""How wide the screen of commands is: 100 columns, or unknown where tests run with COLUMNS=0, as in job runners."""

TOML = 'name = "{name}"\ngames = ["bohnanza"]\ncommand = ["python", "bot.py"]\n'


@contextmanager
def zone(name: str) -> Iterator[None]:
    """Let this be the time zone, e.g. Asia/Kolkata."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield
    time.tzset()


def played(
    seats: int = 3,
    *,
    seed: bytes = b"a test",
    players: Sequence[str] = (),
    talk: int = 3,
    ruleset: str = "bohnanza",
) -> Record:
    """Return a match of players that choose any legal action, and stop trading after about `talk` offers."""
    game = new_game(ruleset, seats=seats, seed=seed)
    chance = random.Random(seed)
    moves = []
    while not game.over:
        for seat in game.to_act():
            action = _choose(game.legal(seat), chance, talk)
            game.apply(seat, action)
            moves.append(PlayedMove(seat, action, by_default=False))
    assert game.outcome is not None
    return Record(
        ruleset=ruleset,
        seats=seats,
        seed=seed,
        options=dict(game.options),
        players=tuple(players) or tuple(f"bot{seat}@1" for seat in range(seats)),
        moves=tuple(moves),
        events=tuple(game.events),
        scores=game.outcome.scores,
        places=game.outcome.places,
        faults=(),
    )


def _choose(legal: Sequence[Action], chance: random.Random, talk: int) -> Action:
    accepts = [action for action in legal if isinstance(action, Accept)]
    if accepts and chance.random() < 0.5:
        return accepts[0]
    if isinstance(legal[0], Stop):
        return legal[0] if chance.random() < 1 / (talk + 1) else chance.choice(legal)
    return chance.choice(legal)


def with_fault(record: Record, move: int, *, forfeited: bool = False) -> Record:
    """Return `record` with a time-out recorded for the default move `move`."""
    fault = Fault(record.moves[move].seat, move, "timeout", "no answer in 1000 ms", forfeited)
    return replace(record, faults=(fault,))


def write_bot(folder: Path, name: str, code: str = "pass\n") -> Path:
    """Write a bot and return its folder."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(TOML.format(name=name))
    (folder / "bot.py").write_text(code)
    return folder


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
    assert server.stop(0).wait(TIMEOUT_S)
