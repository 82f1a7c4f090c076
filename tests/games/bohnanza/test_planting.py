"""Phases 1 and 3: planting from the hand and what lies aside."""

from __future__ import annotations

import pytest

from beanleague.games import IllegalActionError
from beanleague.games.bohnanza import Accept, Decision, Field, Offer, Pick, PlantAside, Stop
from beanleague.games.core import Harvest, Pass, Passed, Plant, Planted
from tests.games.bohnanza.helpers import scripted
from tests.games.helpers import do, of_type


class TestPhase1:
    def test_the_first_card_must_be_planted(self) -> None:
        """One may not pass."""
        game = scripted(hands=["red blue"])
        assert game.view(0).decision is Decision.PLANT_FIRST
        with pytest.raises(IllegalActionError, match="Pass is not an answer"):
            game.apply(0, Pass())

    def test_cards_are_planted_from_the_front_of_the_hand(self) -> None:
        """First the first card, then the one behind it, which may lie in an empty field or one of its kind."""
        game = scripted(hands=["red blue soy"], fields={(0, 2): "blue"})
        do(game, (0, Plant(0)), (0, Plant(2)))
        assert game.view(0).own_fields == (Field("red", 1), Field(None, 0), Field("blue", 2))
        assert game.view(0).hand == ("soy",)
        assert of_type(game.events, Planted) == [
            Planted(0, 0, "red", "hand", 0),
            Planted(0, 2, "blue", "hand", 0),
        ]

    def test_no_third_card_may_be_planted(self) -> None:
        game = scripted(hands=["red red red"])
        do(game, (0, Plant(0)), (0, Plant(0)))
        assert game.view(0).decision is Decision.TRADE

    def test_the_second_card_may_stay(self) -> None:
        game = scripted(hands=["red red"])
        do(game, (0, Plant(0)), (0, Pass()))
        assert game.view(0).hand == ("red",)
        assert of_type(game.events, Passed) == [Passed(0)]

    def test_the_same_kind_may_grow_in_two_fields(self) -> None:
        game = scripted(hands=["red red"])
        do(game, (0, Plant(0)), (0, Plant(1)))
        assert game.view(0).own_fields[:2] == (Field("red", 1), Field("red", 1))

    def test_another_kind_may_not_join_a_field(self) -> None:
        """The message says what grows there."""
        game = scripted(hands=["red"], fields={(0, 1): "blue"})
        with pytest.raises(IllegalActionError, match="red cannot be planted in field 1, where blue grows"):
            game.apply(0, Plant(1))

    def test_without_a_place_a_field_is_harvested_first(self) -> None:
        """All one can do is harvest; then the card has a place."""
        game = scripted(seats=4, hands=["red"], fields={(0, 0): "blue blue", (0, 1): "soy soy"})
        assert game.legal(0) == (Harvest(0), Harvest(1))
        do(game, (0, Harvest(1)))
        assert game.legal(0) == (Plant(1), Harvest(0))

    def test_it_is_skipped_with_an_empty_hand(self) -> None:
        game = scripted(hands=[""])
        assert game.view(0).decision is Decision.TRADE

    def test_it_ends_when_the_hand_is_empty(self) -> None:
        """Nobody is asked for a second card that is not there."""
        game = scripted(hands=["red"])
        do(game, (0, Plant(0)))
        assert game.view(0).decision is Decision.TRADE


class TestPhase3:
    def test_the_active_player_plants_first_then_the_others_clockwise(self) -> None:
        """Seats without cards aside are not asked."""
        game = scripted(seats=5, hands=["", "red", "", "red", "red"], pile="soy blue chili green stink")
        for seat, wanted in ((4, "soy"), (1, "blue")):
            turned = (game.view(0).turned.index(wanted),)
            do(game, (0, Offer((seat,), turned=turned, wants=("red",))), (seat, Accept((0,))), (0, Pick(seat)))
        do(game, (0, Stop()))
        order = []
        while game.to_act() and game.view(game.to_act()[0]).decision is Decision.PLANT_ASIDE:
            order.append(game.to_act()[0])
            game.apply(order[-1], game.default(order[-1]))
        assert order == [0, 0, 1, 4]

    def test_cards_aside_are_planted_in_any_order(self) -> None:
        game = scripted(hands=[""], pile="soy blue red red red red")
        do(game, (0, Stop()), (0, PlantAside(1, 2)))
        assert game.view(0).own_aside == ("soy",)
        assert game.view(0).own_fields[2] == Field("blue", 1)
        assert of_type(game.events, Planted) == [Planted(0, 2, "blue", "aside", 1)]

    def test_none_may_be_left_over(self) -> None:
        """Passing is no answer while a card lies aside."""
        game = do(scripted(hands=[""]), (0, Stop()))
        with pytest.raises(IllegalActionError):
            game.apply(0, Pass())

    def test_without_a_place_a_field_is_harvested_first(self) -> None:
        game = scripted(seats=4, hands=[""], fields={(0, 0): "blue blue", (0, 1): "soy soy"})
        do(game, (0, Stop()))
        assert game.legal(0) == (Harvest(0), Harvest(1))
        do(game, (0, Harvest(0)), (0, PlantAside(0, 0)))
        assert game.view(0).own_fields[0] == Field("red", 1)

    @pytest.mark.parametrize(("card", "field"), [(2, 0), (-1, 0), (0, 3), (0, -1)])
    def test_there_is_no_other_card_or_field(self, card: int, field: int) -> None:
        game = do(scripted(hands=[""]), (0, Stop()))
        with pytest.raises(IllegalActionError):
            game.apply(0, PlantAside(card, field))
