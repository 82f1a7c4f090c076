"""The trial of a bot: a short match of each of its games, with copies of itself in all seats."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from beanleague.games import Ruleset
from beanleague.league.errors import LeagueError
from beanleague.league.pools import Pool, StartPool
from beanleague.referee.match import BotLog, BotSpec, Fault, Limits, MatchResult, MatchTask
from beanleague.store.tail import newest

_PATIENCE = 120.0  # seconds for a trial match
_LOOK = 0.1  # seconds between looks whether the trial is still wanted
_MOST_LOG = 2000  # bytes of stderr shown
_MOST_VOIDS = 3
_SHORT = {"max_rounds": 2}  # options that make a match short, where the game has them
_SEED = b"trial"


@dataclass(frozen=True, slots=True)
class Trial:
    """How a trial match went. `decisions`: asked of all seats; `forfeited`: seats.

    `log`: the end of stderr, of all trials of the bot. `refused`: why the bot cannot be admitted for it, "" if it can.
    """

    ruleset: str
    seats: int
    decisions: int
    faults: tuple[Fault, ...]
    forfeited: tuple[int, ...]
    log: str
    refused: str


def try_bot(
    folder: Path,
    name: str,
    command: tuple[str, ...],
    games: Sequence[Ruleset],
    start_pool: StartPool,
    wanted: Callable[[], bool] = lambda: True,
) -> tuple[Trial, ...]:
    """Let the bot in `folder` play a match of each of `games` against itself, all in the same processes.

    `wanted`: asked now and then; False ends it.

    Raises:
        LeagueError: it could not be tried, through no fault of the bot.
    """
    bot = BotSpec(0, name, str(folder), command)
    logs: list[BotLog] = []
    results: list[MatchResult | None] = []
    try:
        pool = start_pool([bot], Limits(), workers=1, in_flight=1)
    except OSError as error:
        raise LeagueError(f"the trial match could not be started: {error.strerror or error}") from None
    try:
        for number, game in enumerate(games):
            results.append(_play(pool, _task(number, game), logs, wanted))
            if results[-1] is None:
                break  # the process is stuck in it
    finally:
        logs += pool.close()
    log, _ = newest("".join(log.text for log in logs), _MOST_LOG)
    return tuple(_trial(game, result, log) for game, result in zip(games, results, strict=False))


def _trial(game: Ruleset, result: MatchResult | None, log: str) -> Trial:
    seats = game.least_seats
    if result is None:
        why = f"its trial match of {game.id} was not over after {_PATIENCE:.0f} seconds"
        return Trial(game.id, seats, 0, (), (), log, why)
    forfeited = tuple(seat for seat, forfeit in enumerate(result.forfeited) if forfeit)
    return Trial(game.id, seats, sum(result.decisions), result.faults, forfeited, log, _refusal(game, result))


def _task(number: int, game: Ruleset) -> MatchTask:
    seats = game.least_seats
    return MatchTask(
        id=number,
        ruleset=game.id,
        seed=hashlib.sha256(_SEED).digest(),
        bots=(0,) * seats,
        luck=tuple(hashlib.sha256(_SEED + bytes([seat])).digest()[:16] for seat in range(seats)),
        lane=0,
        options={name: value for name, value in _SHORT.items() if name in game.options},
    )


def _play(pool: Pool, task: MatchTask, logs: list[BotLog], wanted: Callable[[], bool]) -> MatchResult | None:
    """Return how the match went, None if it took too long; what the bot wrote is added to `logs`."""
    deadline = time.monotonic() + _PATIENCE
    voids = 0
    pool.submit(task)
    while time.monotonic() < deadline:
        if not wanted():
            raise LeagueError("the trial match was broken off")
        reports = pool.poll(_LOOK)
        logs += [report for report in reports if isinstance(report, BotLog)]
        for result in reports:
            if isinstance(result, BotLog):
                continue
            if not result.void:
                return result
            voids += 1
            if voids == _MOST_VOIDS:
                raise LeagueError(f"the trial match failed, through no fault of the bot: {result.void}")
            pool.submit(task)
    return None


def _refusal(game: Ruleset, result: MatchResult) -> str:
    """Return why a bot is not admitted: it must play against itself, at all seats, without a fault."""
    if not result.faults:
        return ""
    first = result.faults[0]
    if not any(result.decisions):
        return f"it could not begin its trial match of {game.id}: {first.reason}"
    more = f" (and {len(result.faults) - 1} more)" if len(result.faults) > 1 else ""
    faults = f"{len(result.faults)} fault{'s' * (len(result.faults) > 1)} in {sum(result.decisions)} decisions"
    return f"it had {faults} of its trial match of {game.id}: in seat {first.seat}, {first.reason}{more}"
