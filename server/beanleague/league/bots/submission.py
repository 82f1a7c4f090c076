"""Submitting a bot: its bundle is checked, it plays its trials, and is stored as a new version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from beanleague.games import ruleset
from beanleague.league.bots.bundles import Bundle, read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError
from beanleague.league.bots.house_bots import house_names
from beanleague.league.bots.trial import TRIED, Trial, try_bot
from beanleague.league.errors import BundleError, Problem, RefusedError
from beanleague.model import BotVersion
from beanleague.referee.messages import BotSpec, StartPool
from beanleague.store import OwnerError
from beanleague.store.store import Store

_LOG_LINES = 8  # of stderr shown with a refusal


@dataclass(frozen=True, slots=True)
class Report:
    """The result of checking a bundle."""

    bundle: Bundle | None
    """None if it has problems."""
    problems: tuple[Problem, ...]
    """Empty if the bot may be submitted."""
    trials: tuple[Trial, ...] = ()
    """Its trial matches; empty if the bundle has problems, or its version existed already."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A bot that was submitted."""

    version: BotVersion
    """The version with these files."""
    created: bool
    """False if this version existed already; then it was not tried again."""
    report: Report
    """The result of the check."""


def check(
    data: bytes,
    cache: BundleCache,
    start_pool: StartPool,
    wanted: Callable[[], bool] = lambda: True,
    seen: Callable[[Report], None] = lambda _: None,
) -> Report:
    """Check a bundle and let the bot play its trials. `wanted`: see `read_zip` and `try_bot`.

    `seen`: called with what is known when the bundle has been read, and after each trial.

    Raises:
        LeagueError: if it could not be tried, through no fault of the bot.
    """
    try:
        bundle = read_bundle(data, wanted)
        packages = _packages(bundle, cache)
    except BundleError as error:
        return Report(None, error.problems)
    return _try(bundle, packages, cache, start_pool, wanted, seen)


def submit(
    data: bytes,
    store: Store,
    cache: BundleCache,
    start_pool: StartPool,
    wanted: Callable[[], bool] = lambda: True,
    *,
    author: str = "",
    seen: Callable[[Report], None] = lambda _: None,
) -> Submitted:
    """Check a bot and store it. `author`: who submits it, "" for an organiser.

    `wanted`, `seen`: see `check`; `seen` is also called with the problems before they are raised.

    Raises:
        BundleError: if the bundle has problems.
        OwnerError: if the bot belongs to somebody else.
        RefusedError: if the bot failed its trial; the message has the end of what it wrote to stderr.
        LeagueError: if it could not be tried, through no fault of the bot.
    """
    try:
        bundle = read_bundle(data, wanted)
    except BundleError as error:
        seen(Report(None, error.problems))
        raise
    name = bundle.manifest.name
    if author and name in house_names():  # ratings are anchored on these
        raise OwnerError(f"{name} is the name of a house bot; give yours another name")
    store.bots.check_owner(name, author)
    known = store.bots.find(name, bundle.digest)
    if known is not None:
        return Submitted(known, created=False, report=Report(bundle, ()))
    packages = _packages(bundle, cache)
    report = _try(bundle, packages, cache, start_pool, wanted, seen)
    if report.problems:
        seen(report)  # with what it wrote, which is known at the end only
        trial = next(trial for trial in report.trials if trial.refused)
        log = "\n".join(f"  {line}" for line in trial.log.splitlines()[-_LOG_LINES:])
        output = f"\nIt wrote:\n{log}" if log else ""
        raise RefusedError(f"{name} is not admitted: {trial.refused}{output}")
    version, created = store.bots.add(bundle.manifest, bundle.digest, bundle.data, author, packages)
    return Submitted(version, created, report)


def _packages(bundle: Bundle, cache: BundleCache) -> str:
    """Return the digest of the environment of a bot as it is now, "" for the default one.

    Raises:
        BundleError: if it is not on this machine.
    """
    try:
        return cache.environment(bundle.manifest.environment)
    except EnvironmentMissingError as missing:
        raise BundleError(Problem("bot.toml: environment", str(missing))) from None


def _try(
    bundle: Bundle,
    packages: str,
    cache: BundleCache,
    start_pool: StartPool,
    wanted: Callable[[], bool],
    seen: Callable[[Report], None],
) -> Report:
    def so_far(trials: tuple[Trial, ...]) -> None:
        seen(_report(bundle, trials))

    so_far(())
    manifest = bundle.manifest
    games = [ruleset(game) for game in manifest.games]
    with cache.for_a_trial(bundle.digest, lambda: bundle.data) as folder:
        bot = BotSpec(TRIED, manifest.name, str(folder), manifest.command, packages=cache.packages(packages))
        trials = try_bot(bot, games, start_pool, wanted, so_far)
    return _report(bundle, trials)


def _report(bundle: Bundle, trials: tuple[Trial, ...]) -> Report:
    return Report(bundle, tuple(Problem("", trial.refused) for trial in trials if trial.refused), trials)
