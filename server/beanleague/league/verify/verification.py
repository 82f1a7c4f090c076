"""Verification of a league: stored data against the rules, the master secret, the bundles and each other."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields

from beanleague.games import check_rules_version
from beanleague.league.bots.bundles import digest
from beanleague.league.bots.manifest import MANIFEST, admitted_manifest
from beanleague.league.bots.reading import read_zip
from beanleague.league.create import ALL_SEATINGS_AT
from beanleague.league.errors import BundleError, RequestError
from beanleague.league.verify.checks import Checks, Secrets
from beanleague.league.verify.deals import Finding, Frame, differs, unreadable
from beanleague.league.verify.derived import check_derived, check_ended, check_idle, check_places, readable
from beanleague.league.verify.ladders import day_range
from beanleague.league.verify.worker import Batch, check_batches
from beanleague.model import BotVersion, Entrant, League, Manifest
from beanleague.store import DamagedError, MissingError, Store

MAX_FINDINGS = 1000
"""Maximum number of findings listed; the rest are only counted."""

_BATCH_MATCHES = 32  # matches per batch of a worker: a tenth of a second to half a second


@dataclass(frozen=True, slots=True)
class Verification:
    """Progress of a verification."""

    matches_done: int
    """Number of matches checked so far."""
    matches_total: int
    """Number of matches to check."""
    seconds: float
    """Seconds since the start."""
    findings: tuple[Finding, ...]
    """Findings since the last report; at most `MAX_FINDINGS` overall."""
    finding_count: int
    """Number of findings so far."""
    done: bool = False
    """Whether everything was checked."""


class _Reports:
    """Collects findings and makes progress reports."""

    def __init__(self, total: int) -> None:
        self._began = time.monotonic()
        self._count = 0
        self.total = total
        self.matches = 0

    def report(self, findings: Iterable[Finding], *, done: bool = False) -> Verification:
        found = list(findings)
        room = max(MAX_FINDINGS - self._count, 0)
        self._count += len(found)
        seconds, findings = time.monotonic() - self._began, tuple(found[:room])
        return Verification(self.matches, self.total, seconds, findings, finding_count=self._count, done=done)


class _Whole:
    """Verification of a whole league, which must be idle and remain unchanged."""

    deals: tuple[int, ...] = ()
    """First and last deal to be replayed; () for all."""

    def __init__(self, store: Store, league: League, checks: Checks) -> None:
        self._store, self._league, self._checks = store, league, checks
        self.secrets = checks.secrets(store, league)
        self.matches = league.matches_done

    def findings(self, *, replay: bool) -> Iterator[Iterable[Finding]]:
        """Yield the findings of each check that replays no match."""
        store, league, checks = self._store, self._league, self._checks
        yield readable(league, "league", lambda: _check_settings(store, league, checks))
        if replay:
            yield readable(league, "bot_version", lambda: _check_bots(store, league))
        yield check_derived(store, league, checks.history)
        if not replay:
            yield readable(league, "deal", lambda: check_places(store, league))

    def check_unchanged(self) -> None:
        """Check that the league is as it was before the verification.

        Raises:
            RequestError: if the league was changed, or is being run.
        """
        name = self._league.name
        if self._store.leagues.get(name) != self._league or self._league.id in self._store.runs.running():
            raise RequestError(f"{name} changed while it was being verified; verify it again when it is not being run")


class _Day:
    """Verification of a finished day of a ladder from the checkpoint before it; later days may be running."""

    def __init__(self, store: Store, league: League, day: int) -> None:
        self._store, self._league = store, league
        self._range = of = day_range(store, league, day)
        self.deals = (of.before.deals + 1, of.after.deals)
        self.secrets = ((of.before.deals + 1, of.day.secret),)
        self.matches = (of.after.position - of.before.position) * league.matches_a_deal

    def findings(self, *, replay: bool) -> Iterator[Iterable[Finding]]:
        """Yield the findings of each check that replays no match."""
        del replay
        yield check_ended(self._store, self._league, self._range)

    def check_unchanged(self) -> None:
        """Do nothing: changes during the verification belong to later days."""


def verify_league(
    store: Store,
    league: League,
    checks: Checks,
    *,
    workers: int,
    replay: bool = True,
    day: int = 0,
    wanted: Callable[[], bool] = lambda: True,
) -> Iterator[Verification]:
    """Check a league and yield progress; the last report is `done`, unless `wanted` returned False.

    `checks`: verification strategy of its format. `day`: check only this finished day of a ladder, from the checkpoint
        before it; the ladder may be running.

    `replay`: also replay every match and check the bundles. `workers`: number of processes that check matches; 0, or a
        league of at most two batches, uses this process.

    Raises:
        RequestError: if the league is being run or was changed, or the day does not exist or has not ended.
        RulesVersionError: if the league has another version of the rules than this program.
        LeagueError: if a checking process fails.
    """
    part = _part(store, league, checks, day)
    frame = _frame(store, league, part.secrets)
    reports = _Reports(part.matches)
    yield reports.report(())
    for findings in part.findings(replay=replay):
        yield reports.report(findings)
    if replay:
        batch_deals = max(_BATCH_MATCHES // max(league.matches_a_deal, 1), 1)
        batches = store.audit.deals(league.id, batch_deals, *part.deals)
        yield from _played_again(frame, batches, reports, workers, wanted)
    if wanted():
        part.check_unchanged()
        yield reports.report((), done=True)


def _part(store: Store, league: League, checks: Checks, day: int) -> _Whole | _Day:
    """Return the part of a league to verify, after checking that this is possible now."""
    if not day:
        check_idle(store, league, has_days=checks.has_days)
    check_rules_version(league.rules, f"the league {league.name}")
    checks.require(store, league)
    if not day:
        return _Whole(store, league, checks)
    if not checks.has_days:
        raise RequestError(f"{league.name} is a league, which has no days; verify it without --day")
    return _Day(store, league, day)


def _frame(store: Store, league: League, secrets: Secrets) -> Frame:
    entrants = store.leagues.entrants(league.id)
    thief = next((entrant.number for entrant in entrants if entrant.version_id is None), None)
    return Frame(league, tuple(entrant.label for entrant in entrants), thief, secrets)


def _played_again(
    frame: Frame, batches: Iterator[Batch], reports: _Reports, workers: int, wanted: Callable[[], bool]
) -> Iterator[Verification]:
    """Replay the matches of deals, and report differences."""
    league = frame.league
    if reports.total <= 2 * _BATCH_MATCHES:  # checking here is faster than starting processes
        workers = 0
    try:
        for batch, found in check_batches(frame, batches, workers, wanted):
            reports.matches += sum(len(rows["match"]) for _, rows in batch)
            yield reports.report(found)
    except (TypeError, ValueError, DamagedError) as error:  # raised if a column has a wrong type or value
        yield reports.report([unreadable(league.name, "deal", error)])


def _check_settings(store: Store, league: League, checks: Checks) -> Iterator[Finding]:
    """Yield settings that contradict each other."""
    yield from checks.settings(store, league)
    if league.all_seatings and league.seats != ALL_SEATINGS_AT:
        yield Finding(league.name, "league.all_seatings", f"is set for {league.seats} seats")
    cpus = {totals.node.cpu for totals in store.nodes.totals(league.id) if totals.deals}
    if league.one_cpu and cpus - {league.cpu}:
        yield from differs(league.name, "league.cpu", league.cpu, ", ".join(sorted(cpus)), "its deals were played on")
    elif league.cpu and not league.one_cpu:
        yield Finding(league.name, "league.cpu", "is set in a league that any CPU may play")


def _check_bots(store: Store, league: League) -> Iterator[Finding]:
    """Yield the problems of the entrants' bot versions, one entrant at a time."""
    for entrant in store.leagues.entrants(league.id):
        if entrant.version_id is None:
            if not league.solo:
                yield Finding(f"entrant {entrant.number}", "entrant.version_id", "is not set")
            continue
        try:
            version = store.bots.version(entrant.bot, entrant.version)
        except MissingError:
            missing = f"there is no version with the id {entrant.version_id}, or no bot of it"
            yield Finding(f"entrant {entrant.number}", "entrant.version_id", missing)
            continue
        yield from _check_version(store, league, entrant, version)


def _check_version(store: Store, league: League, entrant: Entrant, version: BotVersion) -> Iterator[Finding]:
    where = entrant.label
    try:
        data = store.bots.bundle(version.digest)
        files = read_zip(data)
        found = digest(files)
        manifest = admitted_manifest(files[MANIFEST].content)
    except (MissingError, BundleError, KeyError) as error:
        yield Finding(where, "bundle.data", f"cannot be read: {error}")
        return
    if found != version.digest:
        yield Finding(where, "bundle.data", f"its files have the digest {found}, and should have {version.digest}")
    yield from differs(where, "bot_version.bundle_bytes", version.bundle_bytes, len(data), "the bundle has")
    for field in fields(Manifest):
        table = "bot" if field.name == "name" else "bot_version"
        stored, said = getattr(version.manifest, field.name), getattr(manifest, field.name)
        yield from differs(where, f"{table}.{field.name}", stored, said, "bot.toml in the bundle says")
    if league.ruleset not in manifest.games:
        yield Finding(where, "league.ruleset", f"by its bot.toml this bot does not play {league.ruleset}")
