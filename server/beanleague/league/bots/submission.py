"""Submission of a bot: check its bundle, play trial matches, and store a new version.

A trial consists of short matches of each of its games. The first is at the smallest table, in seat 0 against the house
bot `random`, whose offers and answers cover all legal moves, so that all of the author's code runs, and a bot that
hangs does so in one seat only. The second is at the largest table, with copies of itself and `random`, unless the bot
crashed or hung in the first.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from beanleague.games import Ruleset, ruleset
from beanleague.games.records.replay import replayed, set_up
from beanleague.house_folder import house_folder
from beanleague.league.bots.bundles import Bundle, read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.causes import hidden_modules
from beanleague.league.bots.environments import EnvironmentMissingError
from beanleague.league.bots.house_bots import house_names
from beanleague.league.errors import BundleError, LeagueError, Problem, RefusedError
from beanleague.model import BotVersion, Fault, FaultKind, PlayedDeal, PlayedMatch
from beanleague.names import NAME_RULE, first_traceback, is_new_name
from beanleague.referee import messages
from beanleague.referee.sandbox.layers import SandboxError
from beanleague.referee.this_node import part_of_the_cores
from beanleague.store import OwnerError, Store
from beanleague.store.bots import newest
from beanleague.wire import record_from_bytes, times_from_bytes, unpacked

_MATCH_TIMEOUT_S = 600.0  # far longer than the match's own time limits allow, unless the host is overloaded
_POLL_INTERVAL_S = 0.1  # interval of checking whether the trial is still wanted
_MAX_LOG_BYTES = 2000  # bytes shown of stderr
_MAX_VOIDS = 3
_WARNING = "warning: "  # prefix of warnings that a bot writes before its first match
_BANK_MS = 5_000  # less than in leagues, so that authors see an endless loop within 10 seconds
_NO_ANSWER = "no answer within"  # start of the reason of a time-out
_STUCK = re.compile(r": no answer for \d+ s( \([^\n]+, line \d+, in [^\n]+\))$", re.MULTILINE)
_SHORT = {"max_rounds": 2}  # options that shorten a match, for games that have them
_SEED = b"trial"
TRIED, _OPPONENT = 0, 1  # numbers of the bots in a trial
_OPPONENT_NAME = "random"
_OPPOSING = (0, 2)  # seats of the opponent at the largest table
_ENDING = frozenset({FaultKind.TIMEOUT, FaultKind.CRASH, FaultKind.DISCONNECTED, FaultKind.MEMORY})


@dataclass(frozen=True, slots=True)
class TrialFault:
    """A kind of fault of a bot in its trials, with its number of occurrences."""

    fault: Fault
    """First occurrence of the fault."""
    decision: str
    """Kind of decision, e.g. "TRADE"; "" if unknown or if the game has only one kind."""
    count: int
    """Number of occurrences."""

    def sentence(self) -> str:
        """Return a one-line description of the fault."""
        asked = f" when asked {self.decision}" if self.decision else ""
        return f"in seat {self.fault.seat}{asked}, {self.fault.reason}"


def distinct_faults(faults: Sequence[Fault], record: bytes) -> tuple[TrialFault, ...]:
    """Return the distinct faults, by kind, decision and reason.

    `record`: packed record of the match. All time-outs count as one fault, since a bot that hangs in a decision also
    fails all later decisions.
    """
    found: dict[tuple[str, ...], TrialFault] = {}
    for fault, decision in zip(faults, _decisions(faults, record), strict=True):
        key = (fault.kind,) if fault.kind == FaultKind.TIMEOUT else (fault.kind, decision, fault.reason)
        known = found.get(key)
        found[key] = replace(known, count=known.count + 1) if known else TrialFault(fault, decision, 1)
    return tuple(found.values())


def _decisions(faults: Sequence[Fault], packed: bytes) -> Iterator[str]:
    """Yield the kind of decision at which each fault occurred."""
    if not faults:
        return
    record = record_from_bytes(unpacked(packed))
    game = set_up(record)
    moves, before = replayed(record, game), -1
    for fault in faults:
        if before < fault.move:
            before = next((index for index, _ in moves if index == fault.move), fault.move)
        decision = getattr(game.view(fault.seat, news=False), "decision", None)
        yield decision.name if decision is not None else ""


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of a trial match."""

    ruleset: str
    """Id of the ruleset."""
    seats: int
    """Number of seats."""
    decisions: int
    """Number of decisions of all the bot's seats together."""
    faults: tuple[Fault, ...]
    """Faults of all the bot's seats, in order."""
    distinct: tuple[TrialFault, ...]
    """Distinct faults, each with its count."""
    forfeited: tuple[int, ...]
    """Seats of the bot that forfeited."""
    log: str
    """End of the bot's stderr in all trials, without lines that merely repeat a fault."""
    refused: str
    """Reason for rejecting the bot; "" if it is accepted."""
    mean_ms: float = 0.0
    """Mean time of a decision of the bot, in milliseconds."""
    most_ms: int = 0
    """Time of the bot's longest decision, in milliseconds."""
    record: bytes = b""
    """Packed record; b"" if the match was stopped for taking too long."""


@dataclass(frozen=True, slots=True)
class _Played:
    """A finished trial match."""

    game: Ruleset
    """Ruleset of the match."""
    bots: tuple[int, ...]
    """Per seat: `TRIED` or `_OPPONENT`."""
    result: PlayedMatch | None
    """Result of the match; None if it was stopped for taking too long."""

    @property
    def own_seats(self) -> tuple[int, ...]:
        """Seats of the tried bot."""
        return tuple(seat for seat, bot in enumerate(self.bots) if bot == TRIED)

    def label(self) -> str:
        """Return a phrase that names the match."""
        seats = len(self.bots)
        return f"its trial match of {self.game.id} with {seats} seat{'s' * (seats > 1)}"


def try_bot(
    bot: messages.BotSpec,
    games: Sequence[Ruleset],
    start_pool: messages.StartPool,
    wanted: Callable[[], bool] = lambda: True,
    seen: Callable[[tuple[Trial, ...]], None] = lambda _: None,
) -> tuple[Trial, ...]:
    """Play trial matches of each of `games` with `bot`, whose number is `TRIED`, all in the same processes.

    `wanted`: polled; the trials end when it returns False. `seen`: called after each trial with all trials so far,
        still without logs.

    Raises:
        LeagueError: if the trials failed through no fault of the bot.
    """
    bots = [bot, *_opponents()]
    logs: list[messages.BotLog] = []
    played: list[_Played] = []
    pool = _pool_with(bots, start_pool)
    try:
        for game, seated in _tables(games, played, can_oppose=len(bots) > 1):
            result = _play(pool, _task(len(played), game, seated), logs, wanted)
            played.append(_Played(game, seated, result))
            if result is None:
                break  # the bot's process hangs in this match
            seen(tuple(map(_trial, played)))
    finally:
        logs += pool.close()
    log = "".join(log.text for log in logs if log.number == TRIED)
    trials = [_with_place(_trial(match), log) for match in played]
    log = _shorten(log, [fault.reason for trial in trials for fault in trial.faults])
    return tuple(replace(trial, log=log) for trial in trials)


def _opponents() -> list[messages.BotSpec]:
    """Return the house bot for the opponents in trials; empty if this installation lacks it."""
    folder = house_folder(_OPPONENT_NAME)
    return [messages.BotSpec(_OPPONENT, folder.name, str(folder), ("python", "bot.py"))] if folder else []


def _pool_with(bots: Sequence[messages.BotSpec], start_pool: messages.StartPool) -> messages.Pool:
    """Start a pool that plays one match at a time.

    Raises:
        LeagueError: if it cannot be started.
    """
    try:
        return start_pool(bots, messages.Limits(bank_ms=_BANK_MS), workers=1, in_flight=1, cores=part_of_the_cores(2))
    except OSError as error:
        raise LeagueError(f"the trial match could not be started: {error.strerror or error}") from None
    except SandboxError as error:
        raise LeagueError(str(error)) from None


def _tables(
    games: Sequence[Ruleset], played: Sequence[_Played], *, can_oppose: bool
) -> Iterator[tuple[Ruleset, tuple[int, ...]]]:
    """Yield each game with its seating. `played`: finished matches, to which the caller adds each match."""
    others = _OPPONENT if can_oppose else TRIED
    for game in games:
        yield game, (TRIED, *[others] * (game.least_seats - 1))
        result = played[-1].result
        if game.most_seats > 1 and result and not _ENDING & {fault.kind for fault in result.faults}:
            yield game, tuple(others if seat in _OPPOSING else TRIED for seat in range(game.most_seats))


def _trial(played: _Played) -> Trial:
    """Return the result of a trial match, without its log."""
    game, seats, result = played.game.id, len(played.bots), played.result
    if result is None:
        why = f"{played.label()} was not over after {_MATCH_TIMEOUT_S:.0f} seconds"
        return Trial(game, seats, 0, (), (), (), "", why)
    own = played.own_seats
    faults = tuple(fault for fault in result.faults if fault.seat in own)
    decisions = sum(result.seats[seat].decisions for seat in own)
    distinct = distinct_faults(faults, result.record)
    forfeited = tuple(seat for seat in own if result.seats[seat].forfeited)
    refused = _refusal(played.label(), decisions, len(faults), distinct)
    times = [ms for seat, ms in times_from_bytes(unpacked(result.record)) if seat in own]
    mean, most = sum(times) / max(1, decisions), max(times, default=0)
    return Trial(game, seats, decisions, faults, distinct, forfeited, "", refused, mean, most, result.record)


def _with_place(trial: Trial, log: str) -> Trial:
    """Return a trial with the place of an endless loop, if the bots' library logged one, added to a time-out."""
    stuck = _STUCK.search(log)
    distinct = tuple(
        replace(each, fault=replace(each.fault, reason=each.fault.reason + stuck[1]))
        if stuck and each.fault.kind == FaultKind.TIMEOUT and each.fault.reason.startswith(_NO_ANSWER)
        else each
        for each in trial.distinct
    )
    refused = trial.refused
    for before, after in zip(trial.distinct, distinct, strict=True):
        refused = refused.replace(before.fault.reason, after.fault.reason)
    return replace(trial, distinct=distinct, refused=refused)


def _shorten(log: str, reasons: Sequence[str]) -> str:
    """Return the essential lines of `log`: distinct warnings, the first traceback, and the end.

    Lines with one of the `reasons` are left out, since these are shown with the faults.
    """
    lines = [line for line in log.splitlines(keepends=True) if not any(reason in line for reason in reasons)]
    warnings = dict.fromkeys(line for line in lines if line.startswith(_WARNING))
    rest, _ = newest("".join(line for line in lines if line not in warnings), _MAX_LOG_BYTES)
    traceback = "".join(f"{line}\n" for line in first_traceback([line.rstrip("\n") for line in lines]))
    first = "" if traceback in rest else newest(traceback, _MAX_LOG_BYTES)[0]
    return newest("".join(warnings), _MAX_LOG_BYTES)[0] + first + rest


def _task(number: int, game: Ruleset, bots: tuple[int, ...]) -> messages.DealTask:
    match = messages.MatchTask(
        id=0,
        ruleset=game.id,
        seed=hashlib.sha256(_SEED).digest(),
        bots=bots,
        luck=tuple(hashlib.sha256(_SEED + bytes([seat])).digest()[:16] for seat in range(len(bots))),
        options={name: value for name, value in _SHORT.items() if name in game.options},
        label=game.id,
    )
    return messages.DealTask(number, (match,))


def _play(
    pool: messages.Pool, task: messages.DealTask, logs: list[messages.BotLog], wanted: Callable[[], bool]
) -> PlayedMatch | None:
    """Play the match and return its result, None if it took too long; append the bot's stderr to `logs`."""
    deadline = time.monotonic() + _MATCH_TIMEOUT_S
    voids = 0
    pool.submit(task)
    while time.monotonic() < deadline:
        if not wanted():
            raise LeagueError("the trial match was cancelled")
        reports = pool.poll(_POLL_INTERVAL_S)
        logs += [report for report in reports if isinstance(report, messages.BotLog)]
        for report in reports:
            if isinstance(report, PlayedDeal):
                return report.matches[0]
            if not isinstance(report, messages.VoidDeal):
                continue
            voids += 1
            if voids == _MAX_VOIDS:
                raise LeagueError(f"the trial match failed, through no fault of the bot: {report.why}")
            if report.killed is not None:
                (match,) = task.matches
                task = replace(task, matches=(replace(match, unforgiven=frozenset(match.bots)),))
            pool.submit(task)
    return None


def _refusal(label: str, decisions: int, count: int, faults: Sequence[TrialFault]) -> str:
    """Return the reason for refusing a bot with faults; "" if there are none."""
    if not faults:
        return ""
    first = faults[0]
    if not decisions:
        return f"it could not start {label}: {first.fault.reason}"
    others = len(faults) - 1
    more = f" (and {others} other{'s' * (others > 1)})" if others else ""
    how_many = f"{count} fault{'s' * (count > 1)} in {decisions} decision{'s' * (decisions > 1)}"
    return f"it had {how_many} of {label}: {first.sentence()}{more}"


_LOG_LINES = 8  # lines of stderr shown with a refusal


@dataclass(frozen=True, slots=True)
class Report:
    """Result of checking a bundle."""

    bundle: Bundle | None
    """The bundle; None if it has problems."""
    problems: tuple[Problem, ...]
    """Problems; empty if the bot can be submitted."""
    trials: tuple[Trial, ...] = ()
    """Trial matches; empty if the bundle has problems or the version already existed."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """Result of a submission."""

    version: BotVersion
    """The stored version with the submitted files."""
    created: bool
    """Whether the version is new; an existing one is not tried again."""
    report: Report
    """The result of the check."""


def check(
    data: bytes,
    cache: BundleCache,
    start_pool: messages.StartPool,
    wanted: Callable[[], bool] = lambda: True,
    seen: Callable[[Report], None] = lambda _: None,
    known: Callable[[str], bool] = lambda _: False,
) -> Report:
    """Check a bundle and play its trials. `wanted`: see `read_zip` and `try_bot`.

    `seen`: called with the report so far after the bundle was read, and after each trial. `known`: returns whether a
    bot of this name exists, which exempts it from the rules for new names.

    Raises:
        LeagueError: if the trials failed through no fault of the bot.
    """
    try:
        bundle = read_bundle(data, wanted)
        _check_name(bundle.manifest.name, known)
        packages = _packages(bundle, cache)
    except BundleError as error:
        return Report(None, error.problems)
    return _try(bundle, packages, cache, start_pool, wanted, seen)


def submit(
    data: bytes,
    store: Store,
    cache: BundleCache,
    start_pool: messages.StartPool,
    wanted: Callable[[], bool] = lambda: True,
    *,
    author: str = "",
    seen: Callable[[Report], None] = lambda _: None,
) -> Submitted:
    """Check a bot and store it. `author`: its submitter, "" for an organiser.

    `wanted`, `seen`: see `check`; `seen` is also called with the problems before they are raised.

    Raises:
        BundleError: if the bundle has problems.
        OwnerError: if the bot belongs to another author.
        RefusedError: if the bot failed its trial; the message has the end of its stderr.
        LeagueError: if the trials failed through no fault of the bot.
    """
    try:
        bundle = read_bundle(data, wanted)
        _check_name(bundle.manifest.name, store.bots.has)
    except BundleError as error:
        seen(Report(None, error.problems))
        raise
    name = bundle.manifest.name
    if author and name in house_names():  # house bots are the anchors of ratings
        raise OwnerError(f"{name} is the name of a house bot; choose another name for your bot")
    store.bots.check_owner(name, author)
    known = store.bots.find(name, bundle.digest)
    if known is not None:
        return Submitted(known, created=False, report=Report(bundle, ()))
    packages = _packages(bundle, cache)
    report = _try(bundle, packages, cache, start_pool, wanted, seen)
    if report.problems:
        seen(report)  # report again with the log, which is complete only at the end
        raise _trial_error(name, report)
    first = next((trial.record for trial in report.trials), b"")
    version, created = store.bots.add(bundle.manifest, bundle.digest, bundle.data, author, packages, first)
    return Submitted(version, created, report)


def _trial_error(name: str, report: Report) -> RefusedError:
    """Return the error for a bot that failed its trials: the reason, likely causes, and the end of its log."""
    trial = next(trial for trial in report.trials if trial.refused)
    log = "\n".join(f"  {line}" for line in trial.log.splitlines()[-_LOG_LINES:])
    output = f"\nIt wrote:\n{log}" if log else ""
    causes = "".join(f"\n{problem}" for problem in report.problems if problem.where)
    return RefusedError(f"{name} is not admitted: {trial.refused}{causes}{output}")


def _check_name(name: str, known: Callable[[str], bool]) -> None:
    """Refuse reserved names for new bots.

    Raises:
        BundleError: for a reserved name, unless the bot exists already.
    """
    if not is_new_name(name) and not known(name):
        raise BundleError(Problem("bot.toml: name", f"{name!r} is not a valid name: {NAME_RULE}"))


def _packages(bundle: Bundle, cache: BundleCache) -> str:
    """Return the digest of a bot's current environment, "" for the default one.

    Raises:
        BundleError: if the environment is not on this machine.
    """
    try:
        return cache.environment(bundle.manifest.environment)
    except EnvironmentMissingError as missing:
        raise BundleError(Problem("bot.toml: environment", str(missing))) from None


def _try(
    bundle: Bundle,
    packages: str,
    cache: BundleCache,
    start_pool: messages.StartPool,
    wanted: Callable[[], bool],
    seen: Callable[[Report], None],
) -> Report:
    manifest = bundle.manifest
    games = [ruleset(game) for game in manifest.games]
    with cache.for_a_trial(bundle.digest, lambda: bundle.data) as folder:

        def report(trials: tuple[Trial, ...]) -> Report:
            refused = [trial for trial in trials if trial.refused]
            problems = [Problem("", trial.refused) for trial in refused]
            said = "\n".join([trial.log + fault.reason for trial in refused for fault in trial.faults])
            causes = (*hidden_modules(folder, manifest.command, said), *cache.missing_modules(said))
            return Report(bundle, (*problems, *causes), trials)

        seen(report(()))
        bot = messages.BotSpec(TRIED, manifest.name, str(folder), manifest.command, packages=cache.packages(packages))
        return report(try_bot(bot, games, start_pool, wanted, lambda trials: seen(report(trials))))
