"""Verification of a ladder's field, and of decisions about its entries: rated, settled, paused and replaced."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias

from beanleague import model
from beanleague.league.ladder.entries import changes as decided
from beanleague.league.ladder.inputs import Known
from beanleague.league.verify.deals import Finding

MAX_ELO = 1
"""Largest allowed difference in Elo between a stored estimate and a refit, since the last digits depend on the
machine."""

Time: TypeAlias = tuple[int, int]
"""Moment in a ladder: deals planned and deals committed by then."""

_KINDS = model.ChangeKind
_DECIDED = frozenset({_KINDS.RATED, _KINDS.SETTLED, _KINDS.PAUSED, _KINDS.REPLACED})


@dataclass(frozen=True, slots=True)
class Decided:
    """Decisions stored at the same time."""

    position: int
    """Number of deals committed by then."""
    rows: Sequence[model.Change]
    """Changes, in order."""


def check_members(
    where: str,
    column: str,
    field: Collection[int],
    entrants: Sequence[model.Entrant],
    then: Sequence[model.Entrant],
    meanwhile: Iterable[model.Change],
) -> Iterator[Finding]:
    """Yield findings for members that a stored field lacks, and for other entries in it.

    `entrants`: all entries. `then`: entries with their last changes before the time of the field. `meanwhile`: changes
        at that time; the field was read before or after each of them.
    """
    before = {each.number: f"its last change before is '{each.last.kind}'" for each in then}
    always = {*model.members(then)}
    sometimes = {*always}
    for change in meanwhile:
        if change.entrant is None or change.kind == _KINDS.DROPPED:
            continue
        if model.is_member(change.kind):
            sometimes.add(change.entrant)
        else:
            always.discard(change.entrant)
    for wrong, fault in (always.difference(field), "is missing from"), ({*field} - sometimes, "is wrongly in"):
        for number in sorted(wrong):
            why = before.get(number, "it joined later")
            yield Finding(where, column, f"{entrants[number].label} {fault} the field: {why}")


class Decisions:
    """Changes of a ladder's entries in order; recomputes the changes that the program decided."""

    def __init__(
        self, name: str, per_owner: int, entrants: Sequence[model.Entrant], changes: Sequence[model.Change], since: Time
    ) -> None:
        """`since`: time from which decisions are checked."""
        self._name = name
        self._per_owner = per_owner
        self._entrants = entrants
        self._then: list[model.Entrant] = []
        self._later = deque(each for each in changes if each.entrant is not None and each.kind != _KINDS.DROPPED)
        while self._later and _time(self._later[0]) < since:
            self._apply(self._later.popleft())

    @property
    def field(self) -> list[int]:
        """The field at the current time."""
        return model.members(self._then)

    def until(self, time: Time) -> Iterator[Decided]:
        """Advance to just before a time; yield each group of decisions before it is applied."""
        while self._later and _time(self._later[0]) < time:
            yield from self._at(_time(self._later[0]))

    def at(self, time: Time) -> Decided:
        """Advance to a time and return its decisions, possibly none."""
        return next(self._at(time), Decided(time[1], ()))

    def _at(self, time: Time) -> Iterator[Decided]:
        while self._later and _time(self._later[0]) == time and self._later[0].kind not in _DECIDED:
            self._apply(self._later.popleft())
        rows: list[model.Change] = []
        while self._later and _time(self._later[0]) == time and self._later[0].kind in _DECIDED:
            rows.append(self._later.popleft())
        if rows:
            yield Decided(time[1], rows)

    def check_members(self, where: str, time: Time, field: Collection[int]) -> Iterator[Finding]:
        """Yield differences between the field of an epoch at `time`, the current time, and the changes by then."""
        meanwhile = takewhile(lambda change: _time(change) == time, self._later)
        yield from check_members(where, "ladder_epoch.entries", field, self._entrants, self._then, meanwhile)

    def check(
        self, group: Decided, known: Sequence[Known], played: Sequence[int], field: Collection[int]
    ) -> Iterator[Finding]:
        """Yield differences between stored and recomputed decisions, and apply the decisions.

        `played`: deals of each entry. `field`: entries with estimates. Estimates may be off by `MAX_ELO`.
        """
        must, may = self._possible(known, played)
        stored = {(row.entrant, row.kind) for row in group.rows}
        for entry, kind in sorted(must - stored):
            if entry in field:
                where = f"{self._name} after deal {group.position} of its order"
                yield Finding(where, "league_change.kind", f"{self._entrants[entry].label} was to be {kind}")
        for row in group.rows:
            if (row.entrant, row.kind, row.reason) not in may:  # the change may follow from the changes before it
                _, may = self._possible(known, played)
            if (row.entrant, row.kind, row.reason) not in may:
                where, label = f"change {row.number} of {self._name}", self._entrants[row.entrant or 0].label
                yield Finding(where, "league_change.reason", f"{label} was not to be {row.kind}: {row.reason}")
            self._apply(row)

    def _decisions(self, known: Sequence[Known], played: Sequence[int], shift: int) -> list[model.EntryDecision]:
        """Return the decisions that follow from estimates with half-widths shifted by `shift` Elo."""
        resting = {each.owner for each in self._then if each.last.kind == _KINDS.RESTED}
        shifted = [each._replace(half_width=each.half_width + shift) for each in known]
        made = decided(self._then, shifted, played, self._per_owner, resting)
        return [each for each in made if each.kind in _DECIDED]

    def _possible(
        self, known: Sequence[Known], played: Sequence[int]
    ) -> tuple[set[tuple[int, str]], set[tuple[int, str, str]]]:
        """Return the decisions that all roundings of the estimates demand, and those that some demand, with reasons."""
        found = [self._decisions(known, played, shift) for shift in range(-MAX_ELO, MAX_ELO + 1)]
        must = set.intersection(*({(each.entrant.number, str(each.kind)) for each in made} for made in found))
        return must, {(each.entrant.number, str(each.kind), each.reason) for made in found for each in made}

    def _apply(self, change: model.Change) -> None:
        number = change.entrant or 0
        if number == len(self._then) < len(self._entrants):
            self._then.append(self._entrants[number])
        if number < len(self._then):
            self._then[number] = replace(self._then[number], last=change)


def _time(change: model.Change) -> Time:
    return change.scheduled, change.position or 0
