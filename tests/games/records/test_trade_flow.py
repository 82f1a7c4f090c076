"""What trades are worth, from events alone."""

from __future__ import annotations

import random

import pytest

from beanleague.games import Event, Kind, new_game
from beanleague.games.bohnanza import Traded
from beanleague.games.bohnanza.events import TradingEnded
from beanleague.games.core import Harvested, Planted
from beanleague.games.records.trade_flow import TradeFlow, added_up, trade_flows

PLANTED = [Planted(1, 0, "blue", "hand", 0)] * 3


def gift(*cards: Kind) -> Traded:
    """Seat 0 gives cards to seat 1."""
    return Traded(0, 1, (), tuple(range(len(cards))), cards, (), ())


def given(*events: Event) -> TradeFlow:
    """Return what seat 0 gave seat 1."""
    flow, _ = trade_flows(3, events)
    return flow


@pytest.mark.parametrize(
    ("events", "cents"),
    [
        ([*PLANTED, gift("blue")], 25),
        ([*PLANTED, gift("blue", "blue", "blue")], 125),
        ([*PLANTED, gift("blue"), gift("blue", "blue")], 125),
        ([*PLANTED, gift("red")], 0),
        ([*PLANTED, gift("red", "red")], 100),
        ([*PLANTED, gift("red"), gift("red")], 100),
        ([*PLANTED, *[Planted(1, 0, "blue", "hand", 0)] * 7, gift("blue")], 0),
        ([*PLANTED, Harvested(1, 0, "blue", 3, 0), gift("blue")], 0),
        ([*PLANTED, TradingEnded(1, ("blue",)), gift("blue")], 50),
        ([Planted(2, 0, "blue", "hand", 0), gift("blue")], 0),
    ],
    ids=[
        "on the line to the next dollar",
        "across a step",
        "in two trades as in one",
        "a single card of a new kind",
        "cards of a new kind that earn dollars by themselves",
        "likewise in two trades",
        "beyond the last step",
        "a kind that was harvested",
        "on top of cards set aside",
        "only what the receiver grows counts",
    ],
)
def test_cards_are_worth_what_they_add_to_the_fields_of_the_receiver(events: list[Event], cents: int) -> None:
    assert given(*events).cents == cents


def test_cards_are_worth_something_once_when_planted() -> None:
    events = [*PLANTED, gift("blue"), Planted(1, 0, "blue", "aside", 0), gift("blue")]
    assert given(*events).cents == 25 + 50


def test_trades_cards_and_gifts_are_counted_in_each_direction() -> None:
    trade = Traded(1, 0, (0,), (), ("red",), (0, 1), ("blue", "chili"))
    assert trade_flows(3, [*PLANTED, gift("blue"), trade]) == (
        TradeFlow(0, 1, 2, 3, 1, 25 + 50),
        TradeFlow(1, 0, 2, 1, 0, 0),
    )


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-extended", "bohnanza-classic"])
@pytest.mark.parametrize("seats", [3, 5])
def test_whole_games_add_up(ruleset: str, seats: int) -> None:
    chance = random.Random(seats)
    game = new_game(ruleset, seats=seats, seed=b"trades", options={})
    while not game.over:
        for seat in game.to_act():
            game.apply(seat, chance.choice(game.legal(seat)))
    flows = trade_flows(seats, game.events)
    trades = [event for event in game.events if isinstance(event, Traded)]
    assert trades
    assert sum(flow.trades for flow in flows) == 2 * len(trades)
    assert sum(flow.cards for flow in flows) == sum(len(trade.gives) + len(trade.receives) for trade in trades)
    assert all(flow.cents >= 0 for flow in flows)
    assert added_up([*flows, *flows]) == tuple(
        TradeFlow(f.giver, f.receiver, 2 * f.trades, 2 * f.cards, 2 * f.gifts, 2 * f.cents) for f in flows
    )


def test_games_without_trading_have_none() -> None:
    game = new_game("duel", seats=2, seed=b"trades", options={})
    while not game.over:
        for seat in game.to_act():
            game.apply(seat, game.default(seat))
    assert trade_flows(2, game.events) == ()
