"""Ratings of a million stored matches: the time that standings, a refit and intervals take, beside other libraries."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from hashlib import sha256
from time import monotonic, perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beanleague.league.counting import Compared, compute_snapshot, count
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.fit import fit
from beanleague.league.run.deals import Dealer
from beanleague.league.schedule.schedule import rotations
from beanleague.league.schedule.tables import tables_of_everybody
from beanleague.league.standings import standings
from beanleague.model import League, Manifest, NewLeague
from beanleague.store import Store
from beanleague.store.tables import DEAL
from benchmarks.figures import Figure
from tests.league.schedule.helpers import tables

BOTS, SEATS, DEALS = 100, 4, 250_000
MATCHES = f"{SEATS * DEALS:,} matches"
SMALL = 500  # deals given to the other libraries
CHUNK = 50_000  # deals written at once
RUNS = 5

Deals = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Entrants and places by seat: both (deals, rotations, seats)."""


def measure() -> list[Figure]:
    """Return milliseconds for each operation, with 100 bots at 4 seats."""
    deals = _deals()
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/a.db") as store:
        league = _fill(store, deals)
        counters = count(store, league)
        snapshot = compute_snapshot(counters)
        store.ratings.keep(league.id, snapshot)
        return [
            _timed(f"standings of {MATCHES}", lambda: standings(store, league, running=False), "< 10"),
            _timed(f"matrix of {MATCHES}", lambda: Compared(store, league).matrix(range(BOTS), range(BOTS)), runs=3),
            _timed("refit of 100 bots from counters", lambda: fit(counters), "< 50"),
            _timed(f"intervals (and the fit) of {MATCHES}", lambda: compute_snapshot(counters), "< 3000", runs=3),
            _timed(f"a run goes on: results of {MATCHES}", lambda: count(store, league), runs=3),
            _timed(f"a run goes on: schedule after {MATCHES}", lambda: _dealer(store, league), runs=3),
            _timed("schedule of 100 bots, 4,950 tables of 4", lambda: tables(BOTS, SEATS, 4950), "< 5000", runs=3),
            *_others(deals),
        ]


def _dealer(store: Store, league: League) -> Dealer:
    return Dealer(store, league, tables_of_everybody, batch=lambda: 1, joined=lambda _: True, clock=monotonic)


def _deals() -> Deals:
    """Return deals at tables drawn at random, each in all rotations; places by strength and chance."""
    chance = np.random.default_rng(1)
    strength = chance.normal(0, 0.7, BOTS)
    tables = np.sort(chance.permuted(np.tile(np.arange(BOTS), (DEALS, 1)), axis=1)[:, :SEATS], axis=1)
    seatings = tables[:, np.array(rotations(range(SEATS)))]
    played = strength[seatings] + chance.normal(0, 1.8, seatings.shape)
    return seatings, (-played).argsort(axis=2).argsort(axis=2) + 1


def _fill(store: Store, deals: Deals) -> League:
    """Make a league that is played to its end. Its matches are not stored: nothing here reads them."""
    manifests = [Manifest(f"bot{n}", ("bohnanza",), ("python", "bot.py")) for n in range(BOTS)]
    versions = [store.bots.add(made, sha256(made.name.encode()).hexdigest(), b"")[0].id for made in manifests]
    league = store.leagues.create(
        NewLeague(name="big", ruleset="bohnanza", seats=SEATS, secret=b"secret", deals=DEALS, versions=tuple(versions))
    )
    seatings, places = deals
    for start in range(0, DEALS, CHUNK):
        played = zip(seatings[start : start + CHUNK, 0].tolist(), places[start : start + CHUNK], strict=True)
        rows = [
            {
                "league_id": league.id,
                "number": number,
                "entrants": table,
                "seed_digest": bytes(32),
                "layer": "",
                "seed": bytes(32),
                "voids": 0,
                "published": 0.0,
                "played": 0.0,
                "results": result.astype(np.uint8).tobytes(),
            }
            for number, (table, result) in enumerate(played, start + 1)
        ]
        with store.database.write() as connection:
            connection.execute(DEAL.insert(), rows)
    with store.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE league SET deals_done = {DEALS}, matches_done = {SEATS * DEALS}")
        connection.exec_driver_sql("UPDATE entrant SET deals = 10000, matches = 40000, score = 1")
    return store.leagues.get("big")


def _others(deals: Deals) -> list[Figure]:
    """Return how long other installed libraries take, on fewer matches, beside the fit here."""
    seatings, places = (array[:SMALL] for array in deals)
    few = Counters(BOTS)
    few.add_deals(seatings, places)
    each = np.arange(BOTS)
    some, _ = few.pairs().half_wins(each[:, None], each)
    winners, losers = np.nonzero(some)
    pairs = np.repeat(np.stack([winners, losers], axis=1), some[winners, losers] // 2, axis=0)
    figures = [_timed("fit here, 2,000 matches of 100 bots", lambda: fit(few))]
    if choix := _library("choix"):
        figures.append(_timed("choix, iterative LSR, 2,000 matches", lambda: choix.ilsr_pairwise(BOTS, pairs, 0.01)))
    if evalica := _library("evalica"):
        one, other = pairs[:, 0].tolist(), pairs[:, 1].tolist()
        won = [evalica.Winner.X] * len(one)
        figures.append(_timed("evalica, Bradley-Terry, 2,000 matches", lambda: evalica.bradley_terry(one, other, won)))
    if openskill := _library("openskill.models"):
        matches = list(zip(seatings.reshape(-1, SEATS).tolist(), places.reshape(-1, SEATS).tolist(), strict=True))
        figures.append(
            _timed("openskill, Plackett-Luce, 2,000 matches", lambda: _openskill(openskill, matches), runs=1)
        )
    return figures


def _openskill(models: Any, matches: list[tuple[list[int], list[int]]]) -> None:  # noqa: ANN401  # a module
    model = models.PlackettLuce()
    players = [model.rating() for _ in range(BOTS)]
    for seated, places in matches:
        after = model.rate([[players[bot]] for bot in seated], ranks=places)
        for bot, (player,) in zip(seated, after, strict=True):
            players[bot] = player


def _library(name: str) -> Any:  # noqa: ANN401  # return type: any installed library
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def _timed(what: str, work: Callable[[], object], aim: str = "", *, runs: int = RUNS) -> Figure:
    taken = []
    for _ in range(runs):
        start = perf_counter()
        work()
        taken.append((perf_counter() - start) * 1000)
    return Figure(f"ratings: {what}", "ms", tuple(taken), aim)
