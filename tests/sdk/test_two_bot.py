"""BohnanzaTwoBot: a method per decision, and what each does by default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from beanbot.practice import play
from beanbot.two import (
    Action,
    BohnanzaTwoBot,
    BohnanzaTwoView,
    Choice,
    DiscardHand,
    DiscardOpen,
    Harvest,
    Pass,
    Plant,
    PlantOpen,
    TwoDecision,
)
from beanleague.games import Kind, new_game
from tests.choices import first
from tests.sdk.helpers import methods_asked, planted

METHODS = {
    TwoDecision.PLANT_OFFERED: "plant_offered",
    TwoDecision.PLANT_FIRST: "plant_first",
    TwoDecision.PLANT_SECOND: "plant_second",
    TwoDecision.DISCARD_HAND: "discard_hand",
    TwoDecision.PLANT_DRAWN: "plant_drawn",
}


def view_of(decision: TwoDecision, *fields: tuple[Kind | None, int], **changes: Any) -> BohnanzaTwoView:
    """Return a view with these own fields, which may all be harvested, and other `changes`."""
    view = new_game("bohnanza-two", seats=2, seed=b"any").view(0)
    assert isinstance(view, BohnanzaTwoView)
    own, harvestable = planted(*fields)
    return replace(view, decision=decision, fields=(own, view.fields[1]), harvestable=harvestable, **changes)


def test_each_decision_has_its_method() -> None:
    assert methods_asked(BohnanzaTwoBot, METHODS.values(), map(view_of, METHODS)) == list(METHODS.values())
    assert set(METHODS) == set(TwoDecision) - {TwoDecision.WAIT}


@pytest.mark.parametrize("decision", [TwoDecision.PLANT_FIRST, TwoDecision.PLANT_SECOND])
def test_a_card_goes_to_its_own_kind_before_an_empty_field(decision: TwoDecision) -> None:
    hand = ("red", "blue")
    assert first(BohnanzaTwoBot().decide(view_of(decision, (None, 0), ("red", 2), hand=hand))) == Plant(1)
    assert first(BohnanzaTwoBot().decide(view_of(decision, ("blue", 2), (None, 0), hand=hand))) == Plant(1)


def test_without_room_the_first_card_harvests_and_the_second_stays() -> None:
    fields: list[tuple[Kind | None, int]] = [("blue", 3), ("red", 3)]
    assert BohnanzaTwoBot().decide(view_of(TwoDecision.PLANT_FIRST, *fields, hand=("soy",))) == [Harvest(1), Plant(1)]
    assert BohnanzaTwoBot().decide(view_of(TwoDecision.PLANT_SECOND, *fields, hand=("soy",))) == [Pass(), Pass()]


def test_of_what_the_other_left_it_plants_what_grows_with_it_and_discards_the_rest() -> None:
    def act(*fields: tuple[Kind | None, int]) -> Choice:
        return BohnanzaTwoBot().decide(view_of(TwoDecision.PLANT_OFFERED, *fields, open=("soy", "blue"), hand=()))

    assert act(("blue", 1), (None, 0)) == [PlantOpen(1, 0), DiscardOpen(0)]
    assert act(("red", 1), (None, 0)) == [DiscardOpen(0), DiscardOpen(0)]


def test_of_what_is_drawn_it_plants_what_has_a_place_and_leaves_the_rest() -> None:
    def act(*fields: tuple[Kind | None, int]) -> Choice:
        return BohnanzaTwoBot().decide(view_of(TwoDecision.PLANT_DRAWN, *fields, open=("soy", "blue")))

    assert act(("blue", 1), ("red", 1)) == [PlantOpen(1, 0), Pass()]
    assert act(("red", 1), (None, 0)) == [PlantOpen(0, 1), Pass()]
    assert act(("red", 1), ("green", 2)) == [Pass()]


def test_it_discards_nothing_of_its_hand() -> None:
    assert BohnanzaTwoBot().decide(view_of(TwoDecision.DISCARD_HAND, ("red", 1), ("green", 2))) == Pass()


def test_a_bot_in_five_lines_plays() -> None:
    class Tidy(BohnanzaTwoBot):
        def discard_hand(self, view: BohnanzaTwoView) -> Action:
            return DiscardHand(len(view.hand) - 1)

    games = play([Tidy, BohnanzaTwoBot], game="bohnanza-two", games=6, report=fail)
    assert {row.faults for row in games.rows} == {0}


def fail(name: str, what: str) -> None:
    pytest.fail(f"{name}: {what}")
