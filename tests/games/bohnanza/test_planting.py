"""Planting from the hand and what lies aside, harvesting, bean protection, and the draw pile to the end of the game."""

from collections.abc import Sequence

import pytest

from beanleague.games import Event, IllegalActionError, Kind, bohnanza
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import (
    Drew,
    GameEnded,
    Harvest,
    Harvested,
    Pass,
    Passed,
    Plant,
    Planted,
    RanOut,
    Shuffled,
    TurnedOver,
    TurnStarted,
)
from tests.games.bohnanza.helpers import scripted
from tests.games.helpers import chooser, do, of_type, play


class TestPhase1:
    def test_the_first_card_must_be_planted(self) -> None:
        """One may not pass."""
        game = scripted(hands=["red blue"])
        assert game.view(0).decision is bohnanza.Decision.PLANT_FIRST
        with pytest.raises(IllegalActionError, match="Pass is not an answer"):
            game.apply(0, Pass())

    def test_cards_are_planted_from_the_front_of_the_hand(self) -> None:
        """First the first card, then the one behind it, which may lie in an empty field or one of its kind."""
        game = scripted(hands=["red blue soy"], fields={(0, 2): "blue"})
        do(game, (0, Plant(0)), (0, Plant(2)))
        assert game.view(0).own_fields == (bohnanza.Field("red", 1), bohnanza.Field(None, 0), bohnanza.Field("blue", 2))
        assert game.view(0).hand == ("soy",)
        assert of_type(game.events, Planted) == [
            Planted(0, 0, "red", "hand", 0),
            Planted(0, 2, "blue", "hand", 0),
        ]

    def test_no_third_card_may_be_planted(self) -> None:
        game = scripted(hands=["red red red"])
        do(game, (0, Plant(0)), (0, Plant(0)))
        assert game.view(0).decision is bohnanza.Decision.TRADE

    def test_the_second_card_may_stay(self) -> None:
        game = scripted(hands=["red red"])
        do(game, (0, Plant(0)), (0, Pass()))
        assert game.view(0).hand == ("red",)
        assert of_type(game.events, Passed) == [Passed(0)]

    def test_the_same_kind_may_grow_in_two_fields(self) -> None:
        game = scripted(hands=["red red"])
        do(game, (0, Plant(0)), (0, Plant(1)))
        assert game.view(0).own_fields[:2] == (bohnanza.Field("red", 1), bohnanza.Field("red", 1))

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

    def test_phase_1_is_skipped_with_an_empty_hand(self) -> None:
        game = scripted(hands=[""])
        assert game.view(0).decision is bohnanza.Decision.TRADE

    def test_phase_1_ends_when_the_hand_is_empty(self) -> None:
        """Nobody is asked for a second card that is not there."""
        game = scripted(hands=["red"])
        do(game, (0, Plant(0)))
        assert game.view(0).decision is bohnanza.Decision.TRADE


class TestPhase3:
    def test_the_active_player_plants_first_then_the_others_clockwise(self) -> None:
        """Seats without cards aside are not asked."""
        game = scripted(seats=5, hands=["", "red", "", "red", "red"], pile="soy blue chili green stink")
        for seat, wanted in ((4, "soy"), (1, "blue")):
            turned = (game.view(0).turned.index(wanted),)
            do(
                game,
                (0, bohnanza.Offer((seat,), turned=turned, wants=("red",))),
                (seat, bohnanza.Accept((0,))),
                (0, bohnanza.Pick(seat)),
            )
        do(game, (0, bohnanza.Stop()))
        order = []
        while game.to_act() and game.view(game.to_act()[0]).decision is bohnanza.Decision.PLANT_ASIDE:
            order.append(game.to_act()[0])
            game.apply(order[-1], game.default(order[-1]))
        assert order == [0, 0, 1, 4]

    def test_cards_aside_are_planted_in_any_order(self) -> None:
        game = scripted(hands=[""], pile="soy blue red red red red")
        do(game, (0, bohnanza.Stop()), (0, bohnanza.PlantAside(1, 2)))
        assert game.view(0).own_aside == ("soy",)
        assert game.view(0).own_fields[2] == bohnanza.Field("blue", 1)
        assert of_type(game.events, Planted) == [Planted(0, 2, "blue", "aside", 1)]

    def test_none_may_be_left_over(self) -> None:
        """Passing is no answer while a card lies aside."""
        game = do(scripted(hands=[""]), (0, bohnanza.Stop()))
        with pytest.raises(IllegalActionError):
            game.apply(0, Pass())

    def test_without_a_place_a_field_is_harvested_first(self) -> None:
        game = scripted(seats=4, hands=[""], fields={(0, 0): "blue blue", (0, 1): "soy soy"})
        do(game, (0, bohnanza.Stop()))
        assert game.legal(0) == (Harvest(0), Harvest(1))
        do(game, (0, Harvest(0)), (0, bohnanza.PlantAside(0, 0)))
        assert game.view(0).own_fields[0] == bohnanza.Field("red", 1)

    @pytest.mark.parametrize(("card", "field"), [(2, 0), (-1, 0), (0, 3), (0, -1)])
    def test_there_is_no_other_card_or_field(self, card: int, field: int) -> None:
        game = do(scripted(hands=[""]), (0, bohnanza.Stop()))
        with pytest.raises(IllegalActionError):
            game.apply(0, bohnanza.PlantAside(card, field))


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
        assert game.view(seat).own_fields[field] == bohnanza.Field(None, 0)

    def test_before_planting_the_first_card_or_the_second(self) -> None:
        game = scripted(hands=["red blue"], fields=FIELDS)
        self.asked_again(game, 0, 0)
        do(game, (0, Plant(0)))
        self.asked_again(game, 0, 1)

    def test_before_leading_a_round_and_before_picking_without_using_up_a_round(self) -> None:
        game = scripted(hands=[""], fields=FIELDS)
        rounds = game.view(0).rounds_left
        self.asked_again(game, 0, 0)
        do(game, (0, bohnanza.Call((1,))), (1, bohnanza.Counter((), turned=(0,))))
        self.asked_again(game, 0, 1)
        assert game.view(0).rounds_left == rounds
        do(game, (0, bohnanza.Refuse()))
        assert game.view(0).rounds_left == rounds - 1

    def test_before_planting_what_lies_aside_also_of_others(self) -> None:
        game = scripted(hands=[""], fields=FIELDS)
        do(game, (0, bohnanza.Offer((1,), turned=(0,))), (1, bohnanza.Accept()))
        do(game, (0, game.legal(0)[1]), (0, bohnanza.Stop()))
        self.asked_again(game, 0, 0)
        do(game, (0, bohnanza.PlantAside(0, 0)))
        self.asked_again(game, 1, 0)

    def test_not_while_answers_are_collected(self) -> None:
        """An answer is simultaneous with others, and a harvest would show in between."""
        game = scripted(hands=[""], fields=FIELDS)
        do(game, (0, bohnanza.Call((1, 2))))
        view = game.view(1)
        assert view.harvestable == ()
        assert not any(isinstance(action, Harvest) for action in view.legal())
        with pytest.raises(IllegalActionError, match="may not harvest while answers are collected"):
            game.apply(1, Harvest(0))

    def test_not_by_seats_that_are_not_asked(self) -> None:
        game = scripted(hands=["red"], fields=FIELDS)
        assert game.view(1).harvestable == ()
        with pytest.raises(IllegalActionError, match="seat 1 has no decision to make now"):
            game.apply(1, Harvest(0))


class TestInterlude:
    def end_turn(self, game: Bohnanza) -> Bohnanza:
        do(game, (0, bohnanza.Stop()))
        while game.view(0).own_aside:
            game.apply(0, game.default(0))
        return game

    def test_seats_that_asked_are_offered_a_harvest_clockwise_from_the_next_active_player(self) -> None:
        """Between the draw and the next turn; passing ends it, and the one who just played comes last."""
        game = self.end_turn(scripted(hands=["", "blue"], fields=FIELDS, options={"interludes": (0, 1, 2)}))
        for seat in (1, 2, 0):
            assert game.to_act() == (seat,)
            assert game.view(seat).decision is bohnanza.Decision.INTERLUDE
            assert game.view(seat).turn == 1
            do(game, (seat, Pass()))
        assert game.events[-1] == TurnStarted(2, 1)

    def test_seats_that_did_not_ask_are_not_called(self) -> None:
        game = self.end_turn(scripted(hands=["", "blue"], fields=FIELDS, options={"interludes": (2,)}))
        assert game.to_act() == (2,)
        do(game, (2, Pass()))
        assert game.view(1).decision is bohnanza.Decision.PLANT_FIRST

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
        assert game.view(1).decision is bohnanza.Decision.PLANT_FIRST

    @pytest.mark.parametrize("action", [Plant(0), bohnanza.Stop(), bohnanza.Decline(), Harvest(1), Harvest(7)])
    def test_nothing_else_may_be_done(self, action: Plant | bohnanza.Stop | bohnanza.Decline | Harvest) -> None:
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
        seen: set[bohnanza.Decision] = set()
        play(scripted(), chooser("no interludes"), look=lambda view: seen.add(view.decision))
        assert bohnanza.Decision.INTERLUDE not in seen


DRAWING = (TurnedOver, Drew, RanOut, Shuffled)


def drawn(game: Bohnanza) -> list[Event]:
    return of_type(game.events, *DRAWING)


def after_phase_3(pile: str, discard: str = "", run_outs: int = 0, turned: str = "red red") -> Bohnanza:
    """Seat 0 has planted all; `pile` and `discard` are what it had then."""
    game = scripted(hands=["", "blue"], pile=f"{turned} {pile}", discard=discard, run_outs=run_outs)
    return do(game, (0, bohnanza.Stop()), (0, bohnanza.PlantAside(0, 0)), (0, bohnanza.PlantAside(0, 0)))


def test_the_pile_runs_out_with_its_last_card_and_the_discards_are_shuffled_at_once() -> None:
    """Not only when the next card is drawn."""
    game = after_phase_3("chili green soy", discard="stink stink")
    assert drawn(game)[1:] == [Drew(0, 3, ("chili", "green", "soy")), RanOut(1), Shuffled(1, 2)]
    view = game.view(1)
    assert (view.pile, sum(view.discard), view.run_outs) == (2, 0, 1)


def test_drawing_goes_on_from_the_new_pile() -> None:
    game = after_phase_3("chili", discard="stink stink stink")
    assert drawn(game)[1:] == [Drew(0, 1, ("chili",)), RanOut(1), Shuffled(1, 3), Drew(0, 2, ("stink", "stink"))]
    assert game.view(0).hand == ("chili", "stink", "stink")


def test_dealing_and_an_exact_draw_do_not_count_as_a_run_out_until_the_last_card_is_gone() -> None:
    game = after_phase_3("chili green soy stink")
    assert RanOut(1) not in game.events


class TestNothingDiscarded:
    def test_the_pile_stays_empty_until_somebody_draws(self) -> None:
        """Nothing was discarded by then either: each of the two cards that cannot be turned over is a run-out."""
        game = scripted(hands=["", "blue"], fields={(0, 1): "stink stink"}, pile="red red chili green soy")
        do(game, (0, bohnanza.Stop()), (0, bohnanza.PlantAside(0, 0)), (0, bohnanza.PlantAside(0, 0)))
        assert drawn(game)[1:] == [Drew(0, 3, ("chili", "green", "soy")), RanOut(1)]
        assert game.view(1).pile == 0
        do(game, (1, Plant(0)))
        assert game.view(1).run_outs == 3
        assert game.view(1).turned == ()

    def test_a_later_draw_shuffles_what_was_discarded_meanwhile(self) -> None:
        """Without counting a run-out again."""
        game = scripted(
            hands=["", "blue soy"], fields={(1, 0): "stink stink stink stink"}, pile="red red chili green soy"
        )
        do(game, (0, bohnanza.Stop()), (0, bohnanza.PlantAside(0, 0)), (0, bohnanza.PlantAside(0, 0)))
        do(game, (1, Plant(1)), (1, Harvest(0)), (1, Pass()))
        assert drawn(game)[-3:] == [RanOut(1), Shuffled(1, 3), TurnedOver(1, ("stink", "stink"))]
        assert (game.view(1).pile, game.view(1).run_outs) == (1, 1)

    def test_every_draw_that_finds_nothing_counts_one_run_out(self) -> None:
        """Here the first of two in phase 2: one card is turned over, nothing is left, and the second draw fails."""
        game = scripted(hands=[""], pile="red")
        assert drawn(game) == [TurnedOver(0, ("red",)), RanOut(1), RanOut(2)]
        assert game.view(0).decision is bohnanza.Decision.TRADE
        do(game, (0, bohnanza.Stop()), (0, bohnanza.PlantAside(0, 0)))
        assert game.over
        assert of_type(game.events, RanOut)[-1] == RanOut(3)
        assert of_type(game.events, Drew) == []

    def test_trading_goes_on_with_no_card_turned_over(self) -> None:
        game = scripted(hands=["", "red"], pile="")
        assert drawn(game) == [RanOut(1), RanOut(2)]
        assert game.view(0).decision is bohnanza.Decision.TRADE
        assert game.view(0).turned == ()


class TestFinalRunOut:
    @pytest.mark.parametrize(("pile", "turned"), [("red soy", ("red", "soy")), ("red", ("red",))])
    def test_in_phase_2_phases_2_and_3_are_finished(self, pile: str, turned: Sequence[Kind]) -> None:
        """Also with one turned-over card; then the game ends without a draw, and without a shuffle."""
        game = scripted(hands=["blue"], pile=pile, discard="stink stink", run_outs=2)
        do(game, (0, Plant(2)))
        assert drawn(game) == [TurnedOver(0, tuple(turned)), RanOut(3)]
        assert game.view(0).decision is bohnanza.Decision.TRADE
        do(game, (0, bohnanza.Stop()))
        while not game.over:
            assert game.view(0).decision is bohnanza.Decision.PLANT_ASIDE
            game.apply(0, game.default(0))
        assert drawn(game)[-1] == RanOut(3)
        assert isinstance(game.events[-1], GameEnded)

    def test_in_phase_2_with_nothing_to_plant_the_game_ends_with_trading(self) -> None:
        game = scripted(hands=[""], pile="", run_outs=2)
        do(game, (0, bohnanza.Stop()))
        assert game.events[-2:] == [bohnanza.TradingEnded(0, ()), GameEnded((0, 0, 0), (3, 2, 1))]

    @pytest.mark.parametrize(("pile", "hand"), [("chili", 1), ("chili green", 2), ("chili green soy", 3)])
    def test_in_phase_4_the_game_ends_at_once(self, pile: str, hand: int) -> None:
        """Cards not yet drawn are not drawn, though there are discards."""
        game = after_phase_3(pile, discard="stink stink stink stink", run_outs=2)
        assert game.over
        assert game.view(0).hand_sizes[0] == hand
        assert drawn(game)[-1] == RanOut(3)

    def test_in_phase_4_by_a_draw_that_finds_nothing(self) -> None:
        game = after_phase_3("", run_outs=1)
        assert drawn(game) == [TurnedOver(0, ("red", "red")), RanOut(2), RanOut(3)]
        assert game.over

    def test_the_second_run_out_does_not_end_a_game_of_three(self) -> None:
        game = after_phase_3("chili green soy", discard="stink stink", run_outs=1)
        assert not game.over


class TestTheEnd:
    def test_all_fields_are_harvested_also_protected_ones(self) -> None:
        """Hands count nothing."""
        game = scripted(
            hands=["", "blue blue blue blue", "stink"],
            fields={(0, 0): "soy soy", (0, 1): "blue", (2, 2): "red red red"},
            pile="green green chili",
            run_outs=2,
        )
        do(game, (0, bohnanza.Stop()), (0, bohnanza.PlantAside(0, 2)), (0, bohnanza.PlantAside(0, 2)))
        assert of_type(game.events, Harvested) == [
            Harvested(0, 0, "soy", 2, 1),
            Harvested(0, 1, "blue", 1, 0),
            Harvested(0, 2, "green", 2, 0),
            Harvested(2, 2, "red", 3, 2),
        ]
        assert game.outcome
        assert game.outcome.scores == (1, 0, 2)
        assert game.outcome.places == (2, 3, 1)
        assert game.events[-1] == GameEnded((1, 0, 2), (2, 3, 1))

    @pytest.mark.parametrize(
        ("dollars", "places"),
        [
            ((5, 3, 1), (1, 2, 3)),
            ((3, 3, 1), (2, 1, 3)),
            ((1, 3, 3), (3, 2, 1)),
            ((3, 1, 3), (2, 3, 1)),
            ((0, 0, 0), (3, 2, 1)),
            ((2, 2, 2, 2), (4, 3, 2, 1)),
            ((4, 2, 4, 2, 3), (2, 5, 1, 4, 3)),
        ],
    )
    def test_of_equals_the_one_furthest_clockwise_from_seat_0_is_better_at_every_place(
        self, dollars: Sequence[int], places: Sequence[int]
    ) -> None:
        game = scripted(seats=len(dollars), hands=[""], pile="", run_outs=2, dollars=dollars)
        do(game, (0, bohnanza.Stop()))
        assert game.outcome
        assert (game.outcome.scores, game.outcome.places) == (tuple(dollars), tuple(places))

    def test_nobody_is_asked_any_more(self) -> None:
        game = do(scripted(hands=[""], pile="", run_outs=2), (0, bohnanza.Stop()))
        assert game.over
        assert game.to_act() == ()
        assert all(game.view(seat).decision is bohnanza.Decision.WAIT for seat in range(3))
        assert all(game.legal(seat) == () for seat in range(3))
