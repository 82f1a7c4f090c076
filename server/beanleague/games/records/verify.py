"""Verification of a record by replay and comparison."""

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from beanleague.games.core import game as core
from beanleague.games.core.values import dataclass
from beanleague.games.families import check_rules_version
from beanleague.games.records.faults import league_places
from beanleague.games.records.record import Record, check_record, event_to_json
from beanleague.games.records.replay import play_all, set_up


@dataclass(frozen=True, slots=True)
class MatchVerdict:
    """Result of `verify`."""

    problem: str = ""
    """The first difference between the record and the rules, in one or two lines; "" if they agree."""
    move: int | None = None
    """Index of the move where the problem is; None if it is elsewhere."""
    event: int | None = None
    """Index of the event where the problem is; None if it is elsewhere."""
    outcome: core.Outcome | None = None
    """Result of the game by the rules; None if the replay stopped early."""
    asked: tuple[core.NamedDecision, ...] = ()
    """Decision asked before each move; empty unless all moves and events follow from the rules."""
    happened: tuple[int, ...] = ()
    """Number of events before each move; empty if `asked` is empty."""

    @property
    def reproduced(self) -> bool:
        """Whether every move is legal, and every event, score and place follows from the rules."""
        return not self.problem


def verify(
    record: Record, watch: Callable[[core.View, core.Action, Sequence[core.Event]], None] | None = None
) -> MatchVerdict:
    """Replay the moves of `record` from its seed, and compare all events, scores and places.

    `watch` is called after each move with the seat's view before it, the action, and the resulting events.
    """
    try:
        check_rules_version(record.rules, "this match")
        check_record(record)
        game = set_up(record)
    except (core.RecordError, core.RulesVersionError) as problem:
        return MatchVerdict(str(problem))
    except core.GameError as problem:
        return MatchVerdict(f"the game cannot be set up: {problem}")
    asked: list[core.NamedDecision] = []
    ends, moments, wrong = [len(game.events)], [], None
    for i in range(len(record.moves)):
        asked.append(game.decision)
        moments.append(game.moment)
        view = game.view(record.moves[i].seat, news=False) if watch else None
        wrong = _play(game, record, i)
        if wrong:
            break
        if watch and view:
            watch(view, record.moves[i].action, game.events[ends[-1] :])
        ends.append(len(game.events))
    first = _difference(game.events, record.events)
    if first is not None:
        made_by = bisect_right(ends, first) - 1
        return _differs(game, record, first, made_by if made_by >= 0 else None)
    if wrong:
        return wrong
    if game.outcome is None:
        seats = " and ".join(str(seat) for seat in game.to_act())
        return MatchVerdict(
            f"moves: {len(record.moves)} are recorded, but the game is not over: seat {seats} has a decision to make"
        )
    if len(record.events) > len(game.events):
        return _differs(game, record, len(game.events), None)
    played = MatchVerdict(outcome=game.outcome, asked=tuple(asked), happened=tuple(ends[:-1]))
    if record.scores != game.outcome.scores:
        return replace(played, problem=_two_lines("scores", record.scores, game.outcome.scores))
    places = league_places(game.outcome.places, moments, record.faults)
    if record.places != places:
        return replace(played, problem=_two_lines("places", record.places, places))
    return played


def with_events(record: Record) -> Record:
    """Return `record` with its events computed by replay, if it has none.

    Raises:
        RecordError: if a move is against the rules, or the game cannot be set up.
        RulesVersionError: if it has another version of the rules than this program.
    """
    if record.events or not record.moves:
        return record
    check_rules_version(record.rules, "this match")
    try:
        game = set_up(record)
        play_all(record, game)
    except core.GameError as problem:
        raise core.RecordError(f"it cannot be replayed: {problem}") from None
    return replace(record, events=tuple(game.events))


def _play(game: core.Game, record: Record, index: int) -> MatchVerdict | None:
    """Make the move `index` and return the verdict if it is wrong, else None."""
    move = record.moves[index]
    if move.by_default and move.seat in game.to_act() and move.action != game.default(move.seat):
        default = core.brief(game.default(move.seat))
        return MatchVerdict(
            f"moves[{index}]: {core.brief(move.action)} is not the default action, {default}", move=index
        )
    try:
        game.apply(move.seat, move.action)
    except core.IllegalActionError as illegal:
        return MatchVerdict(f"moves[{index}]: seat {move.seat} may not do this: {illegal}", move=index)
    return None


def _difference(given: Sequence[core.Event], recorded: Sequence[core.Event]) -> int | None:
    """Return the index of the first event that is recorded differently or is missing; None if all agree."""
    recorded = recorded[: len(given)]
    if tuple(given) == recorded:
        return None
    differ = (index for index, (one, other) in enumerate(zip(given, recorded, strict=False)) if one != other)
    return next(differ, len(recorded))


def _differs(game: core.Game, record: Record, event: int, move: int | None) -> MatchVerdict:
    where = f"events[{event}]" if move is None else f"events[{event}], after moves[{move}]"
    recorded = record.events[event] if event < len(record.events) else None
    given = game.events[event] if event < len(game.events) else None
    return MatchVerdict(_two_lines(where, _as_json(recorded), _as_json(given)), move, event)


def _as_json(event: core.Event | None) -> object:
    return event_to_json(event) if event else None


def _two_lines(where: str, recorded: object, given: object) -> str:
    texts = [
        json.dumps(value, ensure_ascii=False) if value is not None else "nothing more" for value in (recorded, given)
    ]
    return f"{where}: the record says {texts[0]:.500}\nbut the rules give {texts[1]:.500}"
