import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, log
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from beanleague.league.ratings.scores import By, ComparisonError, DealScore, deal_score, expected_score
from beanleague.league.ratings.sprt import MIN_DEALS, OBVIOUS, Comparison, SequentialTest, Verdict, log_capital
from beanleague.league.schedule.schedule import comparison_seatings
from tests.league.ratings.simulation import play

A, B, FILLER = 0, 1, 2
TEST = SequentialTest()
BY_DOLLARS = SequentialTest(by=By.DOLLARS)
SCORES = Fraction(1), Fraction(0), Fraction(1, 2)
"""Of a deal that is won, lost, split."""


def after(scores: Sequence[Fraction | float], test: SequentialTest = TEST) -> Comparison:
    comparison = Comparison(test)
    for score in scores:
        comparison = comparison.with_deal(DealScore(float(score)))
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


def simulate_dollars(seed: int, elo: float, deals: int, *, seats: int = 4, luck: float = 0.6) -> list[DealScore]:
    """Scores of deals by dollars, whose leads are normal: a seat's dollars have a standard deviation of 5."""
    seatings = np.array(comparison_seatings(A, B, seats))
    rng = np.random.default_rng((seats, seed))
    shared, own = rng.standard_normal((deals, 1, seats)), rng.standard_normal((deals, *seatings.shape))
    lead = math.sqrt(2) * NormalDist().inv_cdf(expected_score(elo))
    dollars = np.sqrt(luck) * shared + np.sqrt(1 - luck) * own + lead * (seatings == A)
    return [
        deal_score(
            ([(b, 0, d) for b, d in zip(*of, strict=True)] for of in zip(seatings, deal, strict=True)), A, B, By.DOLLARS
        )
        for deal in (20 + 5 * dollars).round().astype(int).tolist()
    ]


def run(scores: Iterable[Fraction | DealScore], test: SequentialTest = TEST) -> Comparison:
    comparison = Comparison(test)
    for score in scores:
        comparison = comparison.with_deal(score if isinstance(score, DealScore) else DealScore(float(score)))
        if comparison.verdict is not Verdict.OPEN:
            break
    return comparison


@pytest.fixture(params=[pytest.param(15, id="short"), pytest.param(300, id="long", marks=pytest.mark.slow)])
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

    @pytest.mark.parametrize("decisive", [pytest.param(0.06, marks=pytest.mark.slow), 0.1])
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

    @pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.BETTER), (20, Verdict.NOT_BETTER)])
    def test_errs_no_more_often_by_dollars(
        self, elo: float, wrong: Verdict, runs: int, record_property: Callable[[str, object], None]
    ) -> None:
        ends = [run(simulate_dollars(seed, elo, 500), BY_DOLLARS) for seed in range(runs)]
        assert all(end.verdict is not Verdict.OPEN for end in ends)
        errors = sum(end.verdict is wrong for end in ends)
        record_property("errors", errors)
        assert errors / len(ends) <= 0.05 + noise(len(ends))

    @pytest.mark.parametrize("test", [TEST, BY_DOLLARS], ids=["places", "dollars"])
    @pytest.mark.parametrize(("elo", "most"), [(100, 45), (200, 25), (400, 15), (-100, 45), (-400, 15)])
    def test_an_obvious_difference_ends_it_early(self, elo: float, most: float, test: SequentialTest) -> None:
        """Without the test for large differences these take 50 deals or more, however large."""
        played = simulate_dollars if test is BY_DOLLARS else simulate
        ends = [run(played(seed, elo, 120), test) for seed in range(10)]
        assert {end.verdict for end in ends} == {Verdict.BETTER if elo > 0 else Verdict.NOT_BETTER}
        assert np.mean([end.deals for end in ends]) < most
        assert sum(end.obvious for end in ends) > 5

    def test_the_interval_holds_the_difference(self, runs: int) -> None:
        held = 0
        for seed in range(runs):
            low, high = after(simulate(seed, 35, 150)).interval
            held += low <= 35 <= high
        assert abs(held / runs - 0.95) <= noise(runs)


class TestBets:
    @pytest.mark.parametrize("scores", [[0, 1], [0, 0.5, 1], [0.2, 0.5, 0.55]])
    def test_win_nothing_on_average_where_the_mean_is_not_above(self, scores: list[float]) -> None:
        """So the capital cannot often become large: exact, over all sequences of six scores."""
        mean = sum(scores) / len(scores)
        capitals = [
            math.exp(log_capital(np.array(sequence), np.ones(6), mean)) for sequence in product(scores, repeat=6)
        ]
        assert np.mean(capitals) == pytest.approx(1)

    def test_err_less_often_than_their_share_of_the_risk(self, runs: int) -> None:
        """On deals won or lost as a coin falls, looked at after each of 300: there they come closest to their risk."""
        rng = np.random.default_rng(3)
        ever = 0
        for tosses in rng.integers(0, 2, (2 * runs, 300)):
            heads = enumerate(tosses.cumsum().tolist(), 1)
            counts = (np.array([won, tossed - won][: 1 + (won < tossed)]) for tossed, won in heads if 2 * won > tossed)
            ever += any(log_capital(np.array([1.0, 0.0])[: len(of)], of, 0.5) >= -log(0.05) for of in counts)
        assert 0 < ever / (2 * runs) <= 0.05 + noise(2 * runs)

    def test_a_bot_that_wins_everything_is_better_after_nine_deals_and_one_that_loses_it_worse_after_eight(
        self,
    ) -> None:
        won, lost = run([Fraction(1)] * 100), run([Fraction(0)] * 100)
        assert (won.verdict, won.deals, won.obvious) == (Verdict.BETTER, 9, True)
        assert (lost.verdict, lost.deals, lost.obvious) == (Verdict.NOT_BETTER, 8, True)


class TestDollars:
    @pytest.mark.parametrize("elo", [-300, 0, 20, 150])
    def test_the_difference_in_elo_is_that_of_normal_leads(self, elo: float) -> None:
        found = Comparison(BY_DOLLARS)
        for score in simulate_dollars(6, elo, 1500):
            found = replace(found, counts={**found.counts, score: found.counts.get(score, 0) + 1})
        assert abs(found.elo - elo) < 20
        assert found.interval[0] < elo < found.interval[1]
        lead = 5 * math.sqrt(2) * NormalDist().inv_cdf(expected_score(elo))
        assert found.lead_interval[0] < lead < found.lead_interval[1]

    def test_the_unit_of_dollars_makes_no_difference(self) -> None:
        scores = simulate_dollars(2, 30, 60)
        cents = [replace(score, lead=100 * score.lead, square=10_000 * score.square) for score in scores]
        one, other = run(scores, BY_DOLLARS), run(cents, BY_DOLLARS)
        assert (one.verdict, one.deals) == (other.verdict, other.deals)
        assert one.llr == pytest.approx(other.llr)
        assert other.lead == pytest.approx(100 * one.lead)

    def test_bots_without_any_difference_are_not_better(self) -> None:
        assert run([DealScore(0.5)] * 200, BY_DOLLARS).verdict is Verdict.NOT_BETTER


class TestComparison:
    def test_bounds_come_from_the_error_rates(self) -> None:
        test = SequentialTest(alpha=0.05, beta=0.1)
        left = 1 - OBVIOUS
        assert test.lower == pytest.approx(log(left * 0.1 / (1 - left * 0.05)))
        assert test.upper == pytest.approx(log((1 - left * 0.1) / (left * 0.05)))

    def test_the_ratio_compares_the_best_distributions_of_two_means(self) -> None:
        """Found here by trying distributions over the scores, of which 0 and 1 were seen a tenth of a time more."""
        from scipy.optimize import Bounds, LinearConstraint, minimize  # slow, and every process reads this file

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

    def test_the_ratio_does_not_end_it_before_thirty_deals(self) -> None:
        scores = [Fraction(1), Fraction(1), Fraction(0), Fraction(1)] * 7 + [Fraction(1)]
        test = SequentialTest(elo1=200)
        assert len(scores) == MIN_DEALS - 1
        assert after(scores, test).llr > test.upper
        assert after(scores, test).verdict is Verdict.OPEN
        assert after([*scores, Fraction(1)], test).verdict is Verdict.BETTER

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
            ({"alpha": 5e-324}, "alpha must be between"),
        ],
    )
    def test_a_test_that_cannot_be_is_refused(self, options: dict[str, Any], reason: str) -> None:
        with pytest.raises(ComparisonError, match=reason):
            SequentialTest(**options)


class TestDealScore:
    def test_counts_the_pairs_of_the_two_and_ties_half(self) -> None:
        assert deal_score([[(A, 1, 9), (B, 2, 5)], [(B, 1, 7), (A, 1, 7)]], A, B) == DealScore(0.75)

    def test_counts_every_seat_of_a_bot(self) -> None:
        assert deal_score([[(A, 1, 9), (A, 4, 2), (B, 2, 8), (B, 3, 5)]], A, B) == DealScore(0.5)

    def test_leaves_fillers_out(self) -> None:
        assert deal_score([[(A, 2, 5), (FILLER, 1, 9), (B, 3, 1)]], A, B) == DealScore(1.0)

    def test_by_dollars_measures_the_leads(self) -> None:
        """Also where a place is shared, or says otherwise, as that of a seat that forfeited."""
        deal = [[(A, 1, 9), (B, 2, 5)], [(B, 1, 7), (A, 2, 8)]]
        assert deal_score(deal, A, B, By.DOLLARS) == DealScore(1.0, 2.5, 8.5)

    def test_a_deal_without_them_is_refused(self) -> None:
        with pytest.raises(ComparisonError, match="did not meet"):
            deal_score([[(A, 1, 3), (FILLER, 2, 1)]], A, B)
