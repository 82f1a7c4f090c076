"""What the house bot `duelist` decides, and how much work that takes."""

import sys
from hashlib import blake2b
from typing import Any

import pytest

from beanbot import Bot, load_bot
from beanbot.bot import Choice
from beanbot.duel import DuelBot, DuelView
from beanbot.practice.match import PracticePlayer, play_match
from tests.bots.helpers import no_report
from tests.choices import listed


@pytest.fixture(scope="module")
def duelist() -> type[Bot[Any]]:
    return load_bot("duelist").classes[0]


def watched(duelist: type[Bot[Any]], decided: list[str], calls: list[int]) -> type[Bot[Any]]:
    """Return `duelist`, which adds its actions to `decided` and the calls that each decision takes to `calls`."""

    class Watched(duelist):  # type: ignore[misc,valid-type]
        def decide(self, view: DuelView) -> Choice:
            before = sys.getprofile()
            calls.append(0)
            sys.setprofile(count)
            try:
                choice: Choice = super().decide(view)
            finally:
                sys.setprofile(before)
            decided.extend(map(str, listed(choice)))
            return choice

    def count(frame: object, event: str, called: object) -> None:
        del frame, called
        calls[-1] += event in ("call", "c_call")

    return Watched


def test_duelist_decides_as_before_it_was_made_quick_with_less_than_half_the_work(duelist: type[Bot[Any]]) -> None:
    """A better bot has another digest. Functions were called 2916 times per decision, and are now 863 times."""
    decided: list[str] = []
    calls: list[int] = []
    bot = watched(duelist, decided, calls)
    tables: list[tuple[type[Bot[Any]], type[Bot[Any]]]] = [(bot, bot), (bot, DuelBot), (DuelBot, bot)]
    for number, table in enumerate(tables):
        entrants = [PracticePlayer(cls.__name__, cls) for cls in table]
        play_match(entrants, game="duel", seed=b"%d" % number, lucks=[b"any"] * 2, report=no_report)
    assert blake2b("\n".join(decided).encode(), digest_size=8).hexdigest() == "046e042c70d96858"
    assert sum(calls) < 1200 * len(calls)
