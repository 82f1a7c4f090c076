"""Rotations of a deal: results of each player in a seat, and the point where two of these games diverge.

In every rotation a seat is dealt the same cards from the same pile; only the players change seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from beanleague.games import Record, check_rules_version
from beanleague.games.core import TurnStarted
from beanleague.games.core.words import plain
from beanleague.games.families import words_of
from beanleague.games.records.replay import replayed, set_up

_TOLD = {"Traded", "GiftGiven", "Harvested", "ColumnHarvested", "CardHarvested", "FieldBought"}
"""Class names of the events listed for a turn; names, since each family has its own classes."""


@dataclass(frozen=True, slots=True)
class DealtSeat:
    """A seat in one rotation of a deal, with its player's result."""

    match: str
    """Name of the match."""
    seat: int
    player: str
    """Player, "name@version"."""
    score: int
    """Score in dollars, or in cents in the duel."""


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """One turn of a match, for one seat."""

    turn: int
    """Turn, counted from 1."""
    move: int
    """Number of moves before the turn."""
    dollars: int
    """Dollars of the seat at the end of the turn; in the duel without bo(h)nus cards."""
    done: tuple[str, ...]
    """Trades, harvests and purchases of the seat in the turn, in words."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One seat in two games of the same deal."""

    own: DealtSeat
    """The seat in the first game."""
    other: DealtSeat
    """The seat in the second game."""
    parted: int | None
    """Index of the first move that differs; None if the games are equal."""
    played: tuple[str, ...]
    """Move of each game at that point, in words."""
    turns: tuple[tuple[SeatTurn, SeatTurn], ...]
    """Turns in which the seat acted in either game, and the last one. A game that ended earlier repeats its last
    turn."""


def dealt_seats(matches: Iterable[tuple[str, Record]]) -> list[DealtSeat]:
    """Return the seats of all rotations of a deal, given as (name, record)."""
    return [
        DealtSeat(match, seat, record.players[seat], record.scores[seat])
        for match, record in matches
        for seat in range(record.seats)
    ]


def compared(
    dealt: Sequence[DealtSeat], bot: str, other: str = "", seat: int | None = None
) -> tuple[DealtSeat, DealtSeat] | None:
    """Return the seat where `bot` did worst compared with others, and the best other bot in that seat.

    Restricted to `seat` and to `other`, if given. Bots are "name" or "name@version". Returns None if no other bot had
    one of the seats of `bot`.
    """
    lost = [
        (fmean([each.score for each in rivals]) - own.score, own)
        for own in dealt
        if _is(own, bot) and seat in {None, own.seat} and (rivals := _rivals(dealt, own, other))
    ]
    if not lost:
        return None
    own = max(lost, key=lambda each: each[0])[1]
    return own, max(_rivals(dealt, own, other), key=lambda each: each.score)


def _rivals(dealt: Iterable[DealtSeat], own: DealtSeat, other: str) -> list[DealtSeat]:
    return [
        each
        for each in dealt
        if each.seat == own.seat and each.player != own.player and (not other or _is(each, other))
    ]


def _is(seat: DealtSeat, bot: str) -> bool:
    return bot in {seat.player, seat.player.partition("@")[0]}


def side_by_side(own: DealtSeat, other: DealtSeat, games: tuple[Record, Record]) -> SideBySide:
    """Return two games of a deal side by side, from the view of one seat.

    Raises:
        GameError: if a game cannot be replayed.
    """
    made = zip(*[[(move.seat, move.action) for move in game.moves] for game in games], strict=False)
    parted = next((move for move, (one, another) in enumerate(made) if one != another), None)
    (one, played), (another, instead) = (seat_turns(game, own.seat, parted) for game in games)
    turns = [
        (_turn(one, number, another), _turn(another, number, one)) for number in range(max(len(one), len(another)))
    ]
    shown = [pair for pair in turns if pair == turns[-1] or pair[0].done or pair[1].done]
    return SideBySide(own, other, parted, () if parted is None else (played, instead), tuple(shown))


def _turn(game: Sequence[SeatTurn], number: int, other: Sequence[SeatTurn]) -> SeatTurn:
    """Return turn `number` of a game, or its last turn if only `other` lasted that long."""
    return game[number] if number < len(game) else replace(game[-1], turn=other[number].turn, done=())


def seat_turns(record: Record, seat: int, asked: int | None = None) -> tuple[list[SeatTurn], str]:
    """Return the turns of a match for one seat, and move number `asked` in words.

    Raises:
        GameError: if the record cannot be replayed.
    """
    check_rules_version(record.rules, "this match")
    game = set_up(record)
    words = words_of(game.view(seat).rules)
    turns: list[SeatTurn] = []
    done: list[str] = []
    said, turn, begun, shown = "", 0, 0, 0

    def ended() -> SeatTurn:
        view: Any = game.view(seat, news=False)
        return SeatTurn(turn, begun, view.dollars[seat], tuple(done))

    def follow(moves: int) -> None:
        """Process the events since the last call. `moves`: number of moves made."""
        nonlocal turn, begun, done, shown
        for event in game.events[shown:]:
            line = words.line(event)
            if isinstance(event, TurnStarted):
                if turn:
                    turns.append(ended())
                turn, begun, done = event.turn, moves, []
            elif type(event).__name__ in _TOLD and seat in {getattr(event, "seat", -1), getattr(event, "partner", -1)}:
                done.append(plain(line, record.players))
        shown = len(game.events)

    for move, made in replayed(record, game):
        follow(move)
        if move == asked:
            view = game.view(made.seat, news=False)
            asking = words_of(view.rules, player=True)
            asking.look(view)
            choice = plain(asking.choice(made.action, view), record.players)
            said = f"turn {turn}, {record.players[made.seat]}: {choice}"
    follow(len(record.moves))
    return [*turns, ended()], said
