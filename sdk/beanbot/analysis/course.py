"""Course of a match: each seat's chances at each turn if all seats play equally well from there on.

Each moment is played out many times from its hands and fields, with the cards of the pile shuffled anew. All seats are
played by `beanbot.analysis.market`, or by the farmer in a match without a trade; in games without trading by the SDK's
default actions, which is less informative. Luck and play are separated in the trading games only.

Luck is the change of the chances by draws; play is the change by decisions, compared with those of the quick player.
Both are small and many, so play-outs to the end would be too noisy. Instead the quick player plays to the next draw
only, and `Market.chances` values the position, in the way backgammon programs compute the luck of a throw. Whatever the
quality of that estimate, the luck of a seat is 0 on average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

from beanbot.analysis.market import draw_key, market, won
from beanbot.search.farming import flat_farmer
from beanbot.search.play_outs import by_default, play_out, shuffler
from beanleague.games import Game, GameError, Outcome, PlayedMove, Record, check_rules_version
from beanleague.games.bohnanza import Pick
from beanleague.games.bohnanza.flat_trading import FlatBohnanza
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core.floats import exp, float_sum
from beanleague.games.records.replay import RecordedMoveError, replayed, set_up

VERSION = 7
"""Version of the analysis: figures of different versions are not compared."""

PLAY_OUTS = 60
DRAWS = 100
PRIOR, PRIOR_ALONE = 30, 5
"""Weights of `Market.chances`, in matches with trades and without, when estimating a moment by play-outs, which alone
are overconfident. The estimate assumes traders, so that it counts less where nobody trades."""
_ELO_A_LOGIT = 173.71779276130073  # Elo points per logit: 400 over the logarithm of 10


class AnalysisError(Exception):
    """Raised when a match cannot be analysed; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Mean with its standard error."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class TurnChances:
    """Expectations of the seats at the beginning of a turn."""

    move: int
    """Number of moves before the turn."""
    turn: int
    """The turn, from 1."""
    active: int
    """The seat whose turn it is."""
    chances: tuple[Expected, ...]
    """By seat: probability of winning, 0 to 1; a shared win counts 1/n for each of n seats. In solo games the
    probability of beating the Thief."""
    places: tuple[Expected, ...]
    """By seat: the expected place, from 1."""
    dollars: tuple[int, ...]
    """By seat: dollars earned so far."""


@dataclass(frozen=True, slots=True)
class Share:
    """Changes of a seat's chance of winning by cause, which add up from 1/seats to `won`."""

    deal: float
    """Effect of the deal and of the seat's place in the order of turns."""
    luck: float
    """Effect of the cards drawn, by any seat."""
    play: float
    """Effect of the seat's own decisions: plantings, harvests and trades."""
    others: float
    """Effect of decisions in which only other seats took part."""
    won: float
    """Result of the seat: 1 for a win, 0 for none, a fraction for a shared win."""


@dataclass(frozen=True, slots=True)
class Course:
    """Course of a match."""

    play_outs: int
    """Number of play-outs per moment."""
    moments: tuple[TurnChances, ...]
    """Chances at the beginning of each turn."""
    shares: tuple[Share, ...]
    """Shares of luck and play by seat; empty except in trading games."""

    def by_strength(self, ratings: Sequence[float]) -> list[list[float]]:
        """Return the chances at each moment, by seat, corrected for the players' Elo ratings.

        The odds from the ratings count in proportion to the remaining part of the match.
        """
        best, found = max(ratings), []
        for number, moment in enumerate(self.moments):
            left = 1 - number / len(self.moments)
            pairs = zip(moment.chances, ratings, strict=True)
            odds = [chance.mean * exp((rating - best) * left / _ELO_A_LOGIT) for chance, rating in pairs]
            total = float_sum(odds)
            found.append([each / total for each in odds])
        return found

    def turning_points(self, least: float = 0.15) -> list[int]:
        """Return the moments before which a seat's chance changed by at least `least`, and by twice its error."""
        return [
            number
            for number in range(1, len(self.moments))
            if any(
                abs(now.mean - before.mean) >= max(least, 2 * sqrt(now.error * now.error + before.error * before.error))
                for before, now in zip(self.moments[number - 1].chances, self.moments[number].chances, strict=True)
            )
        ]


def course(
    record: Record, play_outs: int = PLAY_OUTS, draws: int = DRAWS, progress: Callable[[], None] = lambda: None
) -> Course:
    """Return the course of a match; the same for the same record and numbers, on every Python.

    Args:
        record: Record of a match, played to its end.
        play_outs: Play-outs per turn, at least 2; the error falls with the square root. Each takes 0.1 to 3 ms.
        draws: Number of samples of the next draw in each valuation.
        progress: Called after each move of the record.

    Raises:
        AnalysisError: if the match has other rules, or cannot be replayed.
    """
    game = _game_of(record)
    if not isinstance(game, Bohnanza):
        return Course(play_outs, tuple(_by_default(record, game, play_outs, progress)), ())
    match = _Match(record, game, play_outs, draws)
    for move, _ in moves_again(record, game):
        match.weigh(move)
        progress()
    match.weigh(len(record.moves))
    return match.course()


def has_shares(record: Record) -> bool:
    """Return whether the course of a match has shares of luck and play, and mistakes are found: in trading games.

    Raises:
        AnalysisError: if the match has other rules.
    """
    return isinstance(_game_of(record), Bohnanza)


def game_of(record: Record) -> Bohnanza:
    """Return the game of a match, before its first move.

    Raises:
        AnalysisError: if it is another game, or has other rules.
    """
    game = _game_of(record)
    if not isinstance(game, Bohnanza):
        raise AnalysisError(f"mistakes are found in the trading games only, and this is a match of {record.ruleset}")
    return game


def _game_of(record: Record) -> Game:
    try:
        check_rules_version(record.rules, "this match")
        return set_up(record)
    except GameError as error:
        raise AnalysisError(str(error)) from None


def moves_again(record: Record, game: Game) -> Iterator[tuple[int, PlayedMove]]:
    """Make the moves of a match in its game, yielding index and move before each; see `replayed`.

    Raises:
        AnalysisError: if a move is illegal.
    """
    try:
        yield from replayed(record, game)
    except RecordedMoveError as error:
        raise AnalysisError(f"the record cannot be replayed: moves[{error.move}]: {error}") from None


def _luck_of(record: Record) -> Random:
    return Random(sha256(record.seed + b"".join(str(move.action).encode() for move in record.moves)).digest())


def _by_default(record: Record, game: Game, play_outs: int, progress: Callable[[], None]) -> Iterator[TurnChances]:
    """Yield the chances at the beginning of each turn, from play-outs by default actions."""
    random, policies, begun = _luck_of(record), [by_default] * record.seats, -1
    for number, move in moves_again(record, game):
        view: Any = game.view(move.seat, news=False)
        if view.turn != begun:
            begun = view.turn
            outcomes = [play_out(game, policies, random) for _ in range(play_outs)]
            yield TurnChances(
                number,
                begun,
                view.active,
                tuple(map(expected, zip(*map(_won, outcomes), strict=True))),
                tuple(map(expected, zip(*[outcome.places for outcome in outcomes], strict=True))),
                tuple(view.dollars),
            )
        progress()
    _check_end(game)


def _check_end(game: Game) -> None:
    if game.outcome is None:
        raise AnalysisError("the record ends before the match is over")


def _won(outcome: Outcome) -> list[float]:
    return won(outcome.places) if outcome.rival is None else [float(outcome.places[0] == 1)]


class _Match:
    """Match in replay, with the results so far."""

    def __init__(self, record: Record, game: Bohnanza, play_outs: int, draws: int) -> None:
        self._record = record
        self._game = game
        self._play_outs, self._draws = play_outs, draws
        self._order = shuffler(_luck_of(record))
        self._judge = market(self._game.rules)
        trades = any(isinstance(move.action, Pick) for move in record.moves)
        self._player = self._judge if trades else flat_farmer(self._game.rules)
        self._prior = PRIOR if trades else PRIOR_ALONE
        self._table = self._flat()
        self._moments = [self._moment(0)]
        self._now = [chance.mean for chance in self._moments[0].chances]
        self._deal = [chance - 1 / record.seats for chance in self._now]
        self._left = 1.0
        """Share of the moves still to be made."""
        self._off = [0.0] * record.seats
        """By seat: difference between play-outs and the estimate at the beginning, which is added to later estimates;
        it fades with the moves, so that the shares begin at the first chances shown."""
        estimates = self._chances_after(self._table)
        self._off = [chance - estimate for chance, estimate in zip(self._now, estimates, strict=True)]
        self._luck, self._play, self._others = ([0.0] * record.seats for _ in range(3))
        self._deciding: set[int] = set()
        """Seats that have decided since the last valuation."""

    def course(self) -> Course:
        """Return the results; all moves must have been made."""
        _check_end(self._game)
        winners = won(self._record.places)
        self._decided(winners)
        sums = zip(self._deal, self._luck, self._play, self._others, winners, strict=True)
        return Course(self._play_outs, tuple(self._moments), tuple([Share(*each) for each in sums]))

    def weigh(self, moves: int) -> None:
        """Value the change caused by the latest move, number `moves`."""
        if not moves:
            return
        self._left = 1 - moves / len(self._record.moves)
        made = self._record.moves[moves - 1]
        before = self._table
        self._deciding.add(made.seat)
        after = self._table = self._flat()
        if not after.decision:
            return  # no play-outs after the end: only the result remains
        if draw_key(after) != draw_key(before):
            self._decided(self._chances_after(before, made))
            chances = self._chances_after(after)
            self._luck = [luck + new - old for luck, new, old in zip(self._luck, chances, self._now, strict=True)]
            self._now = chances
            if after.turn != before.turn:
                self._moments.append(self._moment(moves))
        elif isinstance(made.action, Pick):
            self._deciding = {made.seat, made.action.seat}
            self._decided(self._chances_after(after))

    def _decided(self, chances: list[float]) -> None:
        """Credit the change since the last valuation to the seats that decided, as play, and to the rest as others."""
        for seat, chance in enumerate(chances):
            (self._play if seat in self._deciding else self._others)[seat] += chance - self._now[seat]
        self._now = chances
        self._deciding = set()

    def _flat(self) -> FlatBohnanza:
        return FlatBohnanza.of(self._game, self._order)

    def _another(self, table: FlatBohnanza) -> FlatBohnanza:
        """Return a copy of the table with a newly shuffled pile."""
        copy = table.copy()
        copy.pile = self._order(copy.pile)
        return copy

    def _chances_after(self, table: FlatBohnanza, made: PlayedMove | None = None) -> list[float]:
        """Return the mean chances after the next draw; after a drawing move `made`, after one more draw."""
        sums = [0.0] * len(table.hands)
        for _ in range(self._draws):
            ahead = self._another(table)
            if made:
                ahead.apply(made.seat, made.action)
            chances = self._judge.ahead(ahead, self._player, draw_key(ahead))
            sums = [one + other for one, other in zip(sums, chances, strict=True)]
        return [each / self._draws + self._left * off for each, off in zip(sums, self._off, strict=True)]

    def _moment(self, move: int) -> TurnChances:
        """Play out the current position many times and return the chances."""
        places = []
        for _ in range(self._play_outs):
            table = self._another(self._table)
            while table.decision:
                self._player(table, table.asked[0])
            assert table.outcome is not None
            places.append(table.outcome.places)
        wins = zip(*map(won, places), strict=True)
        guessed = self._judge.chances(self._table)
        return TurnChances(
            move,
            self._table.turn,
            self._table.active,
            tuple([self._chance(seat, guess) for seat, guess in zip(wins, guessed, strict=True)]),
            tuple(map(expected, zip(*places, strict=True))),
            tuple(self._table.dollars),
        )

    def _chance(self, wins: tuple[float, ...], guess: float) -> Expected:
        weight = self._play_outs + self._prior
        mean = (float_sum(wins) + self._prior * guess) / weight
        # standard error of `weight` play-outs, since the estimate counts like play-outs and errs, too
        return Expected(mean, sqrt(mean * (1 - mean) / weight))


def expected(values: Sequence[float]) -> Expected:
    """Return the mean of values with its standard error, 0 for a single value."""
    return Expected(fmean(values), stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0)
