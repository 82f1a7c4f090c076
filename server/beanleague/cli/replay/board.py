"""A recorded match as steps, each with the whole table after it: what a replay shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from beanleague.cli.errors import CliError
from beanleague.cli.replay.board_dice import DiceBoard, dice_board
from beanleague.cli.replay.board_duel import DuelBoard, duel_board
from beanleague.games import Event, Game, GameError, IllegalActionError, Kind, Record, RecordedFault, View, new_game
from beanleague.games.bohnanza import BohnanzaView, CardRules, Field
from beanleague.games.dice import DiceView
from beanleague.games.duel import DuelView
from beanleague.games.two import BohnanzaTwoView

Happening: TypeAlias = Event | RecordedFault


@dataclass(frozen=True, slots=True)
class SeatBoard:
    """What lies before one player, hidden cards included. `hand`: the first to be planted first."""

    dollars: int
    fields: tuple[Field, ...]
    hand: tuple[Kind, ...]
    aside: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """A table of a card game with one kind a field.

    `discards`: cards in the discard pile; `forfeited`: seats that play on by default actions.
    """

    rules: CardRules
    turn: int
    active: int
    seats: tuple[SeatBoard, ...]
    turned: tuple[Kind, ...]
    pile: int
    discards: int
    run_outs: int
    forfeited: frozenset[int]


@dataclass(frozen=True, slots=True)
class TwoBoard(Board):
    """A table of the game for two, where `turned` are the open cards."""


AnyBoard: TypeAlias = Board | DuelBoard | DiceBoard


@dataclass(frozen=True, slots=True)
class Step:
    """What happened at once, and the table after it. `move`: moves played up to here."""

    move: int
    board: AnyBoard
    happened: tuple[Happening, ...]


def steps(record: Record) -> Iterator[Step]:
    """Replay `record` in the engine and yield its steps, the deal first.

    Moves that show nothing, such as an answer while others are still awaited, belong to the next step.

    Raises:
        CliError: the moves of the record are not legal in its game.
    """
    try:
        game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    except GameError as error:
        raise CliError(f"the record cannot be replayed: {error}; it may have been tampered with") from None
    faults: dict[int, list[RecordedFault]] = {}
    for fault in record.faults:
        faults.setdefault(fault.move, []).append(fault)
    forfeited: set[int] = set()
    pending: list[Happening] = []
    told = len(game.events)
    yield Step(0, _board(game, forfeited, 0), tuple(game.events))
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
                "'beanleague match verify' tells more"
            ) from None
        if len(game.events) > told:
            yield Step(index + 1, _board(game, forfeited, told), (*pending, *game.events[told:]))
            told = len(game.events)
            pending = []


def _board(game: Game, forfeited: set[int], told: int) -> AnyBoard:
    first = game.view(0)
    if isinstance(first, DiceView):
        return dice_board(game, forfeited, told)
    if isinstance(first, DuelView):
        return duel_board(game, forfeited)
    if isinstance(first, BohnanzaTwoView):
        return _two_board(first, game.view(1), forfeited)
    assert isinstance(first, BohnanzaView)
    hands = [view.hand for seat in range(game.seats) if isinstance(view := game.view(seat), BohnanzaView)]
    return Board(
        rules=first.rules,
        turn=first.turn,
        active=first.active,
        seats=tuple(
            SeatBoard(first.dollars[seat], first.fields[seat], hand, first.aside[seat])
            for seat, hand in enumerate(hands)
        ),
        turned=first.turned,
        pile=first.pile,
        discards=sum(first.discard),
        run_outs=first.run_outs,
        forfeited=frozenset(forfeited),
    )


def _two_board(first: BohnanzaTwoView, second: View, forfeited: set[int]) -> TwoBoard:
    assert isinstance(second, BohnanzaTwoView)
    return TwoBoard(
        rules=first.rules,
        turn=first.turn,
        active=first.active,
        seats=tuple(
            SeatBoard(first.dollars[view.seat], first.fields[view.seat], view.hand, ()) for view in (first, second)
        ),
        turned=first.open,
        pile=first.pile,
        discards=len(first.discard),
        run_outs=int(not first.pile),
        forfeited=frozenset(forfeited),
    )
