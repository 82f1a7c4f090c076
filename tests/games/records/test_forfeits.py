"""What follows from a record: places where seats forfeited, and what trades were worth."""

import random
from itertools import product

import pytest

from beanleague.games import Action, Event, Kind, new_game
from beanleague.games.bohnanza import Call, Counter, Decline, Refuse, Stop, Traded
from beanleague.games.bohnanza.moves import TradingEnded
from beanleague.games.core import Harvested, Pass, Plant, Planted
from beanleague.games.records.faults import Fault, league_places, places_with_forfeits
from beanleague.games.records.trade_flow import TradeFlow, added_up, trade_flows


@pytest.mark.parametrize(
    ("places", "forfeited_at", "expected"),
    [
        ((3, 1, 2), (None, None, None), (3, 1, 2)),
        ((3, 1, 2), (None, 5, None), (2, 3, 1)),
        ((1, 2, 3, 4), (9, None, 4, None), (3, 1, 4, 2)),
        ((1, 2, 3, 4), (9, None, 9, None), (3, 1, 3, 2)),
        ((1, 1, 3, 4), (None, None, None, 0), (1, 1, 3, 4)),
        ((1, 2, 2, 4), (7, None, None, None), (4, 1, 1, 3)),
        ((1, 2, 3), (2, 1, 0), (1, 2, 3)),
        ((3, 2, 1), (2, 1, 0), (1, 2, 3)),
        ((1, 2, 3), (6, 6, 6), (1, 1, 1)),
    ],
)
def test_seats_that_forfeited_come_last_and_the_later_one_is_better(
    places: tuple[int, ...], forfeited_at: tuple[int | None, ...], expected: tuple[int, ...]
) -> None:
    """Others close up and keep their order; of the seats that forfeited the later ranks higher, equal ones tie."""
    assert places_with_forfeits(places, forfeited_at) == expected


def test_places_are_always_a_ranking() -> None:
    """Each place is one more than the number of better ones, whatever the ties and forfeits."""
    for places in [(1, 2, 3), (1, 1, 3), (1, 2, 2), (1, 1, 1), (2, 3, 1)]:
        for forfeited_at in product([None, 0, 1], repeat=3):
            found = places_with_forfeits(places, forfeited_at)
            assert all(place == 1 + sum(other < place for other in found) for place in found)


def test_lengths_that_differ_are_refused() -> None:
    """A moment too few is a mistake of the caller, not a seat that stayed."""
    with pytest.raises(ValueError, match="shorter"):
        places_with_forfeits((1, 2, 3), (None, None))


def test_answers_to_one_offer_happen_at_the_same_moment() -> None:
    """All answers to an offer share a moment; what comes before and after them has later and later ones."""
    moves: list[tuple[int, Action]] = [
        (0, Plant(0)),
        (0, Pass()),
        (0, Call((1, 2))),
        (1, Decline()),
        (2, Counter((0,))),
        (0, Refuse()),
    ]
    moves += [(0, Call((1, 2))), (2, Decline()), (1, Decline()), (0, Stop())]
    game = new_game("bohnanza", seats=3, seed=b"seed")
    moments = []
    for seat, action in moves:
        moments.append(game.moment)
        game.apply(seat, action)
    first = moments[0]
    assert [moment - first for moment in moments] == [0, 1, 2, 3, 3, 4, 5, 6, 6, 7]


def test_seats_that_forfeit_while_answering_the_same_offer_tie() -> None:
    """Which of two simultaneous answers was applied first decides nothing."""
    moments = [4, 5, 5, 6]
    faults = [Fault(seat, seat, "timeout", "", True) for seat in (1, 2)]
    assert league_places((3, 2, 1), moments, faults) == (1, 2, 2)


def test_a_seat_forfeits_by_its_first_fault_that_says_so() -> None:
    """Strikes before and faults after it change nothing."""
    faults = [
        Fault(1, 1, "illegal", "", False),
        Fault(1, 6, "crash", "", True),
        Fault(0, 4, "crash", "", True),
        Fault(0, 8, "crash", "", True),
    ]
    assert league_places((1, 2, 3), range(9), faults) == (3, 2, 1)


def test_a_single_seat_keeps_its_place_behind_the_thief_and_loses_by_a_forfeit() -> None:
    assert places_with_forfeits([2], [None]) == (2,)
    assert places_with_forfeits([1], [None]) == (1,)
    assert places_with_forfeits([1], [5]) == (2,)


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
