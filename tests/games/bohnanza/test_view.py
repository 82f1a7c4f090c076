"""What a view contains, and what it works out for a bot."""

from __future__ import annotations

import pytest

from beanleague.games.bohnanza import Call, Decision, Field, PlantAside, Stop
from beanleague.games.core import Harvest, Plant
from tests.games.bohnanza.helpers import bohnanza, scripted
from tests.games.helpers import do

FIELDS = {(0, 0): "blue blue blue blue", (0, 1): "soy", (2, 0): "red red"}


def test_it_contains_all_that_is_public_and_the_own_hand() -> None:
    game = scripted(
        hands=["", "red", "chili green"],
        fields=FIELDS,
        pile="stink soy red red",
        discard="red red chili",
        dollars=(1, 2, 3),
        run_outs=1,
    )
    view = game.view(2)
    assert (view.seat, view.decision, view.turn, view.active) == (2, Decision.WAIT, 1, 0)
    assert (view.hand, view.hand_sizes) == (("chili", "green"), (0, 1, 2))
    assert view.fields[0] == (Field("blue", 4), Field("soy", 1), Field(None, 0))
    assert view.own_fields == (Field("red", 2), Field(None, 0), Field(None, 0))
    assert view.dollars == (1, 2, 3)
    assert view.turned == ("stink", "soy")
    assert (view.pile, view.run_outs) == (2, 1)
    assert {kind.name: count for kind, count in zip(view.rules.kinds, view.discard, strict=True) if count} == {
        "red": 2,
        "chili": 1,
    }
    assert view.rounds_left == 6


def test_it_works_out_where_a_card_can_be_planted_and_what_a_harvest_earns() -> None:
    view = scripted(hands=[""], fields=FIELDS).view(0)
    assert view.places_for("blue") == (0, 2)
    assert view.places_for("soy") == (1, 2)
    assert view.places_for("green") == (2,)
    assert [view.earns(field) for field in range(3)] == [1, 0, 0]


def test_the_rules_know_their_kinds() -> None:
    rules = bohnanza().rules
    assert rules.kind("chili").cards == 18
    with pytest.raises(KeyError, match="cocoa"):
        rules.kind("cocoa")


def test_a_view_does_not_change_when_the_game_goes_on() -> None:
    game = scripted(hands=["red blue"], fields=FIELDS)
    view = game.view(0)
    before = repr(view)
    do(game, (0, Harvest(0)), (0, Plant(0)), (0, Plant(2)), (0, Call((1, 2))))
    assert repr(view) == before


class TestDefault:
    def test_it_plants_where_most_of_the_kind_grow(self) -> None:
        game = scripted(hands=["soy"], fields={(0, 1): "soy", (0, 2): "soy soy"})
        assert game.default(0) == Plant(2)

    def test_it_plants_in_an_empty_field_rather_than_harvest(self) -> None:
        game = scripted(hands=["red"], fields=FIELDS)
        assert game.default(0) == Plant(2)

    def test_it_harvests_for_room_what_earns_most(self) -> None:
        fields = {(0, 0): "stink stink", (0, 1): "soy soy"}
        assert scripted(seats=4, hands=["red"], fields=fields).default(0) == Harvest(1)

    def test_it_plants_first_what_lies_aside_and_has_a_place(self) -> None:
        fields = {(0, 0): "stink stink", (0, 1): "soy soy"}
        game = do(scripted(seats=4, hands=[""], fields=fields, pile="red soy red red"), (0, Stop()))
        assert game.default(0) == PlantAside(1, 1)
        do(game, (0, PlantAside(1, 1)))
        assert game.default(0) == Harvest(1)
