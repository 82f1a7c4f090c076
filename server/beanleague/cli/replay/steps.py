"""The steps of a replay: what happened at once, with the whole table before and after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from beanleague.cli.errors import CliError
from beanleague.games import Event, Fault, Game, GameError, IllegalActionError, Record, View, new_game

Entry: TypeAlias = Event | Fault
"""What a replay has a line for."""

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

    @property
    def active(self) -> int:
        """The seat whose turn it is."""
        return self.public.active


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
