"""Trading by any scales: answers, offers, and which of them are picked."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from beanbot.policies.trading import MAX_UNANSWERED, Leader, TradingBot, best_answer, counters, positions
from beanbot.policies.worth import Cards
from beanleague.games import Kind
from beanleague.games.bohnanza import (
    Accept,
    Answered,
    BohnanzaView,
    Call,
    Counter,
    Decline,
    Offer,
    Offered,
    Pick,
    Refuse,
)
from tests.sdk.policies.helpers import view_of


class Fixed:
    """Scales by which each card of a kind has a price: one for the own seat, and one for all others."""

    def __init__(
        self, view: BohnanzaView, mine: Mapping[str, float], theirs: Mapping[str, float] | None = None
    ) -> None:
        self.view = view
        self.prices = mine, theirs or {}

    def price(self, whose: int, cards: Sequence[Kind]) -> float:
        return sum(self.prices[whose].get(kind, 0.0) for kind in cards)

    def mine(self, gets: Cards = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()) -> float:
        given = [self.view.hand[i] for i in gives] + [self.view.turned[i] for i in gives_turned]
        return self.price(0, gets) - self.price(0, given)

    def theirs(self, seat: int, gets: Cards, gives_turned: tuple[int, ...] = ()) -> float:
        return self.price(1, gets) - self.price(1, [self.view.turned[i] for i in gives_turned])

    def grows(self) -> set[Kind]:
        return set()


def own(mine: float, theirs: float) -> float:
    """Who thinks of itself alone."""
    return mine


def offered(**changed: Any) -> BohnanzaView:
    """Seat 1 offers a red bean that it turned over for a blue one; it has also turned over a garden bean."""
    offer = Offered(1, (0, 2, 3), (0,), (), ("red",), ("blue",))
    parts: dict[str, Any] = {"active": 1, "turned": ("red", "garden"), "hand": ("blue", "soy", "blue"), "offer": offer}
    return view_of(**parts | changed)


def test_the_last_cards_of_the_kinds_wanted_are_given() -> None:
    assert positions(("blue", "soy", "blue"), ("blue",)) == (2,)
    assert positions(("blue", "soy", "blue"), ("blue", "soy", "blue")) == (0, 1, 2)
    assert positions(("blue",), ("blue", "blue")) is None


def test_an_offer_that_gains_is_accepted() -> None:
    view = offered()
    assert best_answer(view, Fixed(view, {"red": 1.0, "blue": 0.5}), own) == Accept((2,))


def test_an_offer_is_declined_if_nothing_gains_for_both() -> None:
    view = offered()
    assert best_answer(view, Fixed(view, {"garden": 1.0}, {"garden": 1.0}), own) == Decline()


def test_what_appeals_more_is_proposed_instead() -> None:
    view = offered()
    scales = Fixed(view, {"red": 1.0, "garden": 2.0, "blue": 0.5}, {"soy": 0.2, "blue": 1.0})
    assert best_answer(view, scales, own) == Counter((1,), (0, 1)), "the most for itself: both cards for a soy bean"
    assert best_answer(view, scales, lambda mine, theirs: mine + 9 * theirs) == Counter((0,), (0, 1))


def test_a_counter_gives_at_most_one_card_and_each_kind_once() -> None:
    view = offered()
    assert view.offer
    found = list(counters(view, view.offer))
    assert {hand for hand, *_ in found} == {(), (0,), (1,)}
    assert ((), (0, 1), (), (), ("red", "garden")) in found


def leading(**changed: Any) -> BohnanzaView:
    """Seat 0 is active and has turned over two cards."""
    parts: dict[str, Any] = {"turned": ("red", "garden"), "hand": ("blue", "soy"), "rounds_left": 9}
    return view_of(**parts | changed)


def test_a_leader_calls_first_and_repeats_itself_if_asked_again_in_a_round() -> None:
    view, leader = leading(), Leader(4)
    scales = Fixed(view, {"garden": -1.0})
    first = leader.lead(view, scales)
    assert first == Call((1, 2, 3))
    assert leader.lead(view, scales) is first
    assert leader.calls_next(view)


def test_after_a_call_that_brought_nothing_it_gives_away_what_harms() -> None:
    view, leader = leading(), Leader(4)
    scales = Fixed(view, {"garden": -1.0})
    leader.lead(view, scales)
    assert leader.pick(view, scales) == Refuse()
    assert leader.lead(leading(rounds_left=8), scales) == Offer((1, 2, 3), (1,))
    assert not leader.calls_next(view)


def test_seats_that_never_answer_are_asked_no_more() -> None:
    leader = Leader(4)
    for turn in range(1, MAX_UNANSWERED + 1):
        view = leading(turn=turn)
        assert leader.somebody_trades()
        leader.lead(view, Fixed(view, {}))
        leader.pick(view, Fixed(view, {}))
    assert not leader.somebody_trades()


@pytest.mark.parametrize(("rivalry", "picked"), [(0.0, Pick(1, (0,))), (1.0, Pick(2, (1,)))])
def test_of_two_answers_a_rival_prefers_that_which_helps_the_partner_less(rivalry: float, picked: Pick) -> None:
    view = leading(
        offer=Offered(0, (1, 2, 3), (), (), (), ()),
        answers=(
            Answered(1, "counter", (), ("red",), (), ("blue",)),
            Answered(2, "counter", (), ("green",), (), ("soy",)),
            Answered(3, "decline"),
        ),
    )
    scales = Fixed(view, {"red": 2.0, "green": 1.5}, {"blue": 1.0})
    assert Leader(4, rivalry=rivalry).pick(view, scales) == picked


def test_a_subclass_says_what_it_lacks() -> None:
    for ask in (lambda: TradingBot().scales(leading()), lambda: TradingBot().appeal(1.0, 1.0)):
        with pytest.raises(NotImplementedError, match="TradingBot must override"):
            ask()
