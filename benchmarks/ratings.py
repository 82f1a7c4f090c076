"""Ratings of a million stored matches: what standings, a refit and intervals cost, and what other libraries take."""

from __future__ import annotations

import importlib
import random
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from beanleague.league.counters import Counters
from beanleague.league.fit import fit
from beanleague.league.matrix import stored_pairs
from beanleague.league.schedule import Schedule, rotations
from beanleague.league.standings import count, rated, standings
from beanleague.store.pairs import add_pairs
from beanleague.store.store import Store
from beanleague.store.tables import DealRow, core
from beanleague.store.values import Manifest, NewLeague, PlayedDeal, PlayedMatch, PlayedSeat
from benchmarks.figures import Figure

BOTS, SEATS, DEALS = 100, 4, 25_000
MATCHES = f"{SEATS * DEALS:,} matches"
SMALL = 500  # deals given to the other libraries
RUNS = 5


def measure() -> list[Figure]:
    """Return milliseconds of each, with 100 bots at 4 seats."""
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/a.db") as store:
        league_id = _fill(store)
        league = store.leagues.get("big")
        counters = count(store, league)
        snapshot = rated(counters)
        store.ratings.keep(league_id, DEALS, snapshot.ratings, better=snapshot.better)
        return [
            _timed(f"standings of {MATCHES}", lambda: standings(store, league, running=False), "< 10"),
            _timed("reading the pair counters of 100 bots", lambda: stored_pairs(store, league)),
            _timed("refit of 100 bots from counters", lambda: fit(counters), "< 50"),
            _timed(f"intervals (and the fit) of {MATCHES}", lambda: rated(counters), "< 3000", runs=2),
            _timed(f"reading and counting {DEALS:,} deals again", lambda: count(store, league), runs=2),
            *_others(),
        ]


def _deals() -> Iterator[PlayedDeal]:
    chance = random.Random(1)
    strength = [chance.gauss(0, 0.7) for _ in range(BOTS)]
    schedule = Schedule(BOTS, SEATS)
    for number in range(1, DEALS + 1):
        matches = []
        for rotation, seated in enumerate(rotations(schedule.next())):
            order = sorted(range(SEATS), key=lambda seat: strength[seated[seat]] + chance.gauss(0, 1.8), reverse=True)
            place = {seat: rank for rank, seat in enumerate(order, 1)}
            seats = tuple(PlayedSeat(bot, 0, place[seat], 50, (), forfeited=False) for seat, bot in enumerate(seated))
            matches.append(PlayedMatch(rotation, b"", seats))
        yield PlayedDeal(number, b"seed", tuple(matches))


def _fill(store: Store) -> int:
    """Make a league of which all is played; its matches themselves are left out: no figure here reads them."""
    manifest = [Manifest(f"bot{n}", ("bohnanza",), ("python", "bot.py")) for n in range(BOTS)]
    versions = [store.bots.add(made, f"digest {made.name}", b"")[0].id for made in manifest]
    league = store.leagues.create(NewLeague("big", "bohnanza", SEATS, {}, {}, b"secret", DEALS, False, tuple(versions)))
    deals = _deals()
    while chunk := list(islice(deals, 10_000)):
        rows = [
            {
                "league_id": league.id,
                "number": deal.number,
                "entrants": [seat.entrant for seat in deal.matches[0].seats],
                "seed_digest": b"",
                "seed": deal.seed,
                "voids": 0,
                "published": 0.0,
                "played": 0.0,
                "results": bytes(seat.place for match in deal.matches for seat in match.seats),
            }
            for deal in chunk
        ]
        with store.database.write() as session:
            session.connection().execute(core(DealRow).insert(), rows)
            add_pairs(session, league.id, chunk)
    with store.database.write() as session:
        session.connection().exec_driver_sql(f"UPDATE league SET deals_done = {DEALS}, matches_done = {4 * DEALS}")
        session.connection().exec_driver_sql("UPDATE entrant SET deals = 10000, matches = 40000, score = 1")
    return league.id


def _others() -> list[Figure]:
    """Return what the libraries take that are installed, on fewer matches, beside the fit here."""
    few = Counters(BOTS)
    for deal in islice(_deals(), SMALL):
        few.add_deal([([s.entrant for s in match.seats], [s.place for s in match.seats]) for match in deal.matches])
    some = few.half_wins()
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
        figures.append(_timed("openskill, Plackett-Luce, 2,000 matches", lambda: _openskill(openskill), runs=1))
    return figures


def _openskill(models: object) -> None:
    model = models.PlackettLuce()  # type: ignore[attr-defined]
    players = [model.rating() for _ in range(BOTS)]
    for deal in islice(_deals(), SMALL):
        for match in deal.matches:
            teams = [[players[seat.entrant]] for seat in match.seats]
            after = model.rate(teams, ranks=[seat.place for seat in match.seats])
            for seat, (player,) in zip(match.seats, after, strict=True):
                players[seat.entrant] = player


def _library(name: str) -> Any:  # noqa: ANN401  # whatever is installed
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
