"""Offers that a seat did not make."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from beanbot.analysis.market import market
from beanbot.analysis.offers import left_out
from beanbot.analysis.weighing import Weighing
from beanbot.analysis.yardstick import otherwise
from beanbot.bohnanza import Answered, BohnanzaView, Choice, Decision, Offer, Stop
from beanbot.policies.trader import Trader
from beanbot.practice import deals
from beanleague.games import Record, new_game
from beanleague.games.bohnanza.flat_trading import TRADE, FlatBohnanza
from beanleague.games.bohnanza.game import Bohnanza


class Shy(Trader):
    """Offers nothing in its first turns."""

    def trade(self, view: BohnanzaView) -> Choice:
        return Stop() if view.turn < 12 else super().trade(view)


@cache
def record() -> Record:
    kept: list[Record] = []
    next(deals([Shy, Trader, Trader], keep=kept.append))
    return kept[0]


def stops(seat: int) -> Iterator[tuple[Weighing, int, BohnanzaView]]:
    """Yield the decisions in which a seat ended the trading."""
    weighing = Weighing(record(), seat)
    for move, view in weighing.decisions():
        if isinstance(record().moves[move].action, Stop):
            yield weighing, move, view


def trading() -> FlatBohnanza:
    """Return a table where seat 0 trades, whose chili seat 1 needs, and seat 2 too; both have red, which it grows."""
    game, random = new_game("bohnanza", seats=3, seed=b"offers"), Random(1)
    assert isinstance(game, Bohnanza)
    table = FlatBohnanza.of(game, lambda cards: random.sample(cards, len(cards)))
    while table.decision != TRADE:
        market(table.rules)(table, table.asked[0])
    table.turned, table.aside, table.hands = [7], [[], [], []], [[], [6], [6]]
    table.grows, table.counts = [[6, 3], [7, 5], [7, 2]], [[3, 4], [3, 2], [2, 2]]
    table.active, table.asked = 0, [0]
    return table


def test_the_best_offer_gives_what_does_not_grow_here_for_what_does() -> None:
    table = trading()
    assert market(table.rules).best_offer(table, 0, [1, 2]) == ((0,), (), (6,))
    assert market(table.rules).best_offer(table, 0, []) is None


def test_a_seat_that_offered_nothing_left_offers_out_that_would_have_gained() -> None:
    gained = []
    for weighing, move, view in stops(0):
        if view.turn < 12:
            games = weighing.games(view, 20)
            gained += [weighing.loss(games, Stop(), offer, 0.01).mean for offer in weighing.left_out(view, move, 20)]
    assert gained
    assert max(gained) > 0.005


def test_turned_over_cards_are_no_missed_offers_once_all_were_asked() -> None:
    asked = [offer for weighing, move, view in stops(1) for offer in weighing.left_out(view, move, 6)]
    assert not any(offer.turned for offer in asked)
    assert all(offer.hand for offer in asked)


def test_a_seat_that_answers_nothing_is_offered_nothing() -> None:
    weighing, _, view = next(stops(0))
    games = weighing.games(view, 30)
    declined = [Answered(1, "decline")] * 4
    assert {offer.to for offer in left_out(view, [], games)} == {(1, 2)}
    assert {offer.to for offer in left_out(view, declined, games)} == {(2,)}
    assert left_out(view, [*declined, *[Answered(2, "decline")] * 4], games) == []


def test_the_yardstick_tells_of_no_offer_only_where_it_would_have_made_one() -> None:
    found = [each for each in otherwise(record(), 0, Trader) if each.kind == "makes no offer"]
    assert found
    for each in found:
        assert each.turn < 12
        assert record().moves[each.move].action == Stop()
        assert each.better.startswith("offer ")
    assert otherwise(record(), 1, Trader) == ()


@pytest.mark.parametrize("seat", [0, 1])
def test_offers_are_those_that_could_have_been_made(seat: int) -> None:
    for weighing, move, view in stops(seat):
        assert view.decision is Decision.TRADE
        for offer in weighing.left_out(view, move, 6):
            assert isinstance(offer, Offer)
            assert all(card < len(view.turned) for card in offer.turned)
            assert all(card < len(view.hand) for card in offer.hand)
