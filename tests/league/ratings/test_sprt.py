import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf, log

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, minimize

from beanleague.league.ratings.elo import expected_score
from beanleague.league.ratings.sprt import (
    MIN_DEALS,
    Comparison,
    ComparisonError,
    SequentialTest,
    Verdict,
    deal_score,
)
from beanleague.league.schedule.schedule import comparison_seatings
from tests.league.ratings.simulation import play

A, B, FILLER = 0, 1, 2
TEST = SequentialTest()
SCORES = Fraction(1), Fraction(0), Fraction(1, 2)
"""Of a deal that is won, lost, split."""


def after(scores: Sequence[Fraction | float], test: SequentialTest = TEST) -> Comparison:
    comparison = Comparison(test)
    for score in scores:
        comparison = comparison.with_deal(Fraction(score))
    return comparison


def simulate(seed: int, elo: float, deals: int, *, seats: int = 4, luck: float = 0.6) -> list[Fraction]:
    """Scores of deals of A against B, which is `elo` weaker."""
    seatings = np.array([comparison_seatings(A, B, seats)] * deals)
    places = play(np.random.default_rng((seats, seed)), seatings, np.array([elo, 0.0]), luck)
    wins = sum(
        ((places[..., s] < places[..., r]) & (seatings[..., s] == A) & (seatings[..., r] == B)).sum(axis=1)
        for s in range(seats)
        for r in range(seats)
    )
    pairs = int(((seatings[0, :, :, None] == A) & (seatings[0, :, None, :] == B)).sum())
    return [Fraction(won, pairs) for won in np.asarray(wins).tolist()]


def run(scores: Sequence[Fraction]) -> Comparison:
    comparison = Comparison(TEST)
    for score in scores:
        comparison = comparison.with_deal(score)
        if comparison.verdict is not Verdict.OPEN:
            break
    return comparison


@pytest.fixture(params=[pytest.param(100, id="short"), pytest.param(300, id="long", marks=pytest.mark.slow)])
def runs(request: pytest.FixtureRequest) -> int:
    """How many tests are simulated."""
    number: int = request.param
    return number


def noise(runs: int) -> float:
    """Two standard errors of a share of 5 % among `runs`."""
    return 2 * math.sqrt(0.05 * 0.95 / runs)


class TestSimulated:
    """Tests of elo0 = 0 against elo1 = 20 at four seats, A, A, B, B."""

    @pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.BETTER), (20, Verdict.NOT_BETTER)])
    def test_errs_no_more_often_than_alpha_and_beta_allow(
        self, elo: float, wrong: Verdict, runs: int, record_property: Callable[[str, object], None]
    ) -> None:
        ends = [run(simulate(seed, elo, 800)) for seed in range(runs)]
        assert all(end.verdict is not Verdict.OPEN for end in ends)
        errors = sum(end.verdict is wrong for end in ends)
        record_property("errors", errors)
        record_property("mean_matches", 4 * float(np.mean([end.deals for end in ends])))
        assert errors / runs <= 0.05 + noise(runs)
        assert 50 < np.mean([end.deals for end in ends]) < 150

    @pytest.mark.parametrize("decisive", [0.06, 0.1])
    @pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.BETTER), (20, Verdict.NOT_BETTER)])
    def test_errs_no_more_often_when_most_deals_are_split(
        self, elo: float, wrong: Verdict, decisive: float, runs: int
    ) -> None:
        rng = np.random.default_rng(5)
        lead = expected_score(elo) - 0.5
        shares = [decisive / 2 + lead, decisive / 2 - lead, 1 - decisive]
        ends = [run([SCORES[n] for n in rng.choice(3, 1500, p=shares)]) for _ in range(runs)]
        assert all(end.verdict is not Verdict.OPEN for end in ends)
        assert sum(end.verdict is wrong for end in ends) / runs <= 0.05 + noise(runs)

    def test_a_clear_difference_ends_it_early(self) -> None:
        end = run(simulate(1, 200, 100))
        assert end.verdict is Verdict.BETTER
        assert end.deals < 60

    def test_the_interval_holds_the_difference(self, runs: int) -> None:
        held = 0
        for seed in range(runs):
            low, high = after(simulate(seed, 35, 150)).interval
            held += low <= 35 <= high
        assert abs(held / runs - 0.95) <= noise(runs)


class TestComparison:
    def test_bounds_come_from_the_error_rates(self) -> None:
        test = SequentialTest(alpha=0.05, beta=0.1)
        assert test.lower == pytest.approx(log(0.1 / 0.95))
        assert test.upper == pytest.approx(log(0.9 / 0.05))

    def test_the_ratio_compares_the_best_distributions_of_two_means(self) -> None:
        """Found here by trying distributions over the scores, of which 0 and 1 were seen a tenth of a time more."""
        scores = [0.25, 0.5, 1.0, 0.75] * 10
        values, often = np.array([0, 0.25, 0.5, 0.75, 1]), np.array([0.1, 10, 10, 10, 10.1])

        def unlikely(shares: NDArray[np.float64]) -> float:
            return -float(often @ np.log(shares))

        def best(mean: float) -> float:
            means = LinearConstraint(np.array([np.ones(5), values]), [1, mean], [1, mean])
            within = Bounds(1e-9, 1)
            return -float(minimize(unlikely, np.full(5, 0.2), bounds=within, constraints=means, tol=1e-12).fun)

        assert after(scores).llr == pytest.approx(best(expected_score(20)) - best(0.5), abs=1e-4)

    @pytest.mark.parametrize("elos", [(0, 20), (-400, 10), (500, 2000)])
    def test_the_ratio_of_deals_won_or_lost_is_that_of_tosses(self, elos: tuple[float, float]) -> None:
        one, other = map(expected_score, elos)
        expected = 28.1 * log(other / one) + 12.1 * log((1 - other) / (1 - one))
        assert after([1.0] * 28 + [0.0] * 12, SequentialTest(*elos)).llr == pytest.approx(expected)

    def test_does_not_end_before_thirty_deals(self) -> None:
        scores = [Fraction(1)] * (MIN_DEALS - 1)
        assert after(scores, SequentialTest(elo1=200)).verdict is Verdict.OPEN
        assert after([*scores, Fraction(1)], SequentialTest(elo1=200)).verdict is Verdict.BETTER

    def test_is_symmetric_in_the_two_bots(self) -> None:
        even = SequentialTest(elo0=-10, elo1=10)
        scores = simulate(3, 40, 60)
        assert after(scores, even).llr == pytest.approx(-after([1 - score for score in scores], even).llr)

    def test_copies_of_a_bot_that_draw_every_deal_are_not_better(self) -> None:
        """But thirty such deals are too few to tell: at 20 Elo a bot may split sixteen of seventeen."""
        comparison = run([Fraction(1, 2)] * 100)
        assert comparison.verdict is Verdict.NOT_BETTER
        assert MIN_DEALS < comparison.deals < 80
        assert comparison.elo == 0

    def test_a_verdict_stays_when_more_deals_come_in(self) -> None:
        comparison = after([Fraction(1)] * 200 + [Fraction(0)] * 2000)
        assert comparison.verdict is Verdict.BETTER
        assert comparison.elo < -300

    def test_the_order_of_deals_does_not_move_the_figures(self) -> None:
        scores = simulate(4, 5, 50)
        forward, backward = after(scores), after(scores[::-1])
        assert (forward.llr, forward.elo, forward.interval) == (backward.llr, backward.elo, backward.interval)

    def test_nothing_is_known_before_the_first_deals(self) -> None:
        assert after([]).interval == after([0.5]).interval == (-inf, inf)
        assert after([]).llr == after([1.0]).llr == 0
        assert after([]).elo == 0

    def test_a_bot_that_won_everything_is_infinitely_better(self) -> None:
        assert after([1.0] * 3).elo == inf
        assert after([0.0] * 3).elo == -inf

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ({"elo0": 20, "elo1": 20}, "less than elo1; they are 20 and 20"),
            ({"elo0": -1e6}, "elo0 must be between -2000 and 2000; it is -1e"),
            ({"elo1": float("nan")}, "elo1 must be between"),
            ({"alpha": 0}, "alpha must be between"),
            ({"beta": 0.5}, "beta must be between"),
        ],
    )
    def test_a_test_that_cannot_be_is_refused(self, options: dict[str, float], reason: str) -> None:
        with pytest.raises(ComparisonError, match=reason):
            SequentialTest(**options)


class TestDealScore:
    def test_counts_the_pairs_of_the_two_and_ties_half(self) -> None:
        assert deal_score([((A, B), (1, 2)), ((B, A), (1, 1))], A, B) == Fraction(3, 4)

    def test_counts_every_seat_of_a_bot(self) -> None:
        assert deal_score([((A, A, B, B), (1, 4, 2, 3))], A, B) == Fraction(2, 4)

    def test_leaves_fillers_out(self) -> None:
        assert deal_score([((A, FILLER, B), (2, 1, 3))], A, B) == 1

    def test_a_deal_without_them_is_refused(self) -> None:
        with pytest.raises(ComparisonError, match="did not meet"):
            deal_score([((A, FILLER), (1, 2))], A, B)
