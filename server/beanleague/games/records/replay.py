"""Replay of a record's moves."""

from collections.abc import Iterator

from beanleague.games.core.game import Game, IllegalActionError
from beanleague.games.families import new_game
from beanleague.games.records.record import PlayedMove, Record


class RecordedMoveError(IllegalActionError):
    """Raised when a move of a record is illegal; the message is the game's.

    `move`: index of the move in the record; `seat`: the seat that made it.
    """

    def __init__(self, move: int, seat: int, illegal: IllegalActionError) -> None:
        super().__init__(str(illegal))
        self.move = move
        self.seat = seat


def set_up(record: Record) -> Game:
    """Return the game of a record, before its first move.

    Raises:
        GameError: if the game is unknown, or does not allow these seats, this seed or these options.
    """
    return new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)


def replayed(record: Record, game: Game) -> Iterator[tuple[int, PlayedMove]]:
    """Make the moves of a record in its `game`; yield index and move before each is made.

    All moves have been made when the iterator ends.

    Raises:
        RecordedMoveError: if a move is illegal.
    """
    for index, move in enumerate(record.moves):
        yield index, move
        try:
            game.apply(move.seat, move.action)
        except IllegalActionError as illegal:
            raise RecordedMoveError(index, move.seat, illegal) from None


def play_all(record: Record, game: Game) -> None:
    """Make all moves of a record in its `game`.

    Raises:
        RecordedMoveError: if a move is illegal.
    """
    for _ in replayed(record, game):
        pass
