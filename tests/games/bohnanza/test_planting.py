"""Planting from the hand and what lies aside; harvesting before any decision and between turns, and bean protection."""

import pytest

from beanleague.games import IllegalActionError
from beanleague.games.bohnanza import (
    Accept,
    Call,
    Counter,
    Decision,
    Decline,
    Field,
    Offer,
    Pick,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Harvest, Harvested, Pass, Passed, Plant, Planted, TurnStarted
from tests.games.bohnanza.helpers import scripted
from tests.games.helpers import chooser, do, of_type, play


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


FIELDS = {(0, 0): "blue blue blue blue", (0, 1): "soy soy", (1, 0): "chili chili chili", (2, 0): "red red"}


class TestProtectionRule:
    @pytest.mark.parametrize(
        ("fields", "harvestable"),
        [
            (("blue", "soy soy", ""), (1,)),
            (("blue", "soy", ""), (0, 1)),
            (("blue", "", ""), (0,)),
            (("blue", "soy", "red"), (0, 1, 2)),
            (("blue blue", "soy soy", "red"), (0, 1)),
            (("blue blue", "soy soy", "red red red"), (0, 1, 2)),
            (("", "", ""), ()),
        ],
    )
    def test_a_single_bean_is_protected_by_a_larger_field(
        self, fields: tuple[str, ...], harvestable: tuple[int, ...]
    ) -> None:
        """Views, legal actions and what is accepted agree on it."""
        game = scripted(hands=[""], fields={(0, i): kinds for i, kinds in enumerate(fields) if kinds})
        assert game.view(0).harvestable == harvestable
        for field in range(3):
            assert (Harvest(field) in game.legal(0)) == (field in harvestable)
            if field in harvestable:
                game.copy().apply(0, Harvest(field))
            else:
                with pytest.raises(IllegalActionError, match=f"field {field} (is empty|has one bean and is protected)"):
                    game.copy().apply(0, Harvest(field))

    def test_the_larger_fields_of_others_protect_nothing(self) -> None:
        game = scripted(hands=[""], fields={(0, 0): "blue", (1, 0): "soy soy soy"})
        assert game.view(0).harvestable == (0,)


class TestFreeStep:
    def asked_again(self, game: Bohnanza, seat: int, field: int) -> None:
        decision = game.view(seat).decision
        do(game, (seat, Harvest(field)))
        assert game.to_act() == (seat,)
        assert game.view(seat).decision is decision
        assert game.view(seat).own_fields[field] == Field(None, 0)

    def test_before_planting_the_first_card_or_the_second(self) -> None:
        game = scripted(hands=["red blue"], fields=FIELDS)
        self.asked_again(game, 0, 0)
        do(game, (0, Plant(0)))
        self.asked_again(game, 0, 1)

    def test_before_leading_a_round_and_before_picking_without_using_up_a_round(self) -> None:
        game = scripted(hands=[""], fields=FIELDS)
        rounds = game.view(0).rounds_left
        self.asked_again(game, 0, 0)
        do(game, (0, Call((1,))), (1, Counter((), turned=(0,))))
        self.asked_again(game, 0, 1)
        assert game.view(0).rounds_left == rounds
        do(game, (0, Refuse()))
        assert game.view(0).rounds_left == rounds - 1

    def test_before_planting_what_lies_aside_also_of_others(self) -> None:
        game = scripted(hands=[""], fields=FIELDS)
        do(game, (0, Offer((1,), turned=(0,))), (1, Accept()))
        do(game, (0, game.legal(0)[1]), (0, Stop()))
        self.asked_again(game, 0, 0)
        do(game, (0, PlantAside(0, 0)))
        self.asked_again(game, 1, 0)

    def test_not_while_answers_are_collected(self) -> None:
        """An answer is simultaneous with others, and a harvest would show in between."""
        game = scripted(hands=[""], fields=FIELDS)
        do(game, (0, Call((1, 2))))
        view = game.view(1)
        assert view.harvestable == ()
        assert not any(isinstance(action, Harvest) for action in view.legal())
        with pytest.raises(IllegalActionError, match="may not harvest while answers are collected"):
            game.apply(1, Harvest(0))

    def test_not_by_seats_that_are_not_asked(self) -> None:
        game = scripted(hands=["red"], fields=FIELDS)
        assert game.view(1).harvestable == ()
        with pytest.raises(IllegalActionError, match="seat 1 is not asked now"):
            game.apply(1, Harvest(0))


class TestInterlude:
    def end_turn(self, game: Bohnanza) -> Bohnanza:
        do(game, (0, Stop()))
        while game.view(0).own_aside:
            game.apply(0, game.default(0))
        return game

    def test_seats_that_asked_are_offered_a_harvest_clockwise_from_the_next_active_player(self) -> None:
        """Between the draw and the next turn; passing ends it, and the one who just played comes last."""
        game = self.end_turn(scripted(hands=["", "blue"], fields=FIELDS, options={"interludes": (0, 1, 2)}))
        for seat in (1, 2, 0):
            assert game.to_act() == (seat,)
            assert game.view(seat).decision is Decision.INTERLUDE
            assert game.view(seat).turn == 1
            do(game, (seat, Pass()))
        assert game.events[-1] == TurnStarted(2, 1)

    def test_seats_that_did_not_ask_are_not_called(self) -> None:
        game = self.end_turn(scripted(hands=["", "blue"], fields=FIELDS, options={"interludes": (2,)}))
        assert game.to_act() == (2,)
        do(game, (2, Pass()))
        assert game.view(1).decision is Decision.PLANT_FIRST

    def test_seats_with_nothing_to_harvest_are_not_called(self) -> None:
        fields = {(1, 0): "chili", (1, 1): "blue blue"}
        game = self.end_turn(scripted(seats=4, hands=["", "blue"], fields=fields, options={"interludes": (1, 2, 3)}))
        assert game.to_act() == (1,)
        do(game, (1, Harvest(1)), (1, Harvest(0)))
        assert game.events[-1] == TurnStarted(2, 1)

    def test_several_fields_may_be_harvested(self) -> None:
        """Each harvest is followed by the question again, as long as there is something to harvest."""
        fields = {(1, 0): "chili chili chili", (1, 1): "blue"}
        game = self.end_turn(scripted(hands=["", "blue"], fields=fields, options={"interludes": (1,)}))
        assert game.legal(1) == (Pass(), Harvest(0))
        do(game, (1, Harvest(0)))
        assert game.legal(1) == (Pass(), Harvest(1))
        do(game, (1, Harvest(1)))
        assert of_type(game.events, Harvested) == [Harvested(1, 0, "chili", 3, 1), Harvested(1, 1, "blue", 1, 0)]
        assert game.view(1).decision is Decision.PLANT_FIRST

    @pytest.mark.parametrize("action", [Plant(0), Stop(), Decline(), Harvest(1), Harvest(7)])
    def test_nothing_else_may_be_done(self, action: Plant | Stop | Decline | Harvest) -> None:
        game = self.end_turn(scripted(hands=["", "blue"], fields=FIELDS, options={"interludes": (1,)}))
        with pytest.raises(IllegalActionError):
            game.apply(1, action)

    def test_there_is_none_after_the_end(self) -> None:
        """The last draw ends the game at once."""
        game = self.end_turn(
            scripted(hands=[""], fields=FIELDS, pile="red red red", run_outs=2, options={"interludes": (0, 1, 2)})
        )
        assert game.over

    def test_interludes_of_nobody_are_never_asked(self) -> None:
        seen: set[Decision] = set()
        play(scripted(), chooser("no interludes"), look=lambda view: seen.add(view.decision))
        assert Decision.INTERLUDE not in seen
