"""The deals of a run: which is next, the matches to play of each, and their results."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from beanleague.games.records.trade_flow import added_up, of_entrants
from beanleague.league.schedule import seeds
from beanleague.league.schedule.formats import seatings, tables_of
from beanleague.model import Deal, League, Node, PlayedDeal, PlayedMatch, SeatResult
from beanleague.names import format_match
from beanleague.referee.messages import DealResult, DealTask, MatchResult, MatchTask
from beanleague.store.store import Store

_FORGIVEN_KILLS = 4  # of a bot in a deal; the next one is a crash


class Dealer:
    """Hands out the deals of a league that are not played yet: first those already scheduled, then new ones.

    New deals are published `batch()` at a time, just before the first of them is played.
    """

    def __init__(self, store: Store, league: League, *, batch: Callable[[], int]) -> None:
        self._store = store
        self._league = league
        self._batch = batch
        history = store.deals.tables(league.id)
        self._scheduled = len(history)
        entrants = store.leagues.entrants(league.id)
        self._thief = next((entrant.number for entrant in entrants if entrant.version_id is None), None)
        self._tables = tables_of(league, entrants, history)
        self._waiting = deque(self._deal(deal.number, deal.table) for deal in store.deals.unplayed(league.id))

    def next(self) -> DealInPlay | None:
        """Return a deal to play, None if all are handed out."""
        if not self._waiting:
            self._publish()
        return self._waiting.popleft() if self._waiting else None

    def retire(self, entrant: int) -> None:
        """Leave an entrant out of all deals that are not scheduled yet."""
        self._tables.retire(entrant)

    def _publish(self) -> None:
        first, last = self._scheduled + 1, min(self._scheduled + self._batch(), self._league.deals)
        deals = [self._deal(number, self._tables.next()) for number in range(first, last + 1)]
        self._store.deals.schedule(
            self._league.id, [Deal(deal.number, deal.table, seeds.seed_digest(deal.seed)) for deal in deals]
        )
        self._scheduled = max(last, self._scheduled)
        self._waiting.extend(deals)

    def _deal(self, number: int, table: tuple[int, ...]) -> DealInPlay:
        return DealInPlay(self._league, number, table, self._thief)


@dataclass(slots=True)
class DealInPlay:
    """A deal that is being played. In rotation r the seats are taken by the entrants `seatings()[r]`.

    In a solo league rotation r is the match of entrant `table[r]` alone, against the entrant `thief`.
    """

    league: League
    number: int
    """Number of the deal, from 1."""
    table: tuple[int, ...]
    """Numbers of the entrants that play it."""
    thief: int | None = None
    """Number of the Bean Thief in a solo league."""
    voids: int = 0
    """How often it had to be played again."""
    failures: int = 0
    """How often that was for another reason than that somebody killed a bot, or a node was lost."""
    kills: Counter[int] = field(default_factory=Counter)
    """How often somebody killed each entrant in it."""
    results: Mapping[int, MatchResult] = field(default_factory=dict)
    """Its matches by rotation, once it is played."""
    node: Node | None = None
    """Who played it, once it is played."""

    @property
    def seed(self) -> bytes:
        """The deal's seed: 32 bytes."""
        return seeds.deal_seed(self.league.secret, self.number)

    def seatings(self) -> list[tuple[int, ...]]:
        """Return the entrants by seat of each rotation."""
        return seatings(self.league, self.table)

    def task(self, names: Mapping[int, str]) -> DealTask:
        """Return the deal as it is to be played. `names`: of entrants, if bots may know."""
        seats = self.league.seats
        seed = self.seed
        seatings = self.seatings()
        matches = (
            MatchTask(
                id=rotation,
                ruleset=self.league.ruleset,
                seed=seed,
                bots=seating,
                luck=tuple(seeds.bot_luck(self.league.secret, self.number, rotation, seat) for seat in range(seats)),
                options=self.league.options,
                names=tuple(names[entrant] for entrant in seating) if names else (),
                unforgiven=frozenset(bot for bot, kills in self.kills.items() if kills >= _FORGIVEN_KILLS),
                label=format_match(self.league.name, self.number, rotation),
            )
            for rotation, seating in enumerate(seatings)
        )
        return DealTask(self.number, tuple(matches), 1 if self.league.solo else len(seatings), self.voids)

    def void(self, result: DealResult) -> None:
        """Count that it was void, and so will be played again."""
        self.voids += 1
        if result.killed is not None:
            self.kills[result.killed] += 1
        elif not result.lost:
            self.failures += 1

    def played(self) -> PlayedDeal:
        """Return the complete deal as it is stored."""
        seatings = self.seatings()
        matches = tuple(
            PlayedMatch(
                rotation,
                result.record,
                seats=(*_seats(seatings[rotation], result), *self._thief_seat(result)),
                faults=tuple(sorted(result.faults, key=lambda fault: fault.seat)),
            )
            for rotation, result in sorted(self.results.items())
        )
        flows = added_up(
            flow for rotation, result in self.results.items() for flow in of_entrants(seatings[rotation], result.flows)
        )
        return PlayedDeal(self.number, self.seed, matches, self.results[0].layer, flows, self.node)

    def _thief_seat(self, result: MatchResult) -> Iterator[SeatResult]:
        if self.thief is not None and result.thief is not None:
            yield SeatResult(self.thief, result.thief, 3 - result.places[0], decisions=0, faults=0, forfeited=False)


def _seats(seating: Sequence[int], result: MatchResult) -> Iterator[SeatResult]:
    for seat, entrant in enumerate(seating):
        yield SeatResult(
            entrant=entrant,
            score=result.scores[seat],
            place=result.places[seat],
            decisions=result.decisions[seat],
            faults=sum(fault.seat == seat for fault in result.faults),
            forfeited=result.forfeited[seat],
        )
