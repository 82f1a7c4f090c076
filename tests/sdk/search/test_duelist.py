"""The strong player of the duel: what it can be asked by those that build on it."""

import pytest

from beanbot.bot import seat_bot
from beanbot.duel import DuelDecision, DuelView, OfferGift
from beanbot.search.duelist import Duelist, GiftMerchant, Planners
from beanleague.games import new_game
from beanleague.games.duel import GiftAccepted, GiftDeclined
from tests.choices import listed


@pytest.fixture(scope="module")
def offering() -> DuelView:
    """The view of a seat that has to make an offer, after one was declined."""
    game = new_game("duel", seats=2, seed=b"offers")
    players = [seat_bot(Duelist, ruleset="duel", seat=seat, seats=2, luck=b"any") for seat in range(2)]
    while True:
        (seat,) = game.to_act()
        view = game.view(seat)
        assert isinstance(view, DuelView)
        if view.decision is DuelDecision.OFFER_GIFT and view.offered:
            return view
        for action in listed(players[seat].decide(view)):
            game.apply(seat, action)


def test_offers_are_all_that_may_be_made_the_best_first(offering: DuelView) -> None:
    merchant = GiftMerchant(offering.seat, Planners())
    offers = merchant.offers(offering)
    assert sorted(offer.kind for offer in offers) == sorted(set(offering.rules.number) - set(offering.offered))
    assert offers == sorted(offers, key=lambda offer: -offer.value)
    assert merchant.make(offers[0]) == OfferGift(offers[0].kind)


def test_a_merchant_that_expects_acceptance_offers_other_gifts(offering: DuelView) -> None:
    shy, bold = (GiftMerchant(offering.seat, Planners(), even_gain).offers(offering) for even_gain in (-9.0, 9.0))
    assert [offer.kind for offer in shy] != [offer.kind for offer in bold]
    assert {offer.value for offer in bold} == {bold[0].value}, "all are declined, whatever they are"


def test_a_merchant_learns_from_answers_which_gains_are_accepted(offering: DuelView) -> None:
    merchant = GiftMerchant(offering.seat, Planners())
    offer = merchant.offers(offering)[0]
    merchant.make(offer)
    other = 1 - offering.seat
    merchant.listen([GiftDeclined(seat=other)])
    assert merchant.even_gain > offer.gains
    merchant.listen([GiftAccepted(seat=offering.seat)])
    assert merchant.even_gain > offer.gains, "its own answers teach nothing"
    merchant.listen([GiftAccepted(seat=other)])
    assert merchant.even_gain < offer.gains


def test_a_plan_values_what_cards_can_become(offering: DuelView) -> None:
    planner = Planners().of(offering, offering.seat)
    hand = planner.numbers(offering.hand[:2])
    free, ordered = planner.best(hand), planner.best(hand, ordered=True)
    assert free.value >= ordered.value
    assert ordered.first
    assert ordered.first.card == 0
    assert planner.best(()).first is None
    assert planner.best(()).value == planner.now
