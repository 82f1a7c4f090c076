"""Phase 2: offers, calls, answers, picks, what a trade moves; and the worked examples of the rule book."""

from collections.abc import Sequence
from typing import Any

import pytest

from beanleague.games import Action, IllegalActionError, Kind
from beanleague.games.bohnanza import (
    Accept,
    Answered,
    Call,
    Counter,
    Decision,
    Decline,
    Field,
    Offer,
    Offered,
    Pick,
    PlantAside,
    Refuse,
    Refused,
    Stop,
    Traded,
    TradingEnded,
)
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Harvest, Harvested, Pass, Plant
from beanleague.games.core.kinds import all_kinds
from tests.games.bohnanza.helpers import bohnanza, scripted
from tests.games.helpers import chooser, do, of_type, play, state


def trading(seats: int = 3, **options: int) -> Bohnanza:
    """Seat 0 holds red, green and chili and has turned over soy and blue; the others hold what is below."""
    hands = ["garden red green chili", "red red blue", "soy chili", "red", "green"][:seats]
    game = scripted(seats=seats, hands=hands, pile="soy blue green green green", options=options)
    return do(game, (0, Plant(1)), (0, Pass()))


def refuses(game: Bohnanza, seat: int, action: Action, why: str) -> None:
    before = state(game)
    with pytest.raises(IllegalActionError, match=why):
        game.apply(seat, action)
    assert state(game) == before


class TestOffering:
    def test_an_offer_shows_the_kinds_given_turned_over_ones_first(self) -> None:
        game = do(trading(), (0, Offer((1, 2), turned=(1,), hand=(0, 2), wants=("red", "soy"))))
        assert game.events[-1] == Offered(0, (1, 2), (1,), (0, 2), ("blue", "red", "chili"), ("red", "soy"))
        assert game.to_act() == (1, 2)
        assert game.view(1).decision is Decision.ANSWER

    def test_an_offer_may_address_some_only(self) -> None:
        """The others are not asked, but everything said is public."""
        game = do(trading(4), (0, Offer((2,), turned=(0,))))
        assert game.to_act() == (2,)
        assert game.view(1).decision is Decision.WAIT
        assert game.view(1).offer == game.view(2).offer == Offered(0, (2,), (0,), (), ("soy",), ())

    def test_a_request_for_a_gift_is_an_offer(self) -> None:
        """Either side may be empty."""
        game = do(trading(), (0, Offer((1,), wants=("blue",))), (1, Accept((2,))), (0, Pick(1)))
        assert game.view(0).own_aside == ("blue",)

    @pytest.mark.parametrize(
        ("offer", "why"),
        [
            (Offer((1,)), "must give or want something"),
            (Offer((), turned=(0,)), "must address at least one other seat"),
            (Offer((0,), turned=(0,)), "seat 0 cannot address itself"),
            (Offer((0, 1), turned=(0,)), "seat 0 cannot address itself"),
            (Offer((2, 1), turned=(0,)), "seats from 0 to 2, ascending"),
            (Offer((1, 1), turned=(0,)), "without repeats"),
            (Offer((3,), turned=(0,)), "seats from 0 to 2"),
            (Offer((1,), turned=(2,)), "turned-over cards from 0 to 1"),
            (Offer((1,), turned=(1, 0)), "ascending"),
            (Offer((1,), hand=(3,)), "cards in your hand from 0 to 2"),
            (Offer((1,), hand=(-1,)), "cards in your hand from 0 to 2"),
            (Offer((1,), hand=(0, 0)), "without repeats"),
            (Offer((1,), wants=("cocoa",)), "'cocoa' is not a kind in this game"),
            # An author may well write what a type checker would find.
            (Offer((1,), wants=("red", "plum")), "'plum' is not a kind in this game; there are: garden, red"),  # type: ignore[arg-type]
            (Offer((1,), wants=("red",) * 9), "9 red are wanted, but there are only 8"),
            (Offer((1,), wants=("red", "blue") * 99), "99 red are wanted, but there are only 8"),
            (Call(()), "must address at least one other seat"),
            (Call((0,)), "seat 0 cannot address itself"),
            (Call((1, 3)), "seats from 0 to 2"),
            (Pass(), "Pass is not an answer to what is asked: offer, call, stop, or harvest"),
            (Plant(0), "Plant is not an answer"),
            (Accept(), "Accept is not an answer"),
            (Pick(1), "Pick is not an answer"),
        ],
    )
    def test_illegal_offers_are_refused(self, offer: Action, why: str) -> None:
        refuses(trading(), 0, offer, why)

    def test_nothing_turned_over_can_be_offered_when_there_is_nothing(self) -> None:
        game = scripted(hands=["", "red"], pile="red", run_outs=2)
        do(game, (0, Offer((1,), turned=(0,))), (1, Accept()), (0, Pick(1)))
        refuses(game, 0, Offer((1,), turned=(0,)), "there are no turned-over cards")

    def test_cards_received_cannot_be_traded_again(self) -> None:
        """They lie aside, out of reach of positions in hand or among the turned-over cards."""
        game = do(trading(), (0, Offer((1,), turned=(0, 1), wants=("blue",))), (1, Accept((2,))), (0, Pick(1)))
        assert game.view(0).own_aside == ("blue",)
        assert game.view(0).turned == ()
        refuses(game, 0, Offer((1,), turned=(0,)), "no turned-over cards")
        refuses(game, 0, Offer((1,), hand=(3,)), "from 0 to 2")
        do(game, (0, Call((1,))))
        refuses(game, 1, Counter((2,)), "from 0 to 1")


class TestSides:
    """A side of an offer or counter names at most eight cards, and kinds wanted are listed rarest first."""

    HAND = "blue chili red blue chili red blue chili red"

    @pytest.mark.parametrize(
        "offer",
        [
            Offer((1,), hand=tuple(range(9))),
            Offer((1,), turned=(0,), hand=tuple(range(8))),
            Offer((1,), turned=(0,), wants=("blue",) * 9),
        ],
    )
    def test_an_offer_of_more_is_refused(self, offer: Offer) -> None:
        game = do(scripted(hands=[f"garden {self.HAND}"]), (0, Plant(0)), (0, Pass()))
        refuses(game, 0, offer, "each side of an offer or counter names at most 8 cards, not 9")

    @pytest.mark.parametrize("counter", [Counter(tuple(range(9))), Counter((), (0,), ("blue",) * 8)])
    def test_a_counter_of_more_is_refused(self, counter: Counter) -> None:
        game = do(scripted(hands=["", self.HAND]), (0, Call((1,))))
        refuses(game, 1, counter, "at most 8 cards, not 9")

    def test_eight_are_fine(self) -> None:
        game = do(scripted(hands=[f"garden {self.HAND}", "chili stink blue " * 3]), (0, Plant(0)), (0, Pass()))
        offer = Offer((1,), turned=(0, 1), hand=tuple(range(6)), wants=("blue",) * 8)
        do(game, (0, offer), (1, Counter(tuple(range(8)), (0, 1), ("red",) * 6)))

    def test_kinds_wanted_are_listed_in_the_same_order_however_they_are_written(self) -> None:
        for wants in (("blue", "red", "chili"), ("chili", "blue", "red")):
            game = do(trading(), (0, Offer((1,), turned=(0,), wants=wants)))
            assert game.view(1).offer == Offered(0, (1,), (0,), (), ("soy",), ("red", "chili", "blue"))
            do(game, (1, Counter((), (0,), wants)))
            assert game.view(0).answers[0].wants == ("red", "chili", "blue")


class TestHandPositions:
    """The owner sees where its cards lie; the others see their kinds, rarest first. The full events have both."""

    def mixed(self) -> Bohnanza:
        """Seat 0 holds chili, red and green, seat 1 blue, green and red; they have not begun to trade."""
        return do(scripted(hands=["garden chili red green", "blue green red"]), (0, Plant(0)), (0, Pass()))

    def test_of_an_offer(self) -> None:
        game = do(self.mixed(), (0, Offer((1,), hand=(0, 1, 2))))
        full = Offered(0, (1,), (), (0, 1, 2), ("red", "green", "chili"), ())
        assert game.events[-1] == game.view(0).offer == full
        hidden = Offered(0, (1,), (), (), ("red", "green", "chili"), ())
        assert game.view(1).offer == game.view(2).offer == game.view(1).news[-1] == hidden

    def test_of_an_answer(self) -> None:
        game = do(self.mixed(), (0, Call((1, 2))), (1, Counter((0, 2))), (2, Decline()))
        full, hidden = Answered(1, "counter", (0, 2), ("red", "blue")), Answered(1, "counter", (), ("red", "blue"))
        assert full in game.events
        assert full in game.view(1).news
        assert game.view(0).answers[0] == hidden
        assert hidden in game.view(2).news

    def test_of_a_trade(self) -> None:
        game = do(self.mixed(), (0, Call((1,))), (1, Counter((0, 2), (), ("chili",))), (0, Pick(1, (0,))))
        (full,) = of_type(game.events, Traded)
        assert full == Traded(0, 1, (), (0,), ("chili",), (0, 2), ("red", "blue"))
        seen = [of_type(game.view(seat).news, Traded)[0] for seat in range(3)]
        assert [(event.hand, event.partner_hand) for event in seen] == [((0,), ()), ((), (0, 2)), ((), ())]
        assert game.view(2).aside == (("red", "blue"), ("chili",), ())


class TestAnswering:
    @pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
    def test_answers_are_revealed_together_by_ascending_seat(self, order: Sequence[int]) -> None:
        """Whatever the order in which they come in."""
        game = do(trading(4), (0, Call((1, 2, 3))))
        answers = {1: Counter((0,)), 2: Decline(), 3: Counter((), (0,))}
        for seat in order:
            assert game.events[-1] == Offered(0, (1, 2, 3), (), (), (), ())
            do(game, (seat, answers[seat]))
        revealed = [Answered(1, "counter", (0,), ("red",)), Answered(2, "decline"), Answered(3, "counter", turned=(0,))]
        assert game.events[-3:] == revealed
        assert game.view(0).answers == tuple(answered.seen_by(0) for answered in revealed)

    def test_nobody_sees_an_answer_before_all_are_in(self) -> None:
        """Neither those still asked nor the active player nor those who wait learn that somebody answered, or what."""
        game = do(trading(5), (0, Call((1, 2, 3))))
        before = [game.view(seat) for seat in range(5)]
        do(game, (1, Counter((0,))))
        assert game.to_act() == (2, 3)
        assert [game.view(seat) for seat in (0, 2, 3, 4)] == [before[0], *before[2:]]
        do(game, (3, Decline()))
        assert [game.view(seat) for seat in (0, 2, 4)] == [before[0], before[2], before[4]]

    def test_a_seat_answers_once(self) -> None:
        game = do(trading(), (0, Call((1, 2))), (1, Decline()))
        refuses(game, 1, Decline(), r"seat 1 has no decision to make now; to decide: \(2,\)")

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (Accept(), "the cards given are nothing, but 1 blue, 1 red must be given"),
            (Accept((0,)), "the cards given are 1 red, but 1 blue, 1 red must be given"),
            (Accept((0, 1)), "the cards given are 2 red, but 1 blue, 1 red must be given"),
            (Accept((0, 1, 2)), "the cards given are 1 blue, 2 red, but"),
            (Accept((0, 3)), "cards in your hand from 0 to 2"),
            (Accept((2, 0)), "ascending"),
            (Counter(), "a counter must give or want something; to say no, decline"),
            (Counter((3,)), "cards in your hand from 0 to 2"),
            (Counter((), (2,)), "turned-over cards from 0 to 1"),
            (Counter((), (), ("wax",)), "'wax' is not a kind in this game"),
            (Counter((), (), ("red",) * 9), "there are only 8"),
            (Pass(), "accept, decline or counter"),
            (Stop(), "accept, decline or counter"),
        ],
    )
    def test_illegal_answers_are_refused(self, answer: Action, why: str) -> None:
        game = do(trading(), (0, Offer((1,), turned=(0,), wants=("red", "blue"))))
        refuses(game, 1, answer, why)

    def test_the_kinds_wanted_are_given_exactly_in_any_order_of_the_offer(self) -> None:
        """The player chooses which of several cards of a kind."""
        for hand in ((0, 2), (1, 2)):
            game = do(trading(), (0, Offer((1,), turned=(0,), wants=("blue", "red"))), (1, Accept(hand)))
            assert game.events[-1] == Answered(1, "accept", hand, ("red", "blue"))

    def test_a_call_cannot_be_accepted(self) -> None:
        refuses(do(trading(), (0, Call((1,)))), 1, Accept(), "a call cannot be accepted")

    def test_a_gift_must_be_agreed_to(self) -> None:
        """It can be declined, and then stays where it was."""
        game = do(trading(), (0, Offer((1,), hand=(0,))), (1, Decline()))
        assert game.view(0).hand == ("red", "green", "chili")
        do(game, (0, Offer((1,), hand=(0,))), (1, Accept()), (0, Pick(1)))
        assert game.view(0).hand == ("green", "chili")
        assert game.view(1).own_aside == ("red",)


class TestPicking:
    def test_when_all_decline_the_next_round_follows(self) -> None:
        """There is nothing to pick."""
        game = do(trading(), (0, Call((1, 2))), (1, Decline()), (2, Decline()))
        assert game.view(0).decision is Decision.TRADE
        assert game.view(0).rounds_left == 5

    def test_one_answer_of_several_is_carried_out(self) -> None:
        """The others keep their cards."""
        game = trading(4)
        do(game, (0, Offer((1, 3), turned=(0,), wants=("red",))), (1, Accept((1,))), (3, Accept((0,))), (0, Pick(3)))
        assert game.view(0).hand_sizes == (3, 3, 2, 0)
        assert game.view(0).aside == (("red",), (), (), ("soy",))

    def test_a_counter_gets_turned_over_cards_and_kinds_from_the_hand(self) -> None:
        """The active player chooses which cards to give for the kinds."""
        game = do(trading(), (0, Call((1,))), (1, Counter((0, 2), (1,), ("chili", "red"))))
        assert game.legal(0)[:2] == (Refuse(), Pick(1, (0, 2)))
        do(game, (0, Pick(1, (0, 2))))
        assert of_type(game.events, Traded) == [
            Traded(0, 1, (1,), (0, 2), ("blue", "red", "chili"), (0, 2), ("red", "blue"))
        ]
        view = game.view(0)
        assert (view.hand, view.turned) == (("green",), ("soy",))
        assert view.aside == (("red", "blue"), ("blue", "red", "chili"), ())

    def test_none_may_be_picked(self) -> None:
        game = trading()
        do(game, (0, Call((1,))), (1, Counter((0,))), (0, Refuse()))
        assert game.events[-1] == Refused(0)
        assert not any(game.view(0).aside)
        assert game.view(0).decision is Decision.TRADE

    @pytest.mark.parametrize(
        ("pick", "why"),
        [
            (Pick(0), "seat 0 has neither accepted nor countered"),
            (Pick(2), "seat 2 has neither accepted nor countered"),
            (Pick(9), "seat 9 has neither accepted nor countered"),
            (Pick(1), "the cards given are nothing, but 1 red must be given"),
            (Pick(1, (1,)), "the cards given are 1 green, but 1 red must be given"),
            (Pick(1, (0, 1)), "the cards given are 1 green, 1 red, but 1 red must be given"),
            (Pick(1, (3,)), "cards in your hand from 0 to 2"),
            (Pick(3, (0,)), "an acceptance must be picked without naming cards"),
            (Decline(), "pick an answer, refuse all, or harvest"),
            (Stop(), "pick an answer, refuse all, or harvest"),
        ],
    )
    def test_illegal_picks_are_refused(self, pick: Action, why: str) -> None:
        """Seat 1 countered and wants a red bean, seat 2 declined, seat 3 accepted."""
        game = do(trading(4), (0, Offer((1, 2, 3), turned=(0,), wants=("red",))))
        do(game, (1, Counter((2,), (), ("red",))), (2, Decline()), (3, Accept((0,))))
        refuses(game, 0, pick, why)

    def test_the_answers_are_shown_to_the_one_who_picks(self) -> None:
        game = do(trading(), (0, Call((1, 2))), (1, Counter((0,))), (2, Decline()))
        assert game.view(0).answers == (Answered(1, "counter", (), ("red",)), Answered(2, "decline"))
        assert game.view(1).answers == ()
        assert game.view(2).news[-2:] == game.view(0).answers

    @pytest.mark.parametrize("end", [Refuse(), Pick(1)])
    def test_the_offer_is_shown_until_the_round_ends(self, end: Action) -> None:
        game = trading()
        assert game.view(0).offer is None
        do(game, (0, Offer((1,), turned=(0,))), (1, Accept()))
        assert game.view(0).offer == game.view(2).offer == Offered(0, (1,), (0,), (), ("soy",), ())
        do(game, (0, end))
        assert game.view(0).offer is None


class TestLargeHands:
    HAND = " ".join(["blue"] * 10 + ["chili"] * 10 + ["stink"] * 8)

    def test_wants_of_others_cannot_make_the_list_of_legal_actions_endless(self) -> None:
        """There are 403,200 ways to give eight cards of such a hand: a thousand are listed, and any may be chosen."""
        wants: tuple[Kind, ...] = ("blue",) * 3 + ("chili",) * 3 + ("stink",) * 2
        game = do(scripted(hands=["", self.HAND]), (0, Offer((1,), turned=(0,), wants=wants)))
        ways = [action for action in game.legal(1) if isinstance(action, Accept)]
        assert len(set(ways)) == 1000
        do(game.copy(), (1, ways[0]))
        do(game, (1, Accept((0, 2, 4, 10, 12, 14, 20, 22))))

    def test_nor_can_a_counter(self) -> None:
        game = do(scripted(hands=["garden " + self.HAND]), (0, Plant(0)), (0, Pass()), (0, Call((1,))))
        do(game, (1, Counter((), (), ("blue",) * 4 + ("chili",) * 4)))
        assert sum(isinstance(action, Pick) for action in game.legal(0)) == 1000


class TestRounds:
    @pytest.mark.parametrize("rounds", [1, 2, 5])
    def test_after_the_last_round_the_phase_ends_by_itself(self, rounds: int) -> None:
        """Also after a trade; a harvest uses up no round."""
        game = trading(max_rounds=rounds)
        for left in range(rounds, 0, -1):
            assert game.view(0).rounds_left == left
            assert game.view(0).decision is Decision.TRADE
            do(game, (0, Offer((1,), wants=("red",))), (1, Accept((0,)) if left == rounds else Decline()))
            if left == rounds:
                do(game, (0, Pick(1)))
        assert game.events[-1] == TradingEnded(0, ("soy", "blue"))
        assert game.view(0).decision is Decision.PLANT_ASIDE
        assert game.view(0).own_aside == ("red", "soy", "blue")

    def test_with_no_rounds_there_is_no_trading(self) -> None:
        game = trading(max_rounds=0)
        assert game.view(0).decision is Decision.PLANT_ASIDE
        assert game.events[-1] == TradingEnded(0, ("soy", "blue"))

    def test_every_turn_has_its_own_rounds(self) -> None:
        most = {0: 0}

        def look(view: object) -> None:
            offers = len(of_type(game.events, Offered))
            turn = game.view(0).turn
            most[turn] = offers - sum(most[before] for before in range(turn))

        game = bohnanza(max_rounds=2)
        play(game, chooser("rounds"), look)
        assert max(most.values()) == 2

    def test_trading_goes_on_when_the_turned_over_cards_are_gone(self) -> None:
        game = do(trading(), (0, Offer((1,), turned=(0, 1))), (1, Accept()), (0, Pick(1)))
        do(game, (0, Offer((2,), hand=(1,), wants=("soy",))), (2, Accept((0,))), (0, Pick(2)))
        assert game.view(0).aside == (("soy",), ("soy", "blue"), ("green",))


@pytest.mark.parametrize("seat", [True, 1.0])
def test_a_pick_of_a_seat_that_is_no_whole_number_is_refused(seat: Any) -> None:
    """True and 1.0 are equal to 1 but are no seats."""
    game = do(scripted(hands=["", "blue"]), (0, Call((1,))), (1, Counter((0,))))
    with pytest.raises(IllegalActionError, match="has neither accepted nor countered"):
        game.apply(0, Pick(seat))


@pytest.mark.parametrize("hand", [None, [], 0, "", (0,)])
def test_a_pick_of_an_acceptance_names_no_cards(hand: Any) -> None:
    game = do(scripted(hands=["", "blue"]), (0, Offer((1,), (0,))), (1, Accept()))
    with pytest.raises(IllegalActionError, match="an acceptance must be picked without naming cards"):
        game.apply(0, Pick(1, hand))


TIMON, NINA, KENO = 0, 2, 1
OTHERS = (1, 2, 3)


def timon_has_turned_over_soy_and_blue() -> Bohnanza:
    """Timon grows red and blue beans, so a soy bean has no place in his fields. Nina holds a red bean."""
    game = scripted(
        seats=4,
        hands=["blue green chili stink", "stink", "green red stink", "green"],
        fields={(TIMON, 0): "red red", (TIMON, 1): "blue", (NINA, 0): "soy", (NINA, 1): "chili chili"},
        pile="soy blue stink stink stink stink",
    )
    return do(game, (TIMON, Plant(1)), (TIMON, Pass()))


def timon_ups_his_offer(game: Bohnanza) -> Bohnanza:
    """Nobody wants the soy bean alone; he adds a chili bean from the middle of his hand."""
    do(game, (TIMON, Offer(OTHERS, turned=(0,), wants=("red",))))
    do(game, *((seat, Decline()) for seat in OTHERS))
    return do(game, (TIMON, Offer(OTHERS, turned=(0,), hand=(1,), wants=("red",))))


def nina_accepts(game: Bohnanza) -> Bohnanza:
    do(game, (1, Decline()), (NINA, Accept(hand=(1,))), (3, Decline()))
    return do(game, (TIMON, Pick(NINA)))


def test_example_1_timon_offers_a_turned_over_soy_bean_for_a_red_bean() -> None:
    """The turned-over cards are his to trade with, and every other player is asked."""
    game = timon_has_turned_over_soy_and_blue()
    view = game.view(TIMON)
    assert view.decision is Decision.TRADE
    assert view.turned == ("soy", "blue")
    assert view.places_for("soy") == ()
    do(game, (TIMON, Offer(OTHERS, turned=(0,), wants=("red",))))
    assert game.to_act() == OTHERS
    offer = game.view(NINA).offer
    assert offer
    assert (offer.gives, offer.wants) == (("soy",), ("red",))


def test_example_2_timon_ups_his_offer_with_a_chili_bean_from_his_hand() -> None:
    """Any card of the hand may be offered, wherever it is, and stays in the hand until a trade is agreed on."""
    game = timon_ups_his_offer(timon_has_turned_over_soy_and_blue())
    offer = game.view(NINA).offer
    assert offer
    assert (offer.gives, offer.wants) == (("soy", "chili"), ("red",))
    assert game.view(TIMON).hand == ("green", "chili", "stink")
    assert game.view(TIMON).turned == ("soy", "blue")


def test_example_3_nina_accepts_and_both_lay_their_new_cards_aside() -> None:
    """What is received goes to neither hand nor field; who declined keeps everything."""
    game = nina_accepts(timon_ups_his_offer(timon_has_turned_over_soy_and_blue()))
    view = game.view(TIMON)
    assert view.aside == (("red",), (), ("soy", "chili"), ())
    assert view.hand == ("green", "stink")
    assert view.turned == ("blue",)
    assert game.view(NINA).hand == ("green", "stink")
    assert of_type(game.events, Answered)[-3:] == [
        Answered(1, "decline"),
        Answered(NINA, "accept", (1,), ("red",)),
        Answered(3, "decline"),
    ]
    assert of_type(game.events, Traded) == [Traded(TIMON, NINA, (0,), (1,), ("soy", "chili"), (1,), ("red",))]


def test_example_4_timon_and_nina_plant_what_they_received() -> None:
    """Timon plants his red bean and the blue one left over, then Nina both of hers, each into fields of the kind."""
    game = nina_accepts(timon_ups_his_offer(timon_has_turned_over_soy_and_blue()))
    do(game, (TIMON, Stop()))
    assert game.view(TIMON).own_aside == ("red", "blue")
    do(game, (TIMON, PlantAside(0, 0)), (TIMON, PlantAside(0, 1)))
    do(game, (NINA, PlantAside(1, 1)), (NINA, PlantAside(0, 0)))
    fields = game.view(0).fields
    assert fields[TIMON] == (Field("red", 3), Field("blue", 3))
    assert fields[NINA] == (Field("soy", 2), Field("chili", 3))
    assert not any(game.view(0).aside)


def test_example_5_keno_harvests_three_chili_beans_for_one_dollar() -> None:
    """One card becomes a dollar, the other two are discarded, and the field is empty."""
    game = scripted(hands=["", "", ""], fields={(0, 0): "chili chili chili", (0, 1): "blue"})
    do(game, (0, Harvest(0)))
    view = game.view(0)
    assert of_type(game.events, Harvested) == [Harvested(0, 0, "chili", 3, 1)]
    assert view.dollars == (1, 0, 0)
    assert view.own_fields[0] == Field(None, 0)
    assert dict(zip([kind.name for kind in view.rules.kinds], view.discard, strict=True))["chili"] == 2


BEANOMETERS: dict[Kind, dict[int, int]] = {
    "stink": {1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2, 7: 3, 8: 4, 9: 4, 16: 4},
    "garden": {1: 0, 2: 2, 3: 3, 6: 3},
    "red": {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 8: 4},
    "black_eyed": {1: 0, 2: 1, 3: 1, 4: 2, 5: 3, 6: 4, 10: 4},
    "soy": {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 4, 12: 4},
    "green": {2: 0, 3: 1, 4: 1, 5: 2, 6: 3, 7: 4, 14: 4},
    "chili": {2: 0, 3: 1, 5: 1, 6: 2, 7: 2, 8: 3, 9: 4, 18: 4},
    "blue": {3: 0, 4: 1, 5: 1, 6: 2, 7: 2, 8: 3, 9: 3, 10: 4, 20: 4},
}


@pytest.mark.parametrize("kind", BEANOMETERS)
def test_every_beanometer_of_the_base_game(kind: Kind) -> None:
    """A kind pays the most dollars whose mark the field reaches; the garden bean never pays one or four."""
    (rule,) = [rule for rule in all_kinds() if rule.name == kind]
    assert {cards: rule.dollars(cards) for cards in BEANOMETERS[kind]} == BEANOMETERS[kind]
