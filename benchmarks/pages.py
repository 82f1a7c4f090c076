"""Pages of a league of a thousand bots: size and processor time of each.

Each page is requested after the site has loaded its league, and past the cache of pages.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import httpx
import numpy as np

from beanleague.league.counting import count, keep
from beanleague.league.schedule.schedule import rotations
from beanleague.model import Manifest, NewLeague
from beanleague.service.access import Role
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.store.tables import DEAL
from beanleague.web.app import make_app
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanleague.web.site import Site
from beanproto.v1.league_pb2_grpc import LeagueStub
from benchmarks.figures import Figure

BOTS, SEATS, DEALS = 1_000, 4, 25_000
_SNAPSHOTS = 14  # one for each doubling of the deals
_RUNS = 5
PAGES = {
    "standings": "/leagues/many",
    "bots": "/bots",
    "deals": "/leagues/many/deals",
    "compare": "/compare?league=many&a=bot3@1&b=bot800@1",
    "history": "/leagues/many/history",
    "matrix": "/leagues/many/matrix?row=480&column=480",
    "a bot": "/bots/bot500",
}


def measure() -> list[Figure]:
    """Return kilobytes and milliseconds of each page."""
    figures = []
    with tempfile.TemporaryDirectory() as folder, site_of(fill(Path(folder) / "many.db")) as (site, client):
        for name, path in PAGES.items():
            size, taken = len(client.get(path).raise_for_status().content), []
            for _ in range(_RUNS):
                site.reader.clear()  # as after a while
                before = _cpu()
                client.get(path)
                taken.append(1000 * (_cpu() - before))
            figures += [
                Figure(f"pages: {name} of {BOTS:,} bots", "kB", (size / 1000,), "< 200"),
                Figure(f"pages: {name} of {BOTS:,} bots, CPU", "ms", tuple(taken), "< 100"),
            ]
    return figures


@contextmanager
def site_of(file: Path) -> Iterator[tuple[Site, httpx.Client]]:
    """Serve the site of a database; give it, and a client of it."""
    with embedded(f"sqlite:///{file}", cache=file.parent / "cache", guest=Role.VIEWER) as channel:
        app = make_app(LeagueStub(channel), SiteSettings(), tables=channel)
        with serving(app, "127.0.0.1:0") as url, httpx.Client(base_url=url, timeout=60) as client:
            yield app.state.site, client


def fill(file: Path, bots: int = BOTS, deals: int = DEALS) -> Path:
    """Make a league with results and ratings, but without matches: only their lists read these."""
    chance = np.random.default_rng(1)
    tables = np.sort([chance.choice(bots, SEATS, replace=False) for _ in range(deals)], axis=1)
    seatings = tables[:, np.array(rotations(range(SEATS)))]
    played = chance.normal(0, 0.7, bots)[seatings] + chance.gumbel(size=seatings.shape)
    places = ((-played).argsort(axis=2).argsort(axis=2) + 1).astype(np.uint8)
    with Store(f"sqlite:///{file}") as store:
        manifests = [Manifest(f"bot{n}", ("bohnanza",), ("python", "bot.py")) for n in range(bots)]
        versions = [store.bots.add(made, sha256(made.name.encode()).hexdigest(), b"")[0].id for made in manifests]
        new = NewLeague(
            name="many", ruleset="bohnanza", seats=SEATS, secret=b"secret", deals=deals, versions=tuple(versions)
        )
        league = store.leagues.create(new)
        empty = {"seed_digest": bytes(32), "seed": bytes(32), "voids": 0, "published": 0.0, "played": 0.0, "layer": ""}
        rows = [
            {"league_id": league.id, "number": number, "entrants": table, "results": result.tobytes(), **empty}
            for number, (table, result) in enumerate(zip(tables.tolist(), places, strict=True), 1)
        ]
        for snapshot in range(_SNAPSHOTS, -1, -1):
            upto = deals >> snapshot
            with store.database.write() as connection:
                done = connection.exec_driver_sql("SELECT count(*) FROM deal").scalar_one()
                if upto > done:
                    connection.execute(DEAL.insert(), rows[done:upto])
                connection.exec_driver_sql(f"UPDATE league SET deals_done = {upto}, matches_done = {SEATS * upto}")
                connection.exec_driver_sql(f"UPDATE entrant SET deals = {upto}, matches = {SEATS * upto}, score = 1")
            league = store.leagues.get("many")
            keep(store, league, count(store, league))
    return file


def _cpu() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
