"""The duel phase by phase, and what the rule book leaves to a ruling."""

from collections.abc import Sequence

import pytest

from beanleague.games.core.game import Kind
from beanleague.games.core.moves import Drew, Harvest, Pass, Passed, Plant, RanOut, TurnedOver
from beanleague.games.duel.game import Duel
from beanleague.games.duel.moves import (
    AcceptGift,
    BluffPaid,
    BohnusDrawn,
    BohnusShuffled,
    ColumnHarvested,
    DeclineGift,
    DiscardBohnus,
    DiscardTurned,
    DuelDecision,
    DuelEnded,
    FirstDollars,
    Fulfil,
    Fulfilled,
    GiftGiven,
    Give,
    OfferGift,
    PlantGift,
    PlantTurned,
)
from tests.games.duel.helpers import deck, draw_phase, nobody_accepts, refused, scripted
from tests.games.helpers import do, of_type

KINDS: tuple[Kind, ...] = ("garden", "red", "black_eyed", "soy", "green", "stink", "chili", "blue")


def gift_phase(hands: Sequence[str], turned: str = "red red red", **kinds: object) -> Duel:
    """Seat 0 has passed over phase 1 with an empty front of its hand: it is asked for the first gift."""
    game = scripted(hands=[f"garden {hands[0]}", hands[1]], pile=f"{turned} red red red", **kinds)  # type: ignore[arg-type]
    do(game, (0, Plant(0)))
    return do(game, (0, Pass())) if hands[0] else game


def plant_phase(turned: str, fields: dict[tuple[int, int], str] | None = None) -> Duel:
    """Nobody has accepted anything: seat 0 is asked to plant what it turned over."""
    game = scripted(hands=["", ""], pile=f"{turned} red red red", fields=fields)
    return nobody_accepts(game)


class TestSetup:
    def test_each_gets_three_dollars_five_beans_and_three_bohnus_cards(self) -> None:
        game = Duel(2, b"seed", {})
        view = game.view(0)
        assert view.dollars == (3, 3)
        assert view.hand_sizes == (5, 5)
        assert view.bohnus_sizes == (3, 3)
        assert (view.pile, view.bohnus_pile) == (104 - 16, 32 - 6)
        assert [len(fields) for fields in view.fields] == [3, 3]
        assert tuple(kind.name for kind in view.rules.kinds) == KINDS
        assert tuple(view.rules.number.values()) == (6, 8, 10, 12, 14, 16, 18, 20)

    def test_nobody_ever_sees_what_the_first_dollars_were(self) -> None:
        """But the record has them."""
        game = Duel(2, b"seed", {})
        for event in of_type(game.events, FirstDollars):
            assert len(event.cards) == 3
            assert [event.seen_by(seat).cards for seat in (0, 1)] == [(), ()]


class TestPhase1:
    def test_the_first_card_must_be_planted_and_the_second_may(self) -> None:
        game = scripted(hands=["red soy green", ""])
        refused(game, 0, Pass(), "plant the first card")
        do(game, (0, Plant(0)), (0, Plant(1)))
        assert game.view(0).hand == ("green",)
        assert game.view(0).decision is DuelDecision.OFFER_GIFT

    def test_the_second_card_may_be_kept(self) -> None:
        game = do(scripted(hands=["red soy green", ""]), (0, Plant(0)), (0, Pass()))
        assert game.view(0).hand == ("soy", "green")
        assert of_type(game.events, Passed) == [Passed(0)]

    def test_with_an_empty_hand_it_is_skipped(self) -> None:
        assert scripted(hands=["", ""]).view(0).decision is DuelDecision.OFFER_GIFT

    @pytest.mark.parametrize("kind", KINDS)
    def test_an_empty_field_takes_anything(self, kind: str) -> None:
        assert Plant(0) in scripted(hands=[kind, ""]).legal(0)

    @pytest.mark.parametrize("last", KINDS)
    def test_a_field_takes_the_kind_of_its_last_card_and_the_next_higher_number(self, last: str) -> None:
        """Nothing follows the blue bean but the blue bean."""
        taken = [kind for kind in KINDS if Plant(0) in scripted(hands=[kind, ""], fields={(0, 0): last}).legal(0)]
        assert taken == list(KINDS[KINDS.index(last) : KINDS.index(last) + 2])

    def test_a_card_that_does_not_fit_is_refused_and_nothing_has_changed(self) -> None:
        game = scripted(hands=["soy", ""], fields={(0, 0): "red"})
        refused(game, 0, Plant(0), "soy cannot be planted in field 0, which ends with red")
        assert game.view(0).hand == ("soy",)

    def test_a_field_may_be_harvested_first_for_room(self) -> None:
        game = scripted(hands=["soy", ""], fields={(0, 0): "red red", (0, 1): "green", (0, 2): "blue"})
        assert game.legal(0) == (Harvest(0),)
        do(game, (0, Harvest(0)), (0, Plant(0)))
        assert game.view(0).own_fields[0].cards == ("soy",)


class TestGifts:
    def test_the_turned_over_cards_are_drawn_by_the_active_player(self) -> None:
        game = scripted(hands=["", ""], pile="soy chili blue red")
        assert of_type(game.events, TurnedOver) == [TurnedOver(0, ("soy", "chili", "blue"))]

    def test_offers_alternate_and_no_kind_is_offered_twice(self) -> None:
        game = do(gift_phase(["", "soy"]), (0, OfferGift("red")), (1, DeclineGift()))
        refused(game, 1, OfferGift("red"), "has already been offered")
        refused(game, 1, Pass(), "offer a gift")
        do(game, (1, OfferGift("soy")), (0, DeclineGift()))
        assert of_type(game.legal(0), OfferGift) == [OfferGift(kind) for kind in KINDS if kind not in {"red", "soy"}]

    def test_a_player_without_cards_must_offer_all_the_same(self) -> None:
        game = do(gift_phase(["", ""]), (0, OfferGift("red")), (1, DeclineGift()))
        assert game.view(1).decision is DuelDecision.OFFER_GIFT
        assert len(of_type(game.legal(1), OfferGift)) == 7

    def test_after_eight_declined_offers_the_phase_ends_with_no_gift(self) -> None:
        game = gift_phase(["", "soy"])
        for kind in KINDS:
            (seat,) = game.to_act()
            do(game, (seat, OfferGift(kind)), (1 - seat, DeclineGift()))
        assert game.view(0).decision is DuelDecision.PLANT_TURNED
        assert game.view(0).gifts == (None, None)
        assert game.view(0).dollars == (3, 3)

    def test_one_card_that_fits_is_given_without_asking(self) -> None:
        game = do(gift_phase(["soy", ""]), (0, OfferGift("soy")), (1, AcceptGift()))
        assert of_type(game.events, GiftGiven) == [GiftGiven(0, "soy", "hand", 0)]
        assert game.view(0).gifts == (None, "soy")

    def test_the_offerer_chooses_among_several_cards_that_fit(self) -> None:
        """Turned over or in the hand, wherever it is there."""
        game = gift_phase(["green soy soy", ""], "soy red blue")
        do(game, (0, OfferGift("soy")), (1, AcceptGift()))
        assert game.view(0).decision is DuelDecision.GIVE
        assert of_type(game.legal(0), Give) == [Give("turned", 0), Give("hand", 1), Give("hand", 2)]
        refused(game, 0, Give("hand", 0), "does not give one of your soy cards")
        refused(game, 0, Give("turned", True), "does not give one of your soy cards")
        do(game, (0, Give("hand", 2)))
        assert game.view(0).hand == ("green", "soy")
        assert game.view(0).turned == ("soy", "red", "blue")

    def test_the_opponent_cannot_give_turned_over_cards(self) -> None:
        """Offering one of those is a bluff."""
        game = gift_phase(["", "green"], "soy red blue")
        do(game, (0, OfferGift("red")), (1, DeclineGift()), (1, OfferGift("soy")), (0, AcceptGift()))
        assert of_type(game.events, BluffPaid) == [BluffPaid(1, 1, ())]

    @pytest.mark.parametrize("kind", ["cocoa", "pinto", 3, None])
    def test_only_a_kind_of_this_game_can_be_offered(self, kind: Kind) -> None:
        refused(gift_phase(["", ""]), 0, OfferGift(kind), "is not a kind in this game; there are: garden, red")


class TestBluffs:
    @staticmethod
    def caught(dollars: Sequence[int], earned: Sequence[Sequence[int]]) -> Duel:
        cards = deck(("2", 100), ("3", 10), ("4", 40))
        game = gift_phase(["", ""], dollars=dollars, earned=earned, cards=cards)
        return do(game, (0, OfferGift("blue")), (1, AcceptGift()))

    def test_a_bluff_that_is_accepted_costs_a_dollar(self) -> None:
        game = self.caught((3, 3), ((), ()))
        assert game.view(0).dollars == (2, 4)
        assert game.view(0).gifts == (None, None)
        assert game.view(0).decision is DuelDecision.PLANT_TURNED

    def test_a_bean_dollar_is_paid_before_a_bohnus_card(self) -> None:
        game = self.caught((1, 0), ((0, 1, 2), ()))
        assert game.view(0).dollars == (0, 1)
        assert game.view(0).earned == ((0, 1, 2), ())

    def test_without_bean_dollars_the_bohnus_card_of_least_value_is_paid(self) -> None:
        game = self.caught((0, 3), ((0, 1, 2), ()))
        assert of_type(game.events, BluffPaid) == [BluffPaid(0, 0, (1,))]
        view = game.view(0)
        assert view.earned == ((0, 2), (1,))
        assert (view.cents(0), view.cents(1)) == (340, 410)

    def test_with_nothing_nothing_is_paid(self) -> None:
        game = self.caught((0, 3), ((), ()))
        assert of_type(game.events, BluffPaid) == [BluffPaid(0, 0, ())]
        assert game.view(0).dollars == (0, 3)

    def test_a_bluff_that_is_declined_costs_nothing(self) -> None:
        game = do(gift_phase(["", ""]), (0, OfferGift("blue")), (1, DeclineGift()))
        assert game.view(0).dollars == (3, 3)
        assert of_type(game.events, BluffPaid) == []


class TestPhase3:
    def test_turned_over_cards_and_the_gift_are_planted_in_any_order(self) -> None:
        game = gift_phase(["", "stink"], "green soy green", fields={(0, 1): "soy"})
        do(game, (0, OfferGift("red")), (1, DeclineGift()), (1, OfferGift("stink")), (0, AcceptGift()))
        do(game, (0, PlantTurned(1, 1)), (0, PlantTurned(0, 1)), (0, PlantGift(1)))
        assert game.view(0).own_fields[1].cards == ("soy", "soy", "green", "stink")
        assert game.view(0).turned == ("green",)
        refused(game, 0, PlantGift(1), "no gift")

    def test_one_turned_over_card_may_be_discarded_and_no_more(self) -> None:
        game = do(plant_phase("soy blue red"), (0, DiscardTurned(1)))
        refused(game, 0, DiscardTurned(0), "only one")
        assert not game.view(0).may_discard
        do(game, (0, PlantTurned(0, 0)), (0, PlantTurned(0, 1)))

    def test_the_gift_may_not_be_discarded(self) -> None:
        game = gift_phase(["", "stink"], "green soy green")
        do(game, (0, OfferGift("red")), (1, DeclineGift()), (1, OfferGift("stink")), (0, AcceptGift()))
        refused(game, 0, DiscardTurned(3), "no turned-over card 3")

    def test_the_opponent_plants_its_gift_when_the_active_player_is_done(self) -> None:
        game = gift_phase(["soy", ""], "red red red")
        do(game, (0, OfferGift("soy")), (1, AcceptGift()))
        assert game.to_act() == (0,)
        do(game, *[(0, PlantTurned(0, 1))] * 3)
        assert game.view(1).decision is DuelDecision.PLANT_GIFT
        refused(game, 1, DiscardTurned(0), "plant the gift")
        do(game, (1, PlantGift(2)))
        assert game.view(1).own_fields[2].cards == ("soy",)

    def test_a_seat_without_a_place_harvests_first(self) -> None:
        game = plant_phase("soy soy soy", {(0, 0): "red red", (0, 1): "blue", (0, 2): "stink"})
        assert game.legal(0) == (DiscardTurned(0), DiscardTurned(1), DiscardTurned(2), Harvest(0))
        refused(game, 0, PlantTurned(0, 2), "soy cannot be planted in field 2")
        do(game, (0, Harvest(0)), *[(0, PlantTurned(0, 0))] * 3)
        assert game.view(0).own_fields[0].cards == ("soy",) * 3


class TestPhase4:
    def test_the_active_player_draws_two_beans(self) -> None:
        game = draw_phase()
        assert game.view(0).hand == ("blue", "green")
        assert of_type(game.events, Drew) == [Drew(0, 2, ("blue", "green"))]

    def test_both_may_discard_one_bohnus_card_and_then_draw_up_to_three(self) -> None:
        """The active player first, in both."""
        game = draw_phase(bohnus=((0, 1, 2), (3, 4, 5)))
        refused(game, 0, DiscardBohnus(5), "bo\\(h\\)nus card 5 is not in your hand; your cards: 0, 1, 2")
        do(game, (0, DiscardBohnus(1)), (1, Pass()))
        assert game.view(0).bohnus == (0, 2, 6)
        assert game.view(1).bohnus == (3, 4, 5)
        assert of_type(game.events, BohnusDrawn) == [BohnusDrawn(0, 1, (6,))]
        assert game.view(1).bohnus_discard == (1,)

    def test_a_seat_without_bohnus_cards_is_not_asked_and_draws_three(self) -> None:
        game = draw_phase(bohnus=((), (3, 4, 5)))
        assert game.to_act() == (1,)
        do(game, (1, Pass()))
        assert of_type(game.events, BohnusDrawn) == [BohnusDrawn(0, 3, (0, 1, 2))]

    def test_a_card_just_drawn_may_be_fulfilled_and_no_more_are_drawn_this_turn(self) -> None:
        game = draw_phase(bohnus=((1, 2), (3, 4, 5)), cards=deck(("3", 40)), bohnus_pile=[0, 6, 7])
        do(game, (0, Pass()), (1, Pass()))
        view = game.view(0)
        assert view.decision is DuelDecision.DRAWN_BOHNUS
        assert view.legal()[-1] == Fulfil(0, 0, 2)
        do(game, (0, Fulfil(0, 0, 2)))
        assert game.view(0).bohnus == (1, 2)
        assert game.view(1).turn == 2

    def test_a_card_just_drawn_may_be_kept(self) -> None:
        game = draw_phase(bohnus=((1, 2), (3, 4, 5)), cards=deck(("3", 40)), bohnus_pile=[0, 6, 7])
        do(game, (0, Pass()), (1, Pass()), (0, Pass()))
        assert game.view(0).bohnus == (1, 2, 0)

    def test_a_card_fulfilled_before_drawing_is_replaced(self) -> None:
        game = draw_phase(bohnus=((0, 1, 2), (3, 4, 5)), cards=deck(("3", 40)), bohnus_pile=[6, 7])
        do(game, (0, Fulfil(0, 0, 2)), (0, Pass()), (1, Pass()))
        assert game.view(0).bohnus == (1, 2, 6)

    def test_a_seat_that_fulfils_its_last_card_before_drawing_is_not_asked_to_discard(self) -> None:
        game = draw_phase(bohnus=((0,), (3, 4, 5)), cards=deck(("3", 40)), bohnus_pile=[6, 7])
        do(game, (0, Fulfil(0, 0, 2)))
        assert game.to_act() == (1,)

    def test_an_empty_bohnus_pile_is_refilled_from_its_discards(self) -> None:
        game = draw_phase(bohnus=((0, 1, 2), (3, 4, 5)), bohnus_pile=[6])
        do(game, (0, DiscardBohnus(0)), (1, DiscardBohnus(3)))
        drawn = of_type(game.events, BohnusDrawn, BohnusShuffled)
        assert drawn[:2] == [BohnusDrawn(0, 1, (6,)), BohnusShuffled(1, 2)]
        assert isinstance(drawn[2], BohnusDrawn)
        assert drawn[2].cards[0] in {0, 3}
        assert game.view(0).bohnus_pile == 1

    def test_without_any_bohnus_cards_left_none_are_drawn(self) -> None:
        game = draw_phase(bohnus=((0,), (3,)), bohnus_pile=[])
        do(game, (0, Pass()), (1, Pass()))
        assert game.view(0).bohnus_sizes == (1, 1)
        assert game.view(0).turn == 2


class TestTheEnd:
    def test_when_the_pile_runs_out_in_phase_2_the_game_ends_after_phase_3(self) -> None:
        game = nobody_accepts(scripted(hands=["", "soy"], pile="red red"))
        assert of_type(game.events, TurnedOver, RanOut) == [TurnedOver(0, ("red", "red")), RanOut(1)]
        do(game, (0, PlantTurned(0, 0)), (0, PlantTurned(0, 0)))
        assert game.over
        assert of_type(game.events, Drew) == []

    def test_when_it_runs_out_in_phase_4_one_more_turn_is_played_up_to_phase_3(self) -> None:
        """With no cards turned over, but with gifts."""
        game = draw_phase(hands=["", "soy stink"], pile="red red red blue")
        assert of_type(game.events, Drew, RanOut) == [Drew(0, 1, ("blue",)), RanOut(1)]
        do(game, (1, Plant(0)), (1, Pass()))
        assert game.view(1).decision is DuelDecision.OFFER_GIFT
        assert game.view(1).turned == ()
        do(game, (1, OfferGift("stink")), (0, AcceptGift()), (0, PlantGift(0)))
        assert game.over
        assert of_type(game.events, RanOut) == [RanOut(1)]

    def test_the_end_fulfils_cards_and_harvests_all_fields_also_protected_ones(self) -> None:
        """Each card once. Hands count nothing."""
        game = scripted(
            hands=["", "blue blue blue blue"],
            fields={(0, 0): "soy", (1, 1): "red red red", (1, 2): "garden"},
            pile="red red red",
            bohnus=((0, 1), (2,)),
            cards=deck(("3", 40), ("5", 100), ("1", 10)),
            dollars=(0, 0),
        )
        do(nobody_accepts(game), *[(0, PlantTurned(0, 1))] * 3)
        assert of_type(game.events, Fulfilled) == [Fulfilled(0, 0, 0, 1), Fulfilled(1, 2, 1, 1)]
        assert game.outcome
        assert game.outcome.scores == (2 * 100 + 140, 2 * 100 + 110)
        assert game.outcome.places == (1, 2)
        assert game.events[-1] == DuelEnded((340, 310), (1, 2))

    @pytest.mark.parametrize(("dollars", "places"), [((3, 2), (1, 2)), ((2, 3), (2, 1)), ((3, 3), (2, 1))])
    def test_most_money_wins_and_a_tie_is_lost_by_the_starting_player(
        self, dollars: tuple[int, int], places: tuple[int, int]
    ) -> None:
        game = scripted(hands=["", ""], pile="blue", dollars=dollars)
        do(nobody_accepts(game), (0, DiscardTurned(0)))
        assert game.outcome
        assert game.outcome.scores == (dollars[0] * 100, dollars[1] * 100)
        assert game.outcome.places == places


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

    def test_fulfilling_a_card_leaves_the_field_and_is_worth_a_dollar_and_its_cents(self) -> None:
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
