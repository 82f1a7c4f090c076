"""Quick player of the trading games for play-outs. It plays and trades like `Trader`, at a tenth of the cost.

It plays on the flat engine and sees all hands, so that trades need no offers and answers: the active player carries out
trades in which both sides gain, the best first. All values are dollars of `beanbot.policies.worth`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from beanbot.policies.trader import Trader
from beanbot.policies.trading import MIN_GAIN
from beanbot.policies.worth import HOPE_STEPS, LAST_TURNS, POSITION_WEIGHTS, worth_with_trade
from beanbot.search.farming import FlatPolicy
from beanleague.games.bohnanza import CardRules
from beanleague.games.bohnanza.flat_cards import NOTHING
from beanleague.games.bohnanza.flat_trading import (
    ANSWER,
    PICK,
    PLANT_ASIDE,
    PLANT_FIRST,
    PLANT_SECOND,
    TRADE,
    FlatBohnanza,
)
from beanleague.games.core.floats import exp, float_sum

MAX_TRADES = 5  # maximum trades in a turn
IN_VIEW = 3  # number of hand cards, after the one to plant, that count when a field is harvested
KEPT = 0.5  # weight of the value that a hand card of `IN_VIEW` would add to the harvested field
MOST_IN_HAND = 9  # maximum hand cards considered, from the front

# Coefficients of the estimate of the winner, fitted to matches of four traders at three, four and six seats.
HAND = 0.5  # dollars per dollar that the hand cards would add to the fields
CARD = 0.07  # dollars per hand card
WAIT = 0.3  # dollars lost for each turn before the seat's next one
FIELD = 0.33  # dollars that a bought field is worth for each turn left, in addition to the value that hand cards add
MOST_DRAWN = 3  # maximum cards drawn per turn for `FIELD` to count; with more, large hands add that value
EARNED = 1.0  # assumed earnings per turn in dollars of a seat that saves for a field
SLOPE, LAST_SLOPE = 0.45, 1.6  # log odds of a win per dollar: always, and a part divided by the turns left plus one

_WEIGHTS = POSITION_WEIGHTS + (0.3,) * 60

_Values: TypeAlias = Sequence[Sequence[float]]
"""Values in dollars, by kind and number of cards."""


class _Way(NamedTuple):
    """A possible gift of the active player."""

    gain: float
    """Gain of the seat from giving away these cards in return for nothing."""
    after: list[float]
    """Value that one more card of each kind adds to the seat's fields after the gift."""
    cards: tuple[int, ...]
    """Kinds of the cards given."""
    turned: tuple[int, ...]
    """Positions of the turned-over cards given."""
    hand: int
    """Position of the hand card given; -1 if none."""


class _Trade(NamedTuple):
    """A trade of the active player with `partner`, who gives the hand card at `wanted` (-1: nothing)."""

    way: _Way
    partner: int
    wanted: int


def won(places: Sequence[int]) -> list[float]:
    """Return each seat's share of the win."""
    best = min(places)
    return [1 / places.count(best) if place == best else 0.0 for place in places]


def draw_key(table: FlatBohnanza) -> tuple[int, int]:
    """Return a key that changes with every draw of cards."""
    return len(table.pile), table.run_outs


@cache
def market(rules: CardRules) -> Market:
    """Return the player for these rules; it plays every seat, and has no state."""
    return Market(rules)


class Market:
    """Quick player: plays an action of the seat to act. After its last trade the active player stops."""

    __slots__ = ("_dollars", "_drawn", "_fields", "_full", "_kinds", "_last", "_price", "_seats", "_sold", "_values")

    def __init__(self, rules: CardRules) -> None:
        self._kinds = range(len(rules.kinds))
        self._values = [
            [
                tuple([worth_with_trade(kind, count, step / HOPE_STEPS) for count in range(kind.cards + 2)])
                for kind in rules.kinds
            ]
            for step in range(HOPE_STEPS + 1)
        ]
        self._dollars = [tuple([kind.dollars(count) for count in range(kind.cards + 2)]) for kind in rules.kinds]
        self._full = [max(kind.beanometer) for kind in rules.kinds]
        self._drawn = rules.turned + rules.draws * (rules.seats if rules.all_draw else 1)
        self._seats = rules.seats
        self._last = rules.run_outs - 1
        self._fields, self._price = rules.fields, rules.field_price
        self._sold = self._price > 0 and rules.draws <= MOST_DRAWN

    def __call__(self, table: FlatBohnanza, seat: int) -> None:
        if table.decision == TRADE:
            self._trade(table, seat)
        self.plant(table, seat)

    def plant(self, table: FlatBohnanza, seat: int) -> None:
        """Play an action other than trading: plant, buy or harvest a field, pass, stop, decline or refuse."""
        decision = table.decision
        if decision == TRADE:
            table.stop(seat)
        elif decision in {PLANT_FIRST, PLANT_SECOND}:
            self._plant_hand(table, seat)
        elif decision == PLANT_ASIDE:
            self._plant_aside(table, seat)
        elif decision == ANSWER:
            table.decline(seat)
        elif decision == PICK:
            table.refuse(seat)
        else:
            table.pass_(seat)

    def ahead(self, table: FlatBohnanza, player: FlatPolicy, drawn: tuple[int, int]) -> list[float]:
        """Play on with `player` to the next draw or the end; return the chances of winning, or shares of the win."""
        while table.decision and draw_key(table) == drawn:
            player(table, table.asked[0])
        return won(table.outcome.places) if table.outcome else self.chances(table)

    def to_end(self, table: FlatBohnanza) -> list[float]:
        """Play to the end; return each seat's share of the win."""
        while table.decision:
            self(table, table.asked[0])
        assert table.outcome is not None
        return won(table.outcome.places)

    def chances(self, table: FlatBohnanza) -> list[float]:
        """Estimate each seat's chance of winning from its current cards and dollars, without playing on."""
        values, seats, turns = self._now(table), len(table.hands), self._turns_left(table)
        worth = []
        for seat, hand in enumerate(table.hands):
            value, adds = self._plant_all(table, seat, table.turned if seat == table.active else [], values)
            value += table.dollars[seat] + CARD * len(hand) - WAIT * ((seat - table.active) % seats)
            if self._sold:
                value += self._worth_of_purchase(table, seat, turns)
            useful = [adds[kind] * _WEIGHTS[at] for at, kind in enumerate(hand) if adds[kind] > 0]
            worth.append(value + HAND * float_sum(useful))
        slope, most = SLOPE + LAST_SLOPE / (turns + 1), max(worth)
        odds = [exp(slope * (each - most)) for each in worth]
        total = float_sum(odds)
        return [each / total for each in odds]

    def _worth_of_purchase(self, table: FlatBohnanza, seat: int, turns: float) -> float:
        """Return the value of the bought field, or of buying one as soon as the seat has its price."""
        if len(table.counts[seat]) > self._fields:
            return FIELD * turns
        turns -= max(0, self._price - table.dollars[seat]) / EARNED
        return max(0.0, FIELD * turns - self._price) if turns > Trader.turns_to_buy else 0.0

    def _plant_hand(self, table: FlatBohnanza, seat: int) -> None:
        grows, counts, hand = table.grows[seat], table.counts[seat], table.hands[seat]
        kind = hand[0]
        if table.may_buy(seat) and self._turns_left(table) > Trader.turns_to_buy:
            table.buy_field(seat)
        elif kind in grows:
            field = grows.index(kind)
            if counts[field] >= self._full[kind]:
                table.harvest(seat, field)
            else:
                table.plant(seat, field)
        elif NOTHING in grows:
            table.plant(seat, grows.index(NOTHING))
        else:
            values = self._now(table)
            field, lost = self._room(grows, counts, values, hand)
            if table.decision == PLANT_SECOND and values[kind][1] - lost < -Trader.small_loss:
                table.pass_(seat)
            else:
                table.harvest(seat, field)

    def _plant_aside(self, table: FlatBohnanza, seat: int) -> None:
        grows, counts, aside = table.grows[seat], table.counts[seat], table.aside[seat]
        for card, kind in enumerate(aside):
            if kind in grows:
                field = grows.index(kind)
                if counts[field] >= self._full[kind]:
                    table.harvest(seat, field)
                else:
                    table.plant_aside(seat, card, field)
                return
        if NOTHING in grows:
            table.plant_aside(seat, 0, grows.index(NOTHING))
        else:
            table.harvest(seat, self._room(grows, counts, self._now(table), aside + table.hands[seat])[0])

    def _room(self, grows: list[int], counts: list[int], values: _Values, cards: list[int]) -> tuple[int, float]:
        """Return the field to harvest for the first of `cards`, and the value lost, considering all cards."""
        least = 2 if max(counts) > 1 else 1
        ahead = cards[1 : 1 + IN_VIEW]
        best, lost = -1, 0.0
        for field, count in enumerate(counts):
            if count >= least:
                kind = grows[field]
                loss = values[kind][count] - self._dollars[kind][count]
                if count < self._full[kind]:
                    loss += ahead.count(kind) * KEPT * (values[kind][count + 1] - values[kind][count])
                if best < 0 or loss < lost:
                    best, lost = field, loss
        return best, lost

    # Trading

    def best_offer(
        self, table: FlatBohnanza, seat: int, to: Iterable[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
        """Return the offer of the best trade of the active player `seat` with one of `to`, or None.

        It consists of positions of turned-over cards, positions of hand cards, and kinds wanted.
        """
        values = self._now(table)
        trade = self._best(table, seat, {other: self._adds_after(table, other, [], values) for other in to}, values)
        if trade is None:
            return None
        way, partner, wanted = trade
        hand, kinds = ((card,) if card >= 0 else () for card in (way.hand, wanted))
        return way.turned, hand, tuple([table.hands[partner][card] for card in kinds])

    def _trade(self, table: FlatBohnanza, seat: int) -> None:
        """Carry out the trades that benefit both sides."""
        values = self._now(table)
        adds = {other: self._adds_after(table, other, [], values) for other in range(len(table.hands)) if other != seat}
        for _ in range(MAX_TRADES):
            trade = self._best(table, seat, adds, values)
            if trade is None:
                return
            way, partner, wanted = trade
            for position in reversed(way.turned):
                del table.turned[position]
            if way.hand >= 0:
                del table.hands[seat][way.hand]
            table.aside[partner] += way.cards
            if wanted >= 0:
                table.aside[seat].append(table.hands[partner].pop(wanted))
            adds[partner] = self._adds_after(table, partner, [], values)

    def _best(self, table: FlatBohnanza, seat: int, adds: dict[int, list[float]], values: _Values) -> _Trade | None:
        """Return the trade with the largest gain plus the partner's gain times the generosity of `Trader`."""
        ways = self._ways(table, seat, values)
        best: _Trade | None = None
        most = 0.0
        for partner, added in adds.items():
            wants = self._spare_cards(table.hands[partner], added)
            for way in ways:
                theirs = added[way.cards[0]] if len(way.cards) == 1 else self._both(table, partner, way.cards, values)
                if theirs < MIN_GAIN:
                    continue
                if way.hand < 0 and way.gain >= MIN_GAIN:  # give the cards away as a gift
                    appeal = way.gain + Trader.generosity * theirs
                    if appeal > most:
                        best, most = _Trade(way, partner, -1), appeal
                for kind, position, cost in wants:
                    mine, other = way.gain + way.after[kind], theirs - cost
                    if mine >= MIN_GAIN and other >= MIN_GAIN and kind not in way.cards:
                        appeal = mine + Trader.generosity * other
                        if appeal > most:
                            best, most = _Trade(way, partner, position), appeal
        return best

    def _ways(self, table: FlatBohnanza, seat: int, values: _Values) -> list[_Way]:
        """Return all gifts that the active player can make: turned-over cards, or one hand card."""
        turned = table.turned
        now, adds = self._plant_all(table, seat, turned, values)
        ways = []
        for position, kind in enumerate(turned):
            value, after = self._plant_all(table, seat, turned[:position] + turned[position + 1 :], values)
            ways.append(_Way(value - now, after, (kind,), (position,), -1))
        if len(turned) > 1:
            value, after = self._plant_all(table, seat, [], values)
            ways.append(_Way(value - now, after, tuple(turned), tuple(range(len(turned))), -1))
        spared = self._spare_cards(table.hands[seat][:MOST_IN_HAND], adds)
        return ways + [_Way(-cost, adds, (kind,), (), position) for kind, position, cost in spared]

    @staticmethod
    def _spare_cards(hand: list[int], adds: list[float]) -> list[tuple[int, int, float]]:
        """Return each kind in `hand` with the position of its last card and the loss from giving that card."""
        last = {kind: position for position, kind in enumerate(hand)}
        return [(kind, at, max(adds[kind], 0.0) * _WEIGHTS[at]) for kind, at in last.items()]

    def _both(self, table: FlatBohnanza, partner: int, cards: tuple[int, ...], values: _Values) -> float:
        """Return the gain of `partner` from several cards together."""
        return self._plant_all(table, partner, list(cards), values)[0] - self._plant_all(table, partner, [], values)[0]

    def _adds_after(self, table: FlatBohnanza, seat: int, more: list[int], values: _Values) -> list[float]:
        return self._plant_all(table, seat, more, values)[1]

    def _plant_all(self, table: FlatBohnanza, seat: int, more: list[int], values: _Values) -> tuple[float, list[float]]:
        """Plant the cards set aside by a seat, and `more`: kinds that grow first.

        Returns:
            Dollars of harvests plus the value of the fields; the value that one more card of each kind would add.
        """
        grows, counts, dollars, full = table.grows[seat][:], table.counts[seat][:], self._dollars, self._full
        value = 0.0
        unfit = []
        for kind in table.aside[seat] + more:
            if kind in grows:
                field = grows.index(kind)
                count = counts[field]
                if count >= full[kind]:
                    value += dollars[kind][count]
                    count = 0
                counts[field] = count + 1
            else:
                unfit.append(kind)
        for kind in unfit:
            if kind in grows:
                counts[grows.index(kind)] += 1
                continue
            field = grows.index(NOTHING) if NOTHING in grows else self._room(grows, counts, values, [])[0]
            if counts[field]:
                value += dollars[grows[field]][counts[field]]
            grows[field], counts[field] = kind, 1
        room = 0.0 if NOTHING in grows else self._room(grows, counts, values, [])[1]
        adds = [values[kind][1] - room for kind in self._kinds]
        for kind, count in zip(grows, counts, strict=True):
            if count:
                of = values[kind]
                value += of[count]
                adds[kind] = (
                    of[count + 1] - of[count] if count < full[kind] else dollars[kind][count] + of[1] - of[count]
                )
        return value, adds

    # Present values of fields

    def _now(self, table: FlatBohnanza) -> _Values:
        """Return the values of fields; possible later earnings count ever less in the last pass through the pile."""
        if table.run_outs < self._last:
            return self._values[HOPE_STEPS]
        turns = self._turns_left(table)
        return self._values[round(turns / (turns + LAST_TURNS) * HOPE_STEPS)]

    def _turns_left(self, table: FlatBohnanza) -> float:
        """Estimate the turns left for each seat, as `beanbot.policies.worth.turns_left` does."""
        piles = max(0, self._last - table.run_outs)
        return (len(table.pile) + piles * table.rules.cards / 2) / self._drawn / self._seats
