"""Deals of a run: their order, their tasks, and repetitions. Results may arrive in any order."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf

from beanleague.league.errors import RunError
from beanleague.league.schedule import schedule, seeds
from beanleague.league.schedule.tables import NextTable, Tables, seatings
from beanleague.model import ON_ACCOUNT_OF, ChangeKind, Deal, Entrant, League
from beanleague.names import format_match
from beanleague.referee.messages import DealTask, MatchTask, Pool, VoidDeal
from beanleague.store import Store

_MAX_FAILURES = 3  # number of consecutive failures of a deal that ends the run
_LOOK_INTERVAL_S = 0.25  # interval of checking for changed entrants; publishing checks for them, too
_PAUSES_S = (2.0, 10.0)  # pause before a deal is repeated, after the first and second shortage of the host


class Dealer:
    """Source of a league's unplayed deals: first scheduled deals, then new ones.

    New deals are published `batch()` at a time, just before the first of them is played. Changes of entrants or of the
    number of deals are noticed before that: deals are published only if nothing has changed.

    `tables`: the next tables by the league's format. `joined`: called with all entrants after a change; returns whether
    the pool has accepted them, which publishing requires. `clock`: in seconds.
    """

    over = True

    def __init__(
        self,
        store: Store,
        league: League,
        tables: Tables,
        *,
        batch: Callable[[], int],
        joined: Callable[[Sequence[Entrant]], bool],
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._league = league
        self._tables = tables
        self._batch = batch
        self._joined = joined
        self._clock = clock
        self._waiting = deque(store.deals.unplayed(league.id))
        self.open = {deal.number for deal in self._waiting}
        """Numbers of the deals that are published, but not committed."""
        self._look_at = clock() + _LOOK_INTERVAL_S
        self._look()

    @property
    def deals(self) -> int:
        """Number of deals of the league."""
        return self._league.deals

    @property
    def wants_pool(self) -> bool:
        """Whether a new entrant could not be added to the pool."""
        return not self._taken

    def next(self) -> DealTask | None:
        """Return a deal to play; None if none is left or another pool is needed."""
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + _LOOK_INTERVAL_S
            if self._changes != self._store.changes.newest(self._league.id):
                self._look()
        while not self._waiting and self._taken and not self._publish():
            self._look()
        return self._maker.task(self._waiting.popleft(), self._league.secret) if self._waiting else None

    def committed(self, number: int) -> None:
        """Remove a committed deal from the open deals."""
        self.open.discard(number)

    def _look(self) -> None:
        """Reload entrants and number of deals; drop deals of entrants that an organiser removed."""
        league_id = self._league.id
        # read first, so that the next check notices later changes
        self._changes = self._store.changes.newest(league_id)
        self._league = self._store.leagues.get(self._league.name)
        entrants = self._store.leagues.entrants(league_id)
        for entrant, why in taken_out(entrants, ChangeKind.EXCLUDED, ChangeKind.LEFT):
            void = give_up(self._store, self._league, self._waiting, entrant, why)
            self._changes += bool(void)
            self.open.difference_update(deal.number for deal in void)
        dropped, tables = self._store.deals.drop_times(league_id), self._store.deals.tables(league_id)
        self._scheduled, self._last = len(tables), self._league.deals + len(dropped)
        history = [table for number, table in enumerate(tables, 1) if number not in dropped]
        thief = next((entrant.number for entrant in entrants if entrant.version_id is None), None)
        self._maker = TaskMaker(self._league, {entrant.number: entrant.label for entrant in entrants}, thief)
        self._next_table: NextTable = self._tables(self._league, entrants, history)
        self._taken = self._joined(entrants)

    def _publish(self) -> bool:
        """Publish the next deals, if any; return False if the entrants have changed."""
        last = min(self._scheduled + self._batch(), self._last)
        deals = [
            Deal(number, table, seeds.seed_digest(seeds.deal_seed(self._league.secret, number)))
            for number, table in enumerate(self._next_tables(last - self._scheduled), self._scheduled + 1)
        ]
        if not self._store.deals.schedule(self._league.id, deals, after=self._changes):
            return False
        self._scheduled += len(deals)
        self._waiting.extend(deals)
        self.open.update(deal.number for deal in deals)
        return True

    def _next_tables(self, most: int) -> Iterator[schedule.Table]:
        """Yield at most `most` next tables; fewer if the tables after these depend on open deals."""
        for _ in range(most):
            table = self._next_table()
            if table is None:
                return
            yield table


def taken_out(entrants: Sequence[Entrant], *by: ChangeKind) -> Iterator[tuple[Entrant, str]]:
    """Yield the entrants whose last change is one of the kinds `by`, each with the reason for dropping its deals."""
    for entrant in entrants:
        if entrant.last.kind in by:
            why = f"is suspended: {entrant.suspended}" if entrant.suspended else f"has left: {entrant.last.reason}"
            yield entrant, f"{entrant.label} {why}"


def give_up(store: Store, league: League, waiting: deque[Deal], entrant: Entrant, why: str) -> list[Deal]:
    """Drop an entrant's deals among `waiting`, which have not begun; return the dropped deals.

    Nothing is dropped if the entrant has returned in the meantime.
    """
    void = [deal for deal in waiting if entrant.number in deal.table]
    numbers = [deal.number for deal in void]
    if not void or not store.deals.drop(league.id, numbers, entrant.last, why, fewer=league.traits.endless):
        return []
    for deal in void:
        waiting.remove(deal)
    return void


@dataclass(frozen=True, slots=True)
class TaskMaker:
    """Converts deals of a league to tasks. `names`: by entrant number; `thief`: number of the Bean Thief."""

    league: League
    names: Mapping[int, str]
    thief: int | None = None

    def task(self, deal: Deal, secret: bytes) -> DealTask:
        """Return the task of a deal: in rotation r the entrants `seatings[r]` take the seats.

        In a solo league rotation r is the match of entrant `table[r]` alone against the Bean Thief.
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
    """Keeps `pool` supplied with about twice as many matches as it can play at once.

    With `isolate` it keeps as many deals as the pool can play matches: the pool plays one match of each at a time.

    `next_deal`: returns a deal, None if there is none now. `names`: by entrant number. `most`: returns the maximum
    number of deals at once. `unforgiven`: entrants that voided a deal of the league, possibly on purpose; updated.
    `clock`: in seconds.
    """

    def __init__(
        self,
        next_deal: Callable[[], DealTask | None],
        pool: Pool,
        names: Mapping[int, str],
        *,
        most: Callable[[], float] = lambda: inf,
        isolate: bool = False,
        unforgiven: set[int] | None = None,
        clock: Callable[[], float],
    ) -> None:
        self._next_deal = next_deal
        self._pool = pool
        self._names = names
        self._most = most
        self._isolate = isolate
        self._clock = clock
        self._waiting: list[DealTask] = []  # deals to repeat when the host has recovered
        self._resume = 0.0  # time at which waiting deals are repeated and new deals may begin
        self._playing: dict[int, DealTask] = {}  # deals being played, by number
        self._failures: Counter[int] = Counter()  # consecutive failures by deal, except killed bots and lost nodes
        self._unforgiven = set() if unforgiven is None else unforgiven

    @property
    def empty(self) -> bool:
        """Whether no deal is being played, or waits for repetition."""
        return not (self._playing or self._waiting)

    def fill(self) -> None:
        """Start deals until the pool has enough, no deal is left, or the host needs to recover."""
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

    def reason(self, void: VoidDeal) -> str:
        """Return the reason to store for a void deal; it names the entrant that may have caused it."""
        return void.why if void.killed is None else f"{ON_ACCOUNT_OF}{self._names[void.killed]}: {void.why}"

    def again(self, void: VoidDeal) -> None:
        """Repeat a void deal.

        If an entrant was killed, any later kill of it in the league counts as its own fault.

        Raises:
            RunError: if the deal failed `_MAX_FAILURES` times in a row, not counting killed bots.
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
