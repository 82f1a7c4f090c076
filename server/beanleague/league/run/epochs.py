"""Deals of a ladder, planned epoch by epoch, with seeds from the secret of the day."""

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil

from beanleague import model
from beanleague.league.ladder.entries import changes
from beanleague.league.ladder.inputs import Known, field_to_bytes
from beanleague.league.run.committing import LadderRatings
from beanleague.league.run.deals import TaskMaker, give_up, taken_out
from beanleague.league.run.slow import MIN_TABLES, SlowEntries
from beanleague.league.schedule import owners, schedule, seeds
from beanleague.league.schedule.plans import Candidate, Epoch, plan_epoch, with_queue
from beanleague.referee.messages import DealTask
from beanleague.store import Store

BACKGROUND_S = 3600.0
"""Seconds after which every entry gets another deal, even if all are settled."""
EPOCH_S = 5.0
"""Seconds of work that an epoch plans for the pool; newcomers wait until its deals are played."""
MAX_SHARE = 0.0125
"""Maximum share of a core used for planning."""
_HOUR_MS = 3_600_000
_LOOK_INTERVAL_S = 1.0  # interval of checking for changed entries or state


class EpochDealer:
    """Source of a ladder's deals: first the deals already planned for its day, then deals of new epochs.

    An epoch is planned when at most half as many deals are open (not committed) as the previous one had, so that the
    plan uses most results. Deals of slow entries do not count (`slow`).

    A day ends once its deals are over, at the first check on another date. Jumps of the clock do no harm, since a day
    is a number and its secret is used only once.

    `tables`: returns the number of tables that keeps the pool busy. `joined`: called with all entrants after a change;
    returns whether the pool has all entrants that play, which planning requires. `in_pool`: returns whether the pool
    has the entrants of a table. `stale`: returns whether another pool is needed for other reasons. `now`: the machine's
    clock.
    """

    def __init__(
        self,
        store: Store,
        league: model.League,
        results: LadderRatings,
        *,
        tables: Callable[[], int],
        joined: Callable[[Sequence[model.Entrant]], bool] = lambda _: True,
        in_pool: Callable[[Sequence[int]], bool] = lambda _: True,
        stale: Callable[[], bool] = lambda: False,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._league = league
        self._results = results
        self._tables = tables
        self._joined = joined
        self._in_pool = in_pool
        self._stale = stale
        self._now = now
        self._ladder = store.ladders.get(league.id)
        self._day = store.ladders.day(league.id)
        # CPU milliseconds used today, by owner
        self._used = store.ladders.usage(league.id, self._day.number) if self._day else {}
        self._waiting = deque(store.deals.unplayed(league.id))
        if self._day is not None and _date(now()) != _date(self._day.began):
            self._waiting.clear()  # deals of an ended day are dropped
        self.open = {deal.number: deal for deal in self._waiting}
        """Deals planned but not committed, by number."""
        self._entrants: Sequence[model.Entrant] = ()
        self._names: dict[int, str] = {}
        self._maker = TaskMaker(league, self._names)
        self._groups: list[int] = []
        last = next(iter(store.ladders.last_epochs(league.id, 1)), None)
        self._epoch = last.number if last else 0
        self._deals = results.meetings.tables
        self._background_at = (last.made if last else now()) + BACKGROUND_S
        self._look_at = 0.0
        self._changes = 0
        self._states: dict[int, model.EntryState] = {}
        self._taken = True
        self._pace = 0.0  # recent deals per second
        self._paced = (now(), results.deals)
        self._cost_s = 0.0  # CPU time of the last plan in seconds
        newest = [deal for deal in self._waiting if last and deal.number >= last.first]
        self._slow = SlowEntries(EPOCH_S, last.count if last else 0, newest, now())
        # numbers of deals, changes and epochs at the last attempt to plan
        self._planned_at: tuple[int, ...] | None = None

    @property
    def deals(self) -> int:
        """Number of deals committed or planned."""
        return self._results.deals + len(self.open)

    @property
    def over(self) -> bool:
        """Whether no more deals will follow: the ladder is closed, or another pool is needed."""
        if self._ready() is not None:
            return False
        return self.wants_pool or (not self._waiting and self._ladder.state == model.LadderState.CLOSED)

    @property
    def wants_pool(self) -> bool:
        """Whether the pool must be restarted: it lacks an entry that plays, or `stale()`."""
        return not self._taken or self._stale() or (bool(self._waiting) and self._ready() is None)

    def _ready(self) -> model.Deal | None:
        """Return the next deal that the pool can play."""
        return next((deal for deal in self._waiting if self._in_pool(deal.table)), None)

    def next(self) -> DealTask | None:
        """Return a deal to play, planning an epoch if necessary; None if there is none now."""
        now = self._now()
        if now >= self._look_at or now < self._look_at - 2 * _LOOK_INTERVAL_S:
            self._look_at = now + _LOOK_INTERVAL_S
            self._look()
        if not self._waiting:
            self._plan(now)
        deal = self._ready()
        if deal is None or self._day is None:
            return None
        self._waiting.remove(deal)
        return self._maker.task(deal, self._day.secret)

    def committed(self, number: int) -> None:
        """Remove a committed deal from the open deals."""
        self.open.pop(number, None)

    def _plan(self, now: float) -> None:
        """Begin a day or plan an epoch if due."""
        if not self._begin_day_if_due(now):
            return
        due = now >= self._background_at
        stalled = bool(self.open) and self._slow.stalled(now, self._results.deals)
        at = self._results.deals, self._changes, self._epoch
        tried = at == self._planned_at and not due and not stalled
        if tried or not self._may_plan:
            return
        self._planned_at = at
        opened, sat = [*self.open.values()], self._results.meetings.sat
        if not self._slow.is_due(opened, self._deals, sat, self._want_more, stalled=stalled):
            return
        self._look()  # verification derives the field from the changes stored by now
        if not self._may_plan:
            self._planned_at = None
            return
        began = time.thread_time()
        self._plan_epoch(now, background=due)
        self._cost_s = time.thread_time() - began

    @property
    def _may_plan(self) -> bool:
        return self._ladder.state == model.LadderState.OPEN and not self.wants_pool

    def _begin_day_if_due(self, now: float) -> bool:
        """Begin a new day when the date has changed; return False while deals of the old day are open."""
        if self._day is None or _date(now) != _date(self._day.began):
            if self.open:
                return False
            self._begin_day(now)
        return True

    def _want_more(self, without: set[int]) -> bool:
        """Return whether tables are possible and wanted without these entries."""
        states = [state for entry, state in self._states.items() if state.seated and entry not in without]
        return len(states) >= self._league.seats and any(state != model.EntryState.SETTLED for state in states)

    def _look(self) -> None:
        """Reload the entries and the state of the ladder."""
        self._ladder = self._store.ladders.get(self._league.id)
        newest = self._store.changes.newest(self._league.id)  # read first, so that the next check notices later changes
        if newest == self._changes:
            return
        self._changes = newest
        entrants = self._store.leagues.entrants(self._league.id)
        self._states = model.states_of(entrants)
        if entrants != self._entrants:
            self._names.update((entrant.number, entrant.label) for entrant in entrants)
            self._groups = owners.groups_of([entrant.owner for entrant in entrants])
            self._taken = self._joined(entrants)
        self._entrants = entrants
        by = model.ChangeKind.SUSPENDED, model.ChangeKind.EXCLUDED, model.ChangeKind.LEFT
        for entrant, why in taken_out(entrants, *by):
            self._give_up(entrant, why)

    def _give_up(self, entrant: model.Entrant, why: str) -> None:
        """Drop the deals of an entry that have not begun, which frees its seats."""
        void = give_up(self._store, self._league, self._waiting, entrant, why)
        self._changes += bool(void)
        for deal in void:
            del self.open[deal.number]
            self._results.drop(deal)

    def _plan_epoch(self, now: float, *, background: bool) -> None:
        """Store changes of entries, plan an epoch, and publish its deals."""
        field = model.members(self._entrants)
        known, played = self._results.known(self._entrants)
        thought = self._thought()
        tired = [owner for owner, ms in self._used.items() if ms >= self._ladder.cpu_hours * _HOUR_MS]
        found = changes(self._entrants, known, played, self._ladder.per_owner, tired)
        if found:
            self._store.ladders.change(self._league.id, found)
            self._look()
        left_out = {*self._slow.left_out}
        then = {number: known[number] for number in field}
        while gone := self._publish_epoch(now, then, thought, left_out, background=background):
            left_out |= gone  # even if the entry has returned: entries that come and go must not hold up other entries
            self._look()

    def _candidates(self, known: Mapping[int, Known]) -> tuple[Candidate, ...]:
        """Return the candidates of an epoch. `known`: estimates by entry number."""
        placing = model.EntryState.PLACING
        found = (
            Candidate(number, self._groups[number], self._states[number] is placing, *each)
            for number, each in known.items()
        )
        return with_queue(found, self._results.meetings, self._league.seats)

    def _epoch_of(self, entries: tuple[Candidate, ...], now: float, *, background: bool) -> Epoch:
        """Return an epoch of these candidates. `background`: whether every entry gets a table."""
        tables = min(self._tables(), self._tables_of_an_epoch(now))
        everybody = -(-len(entries) // self._league.seats) if background else 0
        return Epoch(self._league.seats, max(tables, everybody), everybody, entries)

    def _deals_at(self, tables: Iterable[schedule.Table], secret: bytes) -> list[model.Deal]:
        """Return the next deals, which are played at these tables with seeds from the secret of the day."""
        return [
            model.Deal(number, table, seeds.seed_digest(seeds.deal_seed(secret, number)))
            for number, table in enumerate(tables, self._deals + 1)
        ]

    def _publish_epoch(
        self,
        now: float,
        known: Mapping[int, Known],
        thought: Mapping[str, int],
        left_out: Collection[int],
        *,
        background: bool,
    ) -> frozenset[int]:
        """Plan an epoch without the entries `left_out`, and publish its deals.

        Returns the seated entries that have left in the meantime; if there are any, nothing was published. `known`:
        estimates for the field by number; entries that joined or returned later are not seated yet. `thought`: see
        `Ladders.plan`.
        """
        assert self._day is not None
        secret, meetings = self._day.secret, self._results.meetings
        seated = [number for number in known if self._states[number].seated and number not in left_out]
        entries = self._candidates({number: known[number] for number in seated})
        away = {number: each for number, each in known.items() if number not in seated}
        epoch = self._epoch_of(entries, now, background=background)
        before = meetings.turns()
        try:
            chosen = plan_epoch(epoch, meetings, secret)
        except schedule.ScheduleError:
            return frozenset()  # planning is postponed until there are more entries
        if background:
            self._background_at = now + BACKGROUND_S
        if not chosen:
            return frozenset()
        new = self._deals_at(chosen, secret)
        plan = model.LadderEpoch(
            number=self._epoch + 1,
            day=self._day.number,
            first=self._deals + 1,
            count=len(new),
            tables=epoch.tables,
            background=epoch.background,
            position=self._results.deals,
            entries=field_to_bytes(entries, away),
            made=now,
        )
        if gone := self._store.ladders.plan(self._league.id, plan, new, thought):
            meetings.take_back(chosen, before)
            return gone
        self._take_in(epoch, new, now)
        return frozenset()

    def _take_in(self, epoch: Epoch, new: Sequence[model.Deal], now: float) -> None:
        """Hand out the deals of a published epoch from now on."""
        self._epoch += 1
        self._deals += len(new)
        self.open |= {deal.number: deal for deal in new}
        self._results.plan(self._epoch, epoch.field, new)
        self._slow.planned(new, now, self._results.deals)
        self._waiting.extend(new)

    def _thought(self) -> dict[str, int]:
        """Add the recent thinking times to the owners' totals; return the totals that changed."""
        more: Counter[str] = Counter()
        for entrant, ms in self._results.thought().items():
            more[self._entrants[entrant].owner] += ms
        del more[""]  # bots of organisers have no limit
        self._used |= {owner: self._used.get(owner, 0) + ms for owner, ms in more.items()}
        return {owner: self._used[owner] for owner in more}

    def _tables_of_an_epoch(self, now: float) -> int:
        """Return the number of tables that keeps the pool busy for `EPOCH_S` at its recent pace."""
        since, deals = self._paced
        if now - since >= _LOOK_INTERVAL_S or now < since:
            self._pace = max(self._results.deals - deals, 0) / max(now - since, _LOOK_INTERVAL_S)
            self._paced = now, self._results.deals
        seconds = max(EPOCH_S, self._cost_s / MAX_SHARE)
        return max(MIN_TABLES, ceil(self._pace * seconds))

    def _begin_day(self, now: float) -> None:
        """End the day with a checkpoint, and begin a new one with its own secret."""
        for deal in self._store.deals.unplayed(self._league.id):
            self._results.drop(deal)
        before = [self._results.checkpoint(self._day, self._epoch)] if self._day else []
        secret, number = seeds.new_secret(), self._day.number + 1 if self._day else 1
        day = model.LadderDay(number=number, began=now, digest=seeds.seed_digest(secret), secret=secret)
        self._store.ladders.begin_day(self._league.id, day, *before)
        self._results.meetings.today.clear()
        self._day = day
        self._used = {}
        self._planned_at = None
        self._waiting.clear()


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
