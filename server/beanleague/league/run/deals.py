"""The deals of a run: which is next, how it is played, and what is played again. They come back in any order."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

from beanleague.league.errors import RunError
from beanleague.league.schedule import seeds
from beanleague.league.schedule.formats import seatings, tables_of
from beanleague.model import LADDER, ChangeKind, Deal, Entrant, League
from beanleague.names import format_match
from beanleague.referee.messages import DealTask, MatchTask, Pool, VoidDeal
from beanleague.store import Store

_MAX_FAILURES = 3  # of the same deal in a row
_LOOK_INTERVAL_S = 0.25  # between looks whether somebody joined or was suspended; publishing looks, too
_PAUSES_S = (2.0, 10.0)  # before a deal is played again, after the first and second time that the host was short


class Dealer:
    """Hands out the deals of a league that are not played yet: first those already scheduled, then new ones.

    New deals are published `batch()` at a time, just before the first of them is played. Who joins, is suspended by an
    organiser, or adds deals meanwhile is noticed before the next one: it is published only if nothing has changed.

    `joined`: called with all who play when that has changed; returns whether the pool has taken them in, without which
    nothing more is published. `clock`: seconds.
    """

    over = True

    def __init__(
        self,
        store: Store,
        league: League,
        *,
        batch: Callable[[], int],
        joined: Callable[[Sequence[Entrant]], bool],
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._league = league
        self._batch = batch
        self._joined = joined
        self._clock = clock
        self._waiting = deque(store.deals.unplayed(league.id))
        self._look_at = clock() + _LOOK_INTERVAL_S
        self._look()

    @property
    def deals(self) -> int:
        """How many deals the league has."""
        return self._league.deals

    @property
    def wants_pool(self) -> bool:
        """Whether somebody joined whom the pool could not take in."""
        return not self._taken

    def next(self) -> DealTask | None:
        """Return a deal to play, None if all are handed out or another pool is wanted."""
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + _LOOK_INTERVAL_S
            if self._changes != self._store.changes.newest(self._league.id):
                self._look()
        while not self._waiting and self._taken and not self._publish():
            self._look()
        return self._maker.task(self._waiting.popleft(), self._league.secret) if self._waiting else None

    def _look(self) -> None:
        """See who plays and how many deals there are; give up deals with those whom an organiser took out."""
        league_id = self._league.id
        self._changes = self._store.changes.newest(league_id)  # read first: what comes after it is looked at later
        self._league = self._store.leagues.get(self._league.name)
        entrants = self._store.leagues.entrants(league_id)
        for entrant, why in taken_out(entrants, ChangeKind.EXCLUDED, ChangeKind.LEFT):
            self._changes += bool(give_up(self._store, self._league, self._waiting, entrant, why))
        dropped, tables = self._store.deals.dropped(league_id), self._store.deals.tables(league_id)
        self._scheduled, self._last = len(tables), self._league.deals + len(dropped)
        history = [table for number, table in enumerate(tables, 1) if number not in dropped]
        thief = next((entrant.number for entrant in entrants if entrant.version_id is None), None)
        self._maker = TaskMaker(self._league, {entrant.number: entrant.label for entrant in entrants}, thief)
        self._next_table = tables_of(self._league, entrants, history)
        self._taken = self._joined(entrants)

    def _publish(self) -> bool:
        """Publish the next deals, if there are any; return whether nothing that decides them had changed."""
        first, last = self._scheduled + 1, min(self._scheduled + self._batch(), self._last)
        deals = [
            Deal(number, self._next_table(), seeds.seed_digest(seeds.deal_seed(self._league.secret, number)))
            for number in range(first, last + 1)
        ]
        if not self._store.deals.schedule(self._league.id, deals, after=self._changes):
            return False
        self._scheduled = max(last, self._scheduled)
        self._waiting.extend(deals)
        return True


def taken_out(entrants: Sequence[Entrant], *by: ChangeKind) -> Iterator[tuple[Entrant, str]]:
    """Yield the entrants that do not play since a change `by`, and why, for their deals to be given up."""
    for entrant in entrants:
        if entrant.last.kind in by:
            why = f"is suspended: {entrant.suspended}" if entrant.suspended else f"has left: {entrant.last.reason}"
            yield entrant, f"{entrant.label} {why}"


def give_up(store: Store, league: League, waiting: deque[Deal], entrant: Entrant, why: str) -> list[Deal]:
    """Give up those of the deals `waiting`, which are not begun, that have an entrant; return them.

    If it plays again, contrary to what was read, none is given up.
    """
    void = [deal for deal in waiting if entrant.number in deal.table]
    numbers = [deal.number for deal in void]
    if not void or not store.deals.drop(league.id, numbers, entrant.last, why, fewer=league.format == LADDER):
        return []
    for deal in void:
        waiting.remove(deal)
    return void


@dataclass(frozen=True, slots=True)
class TaskMaker:
    """Makes tasks of the deals of a league. `names`: of entrants by number; `thief`: the entrant that is the Thief."""

    league: League
    names: Mapping[int, str]
    thief: int | None = None

    def task(self, deal: Deal, secret: bytes) -> DealTask:
        """Return a deal as it is to be played: in rotation r the seats are taken by the entrants `seatings[r]`.

        In a solo league rotation r is the match of entrant `table[r]` alone, against the Bean Thief.
        """
        league, number, names = self.league, deal.number, self.names if self.league.show_names else {}
        seed = seeds.deal_seed(secret, number)
        tables = seatings(league, deal.table)
        matches = (
            MatchTask(
                id=rotation,
                ruleset=league.ruleset,
                seed=seed,
                bots=seating,
                luck=tuple(seeds.bot_luck(secret, number, rotation, seat) for seat in range(league.seats)),
                options=league.options,
                names=tuple(names[entrant] for entrant in seating) if names else (),
                thief=self.thief,
                label=format_match(league.name, number, rotation),
            )
            for rotation, seating in enumerate(tables)
        )
        return DealTask(number, tuple(matches), 1 if league.solo else len(tables))


class DealsInFlight:
    """Keeps about twice as many matches in `pool` as it can play at once, so that it never waits for more.

    With `isolate` as many deals as it can play matches: it plays one match of each at a time.

    `next_deal`: returns a deal, None if there is none now. `names`: of entrants. `most`: how many deals there may be at
    once. `clock`: seconds.
    """

    def __init__(
        self,
        next_deal: Callable[[], DealTask | None],
        pool: Pool,
        names: Mapping[int, str],
        *,
        most: Callable[[], float] = lambda: inf,
        isolate: bool = False,
        clock: Callable[[], float],
    ) -> None:
        self._next_deal = next_deal
        self._pool = pool
        self._names = names
        self._most = most
        self._isolate = isolate
        self._clock = clock
        self._waiting: list[DealTask] = []  # for the host to recover
        self._resume = 0.0  # when they are played again, and new deals begin
        self._playing: dict[int, DealTask] = {}  # by number
        self._failures: Counter[int] = Counter()  # in a row, by number, but for bots killed and nodes lost
        self._unforgiven: set[int] = set()  # entrants on whose account a deal was void: they may have chosen it

    @property
    def empty(self) -> bool:
        """Whether nothing is being played, or waits to be played again."""
        return not (self._playing or self._waiting)

    def fill(self) -> None:
        """Begin deals until there are enough in the pool, no deal is left, or the host has to recover."""
        if self._clock() < self._resume:
            return
        while self._waiting:
            self._begin(self._waiting.pop(0))
        while not self._playing or self._room():
            deal = self._next_deal()
            if deal is None:
                return
            self._begin(deal)

    def played(self, number: int) -> None:
        del self._playing[number]
        self._failures.pop(number, None)

    def again(self, void: VoidDeal) -> None:
        """Play a deal again.

        An entrant that was killed is to blame for it from now on, in all deals of the run.

        Raises:
            RunError: if it failed `_MAX_FAILURES` times in a row, not counting bots that were killed.
        """
        deal = self._playing.pop(void.number)
        if void.killed is not None:
            self._unforgiven.add(void.killed)
        elif not void.lost:
            self._failures[void.number] += 1
        failures = self._failures[void.number]
        if failures == _MAX_FAILURES:
            players = ", ".join(self._names[bot] for bot in dict.fromkeys(chain(*(m.bots for m in deal.matches))))
            raise RunError(
                f"deal {deal.number} of {players} failed {_MAX_FAILURES} times in a row: {void.why}. "
                "Deals played before are kept; run the league again to continue"
            )
        deal = replace(deal, voids=deal.voids + 1)
        if void.host:
            self._waiting.append(deal)
            self._resume = max(self._resume, self._clock() + _PAUSES_S[max(failures - 1, 0)])
        else:
            self._begin(deal)

    def _room(self) -> bool:
        if len(self._playing) >= self._most():
            return False
        if self._isolate:
            return len(self._playing) < self._pool.capacity
        return self._pool.unfinished < 2 * self._pool.capacity

    def _begin(self, deal: DealTask) -> None:
        if self._unforgiven:
            matches = (
                replace(match, unforgiven=frozenset(self._unforgiven.intersection(match.bots)))
                for match in deal.matches
            )
            deal = replace(deal, matches=tuple(matches))
        self._playing[deal.number] = deal
        self._pool.submit(deal)
