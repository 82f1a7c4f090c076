"""What the tests of the bots' library share, and a referee that follows a script, on a real gRPC stream."""

import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, Self

import grpc
import pytest

from beanbot import Bot
from beanbot._runtime.program import BotProgram
from beanbot._runtime.session import BotSession
from beanleague import wire
from beanleague.games import Action, Game, Kind, View, new_game
from beanleague.games.bohnanza import Field
from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc
from tests.waiting import TIMEOUT_S

LUCK = b"sixteen bytes!!!"


def program(*classes: type[Bot[Any]]) -> BotProgram:
    """Return the program that gives `classes` to run()."""
    return BotProgram("tested", classes)


def start(game: Game, seat: int, match: int = 1, names: tuple[str, ...] = ()) -> pb.MatchStart:
    """Return how the referee begins `game` for the bot in `seat`."""
    message = pb.MatchStart(
        match=match, ruleset=game.ruleset, seats=game.seats, seat=seat, luck=LUCK, names=names, max_rounds=12
    )
    wire.rules_to_pb(game.view(seat), message)
    return message


def request(view: View, match: int = 1, decision: int = 1) -> pb.Request:
    """Return how the referee asks for what `view` shows."""
    message = pb.Request(match=match, decision=decision)
    wire.view_to_pb(view, message, map(wire.event_to_pb, view.news))
    return message


class Talk:
    """A session in which one match is played, and what it logged."""

    def __init__(self, *classes: type[Bot[Any]], game: Game | None = None, seat: int = 0, faults: bool = False) -> None:
        self.logged: list[str] = []
        self.session = BotSession(program(*classes), self.logged.append, faults=faults)
        self.game = game or new_game("bohnanza", seats=4, seed=b"talk")
        self.seat = seat
        self.send(pb.RefereeMessage(starts=[start(self.game, seat)]))

    def send(self, message: pb.RefereeMessage) -> list[pb.Move]:
        return list(self.session.receive(message))

    def answer(self, decision: int = 1) -> pb.Move:
        """Ask the bot for the decision that its seat has to make now; return its move."""
        message = pb.RefereeMessage(requests=[request(self.game.view(self.seat), decision=decision)])
        (move,) = self.send(message)
        return move


def play_dull(game: Game, until: Iterable[Any] = ()) -> Game:
    """Play `game` by default actions until a seat is asked for one of the decisions `until`, or to the end."""
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            if getattr(view, "decision", None) in until:
                return game
            game.apply(seat, view.default())
    return game


class Dull(Bot[View]):
    """Plays the default action."""

    def decide(self, view: View) -> Action:
        return view.default()


def planted(*fields: tuple[Kind | None, int]) -> tuple[tuple[Field, ...], tuple[int, ...]]:
    """Return fields of a seat, and which of them may be harvested: all that are not empty."""
    own = tuple(Field(kind, cards) for kind, cards in fields)
    return own, tuple(i for i, field in enumerate(own) if field.count)


def card_view(ruleset: str, decision: str, *fields: tuple[Kind | None, int], **changes: Any) -> Any:
    """Return a view of a card game for four seats or two with these own fields, which may all be harvested."""
    view: Any = new_game(ruleset, seats=2 if ruleset == "bohnanza-two" else 4, seed=b"any").view(0)
    own, harvestable = planted(*fields)
    asked = type(view.decision)[decision]
    return replace(view, decision=asked, fields=(own, *view.fields[1:]), harvestable=harvestable, **changes)


def fail(name: str, what: str) -> None:
    """Fail for what practice reports of a bot."""
    pytest.fail(f"{name}: {what}")


def methods_asked(bot: type[Bot[Any]], names: Collection[str], views: Iterable[View]) -> list[str]:
    """Return which of the methods `names` a bot is asked for each of `views`."""
    asked: list[str] = []

    class Naming(bot):  # type: ignore[misc,valid-type]
        def __getattribute__(self, name: str) -> Any:
            return (lambda _: asked.append(name)) if name in names else super().__getattribute__(name)

    for view in views:
        Naming().decide(view)
    return asked


Script = Callable[[Iterator[pb.BotMessage]], Iterator[pb.RefereeMessage]]
"""Takes what the bot sends, yields what the referee sends; when it returns, the stream ends."""


class _Servicer(referee_pb2_grpc.RefereeServicer):
    def __init__(self, script: Script) -> None:
        self._script = script

    def Play(  # noqa: N802  # the name of the RPC
        self, request_iterator: Iterator[pb.BotMessage], context: grpc.ServicerContext
    ) -> Iterator[pb.RefereeMessage]:
        return self._script(request_iterator)


class MockReferee:
    """Starts bots that talk with `script`. A context manager: in the end everything is stopped."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.folder = folder
        self.target = f"unix:{folder / 'referee'}"
        self.server = grpc.server(ThreadPoolExecutor(max_workers=2))
        referee_pb2_grpc.add_RefereeServicer_to_server(_Servicer(script), self.server)
        self.server.add_insecure_port(self.target)
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.communicate(timeout=TIMEOUT_S)
        assert self.server.stop(0).wait(TIMEOUT_S)

    def start(self, code: str) -> subprocess.Popen[str]:
        """Start a bot whose program is `code`."""
        process = start_bot(self.folder, code, BEANLEAGUE_SOCKET=self.target)
        self._processes.append(process)
        return process


def start_bot(folder: Path, code: str, *words: str, **environment: str) -> subprocess.Popen[str]:
    """Start a bot whose program is `code`, with arguments, and with `environment` added to that of the tests."""
    file = folder / "mybot.py"
    file.write_text(dedent(code))
    inherited = {name: value for name, value in os.environ.items() if name != "BEANLEAGUE_SOCKET"}
    return subprocess.Popen(
        [sys.executable, file, *words],
        env={**inherited, "GRPC_VERBOSITY": "NONE", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], seconds: float = TIMEOUT_S) -> tuple[int, str, str]:
    """Wait until `process` ends; return its exit code and what it wrote to stdout and stderr."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def moves_of(said: Iterator[pb.BotMessage], count: int) -> list[pb.Move]:
    """Read messages until they hold `count` moves."""
    moves: list[Any] = []
    while len(moves) < count:
        moves += next(said).moves
    return moves
