"""python -m benchmarks.outcomes [--game GAME] [--seats K] [--deals N] [--out FILE] BOT BOT ...: measure company.

Plays every table that copies of these bots can form, and prints how much it matters who else sits at a table: how far
company moves the share of a pair of bots, and how far the difference of two in rating moves when half of the field are
copies of a third. `--read FILE` measures outcomes that `--out` kept, such as `benchmarks/data/outcomes.npz`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice, permutations
from math import factorial, prod, sqrt
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from beanbot._runtime.loading import load_bot
from beanbot._runtime.program import BotProgram
from beanbot.practice import deals
from beanbot.practice.match import PracticeMatch
from beanleague.league.ratings.scores import ELO

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_RESAMPLED = 40
"""Times that the deals of each table are drawn anew, for standard errors."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcomes of deals at every table of some kinds of bots, each deal in all rotations."""

    kinds: list[str]
    """Names of the kinds."""
    tables: Ints
    """Kinds at each table, ascending: (tables, k)."""
    seats: Ints
    """Position of a table in each seat of each match: (tables, deals, matches, k)."""
    places: Ints
    """Place of each seat in each match: (tables, deals, matches, k); 1 is best."""

    @classmethod
    def load(cls, file: Path) -> Outcomes:
        """Read outcomes that `save` wrote."""
        with np.load(file) as data:
            tables, seats, places = (data[name].astype(np.int64) for name in ("tables", "seat", "place"))
            return cls(data["types"].tolist(), tables, seats, places)

    def save(self, file: Path) -> None:
        """Write the outcomes to a file that `load` reads."""
        tables, seats, places = (each.astype(np.uint8) for each in (self.tables, self.seats, self.places))
        np.savez_compressed(file, types=np.array(self.kinds), tables=tables, seat=seats, place=places)

    def wins(self) -> Floats:
        """Return the share of matches in which a position is placed before another: (tables, deals, k, k)."""
        places = np.take_along_axis(self.places, np.argsort(self.seats, axis=3), axis=3)
        own, other = places[..., :, None], places[..., None, :]
        wins = np.asarray(((own < other) + 0.5 * (own == other)).mean(axis=2), np.float64)
        positions = range(self.tables.shape[1])
        wins[..., positions, positions] = 0
        return wins

    def strengths(self, wins: Floats, chances: Floats) -> Floats:
        """Return the strengths of kinds in a field, in Elo: the limit of ratings over its tables.

        Args:
            wins: Mean share of matches that a position is placed before another: (tables, k, k).
            chances: Probability of each table: (tables,). A kind that no table seats has strength 0.
        """
        at, seats = np.zeros(len(self.kinds)), self.tables.shape[1]
        away = [kind for kind in range(len(at)) if chances[(self.tables == kind).any(axis=1)].sum() <= 1e-12]
        a, b = np.array([*permutations(range(seats), 2)]).T
        one, other = self.tables[:, a].ravel(), self.tables[:, b].ravel()
        won, both = wins[:, a, b].ravel(), (wins[:, a, b] + wins[:, b, a]).ravel()
        share, cells = np.repeat(chances, len(a)), len(at) * one + other
        for _ in range(100):
            chance = 1 / (1 + np.exp(at[other] - at[one]))
            surplus, information = share * (won - both * chance), share * both * chance * (1 - chance)
            slope = np.bincount(one, surplus, len(at)) - 1e-9 * at
            own, between = np.bincount(one, information, len(at)), np.bincount(cells, information, len(at) ** 2)
            bend = np.diag(own + 1e-9) - between.reshape(len(at), -1)
            bend[away], bend[:, away], slope[away] = 0, 0, 0
            bend[away, away] = 1
            step = np.linalg.solve(bend, slope)
            at += step.clip(-1, 1)
            if np.abs(step).max() < 1e-10:
                break
        return np.asarray(ELO * at)

    def chances(self, shares: Floats) -> Floats:
        """Return the probability of each table of a large field in which each kind has a share."""
        seats = self.tables.shape[1]
        ways = [factorial(seats) / prod(map(factorial, Counter(row).values())) for row in self.tables.tolist()]
        return np.asarray(np.array(ways) * shares[self.tables].prod(axis=1))


@dataclass(frozen=True, slots=True)
class Company:
    """Effect of the companions at a table on the results of two bots against each other."""

    share: float
    """Standard deviation of the share of a pair over the companies that it can have; nan at two seats."""
    moved: float
    """Root mean square of how far the difference of two kinds moves where half of the field is of a third, in Elo."""
    most: float
    """The largest such shift, in Elo."""
    error: float
    """Standard error of the largest shift, in Elo."""


def company(outcomes: Outcomes) -> Company:
    """Return how much company matters; the scatter of finitely many deals is taken off."""
    rng, wins = np.random.default_rng(1), outcomes.wins()
    shifts = _shifts(outcomes, wins.mean(axis=1))
    rows, count = np.arange(len(wins))[:, None], wins.shape[1]
    resampled = np.array(
        [
            _shifts(outcomes, wins[rows, rng.integers(count, size=(len(wins), count))].mean(axis=1))
            for _ in range(_RESAMPLED)
        ]
    )
    errors, most = resampled.std(axis=0, ddof=1), int(np.abs(shifts).argmax())
    moved = float(np.sqrt(max(0.0, (shifts**2).mean() - (errors**2).mean())))
    return Company(_share_deviation(outcomes, wins), moved, float(abs(shifts[most])), float(errors[most]))


def _shifts(outcomes: Outcomes, wins: Floats) -> Floats:
    """Return the shifts of the differences of all pairs of kinds, for each third kind: (shifts,), in Elo."""
    kinds = len(outcomes.kinds)
    even = outcomes.strengths(wins, outcomes.chances(np.full(kinds, 1 / kinds)))
    found = []
    for many in range(kinds):
        shares = np.full(kinds, 0.5 / (kinds - 1))
        shares[many] = 0.5
        moved = outcomes.strengths(wins, outcomes.chances(shares)) - even
        found += [moved[one] - moved[other] for one, other in combinations({*range(kinds)} - {many}, 2)]
    return np.array(found)


def _share_deviation(outcomes: Outcomes, wins: Floats) -> float:
    """Return the standard deviation of a pair's share over its companies, without the scatter of deals."""
    means, scatter = dict[tuple[int, int], list[float]](), list[float]()
    for table, shares in zip(outcomes.tables, wins, strict=True):
        for one, other in combinations(dict.fromkeys(table.tolist()), 2):
            own, others = np.flatnonzero(table == one), np.flatnonzero(table == other)
            by_deal = shares[:, own][:, :, others].mean(axis=(1, 2))
            means.setdefault((one, other), []).append(float(by_deal.mean()))
            scatter.append(float(by_deal.var(ddof=1) / len(by_deal)))
    spread = [float(np.var(each, ddof=1)) for each in means.values() if len(each) > 1]
    return sqrt(max(0.0, fmean(spread) - fmean(scatter))) if spread else float("nan")


def play_tables(game: str, seats: int, number: int, bots: list[str]) -> Outcomes:
    """Play a number of deals, in all rotations, at each table of these bots, which are names of files or folders."""
    programs = [[load_bot(bot) for _ in range(seats)] for bot in bots]
    tables = [*combinations_with_replacement(range(len(bots)), seats)]
    positions, places = (np.zeros((len(tables), number, seats, seats), np.int64) for _ in range(2))
    for at, table in enumerate(tables):
        copies = [programs[kind][table[:position].count(kind)] for position, kind in enumerate(table)]
        sitting = deals(copies, game=game, seats=seats, seed=at)
        order = [_practice_name(copies, position) for position in range(seats)]
        for deal, matches in enumerate(islice(sitting, number)):
            positions[at, deal], places[at, deal] = _result(order, matches)
        print(f"\r{at + 1} of {len(tables)} tables", end="", file=sys.stderr)
    print(file=sys.stderr)
    return Outcomes([program.name for program, *_ in programs], np.array(tables), positions, places)


def _result(order: Sequence[str], matches: Sequence[PracticeMatch]) -> tuple[Ints, Ints]:
    """Return the position at the table and the place of each seat of a deal: twice (matches, k)."""
    positions = [[order.index(player.name) for player in match.entrants] for match in matches]
    return np.array(positions), np.array([match.outcome.places for match in matches])


def _practice_name(sitting: Sequence[BotProgram], position: int) -> str:
    """Return the name that practice gives to a bot, which has a number behind the first of its copies."""
    name = sitting[position].name
    copy = sum(other.name == name for other in sitting[:position])
    return f"{name} #{copy + 1}" if copy else name


def main() -> None:
    """Play or read outcomes, and print how much company matters in them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="*", metavar="BOT")
    parser.add_argument("--game", default="bohnanza")
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--deals", type=int, default=30, help="deals at each table")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep the outcomes in FILE")
    parser.add_argument("--read", type=Path, metavar="FILE", help="read outcomes from FILE, and play nothing")
    arguments = parser.parse_args()
    if arguments.read is None and len(arguments.bots) < 3:
        parser.error("company takes at least three bots")
    if arguments.read:
        outcomes = Outcomes.load(arguments.read)
    else:
        outcomes = play_tables(arguments.game, arguments.seats, arguments.deals, arguments.bots)
    if arguments.out:
        outcomes.save(arguments.out)
    found = company(outcomes)
    tables, number, matches, _ = outcomes.places.shape
    print(f"{', '.join(outcomes.kinds)}: {tables} tables of {number} deals, {matches} matches each")
    print(f"share of a pair, standard deviation over its companies: {100 * found.share:.1f} %")
    print(f"difference of two, where half of the field is of a third, root mean square shift: {found.moved:.0f} Elo")
    print(f"largest shift: {found.most:.0f} Elo, standard error {found.error:.0f}")


if __name__ == "__main__":
    main()
