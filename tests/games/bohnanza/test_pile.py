"""The draw pile: run-outs, shuffles, draws that find nothing, and how the game ends."""

from collections.abc import Sequence

import pytest

from beanleague.games import Event, Kind
from beanleague.games.bohnanza import Decision, PlantAside, Stop, TradingEnded
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Drew, GameEnded, Harvest, Harvested, Pass, Plant, RanOut, Shuffled, TurnedOver
from tests.games.bohnanza.helpers import scripted
from tests.games.helpers import do, of_type

DRAWING = (TurnedOver, Drew, RanOut, Shuffled)


def drawn(game: Bohnanza) -> list[Event]:
    return of_type(game.events, *DRAWING)


def after_phase_3(pile: str, discard: str = "", run_outs: int = 0, turned: str = "red red") -> Bohnanza:
    """Seat 0 has planted all; `pile` and `discard` are what it had then."""
    game = scripted(hands=["", "blue"], pile=f"{turned} {pile}", discard=discard, run_outs=run_outs)
    return do(game, (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))


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
        do(game, (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))
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
        do(game, (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))
        do(game, (1, Plant(1)), (1, Harvest(0)), (1, Pass()))
        assert drawn(game)[-3:] == [RanOut(1), Shuffled(1, 3), TurnedOver(1, ("stink", "stink"))]
        assert (game.view(1).pile, game.view(1).run_outs) == (1, 1)

    def test_every_draw_that_finds_nothing_counts_one_run_out(self) -> None:
        """Here the first of two in phase 2: one card is turned over, nothing is left, and the second draw fails."""
        game = scripted(hands=[""], pile="red")
        assert drawn(game) == [TurnedOver(0, ("red",)), RanOut(1), RanOut(2)]
        assert game.view(0).decision is Decision.TRADE
        do(game, (0, Stop()), (0, PlantAside(0, 0)))
        assert game.over
        assert of_type(game.events, RanOut)[-1] == RanOut(3)
        assert of_type(game.events, Drew) == []

    def test_trading_goes_on_with_no_card_turned_over(self) -> None:
        game = scripted(hands=["", "red"], pile="")
        assert drawn(game) == [RanOut(1), RanOut(2)]
        assert game.view(0).decision is Decision.TRADE
        assert game.view(0).turned == ()


class TestFinalRunOut:
    @pytest.mark.parametrize(("pile", "turned"), [("red soy", ("red", "soy")), ("red", ("red",))])
    def test_in_phase_2_phases_2_and_3_are_finished(self, pile: str, turned: Sequence[Kind]) -> None:
        """Also with one turned-over card; then the game ends without a draw, and without a shuffle."""
        game = scripted(hands=["blue"], pile=pile, discard="stink stink", run_outs=2)
        do(game, (0, Plant(2)))
        assert drawn(game) == [TurnedOver(0, tuple(turned)), RanOut(3)]
        assert game.view(0).decision is Decision.TRADE
        do(game, (0, Stop()))
        while not game.over:
            assert game.view(0).decision is Decision.PLANT_ASIDE
            game.apply(0, game.default(0))
        assert drawn(game)[-1] == RanOut(3)
        assert isinstance(game.events[-1], GameEnded)

    def test_in_phase_2_with_nothing_to_plant_the_game_ends_with_trading(self) -> None:
        game = scripted(hands=[""], pile="", run_outs=2)
        do(game, (0, Stop()))
        assert game.events[-2:] == [TradingEnded(0, ()), GameEnded((0, 0, 0), (3, 2, 1))]

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
        do(game, (0, Stop()), (0, PlantAside(0, 2)), (0, PlantAside(0, 2)))
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
        do(game, (0, Stop()))
        assert game.outcome
        assert (game.outcome.scores, game.outcome.places) == (tuple(dollars), tuple(places))

    def test_nobody_is_asked_any_more(self) -> None:
        game = do(scripted(hands=[""], pile="", run_outs=2), (0, Stop()))
        assert game.over
        assert game.to_act() == ()
        assert all(game.view(seat).decision is Decision.WAIT for seat in range(3))
        assert all(game.legal(seat) == () for seat in range(3))
