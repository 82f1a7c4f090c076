"""python -m tests.league.integrity.figures [SEEDS]: measure what mules are worth, and how surely they are found.

Prints the tables of docs/figures.md. With 6 seeds it takes some ten minutes of a core.
"""

import sys
import tempfile
from collections.abc import Sequence
from math import comb
from pathlib import Path

import numpy as np

from beanleague.league.integrity import judge
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.ratings import rate
from beanleague.league.schedule.schedule import Schedule, Table, count_tables, rotations
from tests.league.integrity.arena import MULES, Arena, League

SEEDS = 6
LOOKS = (10, 20, 40)
TABLE: Table = (0, 1, 2, 3)
OTHERS = ("trader", "stingy", "hasty", "patient", "generous", "proud")


def main() -> None:
    """Measure, and print."""
    seeds = range(1, 1 + int(sys.argv[1] if len(sys.argv) > 1 else SEEDS))
    with tempfile.TemporaryDirectory() as home:
        arena = Arena(Path(home))
        print("| mule | dollars a match | " + " | ".join(f"found after {deals} deals" for deals in LOOKS) + " |")
        print("|---" * (2 + len(LOOKS)) + "|")
        at_every_table = []
        for mule in MULES:
            leagues = [arena.play(["boss", mule, "trader", "stingy"], [TABLE] * LOOKS[-1], seed) for seed in seeds]
            at_every_table += leagues if mule == "gives" else []
            print(_power(mule, leagues), flush=True)
        honest = [arena.play(["boss", "hasty", "trader", "stingy"], [TABLE] * LOOKS[-1], seed) for seed in seeds]
        print("\n| league | boss: rank | rating |\n|---|---|---|")
        print(_boss("4 bots at one table, no mule", honest))
        print(_boss("4 bots at one table, with mule", at_every_table))
        for what, second, groups in (
            ("8 bots, no mule", "easy", None),
            ("8 bots, with mule, owners mixed", "gives", None),
            ("8 bots, with mule, owners kept apart", "gives", [0, 0, 2, 3, 4, 5, 6, 7]),
        ):
            print(_boss(what, [_eight(arena, second, groups, seed) for seed in seeds[: len(seeds) // 2]]), flush=True)


def _power(mule: str, leagues: Sequence[League]) -> str:
    flows = [league.of() for league in leagues]
    nets = [-flow.net[flow.pair == _pair(flow.pairs)].sum() / 4 / LOOKS[-1] for flow in flows]
    found = (sum(_found(league, n) for league in leagues) for n in LOOKS)
    return f"| {mule} | {np.mean(nets):.2f} | " + " | ".join(f"{one} of {len(leagues)}" for one in found) + " |"


def _found(league: League, deals: int) -> bool:
    pairs = judge(league.of(deals), league.spread)
    return any((pair.giver, pair.receiver) == (1, 0) and pair.found for pair in pairs)


def _pair(pairs: np.ndarray) -> int:
    return int(np.flatnonzero((pairs == (0, 1)).all(axis=1))[0])


def _eight(arena: Arena, second: str, groups: Sequence[int] | None, seed: int) -> League:
    names = ("boss", second, *OTHERS)
    deals = count_tables(groups or range(8), 4)
    schedule = Schedule(8, 4, cycles=True, total=comb(8, 4), groups=groups)
    return arena.play(names, [schedule.next() for _ in range(deals)], seed)


def _boss(what: str, leagues: Sequence[League]) -> str:
    """Return the rank and rating of the boss, all leagues counted together, trader at 1500."""
    names = leagues[0].names
    counters = Counters(len(names))
    for league in leagues:
        seats = [rotations(table) for table in league.tables]
        counters.add_deals(seats, [list(deal) for deal in league.places])
    ratings = rate(counters, [names.index("trader")]).bots
    boss = ratings[0]
    rank = 1 + sum(other.rating > boss.rating for other in ratings)
    return f"| {what} | {rank} of {len(names)} | {boss.rating:.0f} ± {boss.interval or 0:.0f} |"


if __name__ == "__main__":
    main()
