"""Leagues to play with, and what is left of them."""

import hashlib
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sa

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.create import create_league
from beanleague.league.formats.table import format_of
from beanleague.league.run.progress import Progress
from beanleague.league.run.reports import Listener
from beanleague.league.run.runner import LeagueRun, RunSettings
from beanleague.league.run.source import Clocks
from beanleague.league.schedule import seeds
from beanleague.league.verify.verification import Verification, verify_league
from beanleague.model import LeagueRequest
from beanleague.referee.messages import StartPool
from beanleague.store import Store
from beanleague.store.tables import METADATA, VERSION
from tests.league.fakepool import FakePools
from tests.timeless import timeless

SECRET = b"a master secret of a test"
TOML = 'name = "{name}"\ngames = ["bohnanza"]\ncommand = ["python", "bot.py"]\n'
DERIVED = frozenset({"rating_snapshot", "rating"})
VOIDS = DERIVED | {"deal", "void"}  # voids are counted in the deals, and reported
TIMES = frozenset({"created", "published", "played", "submitted", "updated", "happened", "position"})
"""Columns that say when something happened, or in which order."""

NODE_IDS = ("node.id", "deal.node_id", "void.node_id")
"""On PostgreSQL a transaction that has no effect may use one up."""


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip file with these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def bundle(name: str, code: str = "", games: Sequence[str] = ("bohnanza",), environment: str = "") -> bytes:
    """Return the bundle of a bot called `name`."""
    toml = TOML.format(name=name).replace('["bohnanza"]', json.dumps(games))
    if environment:
        toml += f"environment = {json.dumps(environment)}\n"
    return zipped({"bot.toml": toml, "bot.py": code})


def keep(store: Store, data: bytes) -> None:
    """Keep the bot in this bundle, without the trials that submitted bots play."""
    made = read_bundle(data)
    store.bots.add(made.manifest, made.digest, made.data)


def store_with_bots(where: Path | str, bots: int, game: str = "bohnanza") -> Store:
    """Return a store, in a file or at a URL, with so many bots that play `game`: bot0, bot1, ..."""
    url = f"sqlite:///{where}" if isinstance(where, Path) else where
    file = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:") or file.exists():
        return _with_bots(Store(url), bots, game)
    file.touch(0o600)
    file.write_bytes(_file_with_bots(bots, game))
    store = Store(url)
    with store.database.write() as connection:
        connection.execute(sa.update(VERSION).values(submitted=time.time() + VERSION.c.id / 1e6))
    return store


@cache
def _file_with_bots(bots: int, game: str) -> bytes:
    """Return a SQLite file with these bots: submitting them takes five times as long as copying it."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "a.db"
        _with_bots(Store(f"sqlite:///{file}"), bots, game).close()
        return file.read_bytes()


def _with_bots(store: Store, bots: int, game: str) -> Store:
    for number in range(bots):
        keep(store, bundle(f"bot{number}", games=[game]))
    return store


def store_with_league(
    where: Path | str, *, bots: int = 5, seats: int = 4, deals: int = 10, game: str = "bohnanza", **settings: object
) -> Store:
    """Return a store with the league "spring", whose master secret is `SECRET`."""
    store = store_with_bots(where, bots, game)
    request = LeagueRequest(name="spring", ruleset=game, seats=seats, deals=deals, secret=SECRET, **settings)  # type: ignore[arg-type]
    try:
        create_league(store, request)
    except BaseException:
        store.close()
        raise
    return store


def submit_late(store: Store, name: str = "late", game: str = "bohnanza") -> None:
    """Submit one more bot, or one more version."""
    keep(store, bundle(name, "later", [game]))


def league_run(
    store: Store,
    pools: StartPool,
    *,
    name: str = "spring",
    workers: int = 2,
    in_flight: int = 4,
    report: Callable[[Progress], None] = lambda _: None,
    packed: Callable[[Progress], bytes] = lambda _: b"",
    clock: Callable[[], float] = time.monotonic,
    now: Callable[[], float] = time.time,
) -> LeagueRun:
    """Return a run of "spring", or of another league, that plays in `pools`."""
    return LeagueRun(
        store,
        name,
        format_of(store.leagues.get(name)).playing,
        BundleCache(folder_of(store) / "cache"),
        RunSettings(workers, in_flight),
        pools,
        listener=Listener(report, packed),
        clocks=Clocks(clock, now),
    )


def verified(store: Store, name: str, **how: Any) -> Iterator[Verification]:
    """Verify a league by its format."""
    league = store.leagues.get(name)
    return verify_league(store, league, format_of(league).checks, **how)


def played(store: Store, pools: FakePools, *, in_flight: int = 4) -> Store:
    """Run the league "spring"; return its store."""
    league_run(store, pools, in_flight=in_flight).play()
    return store


@contextmanager
def repeatable_secrets(name: str) -> Iterator[None]:
    """Make the secrets of new leagues and days follow from a name: what is drawn with them is the same in every run."""
    numbers = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeds, "new_secret", lambda: hashlib.sha256(f"{name}/{next(numbers)}".encode()).digest())
        yield


def slow_clock(step_s: float = 0.05) -> Callable[[], float]:
    """Return a clock that goes on whenever somebody looks: so slow a run commits each deal by itself."""
    steps = count()
    return lambda: next(steps) * step_s


def derived_problems(store: Store) -> list[str]:
    """Compute all that follows from the results of the league "spring" again; return what is stored otherwise."""
    *_, last = reports = list(verified(store, "spring", workers=0, replay=False))
    assert last.done
    return [str(finding) for report in reports for finding in report.findings]


def folder_of(store: Store) -> Path:
    """Return a folder that is removed after a test: that of the file, or that of the server of PostgreSQL."""
    return store.database.file.parent if store.database.file else Path(str(store.database._engine.url.query["host"]))


def contents(store: Store, *, leave_out: frozenset[str] = frozenset()) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables but those left out, without times (in records, too) and the order of commits."""
    found: dict[str, list[tuple[object, ...]]] = {}
    with store.database.read() as connection:
        for table in METADATA.sorted_tables:
            if table.name not in leave_out and table.name != "schema_version":
                columns = [each for each in table.columns if each.name not in TIMES and str(each) not in NODE_IDS]
                rows = connection.execute(table.select().with_only_columns(*columns)).all()
                found[table.name] = sorted((_without_times(table.name, tuple(row)) for row in rows), key=repr)
    return found


def _without_times(table: str, row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(timeless(value) if isinstance(value, bytes) else value for value in row) if table == "match" else row
