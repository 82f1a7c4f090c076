"""Value of a trade to this bot and to the other seat, and the appeal of an answer."""

from __future__ import annotations

from planting import Outcome, outcomes
from values import Values

from beanbot.bohnanza import BohnanzaView, Kind
from beanbot.policies.scales import left_of, to_plant
from beanbot.policies.worth import Cards, Fields, Worth, fields_of, total

RIVALRY = 0.25  # penalty per dollar gained by a trade partner: partners are rivals, too

# Probability that an answer is picked, by the active player's gain in dollars; measured in self-play.
CHANCE, CHANCE_PER_DOLLAR, MAX_CHANCE = 0.38, 0.45, 0.9


def expected(mine: float, theirs: float) -> float:
    """Return the expected value of an answer; one that is better for the other side is more likely to be picked."""
    return min(CHANCE + CHANCE_PER_DOLLAR * theirs, MAX_CHANCE) * (mine - RIVALRY * theirs)


class Table:
    """Public part of each seat, with its best fields at the end of the turn. Other seats are valued by formula."""

    def __init__(self, view: BohnanzaView, worth: Worth) -> None:
        self.view = view
        self.worth = worth
        self._best: dict[tuple[int, Cards, tuple[int, ...]], Outcome] = {}

    def fields(self, seat: int) -> Fields:
        """Return the fields of `seat` now."""
        return fields_of(self.view.fields[seat])

    def best(self, seat: int, gets: Cards = (), gives_turned: tuple[int, ...] = ()) -> Outcome:
        """Return the best result of `seat` with its own cards and the cards of `gets`."""
        asked = seat, gets, gives_turned
        if asked not in self._best:
            cards = to_plant(self.view, seat, gives_turned) + gets
            ways = outcomes(self.fields(seat), cards, self.worth)
            self._best[asked] = max(ways, key=lambda way: way.dollars + total(way.fields, self.worth))
        return self._best[asked]


class Scales:
    """Values trades in the situation of one view. Gains are in dollars."""

    def __init__(self, table: Table, values: Values) -> None:
        self._table = table
        self._values = values
        self._now = self._future(to_plant(table.view, table.view.seat), table.view.hand)

    def mine(self, gets: Cards = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()) -> float:
        """Return the bot's gain from receiving `gets` and giving hand and turned-over cards, by position."""
        view = self._table.view
        return self._future(to_plant(view, view.seat, gives_turned) + gets, left_of(view.hand, gives)) - self._now

    def theirs(self, seat: int, gets: Cards, gives_turned: tuple[int, ...] = ()) -> float:
        """Return the visible gain of `seat`; cards from its hidden hand count 0."""
        after, before = self._table.best(seat, gets, gives_turned), self._table.best(seat)
        worth = self._table.worth
        return after.dollars + total(after.fields, worth) - before.dollars - total(before.fields, worth)

    def grows(self) -> set[Kind]:
        """Return the kinds in the bot's fields after all cards set aside and turned over are planted."""
        return {kind for kind, _ in self._table.best(self._table.view.seat).fields if kind}

    def _future(self, cards: Cards, hand: Cards) -> float:
        """Return the best value after planting the bot's `cards` this turn, with `hand` left."""
        ways = outcomes(self._table.fields(self._table.view.seat), cards, self._table.worth)
        return max([self._values(way.fields, hand, way.dollars) for way in ways])
