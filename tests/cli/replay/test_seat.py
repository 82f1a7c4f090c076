"""A replay as one seat saw it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from beanleague.cli.replay.families import describe, picture
from beanleague.cli.replay.steps import seen_from, steps
from beanleague.games import Record
from beanleague.games.core import Dealt
from tests.cli.helpers import played, with_fault
from tests.cli.replay.screens import text

GAMES = [("bohnanza", 5), ("bohnanza-two", 2), ("duel", 2), ("dice", 3)]


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_all_that_is_drawn_was_in_the_views_and_events_of_the_seat(ruleset: str, seats: int) -> None:
    """Other seats have only what the seat's own view says of them, and events are as this seat sees them."""
    record = played(seats, ruleset=ruleset)
    whole = list(steps(record))
    seen = list(seen_from(1, whole))
    assert len(whole) == len(seen)
    for step, known in zip(whole, seen, strict=True):
        own: Any = step.table.views[1]
        assert known.table.views[1] is own
        for seat, other in enumerate(known.table.views):
            assert replace(other, seat=1, **_private(own)) == own, seat
        assert known.entries == tuple(entry.seen_by(1) for entry in step.entries if hasattr(entry, "seen_by"))


def _private(own: Any) -> dict[str, Any]:
    return {name: getattr(own, name) for name in ("hand", "bohnus") if hasattr(own, name)}


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-two", "duel"])
def test_hidden_hands_are_drawn_as_numbers_of_cards(ruleset: str) -> None:
    seats = 3 if ruleset == "bohnanza" else 2
    record = played(seats, ruleset=ruleset)
    step = next(seen_from(1, steps(record)))
    drawn = text(picture(step.table, record.players, "", 100))
    assert drawn.count("5 cards") == seats - 1
    lines = [line.plain.strip() for entry, line in describe(step, record.players) if isinstance(entry, Dealt)]
    assert [line.endswith("is dealt 5 cards") for line in lines] == [seat != 1 for seat in range(seats)]


def test_a_seat_sees_its_own_faults_and_forfeit_alone() -> None:
    def faults(record: Record) -> tuple[int, set[int]]:
        seen = list(seen_from(1, steps(record)))
        return sum(entry in record.faults for step in seen for entry in step.entries), set(seen[-1].table.forfeited)

    record = played()
    of = {record.moves[move].seat: move for move in range(20)}
    assert faults(with_fault(record, of[0], forfeited=True)) == (0, set())
    assert faults(with_fault(record, of[1], forfeited=True)) == (1, {1})
