"""What may be done on any turn of the duel: bo(h)nus cards, harvests, and both between turns."""

from __future__ import annotations

import pytest

from beanleague.games.core.actions import Harvest, Pass, Plant
from beanleague.games.duel.actions import DuelDecision, Fulfil, OfferGift
from beanleague.games.duel.events import ColumnHarvested, Fulfilled
from tests.games.duel.helpers import deck, draw_phase, refused, scripted
from tests.games.helpers import do, of_type


class TestBohnusCards:
    @pytest.mark.parametrize(
        ("field", "sequence", "fulfilled"),
        [
            ("red", "1", True),
            ("red red red", "2", True),
            ("red", "2", False),
            ("red red black_eyed", "2-1", True),
            ("red red red black_eyed", "2-1", True),
            ("red black_eyed", "2-1", False),
            ("red red black_eyed black_eyed", "2-1", False),
            ("red red black_eyed soy", "2-1", False),
            ("red black_eyed black_eyed soy", "2-1", True),
            ("red black_eyed soy green", "1-1-1-1", True),
            ("red black_eyed black_eyed soy green", "1-1-1-1", False),
            ("garden red red black_eyed soy soy", "2-1-2", True),
            ("red red", "1-1", False),
            ("", "1", False),
        ],
    )
    def test_the_last_cards_of_the_field_are_exactly_the_sequence(
        self, field: str, sequence: str, fulfilled: bool
    ) -> None:
        """The very last included; before them may lie what will."""
        game = scripted(hands=["blue", ""], fields={(0, 1): field}, bohnus=((0,), ()), cards=deck((sequence, 10)))
        if fulfilled:
            assert game.view(0).fulfillable == (Fulfil(0, 0, 1),)
            do(game, (0, Fulfil(0, 0, 1)))
            assert game.view(0).earned == ((0,), ())
        else:
            assert game.view(0).fulfillable == ()
            refused(game, 0, Fulfil(0, 0, 1), f"field 1 of seat 0 does not end with {sequence}")

    def test_it_leaves_the_field_as_it_is_and_is_worth_a_dollar_and_its_cents(self) -> None:
        game = scripted(hands=["blue", ""], fields={(0, 0): "red red"}, bohnus=((0,), ()), cards=deck(("2", 70)))
        do(game, (0, Fulfil(0, 0, 0)))
        view = game.view(0)
        assert view.own_fields[0].cards == ("red", "red")
        assert view.cents(0) == 3 * 100 + 170
        assert view.decision is DuelDecision.PLANT_FIRST
        assert view.bohnus == ()

    def test_the_same_cards_may_fulfil_several(self) -> None:
        cards = deck(("2", 10), ("1-2", 40))
        game = scripted(hands=["blue", ""], fields={(0, 0): "garden red red"}, bohnus=((0, 1), ()), cards=cards)
        do(game, (0, Fulfil(0, 0, 0)), (0, Fulfil(1, 0, 0)))
        assert game.view(0).earned == ((0, 1), ())

    def test_a_field_of_the_opponent_does_as_well(self) -> None:
        game = scripted(hands=["blue", ""], fields={(1, 2): "red red"}, bohnus=((0,), (1,)), cards=deck(("2", 10)))
        do(game, (0, Fulfil(0, 1, 2)))
        assert of_type(game.events, Fulfilled) == [Fulfilled(0, 0, 1, 2)]

    def test_the_opponent_fulfils_when_it_is_asked_for_something_on_another_turn(self) -> None:
        game = scripted(hands=["blue", ""], fields={(0, 0): "red red"}, bohnus=((), (0,)), cards=deck(("2", 10)))
        do(game, (0, Plant(1)), (0, OfferGift("red")))
        do(game, (1, Fulfil(0, 0, 0)))
        assert game.view(1).decision is DuelDecision.ANSWER_GIFT

    def test_a_card_of_the_opponent_cannot_be_fulfilled(self) -> None:
        game = scripted(hands=["blue", ""], fields={(0, 0): "red red"}, bohnus=((1,), (0,)), cards=deck(("2", 10)))
        refused(game, 0, Fulfil(0, 0, 0), "not in your hand")
        refused(game, 0, Fulfil(1, 2, 0), "no seat 2")
        refused(game, 0, Fulfil(1, 0, 3), "no field 3")


class TestHarvests:
    def test_a_single_bean_is_protected_by_a_longer_field(self) -> None:
        game = scripted(hands=["blue", ""], fields={(0, 0): "red", (0, 1): "red black_eyed"})
        assert game.view(0).harvestable == (1,)
        refused(game, 0, Harvest(0), "field 0 has one bean and is protected")
        refused(game, 0, Harvest(2), "field 2 is empty")

    def test_with_single_beans_only_any_may_be_harvested(self) -> None:
        game = scripted(hands=["blue", ""], fields={(0, 0): "red", (0, 1): "soy"})
        assert game.view(0).harvestable == (0, 1)

    def test_more_beans_than_there_are_of_the_last_kind_still_pay_its_most(self) -> None:
        field = "garden " * 6 + "red"
        game = do(scripted(hands=["blue", ""], fields={(0, 0): field}), (0, Harvest(0)))
        assert of_type(game.events, ColumnHarvested)[0].dollars == 4


class TestInterludes:
    def test_seats_that_asked_may_harvest_or_fulfil_between_turns(self) -> None:
        game = draw_phase(fields={(1, 0): "soy soy"}, interludes=(0, 1))
        assert game.view(1).decision is DuelDecision.INTERLUDE
        assert game.legal(1) == (Pass(), Harvest(0))
        do(game, (1, Harvest(0)))
        assert game.to_act() == (0,)
        assert game.view(0).decision is DuelDecision.INTERLUDE
        do(game, (0, Pass()))
        assert game.view(1).turn == 2

    def test_others_are_not_asked(self) -> None:
        game = draw_phase(fields={(1, 0): "soy soy"}, interludes=())
        assert game.view(1).turn == 2
