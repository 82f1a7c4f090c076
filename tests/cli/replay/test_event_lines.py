"""The lines for what happens in a match."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beanleague.cli.replay.families import describe
from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Fault, new_game
from beanleague.games.bohnanza import Answered, BohnanzaView, Offered, Refused, Traded, TradingEnded
from beanleague.games.core import (
    Dealt,
    Drew,
    GameEnded,
    Harvested,
    Passed,
    Planted,
    RanOut,
    Shuffled,
    TurnedOver,
    TurnStarted,
)

NAMES = ("ann@1", "ben@2", "cid@1")


def step(*entries: Entry) -> Step[BohnanzaView]:
    """A step at a table for three with blue and soy turned over."""
    view = new_game("bohnanza", seats=3, seed=b"x").view(0)
    assert isinstance(view, BohnanzaView)
    table = ReplayTable((replace(view, turned=("blue", "soy")),) * 3, frozenset())
    return Step(1, table, table, entries)


def lines(*entries: Entry) -> list[str]:
    """The lines for what happened at a table for three with blue and soy turned over."""
    return [line.plain.strip() for _, line in describe(step(*entries), NAMES)]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Dealt(0, 2, ("black_eyed", "red")), "ann@1 is dealt black-eyed, red"),
        (Drew(1, 2, ("blue", "blue")), "ben@2 draws 2 blue"),
        (Drew(1, 2, ()), "ben@2 draws 2 cards"),
        (TurnStarted(3, 1), "Turn 3: ben@2"),
        (Planted(0, 1, "soy", "hand", 0), "ann@1 plants soy in field 1"),
        (Passed(0), "ann@1 plants no second card"),
        (Harvested(2, 0, "stink", 5, 2), "cid@1 harvests 5 stink for $2"),
        (TurnedOver(0, ("blue", "soy")), "ann@1 turns over blue, soy"),
        (Offered(0, (1, 2), (), (), (), ()), "ann@1 asks all for offers"),
        (
            Offered(0, (1, 2), (0,), (3, 4), ("blue", "red", "red"), ("soy", "soy", "stink")),
            "ann@1 offers blue, 2 red for 2 soy, stink to all",
        ),
        (Offered(0, (2,), (0,), (), ("blue",), ()), "ann@1 offers blue to cid@1 as a gift"),
        (Offered(0, (1,), (), (), (), ("red",)), "ann@1 offers nothing for red to ben@2"),
        (Answered(1, "accept", (0,), ("red",)), "ben@2 accepts, giving red"),
        (Answered(1, "accept"), "ben@2 accepts"),
        (Answered(1, "counter", (0,), ("red",), (1,), ("chili",)), "ben@2 counters: gives red for soy, chili"),
        (Answered(1, "counter", (0,), ("red",)), "ben@2 counters: gives red for nothing"),
        (Traded(0, 2, (0,), (), ("blue",), (1, 2), ("red", "red")), "ann@1 trades with cid@1: gives blue for 2 red"),
        (Traded(0, 2, (0,), (), ("blue",), (), ()), "ann@1 trades with cid@1: gives blue for nothing"),
        (Refused(0), "ann@1 takes none of the answers"),
        (TradingEnded(0, ("blue",)), "ann@1 ends the trading and keeps blue"),
        (TradingEnded(0, ()), "ann@1 ends the trading"),
        (RanOut(2), "The draw pile runs out, 2 of 3"),
        (Shuffled(1, 60), "60 discarded cards become the draw pile"),
        (
            GameEnded((3, 9, 3), (3, 1, 2)),
            "Game over. 1. ben@2 $9, 2. cid@1 $3, 3. ann@1 $3; of equal money, the higher seat comes first",
        ),
        (GameEnded((3, 9, 3), (2, 1, 2)), "Game over. 1. ben@2 $9, 2. ann@1 $3, 2. cid@1 $3"),
        (
            Fault(1, 7, "timeout", "no answer in 1000 ms", forfeited=False),
            "ben@2 fault, timeout: no answer in 1000 ms; the default action is played",
        ),
        (
            Fault(1, 7, "crash", "the process ended", forfeited=True),
            "ben@2 fault, crash: the process ended; it forfeits, and default actions play on",
        ),
    ],
)
def test_every_entry_has_its_line(entry: Entry, text: str) -> None:
    assert lines(entry) == [text]


def test_seats_that_decline_one_after_the_other_share_a_line() -> None:
    answers = (Answered(0, "decline"), Answered(1, "decline"), Answered(2, "accept"))
    assert lines(*answers, Refused(0)) == ["2 declined", "cid@1 accepts", "ann@1 takes none of the answers"]
    assert lines(Answered(1, "decline"), Answered(2, "accept")) == ["ben@2 declines", "cid@1 accepts"]


def test_kinds_have_their_colours() -> None:
    (_, line), *_ = describe(step(Planted(0, 1, "red", "hand", 0)), NAMES)
    assert any("225,60,60" in str(span.style) and line.plain[span.start : span.end] == "red" for span in line.spans)
