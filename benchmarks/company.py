"""Ratings where company decides: real outcomes, drawn by the scheduler and rated by the code of a ladder.

`data/outcomes.npz` has 120 deals of `bohnanza`, each in all rotations, of each of the 126 tables that six kinds of bots
can form at four seats. A ladder of copies of these kinds is played by drawing one of the 120 deals for each table.
Strengths are exact then: a table has a probability in the field, and its mean outcome is known.

A run counts pairs of entries with 40 deals or more: how often the 95 % interval of their difference holds the truth of
today's field, and 0 for copies of one program. The reference fits the same weighted deals by a formula without seats.

BEANLEAGUE_COMPANY="A*40 drift30/20*10" plays other cells than those of `CELLS`, so many runs each.
BEANLEAGUE_COMPANY_FILE keeps each run, and those that it has are not played again.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import comb, prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ladder.entries import MIN_DEALS, placing_limit
from beanleague.league.ladder.inputs import Known, estimates
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.draws import shares
from beanleague.league.ratings.intervals import t_quantile
from beanleague.league.ratings.ratings import Ratings, rate
from beanleague.league.ratings.scores import ELO
from beanleague.league.ratings.weighted import Weighted
from beanleague.league.schedule.plans import RATED_ELO, Candidate, Epoch, Meetings, plan_epoch, with_queue
from beanleague.league.schedule.schedule import Schedule, Table, rotations
from benchmarks.figures import Figure
from benchmarks.outcomes import Floats, Ints, Outcomes

CELLS = (
    "A*40 B*40 C*40 drift30/20*20 drift30/40*20 grow30-200*4 drift100/100*4 join1000*1 jump10*40 jump30*40 jump100*4 "
    "return10*40 return30*20 "
    "pupils*1 league*40 league-add*40 league-out*40"
)
"""Cells, and runs of each."""
_SEATS = 4
_SEAT_OF = rotations(range(_SEATS))
_RATED_DEALS = 40  # minimum number of deals of a measured entry
_EPOCH = 16  # tables, as two cores play them
_OUTCOMES = Outcomes.load(Path(__file__).with_name("data") / "outcomes.npz")
_KINDS, _TABLES, _PLACES = _OUTCOMES.kinds, _OUTCOMES.tables, _OUTCOMES.places
_AT = {tuple(row): number for number, row in enumerate(_TABLES.tolist())}
_SEAT = np.array([[(seat - match) % _SEATS for seat in range(_SEATS)] for match in range(_SEATS)])
"""Which position of a table sits in each seat of each match of the outcomes."""
_HOUSE = [1, 2, 3, 4, 5]
_DAY_HOURS, _VERSIONS_A_DAY = 24, 3
_DAY_TABLES = 100_000  # that two cores play in a day: 4 matches of 0.43 s of CPU each


_MEAN = _OUTCOMES.wins().mean(axis=1)


class Ladder:
    """A ladder whose entries are copies of the kinds, planned, played and rated as by a run."""

    def __init__(self, seed: int, *, epoch: int = _EPOCH) -> None:
        self.rng = np.random.default_rng(seed)
        self.kinds: list[int] = []
        self.present: list[int] = []
        self.placing: dict[int, bool] = {}
        self.deals, self.meetings = LadderDeals(_SEAT_OF), Meetings()
        self.known: list[Known] = []
        self.replaces: dict[int, int] = {}
        """Entries that leave when a newer one is rated, by that."""
        self.rated_after: list[int] = []
        """Deals of entries when they were rated."""
        self.held_then: list[float] = []
        """Share of other entries whose difference lay in the interval, for each entry at the moment it was rated."""
        self._epoch, self._epochs = epoch, 0

    def enter(self, kinds: Iterable[int]) -> None:
        for kind in kinds:
            self.placing[len(self.kinds)] = True
            self.present.append(len(self.kinds))
            self.kinds.append(int(kind))
        self.deals.grow(len(self.kinds))
        self._refit(first=True)

    def leave(self, entry: int) -> None:
        self.present.remove(entry)

    def play(self, tables: int, *, seeds: Sequence[int] = ()) -> None:
        """Play a number of tables. `seeds`: seeds of the tables, in place of the scheduler's choice."""
        while tables > 0:
            # Where all are settled, the pool would rest: they are played as once an hour.
            count = min(self._epoch, tables)
            tables -= self._play(
                Epoch(_SEATS, count, count, with_queue(self._candidates(seeds), self.meetings, _SEATS))
            )
            self.meetings.today.clear()

    def play_until_rest(self, most: int) -> int:
        """Play until the pool rests, or up to a number of tables; return the number played."""
        played = 0
        while played < most:
            entries = with_queue(self._candidates(), self.meetings, _SEATS)
            drawn = self._play(Epoch(_SEATS, min(self._epoch, most - played), 0, entries))
            played += drawn
            if not drawn:
                break
        return played

    def _play(self, epoch: Epoch) -> int:
        first, secret = self.meetings.tables + 1, self.rng.bytes(32)
        drawn = plan_epoch(epoch, self.meetings, secret)
        if not drawn:
            return 0
        self._epochs += 1
        played = [self._ordered(table) for table in drawn]
        self.deals.plan(self._epochs, first, epoch.field, [table for table, _ in played])
        for number, (_, places) in enumerate(played, first):
            self.deals.add(number, places)
        self._refit()
        return len(drawn)

    def _candidates(self, seeds: Sequence[int] = ()) -> list[Candidate]:
        found = []
        for entry in sorted(self.present):
            rating, width, deals = self.known[entry]
            width = (999 if entry in seeds else 0) if len(seeds) else width
            placing = self.placing[entry] and not len(seeds)
            found.append(Candidate(entry, entry, placing, rating, width, deals))
        return found

    def _ordered(self, table: Table) -> tuple[Table, bytes]:
        """Return a table in the order of its outcomes, from the seed on, and places of one of these."""
        order = sorted(table, key=lambda entry: (self.kinds[entry], self.rng.random()))
        turn = order.index(table[0])
        places = _PLACES[_AT[tuple(self.kinds[entry] for entry in order)], self.rng.integers(_PLACES.shape[1])]
        rows = [places[-(match + turn) % _SEATS] for match in range(_SEATS)]
        return (*order[turn:], *order[:turn]), np.array(rows, np.uint8).tobytes()

    def weighted(self) -> Weighted:
        return self.deals.weighted(self.present, range(len(self.kinds)))

    def _refit(self, *, first: bool = False) -> None:
        self.known = estimates(self.weighted(), [0])
        if first:
            return
        played = self.deals.played.tolist()
        shown = [(played[each], self.known[each].half_width) for each in self.present]
        limit = placing_limit(shown)
        for entry in [*self.present]:
            _, width, deals = self.known[entry]
            if self.placing[entry] and ((width <= RATED_ELO and deals >= MIN_DEALS) or played[entry] >= limit):
                self.placing[entry] = False
                if entry in self.replaces:
                    self.leave(self.replaces[entry])
                self.rated_after.append(played[entry])
                if len(self.kinds) < 500:
                    self.held_then.append(self._held(entry))

    def _held(self, entry: int) -> float:
        found, truth = rate(self.weighted(), [0]), self.truth()
        others = np.array([each for each in self._old() if each != entry], np.int64)
        if not len(others):
            return float("nan")
        gaps = _elo(found)[entry] - _elo(found)[others]
        off = gaps - (truth[self.kinds[entry]] - truth[np.array(self.kinds)[others]])
        return float((np.abs(off) <= found.half_widths(np.array(entry), others)).mean())

    def _old(self) -> list[int]:
        played = self.deals.played
        return [entry for entry in self.present if played[entry] >= _RATED_DEALS]

    def truth(self) -> Floats:
        """Return the strengths of kinds in today's field, in Elo: the limit of ratings over all of its tables."""
        share = shares(self.deals.stayed, self.present)
        sets = np.zeros((len(_KINDS), _SEATS + 1))  # elementary symmetric polynomials of the shares of each kind
        sets[:, 0] = 1
        for kind, each in zip(self.kinds, share, strict=True):
            for degree in range(_SEATS, 0, -1):
                sets[kind, degree] += each * sets[kind, degree - 1]
        chances = np.array(
            [np.prod([sets[kind, (row == kind).sum()] for kind in range(len(_KINDS))]) for row in _TABLES]
        )
        return _OUTCOMES.strengths(_MEAN, chances / chances.sum())

    def judged(self) -> dict[str, float]:
        """Return the current accuracy of the ratings of entries with enough deals."""
        weighted = self.weighted()
        found, truth, old = rate(weighted, [0]), self.truth(), np.array(self._old(), np.int64)
        one, other = np.triu_indices(len(old), 1)
        kinds, elo = np.array(self.kinds)[old], _elo(found)[old]
        gaps = elo[one] - elo[other]
        half = found.half_widths(old[one], old[other])
        held = np.abs(gaps - (truth[kinds[one]] - truth[kinds[other]])) <= half
        same = np.equal(kinds[one], kinds[other])
        reference = _reference(weighted, old)
        return {
            "pairs": float(held[~same].mean()),
            "copies": float(held[same].mean()) if len(held[same]) else float("nan"),
            "half": float(np.median(half)),
            "twins": float(np.median(half[same])) if len(half[same]) else float("nan"),
            "reference": float(np.median(half / reference[one, other])),
            "deals": float(np.median(self.deals.played[old])),
            "effective": float(np.median(weighted.deals_of[old])),
            "rated_after": float(np.median([float(each) for each in self.rated_after] or [np.nan])),
            "held_then": float(np.nanmean(self.held_then or [np.nan])),
        }


def _elo(found: Ratings) -> Floats:
    return np.array([bot.rating for bot in found.bots])


def _reference(weighted: Weighted, old: Ints) -> Floats:
    """Return half-widths of differences by the plain sandwich, without seats: (old, old), in Elo."""
    seatings, half_wins, w = weighted.seatings, weighted.half_wins / 2, weighted.weights
    table = seatings[:, 0]
    position = (seatings[..., None] == table[:, None, None, :]).argmax(axis=3)
    won = np.stack([np.where(position == place, half_wins, 0).sum(axis=(1, 2)) for place in range(_SEATS)], axis=1)
    bots = weighted.bots
    prior = 0.02 * (ELO / 350) ** 2
    at, surplus, bend = np.zeros(bots), np.zeros(table.shape), np.eye(bots)
    for _ in range(50):
        lead = at[table][:, :, None] - at[table][:, None, :]
        chance = 1 / (1 + np.exp(-lead))
        chance[:, range(_SEATS), range(_SEATS)] = 0
        surplus = won - _SEATS * chance.sum(axis=2)
        information = _SEATS * chance * (1 - chance) * w[:, None, None]
        slope = -prior * at + np.bincount(table.ravel(), (surplus * w[:, None]).ravel(), bots)
        bend = np.zeros((bots, bots))
        np.add.at(bend, (table[:, :, None], table[:, None, :]), -information)
        bend[range(bots), range(bots)] += np.bincount(table.ravel(), information.sum(axis=2).ravel(), bots) + prior
        step = np.linalg.solve(bend, slope)
        at += step.clip(-1, 1)
        if np.abs(step).max() < 1e-8:
            break
    score = np.zeros((len(w), bots))
    np.put_along_axis(score, table, surplus * w[:, None], axis=1)
    influence = score @ np.linalg.inv(bend)[:, old]
    variance = influence.T @ influence
    own = variance.diagonal()
    deals = np.asarray(weighted.deals_of)[old]
    quantile = t_quantile(0.975, np.maximum(np.minimum(deals[:, None], deals) - 1, 2))
    return np.asarray(quantile * ELO * np.sqrt(np.maximum(own[:, None] + own - 2 * variance, 1e-12)))


def _kind_at(progress: float, rng: np.random.Generator) -> int:
    """Return the kind of an arrival: weak early, strong late."""
    centre = 0.3 + 4.4 * progress
    chances = np.exp(-0.5 * (np.arange(len(_KINDS)) - centre) ** 2)
    return int(rng.choice(len(_KINDS), p=chances / chances.sum()))


def _two(first: Sequence[int], second: Sequence[int], before: int, after: int, seed: int) -> dict[str, float]:
    ladder = Ladder(seed)
    ladder.enter(first)
    ladder.play(before)
    ladder.enter(second)
    ladder.play(after)
    return ladder.judged()


def _moving(size: int, every: int, tables: int, seed: int, *, grow: bool = False) -> dict[str, float]:
    """Play a field; then add ever stronger entries at regular intervals, each replacing another unless `grow`."""
    ladder = Ladder(seed, epoch=min(_EPOCH, every) if size < 300 else 200)
    ladder.enter([*_HOUSE, *(_kind_at(0.0, ladder.rng) for _ in range(size - len(_HOUSE)))])
    ladder.play(15 * size)
    for played in range(0, tables, every):
        if not grow:
            ladder.leave(int(ladder.rng.choice([each for each in ladder.present if each >= len(_HOUSE)])))
        ladder.enter([_kind_at(played / tables, ladder.rng)])
        ladder.play(every)
    return ladder.judged()


def _join(size: int, newcomers: int, seed: int) -> dict[str, float]:
    ladder = Ladder(seed, epoch=250)
    ladder.enter([*_HOUSE, *(_kind_at(0.3, ladder.rng) for _ in range(size - len(_HOUSE)))])
    ladder.play(15 * size)
    ladder.enter([_kind_at(0.9, ladder.rng) for _ in range(newcomers)])
    ladder.play(10 * newcomers)
    return ladder.judged()


def _old_ladder(size: int, seed: int) -> Ladder:
    """Return a ladder of house bots and others whose entries have 160 deals each."""
    ladder = Ladder(seed)
    ladder.enter([*_HOUSE, *(int(ladder.rng.integers(len(_KINDS))) for _ in range(size - len(_HOUSE)))])
    ladder.play(40 * size)
    return ladder


def _jump(size: int, seed: int) -> dict[str, float]:
    """Return the shifts of settled ratings by the first table of a newcomer, in half-widths."""
    ladder = _old_ladder(size, seed)
    before, old = rate(ladder.weighted(), []), ladder._old()
    ladder.enter([int(ladder.rng.integers(len(_KINDS)))])
    ladder.play(1, seeds=[len(ladder.kinds) - 1])
    return _moved(ladder, old, before)


def _return(size: int, seed: int) -> dict[str, float]:
    """Return the shifts by the first table of an entry that comes back when seven of ten others are new."""
    ladder, away = _old_ladder(size, seed), 0
    ladder.leave(away)
    for entry in range(1, 1 + 7 * size // 10):
        ladder.leave(entry)
        ladder.enter([int(ladder.rng.integers(len(_KINDS)))])
    ladder.play(40 * size)
    old = ladder._old()
    ladder.present.append(away)
    before = rate(ladder.weighted(), [])
    ladder.play(1, seeds=[away])
    return _moved(ladder, old, before)


def _moved(ladder: Ladder, entries: Sequence[int], before: Ratings) -> dict[str, float]:
    """Return how far the ratings of some entries have moved since `before`, by the newest table, in half-widths."""
    old, after = np.array(entries, np.int64), rate(ladder.weighted(), [])
    was, now = (_elo(each)[old] - _elo(each)[old].mean() for each in (before, after))
    widths = np.array([before.bots[each].interval for each in old], float)
    moved = np.abs(now - was) / widths
    met = np.isin(old, ladder.deals.to_columns(len(ladder.kinds))["table"][-_SEATS:])
    return {"moved": float(moved[met].mean()), "most": float(moved.max()), "half": float(widths.mean())}


def _pupils(seed: int) -> dict[str, float]:
    """Play a day of house bots and 30 pupils, each of whom enters another version in each of its first three hours."""
    ladder, pupils = Ladder(seed, epoch=64), 30
    ladder.enter([*_HOUSE, *(_kind_at(0.3, ladder.rng) for _ in range(pupils))])
    settled = float(ladder.play_until_rest(_DAY_TABLES))
    ladder.meetings.today.clear()
    of_day = 0
    for hour in range(_DAY_HOURS):
        if hour < _VERSIONS_A_DAY:
            first = len(ladder.kinds)
            ladder.replaces |= {first + pupil: first + pupil - pupils for pupil in range(pupils)}
            ladder.enter([_kind_at(0.3 + 0.2 * hour, ladder.rng) for _ in range(pupils)])
        played = ladder.play_until_rest(_DAY_TABLES // _DAY_HOURS)
        of_day += played
        if hour >= _VERSIONS_A_DAY and played < _DAY_TABLES // _DAY_HOURS:
            break
    widths = [ladder.known[entry].half_width for entry in ladder.present]
    found = {"settled": settled, "of_day": float(of_day), "hours": hour + 1.0, "known": float(max(widths))}
    return {**found, "rated_after": float(np.median(ladder.rated_after))}


def _chances(kinds: Iterable[int]) -> NDArray[np.float64]:
    """Return the probabilities of all tables drawn from bots of these kinds, one kind per bot."""
    sets, tables = Counter(kinds), [Counter(row) for row in _TABLES.tolist()]
    ways = np.array([prod(comb(sets[kind], count) for kind, count in table.items()) for table in tables], float)
    chances: NDArray[np.float64] = ways / ways.sum()
    return chances


def _league(first: Sequence[int], second: Sequence[int], gone: int | None, deals: int, seed: int) -> dict[str, float]:
    """Play a league that others join when half of its deals are over, or of which one is suspended then.

    The truth is that of all tables of the bots at its end; of one that is suspended, nothing is asked.
    """
    rng, kinds = np.random.default_rng(seed), [*first, *second]
    counters, history = Counters(len(kinds)), list[Table]()
    parts = ((len(first), ()), (len(kinds), () if gone is None else (gone,)))
    for bots, retired in parts:
        schedule = Schedule(bots, _SEATS, history, retired=retired, total=deals)
        for _ in range(deals // 2):
            table = schedule.next()
            history.append(table)
            order = sorted(table, key=lambda entry: (kinds[entry], rng.random()))
            places = _PLACES[_AT[tuple(kinds[entry] for entry in order)], rng.integers(_PLACES.shape[1])]
            counters.add_deals([np.array(order)[_SEAT]], [places])
    there = np.array([bot for bot in range(len(kinds)) if bot != gone])
    own = np.array(kinds)[there]
    found, truth = rate(counters, [0]), _OUTCOMES.strengths(_MEAN, _chances(own.tolist()))
    one, other = np.triu_indices(len(there), 1)
    elo = _elo(found)[there]
    gaps, half = elo[one] - elo[other], found.half_widths(there[one], there[other])
    held = np.abs(gaps - truth[own[one]] + truth[own[other]]) <= half
    same = np.equal(own[one], own[other])
    return {"pairs": float(held[~same].mean()), "copies": float(held[same].mean()), "half": float(np.median(half))}


_CELL: dict[str, Callable[[int], dict[str, float]]] = {
    "A": lambda seed: _two([*_HOUSE, 0], [0] * 5, 600, 600, seed),
    "B": lambda seed: _two([*_HOUSE, *_HOUSE, 0], [*_HOUSE, 0, 0, 0, 0, 0], 600, 700, seed),
    "C": lambda seed: _two([0] * 4 + [1] * 4 + [2] * 4 + [4, 5], [5] * 6 + [4] * 4, 600, 800, seed),
    "grow30-200": lambda seed: _moving(30, 20, 3400, seed, grow=True),
    "drift30/20": lambda seed: _moving(30, 20, 600, seed),
    "drift30/40": lambda seed: _moving(30, 40, 1200, seed),
    "drift100/100": lambda seed: _moving(100, 100, 10_000, seed),
    "join1000": lambda seed: _join(1000, 200, seed),
    "pupils": _pupils,
    "league": lambda seed: _league([*_HOUSE, *_HOUSE, 0, 0], [], None, 600, seed),
    "league-add": lambda seed: _league([*_HOUSE, 0], [0, 0, 0, 0, 5], None, 600, seed),
    "league-out": lambda seed: _league([*_HOUSE, *_HOUSE, 0, 0], [], 9, 600, seed),
    "jump10": lambda seed: _jump(10, seed),
    "jump30": lambda seed: _jump(30, seed),
    "jump100": lambda seed: _jump(100, seed),
    "return10": lambda seed: _return(10, seed),
    "return30": lambda seed: _return(30, seed),
}
_SHOWN = {
    "pairs": ("other pairs held", "%", 100.0),
    "copies": ("copies held", "%", 100.0),
    "half": ("half-width", "Elo", 1.0),
    "twins": ("half-width of copies", "Elo", 1.0),
    "reference": ("half-width, in that of the reference", "x", 1.0),
    "deals": ("deals", "an entry", 1.0),
    "effective": ("effective deals", "an entry", 1.0),
    "rated_after": ("deals until rated", "", 1.0),
    "held_then": ("others held at the moment of rating", "%", 100.0),
    "moved": (
        "ratings move with the first table of one that came, those it met",
        "half-widths",
        1.0,
    ),
    "most": ("ratings move with that table, the most", "half-widths", 1.0),
    "settled": ("tables until the pool rests, all new", "", 1.0),
    "of_day": ("tables of a day", "", 1.0),
    "hours": ("hours until the pool rests", "", 1.0),
    "known": ("largest half-width then", "Elo", 1.0),
    "cpu": ("CPU", "s a run", 1.0),
}


def _kept(file: str) -> dict[str, dict[str, float]]:
    """Return the rows of a file of earlier runs, by run; none without a file."""
    if not file or not Path(file).exists():
        return {}
    return {row["run"]: row for row in map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())}


def measure() -> list[Figure]:
    """Return the coverage and width of intervals, and the jumps of ratings, by cell."""
    file = os.environ.get("BEANLEAGUE_COMPANY_FILE", "")
    kept, figures = _kept(file), []
    for cell in (os.environ.get("BEANLEAGUE_COMPANY") or CELLS).split():
        name, runs = cell.split("*")
        rows = [_run(name, seed, kept, file) for seed in range(int(runs))]
        columns = defaultdict[str, list[float]](list)
        for row in rows:
            for what, value in row.items():
                columns[what].append(value)
        for what, (words, unit, scale) in _SHOWN.items():
            if what in columns:
                mean = scale * float(np.nanmean(columns[what]))
                figures.append(Figure(f"{name}, {runs} runs: {words}", unit, (mean,), ""))
    return figures


def _run(name: str, seed: int, kept: dict[str, dict[str, float]], file: str) -> dict[str, float]:
    run = f"{name}#{seed}"
    if run in kept:
        return {what: value for what, value in kept[run].items() if what != "run"}
    began = time.process_time()
    found = _CELL[name](seed)
    found["cpu"] = time.process_time() - began
    if file:
        with Path(file).open("a", encoding="utf-8") as rows:
            rows.write(json.dumps({"run": run, **found}) + "\n")
    return found
