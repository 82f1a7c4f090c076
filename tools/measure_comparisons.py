"""python tools/measure_comparisons.py [--game GAME] [--deals N] [--seats K] A B: compare by places and by dollars.

Plays bot A against bot B in this process, in the seatings of `beanleague compare`, and prints how surely a deal tells
them apart by places and by dollars: the mean of what is tested, divided by its standard deviation. The matches that a
test takes grow with 1 / its square. Then deals are drawn from those played, again and again, for whole comparisons,
by both, of elo0 = 0 against half of the measured difference in Elo, and their mean numbers of deals are printed.
"""

from __future__ import annotations

import argparse
from itertools import islice
from statistics import fmean

import numpy as np

from beanbot._runtime.loading import load_bot
from beanbot.practice import deals
from beanleague.league.ratings.scores import By, DealScore, deal_score
from beanleague.league.ratings.sprt import Comparison, SequentialTest, Verdict

COMPARISONS = 200
MAX_DEALS = 3_000


def main() -> None:
    """Measure a comparison of bots A and B."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs=2, metavar="BOT")
    parser.add_argument("--game", default="duel")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--deals", type=int, default=200)
    arguments = parser.parse_args()
    scores = _played(arguments.bots, arguments.game, arguments.seats, arguments.deals)
    elo1 = max(10.0, abs(_measured(scores[By.PLACES], By.PLACES).elo) / 2)
    print(f"{arguments.game}, {arguments.seats} seats, {arguments.deals} deals, comparisons of 0 with {elo1:.0f} Elo")
    signal = {}
    for by in By:
        whole = _measured(scores[by], by)
        low, high = whole.interval
        signal[by] = _signal(scores[by], by)
        taken, right = _compared(scores[by], SequentialTest(elo1=elo1, by=by))
        print(
            f"{by.value:8} Elo {whole.elo:+.0f} ({low:+.0f} .. {high:+.0f}), mean / deviation {signal[by]:.3f}, "
            f"{taken:.1f} deals a comparison, {right:.0%} right"
        )
    print(f"matches by dollars / by places, of one certainty: {(signal[By.PLACES] / signal[By.DOLLARS]) ** 2:.2f}")


def _played(bots: list[str], game: str, seats: int, number: int) -> dict[By, list[DealScore]]:
    """Play `number` deals; return their scores by places and by dollars, of the stronger bot."""
    programs = [load_bot(bot) for bot in bots]
    table = [programs[seat * 2 // seats] for seat in range(seats)]  # A A B B
    played = list(islice(deals(table, game=game, seats=seats), number))
    first = played[0][0].entrants[0].name
    found = {}
    for by in By:
        found[by] = [
            deal_score(
                (
                    [
                        (int(entrant.name != first), place, score)
                        for entrant, place, score in zip(
                            match.entrants, match.outcome.places, match.outcome.scores, strict=True
                        )
                    ]
                    for match in deal
                ),
                0,
                1,
                by,
            )
            for deal in played
        ]
    return found


def _measured(scores: list[DealScore], by: By) -> Comparison:
    """Return a comparison of all deals, even after a verdict."""
    counts: dict[DealScore, int] = {}
    for score in scores:
        counts[score] = counts.get(score, 0) + 1
    return Comparison(SequentialTest(by=by), counts)


def _signal(scores: list[DealScore], by: By) -> float:
    """Return the mean test value, minus its value for equal bots, in its standard deviations."""
    values = np.array([float(score.lead) if by is By.DOLLARS else float(score.share) - 0.5 for score in scores])
    return float(abs(values.mean()) / values.std(ddof=1))


def _compared(scores: list[DealScore], test: SequentialTest) -> tuple[float, float]:
    """Return the mean number of deals of comparisons, and the share of verdicts that A is better."""
    chance = np.random.default_rng(1)
    ends = []
    for _ in range(COMPARISONS):
        comparison = Comparison(test)
        for drawn in chance.integers(len(scores), size=MAX_DEALS).tolist():
            comparison = comparison.with_deal(scores[drawn])
            if comparison.verdict is not Verdict.OPEN:
                break
        ends.append(comparison)
    return fmean(end.deals for end in ends), fmean(end.verdict is Verdict.BETTER for end in ends)


if __name__ == "__main__":
    main()
