"""Steps of a replay, each with its simultaneous events and the tables before and after; complete, or for one seat."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from beanleague.cli.params import CliError
from beanleague.games import Event, Fault, Game, GameError, Record, View
from beanleague.games.records.replay import RecordedMoveError, replayed, set_up

Entry: TypeAlias = Event | Fault
"""An event or a fault, which has a line of its own in the replay."""

_OWN = ("hand", "bohnus")  # view fields with data of the viewing seat only

ViewT_co = TypeVar("ViewT_co", bound=View, covariant=True)


@dataclass(frozen=True, slots=True)
class ReplayTable(Generic[ViewT_co]):
    """State of the whole table, hidden cards included."""

    views: tuple[ViewT_co, ...]
    """Views by seat."""
    forfeited: frozenset[int]
    """Seats that have forfeited, for which default actions are played."""

    @property
    def public(self) -> ViewT_co:
        """A view for data that all seats can see."""
        return self.views[0]


@dataclass(frozen=True, slots=True)
class Step(Generic[ViewT_co]):
    """One step of a replay: events that happen at once."""

    move: int
    """Number of moves played so far."""
    before: ReplayTable[ViewT_co]
    """Table before the move; in the first step the same as `table`."""
    table: ReplayTable[ViewT_co]
    """Table after the move."""
    entries: tuple[Entry, ...]
    """Events and faults of the move, in order."""


def steps(record: Record) -> Iterator[Step[View]]:
    """Replay `record` in the engine and yield its steps, beginning with the deal.

    Moves with nothing to show, such as an answer while others are awaited, belong to the next step.

    Raises:
        CliError: if the moves of the record are not legal in its game.
    """
    try:
        game = set_up(record)
    except GameError as error:
        raise CliError(f"the record cannot be replayed: {error}; it may have been tampered with") from None
    follower = _Follower(record, game)
    yield follower.deal()
    try:
        for index, _ in replayed(record, game):
            yield from follower.news(index)
            follower.add_faults(index)
    except RecordedMoveError as error:
        raise CliError(
            f"the record cannot be replayed: move {error.move} of seat {error.seat} is not legal: {error}; "
            "'beanleague match verify' says more"
        ) from None
    yield from follower.news(len(record.moves))


class _Follower:
    """Follows a replayed game and turns its events and faults into steps."""

    def __init__(self, record: Record, game: Game) -> None:
        self._game = game
        self._faults: dict[int, list[Fault]] = {}
        for fault in record.faults:
            self._faults.setdefault(fault.move, []).append(fault)
        self._forfeited: set[int] = set()
        self._pending: list[Entry] = []
        self._shown = len(game.events)
        self._table = self._now()

    def deal(self) -> Step[View]:
        """Return the first step, the deal."""
        return Step(0, self._table, self._table, tuple(self._game.events))

    def add_faults(self, index: int) -> None:
        """Add the faults that caused a default action, before that move is made."""
        for fault in self._faults.get(index, ()):
            self._pending.append(fault)
            if fault.forfeited:
                self._forfeited.add(fault.seat)

    def news(self, moves: int) -> Iterator[Step[View]]:
        """Yield a step if anything happened since the last one; `moves` is the number of moves made so far."""
        events = self._game.events[self._shown :]
        if events:
            before, self._table = self._table, self._now()
            entries = (*self._pending, *events)
            self._shown, self._pending = len(self._game.events), []
            yield Step(moves, before, self._table, entries)

    def _now(self) -> ReplayTable[View]:
        game = self._game
        return ReplayTable(tuple(map(game.view, range(game.seats))), frozenset(self._forfeited))


def seen_from(seat: int, steps: Iterable[Step[Any]]) -> Iterator[Step[Any]]:
    """Yield `steps` as visible to `seat`, drawn from that seat's views only."""
    for step in steps:
        entries = [
            entry if isinstance(entry, Fault) else entry.seen_by(seat)
            for entry in step.entries
            if not isinstance(entry, Fault) or entry.seat == seat  # seats are not told about faults of others
        ]
        yield Step(step.move, _seat_table(step.before, seat), _seat_table(step.table, seat), tuple(entries))


def table_of(own: Any, seats: int) -> ReplayTable[Any]:  # noqa: ANN401 - each family has its own view
    """Return the table as visible to the seat of this view."""
    hidden = {name: () for name in _OWN if hasattr(own, name)}
    views = [own if other == own.seat else replace(own, seat=other, **hidden) for other in range(seats)]
    return ReplayTable(tuple(views), frozenset())


def _seat_table(table: ReplayTable[Any], seat: int) -> ReplayTable[Any]:
    return replace(table_of(table.views[seat], len(table.views)), forfeited=table.forfeited & {seat})
