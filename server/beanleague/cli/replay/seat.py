"""A replay as one seat saw it: the cards and events that were hidden from it are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Fault

_OWN = ("hand", "bohnus")  # what a view has of its own seat alone, where its family has it


def seen_from(seat: int, steps: Iterable[Step[Any]]) -> Iterator[Step[Any]]:
    """Yield `steps` with what `seat` saw of them: everything drawn comes from the views of this seat alone."""
    for step in steps:
        entries = tuple(_seen(entry, seat) for entry in step.entries if _concerns(entry, seat))
        yield Step(step.move, _known(step.before, seat), _known(step.table, seat), entries)


def table_of(own: Any, seats: int) -> ReplayTable[Any]:  # noqa: ANN401 - each family has its own view
    """Return the table as the seat of this view sees it."""
    hidden = {name: () for name in _OWN if hasattr(own, name)}
    views = [own if other == own.seat else replace(own, seat=other, **hidden) for other in range(seats)]
    return ReplayTable(tuple(views), frozenset())


def _known(table: ReplayTable[Any], seat: int) -> ReplayTable[Any]:
    return replace(table_of(table.views[seat], len(table.views)), forfeited=table.forfeited & {seat})


def _seen(entry: Entry, seat: int) -> Entry:
    return entry if isinstance(entry, Fault) else entry.seen_by(seat)


def _concerns(entry: Entry, seat: int) -> bool:
    """Return whether a seat learns of an entry at all: others' faults are not in any message to it."""
    return not isinstance(entry, Fault) or entry.seat == seat
