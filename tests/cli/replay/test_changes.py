"""What a step changed is marked in the picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from beanleague.cli.replay.families import picture
from beanleague.cli.replay.lines import new_cards
from beanleague.cli.replay.steps import Step, steps
from beanleague.games import Event
from beanleague.games.core import Drew, Harvested, Planted, TurnedOver
from beanleague.games.core.words import kind_text
from beanleague.games.dice import DiceView, Rolled, Saved
from beanleague.games.duel import ColumnHarvested
from tests.cli.helpers import played
from tests.cli.replay.screens import marked


def first(ruleset: str, seats: int, kind: type[Event], *, which: Callable[[Any], bool] = lambda _: True) -> Step[Any]:
    """The first step of a match that has an event of this class alone."""
    return next(
        step
        for step in steps(played(seats, ruleset=ruleset))
        if [type(entry) for entry in step.entries] == [kind] and step.move and which(step.entries[0])
    )


def marks(step: Step[Any]) -> list[str]:
    names = [f"bot{seat}" for seat in range(len(step.table.views))]
    return marked(picture(step.table, names, "a match", 120, before=step.before), 120)


@pytest.mark.parametrize(("ruleset", "seats"), [("bohnanza", 3), ("bohnanza-two", 2), ("duel", 2)])
def test_a_planted_card_marks_its_field(ruleset: str, seats: int) -> None:
    step = first(ruleset, seats, Planted, which=lambda event: event.source == "hand")
    (event,) = step.entries
    assert isinstance(event, Planted)
    assert [mark.split()[1] for mark in marks(step)] == [kind_text(event.kind)]


def test_a_harvest_marks_its_field_and_dollars_that_were_earned() -> None:
    step = first("bohnanza", 3, Harvested, which=lambda event: event.dollars > 0)
    (event,) = step.entries
    assert isinstance(event, Harvested)
    assert [mark.strip() for mark in marks(step)] == [str(step.table.public.dollars[event.seat]), "-"]
    step = first("duel", 2, ColumnHarvested, which=lambda event: not event.dollars)
    assert marks(step) == ["-"]


def test_cards_drawn_and_turned_over_are_marked() -> None:
    turning = next(step for step in steps(played(3)) if isinstance(step.entries[-1], TurnedOver))
    event = turning.entries[-1]
    assert isinstance(event, TurnedOver)
    assert marks(turning)[-1] == " ".join(map(kind_text, event.cards))
    drawing = next(
        step for step in steps(played(3)) if step.move and any(isinstance(entry, Drew) for entry in step.entries)
    )
    (drew,) = [entry for entry in drawing.entries if isinstance(entry, Drew)]
    assert marks(drawing)[: drew.count] == [kind_text(kind) for kind in drew.cards]


def test_dice_that_were_rolled_and_saved_are_marked() -> None:
    saved = next(
        step for step in steps(played(1, ruleset="bean-thief-easy"))
        if [type(entry) for entry in step.entries[:2]] == [Saved, Rolled]
    )  # fmt: skip
    rolled, field = marks(saved)[:2]
    view = saved.table.public
    assert isinstance(view, DiceView)
    assert rolled.split() == [view.faces[die] for die in view.rolled]
    assert field.split() == [view.faces[die] for die in view.saved]


def test_nothing_is_marked_without_a_table_before() -> None:
    step = first("bohnanza", 3, Planted)
    assert not marked(picture(step.table, ["a", "b", "c"], "", 100))


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [("ab", "ab", 0), ("ab", "b", 0), ("ab", "abc", 1), ("aba", "baa", 1), ("abc", "ca", 1), ("", "ab", 2)],
)
def test_new_cards_are_those_at_the_back_that_were_not_there(before: str, now: str, new: int) -> None:
    assert new_cards(tuple(now), tuple(before)) == new  # type: ignore[arg-type]  # letters for kinds
