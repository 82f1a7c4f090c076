"""The trial of a bot: short matches of each of its games, with copies of itself in all seats.

The first is at the smallest table of the game, the second, if that went well, at the largest.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from beanleague.games import Ruleset
from beanleague.league.errors import LeagueError
from beanleague.model import Fault
from beanleague.referee.messages import (
    BotLog,
    BotSpec,
    DealResult,
    DealTask,
    Limits,
    MatchResult,
    MatchTask,
    Pool,
    StartPool,
)
from beanleague.referee.sandbox.layers import SandboxError
from beanleague.store.logs import newest

_MATCH_TIMEOUT_S = 120.0
_POLL_INTERVAL_S = 0.1  # between checks whether the trial is still wanted
_MAX_LOG_BYTES = 2000  # of stderr shown
_MAX_VOIDS = 3
_SHORT = {"max_rounds": 2}  # options that make a match short, where the game has them
_SEED = b"trial"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial match."""

    ruleset: str
    """Id of the ruleset."""
    seats: int
    """Number of seats."""
    decisions: int
    """Decisions of all seats together."""
    faults: tuple[Fault, ...]
    """Faults of all seats, in order."""
    forfeited: tuple[int, ...]
    """The seats that forfeited."""
    log: str
    """The end of what the bot wrote to stderr in all its trials."""
    refused: str
    """Why the bot cannot be admitted, "" if it can."""


def try_bot(
    folder: Path,
    name: str,
    command: tuple[str, ...],
    games: Sequence[Ruleset],
    start_pool: StartPool,
    wanted: Callable[[], bool] = lambda: True,
    seen: Callable[[tuple[Trial, ...]], None] = lambda _: None,
) -> tuple[Trial, ...]:
    """Let the bot in `folder` play matches of each of `games` against itself, all in the same processes.

    `wanted`: called now and then; the trials end when it returns False. `seen`: called with the trials so far, whose
    logs are not known yet, after each of them.

    Raises:
        LeagueError: if it could not be tried, through no fault of the bot.
    """
    bot = BotSpec(0, name, str(folder), command)
    logs: list[BotLog] = []
    played: list[tuple[Ruleset, int, MatchResult | None]] = []
    try:
        pool = start_pool([bot], Limits(), workers=1, in_flight=1)
    except OSError as error:
        raise LeagueError(f"the trial match could not be started: {error.strerror or error}") from None
    except SandboxError as error:
        raise LeagueError(str(error)) from None
    try:
        for game, seats in _tables(games, played):
            result = _play(pool, _task(len(played), game, seats), logs, wanted)
            played.append((game, seats, result))
            if result is None:
                break  # the process is stuck in it
            seen(tuple(_trial(*match, "") for match in played))
    finally:
        logs += pool.close()
    log, _ = newest("".join(log.text for log in logs), _MAX_LOG_BYTES)
    return tuple(_trial(*match, log) for match in played)


def _tables(
    games: Sequence[Ruleset], played: Sequence[tuple[Ruleset, int, MatchResult | None]]
) -> Iterator[tuple[Ruleset, int]]:
    """Yield what to play next, and with how many seats; `played` grows meanwhile."""
    for game in games:
        yield game, game.least_seats
        result = played[-1][2]
        if game.most_seats > game.least_seats and result and not result.faults:
            yield game, game.most_seats


def _trial(game: Ruleset, seats: int, result: MatchResult | None, log: str) -> Trial:
    if result is None:
        why = f"{_match_label(game, seats)} was not over after {_MATCH_TIMEOUT_S:.0f} seconds"
        return Trial(game.id, seats, 0, (), (), log, why)
    forfeited = tuple(seat for seat, forfeit in enumerate(result.forfeited) if forfeit)
    return Trial(game.id, seats, sum(result.decisions), result.faults, forfeited, log, _refusal(game, seats, result))


def _task(number: int, game: Ruleset, seats: int) -> DealTask:
    match = MatchTask(
        id=0,
        ruleset=game.id,
        seed=hashlib.sha256(_SEED).digest(),
        bots=(0,) * seats,
        luck=tuple(hashlib.sha256(_SEED + bytes([seat])).digest()[:16] for seat in range(seats)),
        options={name: value for name, value in _SHORT.items() if name in game.options},
        label=game.id,
    )
    return DealTask(number, (match,))


def _play(pool: Pool, task: DealTask, logs: list[BotLog], wanted: Callable[[], bool]) -> MatchResult | None:
    """Return how the match went, None if it took too long; what the bot wrote is added to `logs`."""
    deadline = time.monotonic() + _MATCH_TIMEOUT_S
    voids = 0
    pool.submit(task)
    while time.monotonic() < deadline:
        if not wanted():
            raise LeagueError("the trial match was cancelled")
        reports = pool.poll(_POLL_INTERVAL_S)
        logs += [report for report in reports if isinstance(report, BotLog)]
        for result in reports:
            if not isinstance(result, DealResult):
                continue
            if not result.void:
                return result.matches[0]
            voids += 1
            if voids == _MAX_VOIDS:
                raise LeagueError(f"the trial match failed, through no fault of the bot: {result.void}")
            if result.killed is not None:
                (match,) = task.matches
                task = replace(task, matches=(replace(match, unforgiven=frozenset(match.bots)),))
            pool.submit(task)
    return None


def _match_label(game: Ruleset, seats: int) -> str:
    return f"its trial match of {game.id} with {seats} seat{'s' * (seats > 1)}"


def _refusal(game: Ruleset, seats: int, result: MatchResult) -> str:
    """Return why a bot is not admitted: it must play against itself, at all seats, without a fault."""
    if not result.faults:
        return ""
    first = result.faults[0]
    if not any(result.decisions):
        return f"it could not begin {_match_label(game, seats)}: {first.reason}"
    more = f" (and {len(result.faults) - 1} more)" if len(result.faults) > 1 else ""
    decisions = sum(result.decisions)
    faults = (
        f"{len(result.faults)} fault{'s' * (len(result.faults) > 1)} in {decisions} decision{'s' * (decisions > 1)}"
    )
    return f"it had {faults} of {_match_label(game, seats)}: in seat {first.seat}, {first.reason}{more}"
