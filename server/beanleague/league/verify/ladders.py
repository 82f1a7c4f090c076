"""What a ladder has beside what every league has: days, epochs, and what entries are, computed again."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from beanleague import model
from beanleague.league.counting import add_results
from beanleague.league.ladder.inputs import epoch_of, known
from beanleague.league.ratings.counters import Counters
from beanleague.league.schedule.owners import groups_of
from beanleague.league.schedule.plans import Candidate, Meetings, planned
from beanleague.league.schedule.schedule import ScheduleError
from beanleague.league.schedule.seeds import seed_digest
from beanleague.league.verify.deals import Finding, differs
from beanleague.store import Store

_MAX_ELO = 1
"""By how much ratings and half-widths of an epoch may differ from a refit, whose last digits depend on the machine."""
_PAGE = 10_000  # deals read at once
_CLOCK_S = 5.0  # between two rows of one transaction, and for clocks that are set right


def secrets_of(store: Store, league: model.League) -> tuple[tuple[int, bytes], ...]:
    """Return the first deals and the secrets of the days of a ladder, in order."""
    secrets = {day.number: day.secret for day in store.ladders.days(league.id)}
    return tuple((epoch.first, secrets.get(epoch.day, b"")) for epoch in _epochs(store, league))


def _epochs(store: Store, league: model.League) -> list[model.LadderEpoch]:
    epochs: list[model.LadderEpoch] = []
    while more := store.ladders.epochs(league.id, after=epochs[-1].number if epochs else 0):
        epochs += more
    return epochs


def _deals(store: Store, league: model.League) -> list[model.Deal]:
    deals: list[model.Deal] = []
    while more := store.deals.list(league.id, after=deals[-1].number if deals else 0, limit=_PAGE):
        deals += more
    return deals


def check_ladder(
    store: Store, league: model.League, entrants: Sequence[model.Entrant], changes: Sequence[model.Change]
) -> Iterator[Finding]:
    """Yield how days, epochs, tables and entries of a ladder contradict each other."""
    days, epochs, deals = store.ladders.days(league.id), _epochs(store, league), _deals(store, league)
    yield from _check_days(league, days)
    yield from _check_epochs(league, days, epochs, deals)
    yield from _check_entries(league, entrants, changes, deals)
    yield from _Plans(store, league, entrants, epochs, deals).check()


def _check_days(league: model.League, days: Sequence[model.LadderDay]) -> Iterator[Finding]:
    for number, day in enumerate(days, 1):
        where = f"day {day.number} of {league.name}"
        yield from differs(where, "ladder_day.number", day.number, number, "the next number is")
        if seed_digest(day.secret) != day.digest:
            yield Finding(where, "ladder_day.secret", "its SHA-256 is not the digest that was published")
        if (day.ended is None) != (number == len(days)):
            yield Finding(where, "ladder_day.ended", f"is {day.ended}, but it is day {number} of {len(days)}")
    if len({day.secret for day in days}) < len(days):
        yield Finding(league.name, "ladder_day.secret", "two days have the same")


def _check_epochs(
    league: model.League,
    days: Sequence[model.LadderDay],
    epochs: Sequence[model.LadderEpoch],
    deals: Sequence[model.Deal],
) -> Iterator[Finding]:
    first, day = 1, 1
    for number, epoch in enumerate(epochs, 1):
        where = f"epoch {epoch.number} of {league.name}"
        yield from differs(where, "ladder_epoch.number", epoch.number, number, "the next number is")
        yield from differs(where, "ladder_epoch.first", epoch.first, first, "the next deal is")
        if not day <= epoch.day <= len(days):
            yield Finding(where, "ladder_epoch.day", f"is {epoch.day}, which does not follow day {day}")
        first, day = epoch.first + epoch.count, epoch.day
    yield from differs(league.name, "ladder_epoch.count", first - 1, len(deals), "the number of deals is")
    ended = {day.number: day.ended for day in days}
    of_day = [(epoch.first, epoch.day) for epoch in epochs]
    for deal in deals:
        where = f"{league.name}/{deal.number}"
        end = ended.get(of_day[bisect_right(of_day, (deal.number, len(days))) - 1][1]) if of_day else None
        if deal.dropped is not None and deal.played is not None:
            yield Finding(where, "deal.dropped", "it is set, but the deal was played")
        if deal.played is None and (deal.dropped is None) != (end is None):
            yield Finding(where, "deal.dropped", f"is {deal.dropped}, but its day ended at {end}")
    waiting = sum(deal.dropped is None for deal in deals)
    yield from differs(league.name, "league.deals", league.deals, waiting, "the number of deals not dropped is")


def _check_entries(
    league: model.League,
    entrants: Sequence[model.Entrant],
    changes: Sequence[model.Change],
    deals: Sequence[model.Deal],
) -> Iterator[Finding]:
    """Yield entries whose row is not what the changes make of it, and changes at another time than the deals around."""
    states = model.entry_states(changes)
    for entrant in entrants:
        state = states.get(entrant.number)
        out = state in {model.EntryState.PAUSED, model.EntryState.REPLACED, model.EntryState.LEFT}
        yield from differs(entrant.label, "entrant.retired", entrant.retired, out, f"its state {state} gives")
    for change in changes:
        around = [deal.published for deal in deals[max(change.scheduled - 1, 0) : change.scheduled + 1]]
        late = len(around) > 1 and change.happened > around[1] + _CLOCK_S
        early = change.scheduled and around and change.happened < around[0] - _CLOCK_S
        if around == sorted(around) and (late or early):
            where = f"change {change.number} of {league.name}"
            yield Finding(where, "league_change.happened", "is not between the deals that it came between")


class _Plans:
    """Plans the epochs of a ladder again, with ratings from the deals that were committed then."""

    def __init__(
        self,
        store: Store,
        league: model.League,
        entrants: Sequence[model.Entrant],
        epochs: Sequence[model.LadderEpoch],
        deals: Sequence[model.Deal],
    ) -> None:
        self._store = store
        self._league = league
        self._entrants = entrants
        self._epochs = epochs
        self._deals = deals
        self._groups = groups_of([entrant.owner for entrant in entrants])
        self._counters = Counters(0)

    def check(self) -> Iterator[Finding]:
        """Yield epochs whose input a refit does not give, and the first whose tables do not follow from it."""
        positions = sorted((deal.position, deal.number) for deal in self._deals if deal.position is not None)
        results = iter(self._store.audit.results(self._league.id, [number for _, number in positions]))
        counted = 0
        meetings, day, tables = Meetings(), 0, [deal.table for deal in self._deals]
        same = True
        for epoch in self._epochs:
            where = f"epoch {epoch.number} of {self._league.name}"
            while counted < epoch.position:
                self._count([deal for _, (_, deal) in zip(range(epoch.position - counted), results, strict=False)])
                counted = epoch.position
            again = epoch_of(epoch, self._league.seats, self._groups)
            yield from self._check_input(where, again.entries)
            if epoch.day != day:
                day, meetings = epoch.day, self._meetings_before(epoch)
            kept = tables[max(epoch.first - 1, 0) :][: max(epoch.count, 0)]
            try:
                # A row that asks for billions of tables cannot have them.
                chosen = planned(again, meetings, len(kept) + 1) if same else []
            except ScheduleError as error:
                chosen = []
                yield Finding(where, "ladder_epoch.entries", str(error))
            if same and chosen != kept:
                same = False  # later ones follow from these
                number = next((n for n, (a, b) in enumerate(zip(chosen, kept, strict=False)) if a != b), len(chosen))
                deal = f"{self._league.name}/{epoch.first + number}"
                yield Finding(
                    deal,
                    "deal.entrants",
                    f"{where} gives {chosen[number : number + 1]}, not {kept[number : number + 1]}",
                )

    def _count(self, deals: Sequence[Sequence[Sequence[model.SeatResult]]]) -> None:
        most = max((seat.entrant for deal in deals for seats in deal for seat in seats), default=-1)
        if most >= len(self._entrants):
            raise ValueError(f"a match has entrant {most}, and the ladder has {len(self._entrants)}")
        self._grow(most + 1)
        add_results(self._counters, self._league, deals)

    def _grow(self, bots: int) -> None:
        while self._counters.bots < bots:
            self._counters.add_bot()

    def _check_input(self, where: str, entries: Sequence[Candidate]) -> Iterator[Finding]:
        self._grow(max((entry.number + 1 for entry in entries), default=0))
        found = known(self._counters, self._league.anchor)
        for entry in entries:
            rating, width = found[entry.number]
            if abs(rating - entry.rating) > _MAX_ELO or abs(width - entry.half_width) > _MAX_ELO:
                label = self._entrants[entry.number].label
                stored = f"{entry.rating} +- {entry.half_width}"
                yield Finding(
                    where, "ladder_epoch.entries", f"{label} is {stored}; its matches give {rating} +- {width}"
                )

    def _meetings_before(self, epoch: model.LadderEpoch) -> Meetings:
        """Count the tables before an epoch that begins a day, without those that had been dropped by then."""
        meetings = Meetings()
        before = self._deals[: epoch.first - 1]
        for deal in before:
            meetings.add(deal.table, self._groups[deal.table[0]])
        for deal in before:
            if deal.dropped is not None:
                meetings.drop(deal.table)
        return meetings
