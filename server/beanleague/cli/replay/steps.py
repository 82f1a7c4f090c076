"""The steps of a replay: what happened at once, with the table before and after it, whole or as one seat saw it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from beanleague.cli.params import CliError
from beanleague.games import Event, Fault, Game, GameError, IllegalActionError, Record, View, new_game

Entry: TypeAlias = Event | Fault
"""What a replay has a line for."""

_OWN = ("hand", "bohnus")  # what a view has of its own seat alone, where its family has it

ViewT_co = TypeVar("ViewT_co", bound=View, covariant=True)


@dataclass(frozen=True, slots=True)
class ReplayTable(Generic[ViewT_co]):
    """A table with everything on it, hidden cards included."""

    views: tuple[ViewT_co, ...]
    """What each seat sees."""
    forfeited: frozenset[int]
    """Seats that have forfeited: default actions play for them."""

    @property
    def public(self) -> ViewT_co:
        """A view from which to read what all seats see."""
        return self.views[0]


@dataclass(frozen=True, slots=True)
class Step(Generic[ViewT_co]):
    """A step of a replay: what happens at once."""

    move: int
    """Number of moves played up to here."""
    before: ReplayTable[ViewT_co]
    """The table before; in the first step, the one after it."""
    table: ReplayTable[ViewT_co]
    """The table after it."""
    entries: tuple[Entry, ...]
    """Events and faults, in order."""


def steps(record: Record) -> Iterator[Step[View]]:
    """Replay `record` in the engine and yield its steps, the deal first.

    Moves that show nothing, such as an answer while others are still awaited, belong to the next step.

    Raises:
        CliError: if the moves of the record are not legal in its game.
    """
    try:
        game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    except GameError as error:
        raise CliError(f"the record cannot be replayed: {error}; it may have been tampered with") from None
    faults: dict[int, list[Fault]] = {}
    for fault in record.faults:
        faults.setdefault(fault.move, []).append(fault)
    forfeited: set[int] = set()
    pending: list[Entry] = []
    shown = len(game.events)
    table = _table(game, forfeited)
    yield Step(0, table, table, tuple(game.events))
    for index, move in enumerate(record.moves):
        for fault in faults.get(index, ()):
            pending.append(fault)
            if fault.forfeited:
                forfeited.add(fault.seat)
        try:
            game.apply(move.seat, move.action)
        except IllegalActionError as error:
            raise CliError(
                f"the record cannot be replayed: move {index} of seat {move.seat} is not legal: {error}; "
                "'beanleague match verify' says more"
            ) from None
        if len(game.events) > shown:
            before, table = table, _table(game, forfeited)
            yield Step(index + 1, before, table, (*pending, *game.events[shown:]))
            shown = len(game.events)
            pending = []


def _table(game: Game, forfeited: set[int]) -> ReplayTable[View]:
    return ReplayTable(tuple(map(game.view, range(game.seats))), frozenset(forfeited))


def seen_from(seat: int, steps: Iterable[Step[Any]]) -> Iterator[Step[Any]]:
    """Yield `steps` with what `seat` saw of them: everything drawn comes from the views of this seat alone."""
    for step in steps:
        entries = [
            entry if isinstance(entry, Fault) else entry.seen_by(seat)
            for entry in step.entries
            if not isinstance(entry, Fault) or entry.seat == seat  # others' faults are not in any message to it
        ]
        yield Step(step.move, _known(step.before, seat), _known(step.table, seat), tuple(entries))


def table_of(own: Any, seats: int) -> ReplayTable[Any]:  # noqa: ANN401 - each family has its own view
    """Return the table as the seat of this view sees it."""
    hidden = {name: () for name in _OWN if hasattr(own, name)}
    views = [own if other == own.seat else replace(own, seat=other, **hidden) for other in range(seats)]
    return ReplayTable(tuple(views), frozenset())


def _known(table: ReplayTable[Any], seat: int) -> ReplayTable[Any]:
    return replace(table_of(table.views[seat], len(table.views)), forfeited=table.forfeited & {seat})
