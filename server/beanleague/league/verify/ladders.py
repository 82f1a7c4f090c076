"""What a ladder has beside what every league has: days, epochs, and what entries are, computed again."""

from bisect import bisect_right
from collections import defaultdict, deque
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
_CLOCK_S = 5.0  # between two rows of one transaction, and for clocks that are set right


def secrets_of(store: Store, league: model.League) -> tuple[tuple[int, bytes], ...]:
    """Return the first deals and the secrets of the days of a ladder, in order."""
    secrets = {day.number: day.secret for day in store.ladders.days(league.id)}
    epochs = store.ladders.epochs(league.id, limit=None)
    return tuple((epoch.first, secrets.get(epoch.day, b"")) for epoch in epochs)


def check_ladder(
    store: Store, league: model.League, entrants: Sequence[model.Entrant], changes: Sequence[model.Change]
) -> Iterator[Finding]:
    """Yield how days, epochs, tables and entries of a ladder contradict each other."""
    ladder = _Ladder(store, league, entrants, changes)
    yield from ladder.check_days()
    yield from ladder.check_epochs()
    yield from ladder.check_entries()
    yield from ladder.check_plans()


class _Ladder:
    """What is stored of a ladder; its epochs are planned again, with ratings from the deals committed before."""

    def __init__(
        self, store: Store, league: model.League, entrants: Sequence[model.Entrant], changes: Sequence[model.Change]
    ) -> None:
        self._store = store
        self._league = league
        self._entrants = entrants
        self._changes = changes
        self._days = store.ladders.days(league.id)
        self._epochs = store.ladders.epochs(league.id, limit=None)
        self._deals = store.deals.list(league.id, limit=None)
        self._given_up = deque(self._find_given_up())
        self._groups = groups_of([entrant.owner for entrant in entrants])
        self._counters = Counters(0)

    def _find_given_up(self) -> Iterator[tuple[int, model.Deal]]:
        """Yield the deals given up with an entry that was gone, in order, each with how many were planned before."""
        dropped: defaultdict[float | None, list[model.Deal]] = defaultdict(list)
        for deal in self._deals:
            dropped[deal.dropped].append(deal)
        states: dict[int, model.EntryState] = {}
        for change in self._changes:
            states |= model.entry_states([change])
            if change.kind == model.ChangeKind.DROPPED and change.entrant in states and states[change.entrant].gone:
                for deal in dropped[change.happened]:
                    if deal.number <= change.scheduled and change.entrant in deal.table:
                        yield change.scheduled, deal

    def check_days(self) -> Iterator[Finding]:
        for number, day in enumerate(self._days, 1):
            where = f"day {day.number} of {self._league.name}"
            yield from differs(where, "ladder_day.number", day.number, number, "the next number is")
            if seed_digest(day.secret) != day.digest:
                yield Finding(where, "ladder_day.secret", "its SHA-256 is not the digest that was published")
            if (day.ended is None) != (number == len(self._days)):
                yield Finding(where, "ladder_day.ended", f"is {day.ended}, but it is day {number} of {len(self._days)}")
        if len({day.secret for day in self._days}) < len(self._days):
            yield Finding(self._league.name, "ladder_day.secret", "two days have the same")

    def check_epochs(self) -> Iterator[Finding]:
        first, day = 1, 1
        for number, epoch in enumerate(self._epochs, 1):
            where = f"epoch {epoch.number} of {self._league.name}"
            yield from differs(where, "ladder_epoch.number", epoch.number, number, "the next number is")
            yield from differs(where, "ladder_epoch.first", epoch.first, first, "the next deal is")
            if not day <= epoch.day <= len(self._days):
                yield Finding(where, "ladder_epoch.day", f"is {epoch.day}, which does not follow day {day}")
            first, day = epoch.first + epoch.count, epoch.day
        name = self._league.name
        yield from differs(name, "ladder_epoch.count", first - 1, len(self._deals), "the number of deals is")
        ended = {day.number: day.ended for day in self._days}
        given_up = {deal.number for _, deal in self._given_up}
        of_day = [(epoch.first, epoch.day) for epoch in self._epochs]
        for deal in self._deals:
            where = f"{name}/{deal.number}"
            end = ended.get(of_day[bisect_right(of_day, (deal.number, len(self._days))) - 1][1]) if of_day else None
            if deal.dropped is not None and deal.played is not None:
                yield Finding(where, "deal.dropped", "it is set, but the deal was played")
            if deal.played is None and deal.number not in given_up and (deal.dropped is None) != (end is None):
                yield Finding(where, "deal.dropped", f"is {deal.dropped}, but its day ended at {end}")
        waiting = sum(deal.dropped is None for deal in self._deals)
        yield from differs(name, "league.deals", self._league.deals, waiting, "the number of deals not dropped is")

    def check_entries(self) -> Iterator[Finding]:
        """Yield entries whose row the changes do not give, and changes at another time than the deals around."""
        states = model.entry_states(self._changes)
        for entrant in self._entrants:
            state = states.get(entrant.number)
            out = state in {model.EntryState.PAUSED, model.EntryState.REPLACED, model.EntryState.LEFT}
            yield from differs(entrant.label, "entrant.retired", entrant.retired, out, f"its state {state} gives")
        for change in self._changes:
            around = [deal.published for deal in self._deals[max(change.scheduled - 1, 0) : change.scheduled + 1]]
            late = len(around) > 1 and change.happened > around[1] + _CLOCK_S
            early = change.scheduled and around and change.happened < around[0] - _CLOCK_S
            if around == sorted(around) and (late or early):
                where = f"change {change.number} of {self._league.name}"
                yield Finding(where, "league_change.happened", "is not between the deals that it came between")

    def check_plans(self) -> Iterator[Finding]:
        """Yield epochs whose input a refit does not give, and the first whose tables do not follow from it."""
        positions = sorted((deal.position, deal.number) for deal in self._deals if deal.position is not None)
        results = iter(self._store.audit.results(self._league.id, [number for _, number in positions]))
        counted = 0
        meetings, day, first, tables = Meetings(), 0, 1, [deal.table for deal in self._deals]
        same = True
        for epoch in self._epochs:
            where = f"epoch {epoch.number} of {self._league.name}"
            while counted < epoch.position:
                self._count([deal for _, (_, deal) in zip(range(epoch.position - counted), results, strict=False)])
                counted = epoch.position
            again = epoch_of(epoch, self._league.seats, self._groups)
            yield from self._check_input(where, again.entries)
            if epoch.day != day:
                day, first, meetings = epoch.day, epoch.first, self._meetings_before(epoch)
            while self._given_up and self._given_up[0][0] < epoch.first:
                _, gone = self._given_up.popleft()
                if gone.number >= first:  # before that it is not counted
                    meetings.drop(gone.table)
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
                there, here = chosen[number : number + 1], kept[number : number + 1]
                yield Finding(deal, "deal.entrants", f"{where} gives {there}, not {here}")

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
                given = f"{label} is {stored}; its matches give {rating} +- {width}"
                yield Finding(where, "ladder_epoch.entries", given)

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
