"""Families of games that are not played are not loaded, seen in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from beanleague.games.families import FAMILIES

ROOT = Path(__file__).parents[2]

BOT = """
import beanbot.{module}
from beanbot._runtime.stream import play_stream
"""

MATCH = """
from dataclasses import replace

import beanleague.referee.worker
from beanleague import wire
from beanleague.referee.conversation import Conversation
from beanleague.referee.match import MatchInPlay
from beanleague.referee.messages import Limits
from beanproto.v1 import referee_pb2 as pb
from tests.referee.helpers import task

limits, results, starts = Limits(), [], {{}}
bots = [Conversation(limits, lambda: 0.0, lambda: 0.0, lambda: None, lambda: None) for _ in range(2)]
for bot in bots:
    bot.read(pb.BotMessage(hello=pb.Hello(protocol=wire.PROTOCOL, news=True)))
MatchInPlay(replace(task(1, range(2)), ruleset="{ruleset}"), bots, ["a", "b"], limits, results.append).start()
while not results:
    for seat, bot in enumerate(bots):
        message = bot.take() or pb.RefereeMessage()
        starts.update({{seat: start for start in message.starts}})
        for request in message.requests:
            view = wire.view_from_pb(request, wire.rules_from_pb(starts[seat]), seat)
            assert all(view.news)  # which decodes them
            move = pb.Move(match=request.match, decision=request.decision)
            wire.action_to_pb(view.default(), move)
            bot.read(pb.BotMessage(moves=[move]))
assert results[0].seats and not results[0].faults
"""

RECORD = """
from beanleague.games import record_from_json, verify
assert verify(record_from_json(open("tests/games/records/golden/{ruleset}.json").read())).reproduced
"""


def loaded_by(code: str) -> set[str]:
    """The modules that a new interpreter has after `code`."""
    program = code + "\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


def families(loaded: set[str]) -> set[str]:
    """The families with a module in `loaded`, in whichever layer."""
    return {
        name for name in (family.name for family in FAMILIES) if any(name in module.split(".") for module in loaded)
    }


def test_no_family_is_loaded_for_a_list_of_the_families() -> None:
    assert families(loaded_by("import beanbot, beanleague.games, beanleague.wire, beanleague.referee.worker")) == set()


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("bohnanza", {"bohnanza"}),
        ("two", {"two", "bohnanza"}),  # two players use the rules and fields of the game for more
        ("duel", {"duel"}),
        ("thief", {"dice"}),
    ],
)
def test_a_bot_loads_its_own_family_and_nothing_for_files_of_games(module: str, needed: set[str]) -> None:
    loaded = loaded_by(BOT.format(module=module))
    assert families(loaded) == needed
    assert loaded & {"grpc", "tomllib", "importlib.resources", "pathlib", "hashlib"} <= {"hashlib"}


@pytest.mark.parametrize(("ruleset", "needed"), [("dice", {"dice"}), ("duel", {"duel"})])
@pytest.mark.parametrize("code", [MATCH, RECORD], ids=["referee", "record"])
def test_a_player_of_a_match_loads_its_family_alone(code: str, ruleset: str, needed: set[str]) -> None:
    assert families(loaded_by(code.format(ruleset=ruleset))) == needed


def test_an_action_of_a_family_that_is_not_loaded_is_read() -> None:
    """A bot may send it in any match; the rules refuse it then, with the same words as ever."""
    code = """
from beanleague import wire
from beanproto.v1 import referee_pb2 as pb
move = pb.Move()
move.roll_again.SetInParent()
assert type(wire.action_from_pb(move)).__name__ == "RollAgain"
"""
    assert "dice" in families(loaded_by(code))
