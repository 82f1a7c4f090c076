"""Student's t, differences known on one side only, and solo deals, where all that played a deal have a place."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import log, log10, sqrt

import numpy as np
import pytest

from beanleague.league.ratings.bounds import Reach
from beanleague.league.ratings.counters import Counters, CountersError
from beanleague.league.ratings.fit import Prior, fit
from beanleague.league.ratings.intervals import t_cdf, t_quantile
from beanleague.league.ratings.ratings import rate
from beanleague.league.ratings.scores import ELO
from beanleague.model import Rating
from tests.league.ratings.simulation import Floats, add_deal, half_width, league, play, rotated

FREEDOM = np.array([1, 2, 3, 4, 7, 19, 30, 100, 999, 20_000, 250_000])


def test_distribution_function_agrees_with_scipy() -> None:
    from scipy.special import stdtr  # slow, and every process reads this file

    t = np.array([-40, -3, -1.5, -0.2, 0, 1e-9, 0.7, 1.96, 5, 12.7, 300])[:, None]
    assert np.allclose(t_cdf(t, FREEDOM), stdtr(FREEDOM, t), atol=1e-9, rtol=1e-7)


@pytest.mark.parametrize("p", [0.5, 0.9, 0.975, 0.999])
def test_quantiles_agree_with_scipy(p: float) -> None:
    from scipy.special import stdtrit  # as above

    assert np.allclose(t_quantile(p, FREEDOM), stdtrit(FREEDOM, p), atol=1e-8, rtol=1e-8)


def test_shapes_are_kept() -> None:
    assert t_quantile(0.975, np.array([[3, 5], [5, 9]])).shape == (2, 2)
    assert t_cdf(0.5, np.array([[3, 5]])).shape == (1, 2)


def test_quantiles_asked_for_again_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    freedom = np.array([[3.25, 5.25], [5.25, 9.25]])
    first = t_quantile(0.975, freedom)
    monkeypatch.setattr("beanleague.league.ratings.intervals.t_cdf", lambda *_: pytest.fail("it was computed again"))
    again = t_quantile(0.975, freedom[::-1])
    assert (again == first[::-1]).all()
    again[:] = 0  # a caller may do what it likes with its own
    assert (t_quantile(0.975, freedom) == first).all()


def bound(deals: int) -> float:
    """The rating, against an anchor of 1500, at which so many deals are all won with a probability of 5 %."""
    chance = 0.05 ** (1 / deals)
    return 1500 + 400 * log10(chance / (1 - chance))


def always(order: Sequence[int], deals: int, seats: int) -> Counters:
    """Deals at every table of these bots, in which every bot always beats those that come after it."""
    counters = Counters(len(order))
    for table in list(combinations(range(len(order)), seats)) * deals:
        seatings = [table[r:] + table[:r] for r in range(seats)]
        add_deal(counters, [(seated, [order.index(bot) for bot in seated]) for seated in seatings])
    return counters


def one_sided(bot: Rating) -> tuple[bool, bool, bool]:
    return bot.least is not None, bot.most is not None, bot.interval is not None


class TestOneThatNeverLost:
    @pytest.mark.parametrize("deals", [1, 50, 500, 5000])
    def test_is_rated_over_what_would_have_won_all_with_5_percent(self, deals: int) -> None:
        counters = Counters(2)
        counters.add_deals([[(0, 1), (1, 0)]] * deals, [[(1, 2), (2, 1)]] * deals)
        winner, _ = rate(counters, anchor=[1]).bots
        assert winner.least == pytest.approx(bound(deals), abs=1e-3)
        assert one_sided(winner) == (True, False, False)
        _, loser = rate(counters, anchor=[0]).bots
        assert loser.most == pytest.approx(3000 - bound(deals), abs=1e-3)
        assert one_sided(loser) == (False, True, False)

    @pytest.mark.parametrize("deviation", [50.0, 350.0, 2000.0])
    def test_is_rated_without_the_prior(self, deviation: float) -> None:
        counters = always((0, 1), 60, 2)
        assert rate(counters, [1], Prior(bots=deviation)).bots[0].least == pytest.approx(bound(60), abs=1e-3)

    def test_gains_nothing_from_the_number_of_pairs_in_a_deal(self) -> None:
        """They share its luck: the deal is what was won."""
        equals = [(1, 2), (2, 1), (1, 1)]
        counters = Counters(3)
        for n in range(60):
            one, other = equals[n % 3]
            add_deal(counters, [((0, 1, 2), (1, 1 + one, 1 + other)), ((1, 2, 0), (1 + one, 1 + other, 1))])
        assert rate(counters, anchor=[1]).bots[0].least == pytest.approx(bound(60), abs=1e-3)

    def test_is_compared_with_the_anchor_through_those_between(self) -> None:
        """Found here by another optimiser: the least lead over the anchor, whatever the bot between them is worth."""
        from scipy.optimize import minimize  # slow, and every process reads this file

        deals = 40
        first, *_ = rate(always((0, 1, 2), deals, 2), anchor=[2]).bots
        leads = np.linspace(0.0, 12.0, 200)

        def greatest(lead: float) -> float:
            def lost(at: Floats) -> float:
                return deals * float(np.logaddexp(0, -lead) + np.logaddexp(0, -at[0]) + np.logaddexp(0, at[0] - lead))

            return -float(minimize(lost, [lead / 2], tol=1e-10).fun)

        least = float(np.interp(log(0.05), [greatest(lead) for lead in leads], leads))
        assert first.least == pytest.approx(1500 + ELO * least, abs=1.0)

    def test_is_not_bounded_by_who_never_met_the_anchor_s_side(self) -> None:
        counters = Counters(4)
        add_deal(counters, [((0, 1), (1, 2)), ((1, 0), (2, 1))])
        add_deal(counters, [((2, 3), (1, 1)), ((3, 2), (1, 1))])
        assert [one_sided(bot) for bot in rate(counters, anchor=[1]).bots] == [
            (True, False, False),
            (False, False, True),
            (False, False, False),
            (False, False, False),
        ]

    def test_a_tie_gives_it_two_sides(self) -> None:
        counters = always((0, 1), 40, 2)
        add_deal(counters, [((0, 1), (1, 1)), ((1, 0), (2, 1))])
        assert one_sided(rate(counters, anchor=[1]).bots[0]) == (False, False, True)


class TestGroups:
    @pytest.fixture
    def counters(self) -> Counters:
        """Bots 0 and 1 share the wins among them, as do 2, 3 and 4, which never beat one of the former."""
        rng = np.random.default_rng(5)
        return league(rng, np.array([3050.0, 3000, 30, 0, -30]), 600)

    def test_bots_that_reach_each_other_form_a_group(self, counters: Counters) -> None:
        reach = Reach(counters)
        assert reach.groups.tolist() == [0, 0, 2, 2, 2]
        assert reach.largest(np.arange(5)).tolist() == [2, 3, 4]

    def test_of_a_group_that_never_lost_to_the_rest_all_are_over(self, counters: Counters) -> None:
        ratings = rate(counters, anchor=[2]).bots
        assert [one_sided(bot) for bot in ratings] == [(True, False, False)] * 2 + [(False, False, True)] * 3

    def test_of_a_group_that_never_won_from_the_rest_all_are_under(self, counters: Counters) -> None:
        ratings = rate(counters, anchor=[0]).bots
        assert [one_sided(bot) for bot in ratings] == [(False, False, True)] * 2 + [(False, True, False)] * 3

    def test_differences_inside_it_are_kept(self, counters: Counters) -> None:
        over, known = rate(counters, anchor=[2]).bots, rate(counters, anchor=[0]).bots
        assert over[0].least is not None
        assert over[1].least is not None
        assert over[0].least - over[1].least == pytest.approx(known[0].rating - known[1].rating, abs=1e-3)


def all_or_nothing(rng: np.random.Generator, deals: int, chance: float, deviation: float) -> tuple[Rating, float]:
    """The rating of a bot in a league of six at three seats, and the true one, against an anchor of 1500.

    All pairs of a deal end alike for it, so that nothing is gained from their number: it wins every one of the deals
    with the probability `chance` if the others, whose strengths have this deviation, are equal.
    """
    others = rng.normal(0, deviation, 5)
    each = chance ** (1 / deals)
    lead = 400 * log10(each / (1 - each))
    seatings = rotated([(0, *(1 + rng.permutation(5)[:2])) for _ in range(deals)])
    places = play(rng, seatings, np.array([0.0, *others]), 0.6)
    strongest = np.where(seatings[:, 0] > 0, others[seatings[:, 0] - 1], -np.inf).max(axis=1)
    wins = rng.random(deals) < 1 / (1 + np.exp((strongest - lead) / ELO))
    places = np.where(seatings == 0, np.where(wins, 0, 9)[:, None, None], places).argsort(axis=2).argsort(axis=2)
    counters = Counters(6)
    counters.add_deals(seatings, places)
    return rate(counters, anchor=[1]).bots[0], 1500 + lead - others[0]


@pytest.mark.parametrize(
    "leagues", [pytest.param(100, id="short"), pytest.param(2000, id="long", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "chance",
    [0.05, *(pytest.param(chance, marks=pytest.mark.slow) for chance in (0.03, 0.08, 0.3))],
)
def test_a_bound_is_beyond_the_truth_in_at_most_5_percent_of_leagues(
    chance: float, leagues: int, record_property: Callable[[str, object], None]
) -> None:
    rng = np.random.default_rng(int(1000 * chance))
    for deals, deviation in [(10, 0.0), (30, 150.0)]:
        found = [all_or_nothing(rng, deals, chance, deviation) for _ in range(leagues)]
        bounds = [(bot.least, truth) for bot, truth in found if bot.least is not None]
        wrong = sum(bool(least > truth) for least, truth in bounds)  # a plain number goes into the report
        record_property(f"bounds, wrong of {deals} deals", (len(bounds), wrong))
        assert wrong / leagues <= 0.05 + 2 * sqrt(0.05 * 0.95 / leagues)
        if deviation == 0:
            assert len(bounds) / leagues == pytest.approx(chance, abs=4 * sqrt(chance / leagues))


def played(deals: int = 200, players: int = 5, seed: int = 3) -> Counters:
    """Deals of players of whom each is stronger than the one before it."""
    rng = np.random.default_rng(seed)
    luck = rng.gumbel(size=(deals, players)) + np.linspace(0, 1, players)
    places = 1 + (luck[:, None, :] > luck[:, :, None]).sum(axis=2)
    counters = Counters(players)
    counters.add_solo_deals(np.broadcast_to(np.arange(players), places.shape), places)
    return counters


def half_wins(counters: Counters) -> np.ndarray:
    each = np.arange(counters.bots)
    return counters.pairs().half_wins(each[:, None], each)[0]


def test_every_pair_of_a_deal_counts_once() -> None:
    counters = Counters(4)
    counters.add_solo_deals([[2, 0, 3]], [[1, 2, 2]])
    assert half_wins(counters).tolist() == [[0, 0, 0, 1], [0, 0, 0, 0], [2, 0, 0, 2], [1, 0, 0, 0]]
    assert counters.deals_of.tolist() == [1, 0, 1, 1]
    assert counters.sizes == (1,)


def test_the_order_in_which_players_are_listed_makes_no_difference() -> None:
    one, other = Counters(3), Counters(3)
    one.add_solo_deals([[0, 1, 2]], [[3, 1, 2]])
    other.add_solo_deals([[2, 0, 1]], [[2, 3, 1]])
    assert (half_wins(one) == half_wins(other)).all()
    (of_one,), (of_other,) = one.sums(), other.sums()
    assert (of_one.products == of_other.products).all()


def test_strengths_are_the_most_probable_ones() -> None:
    """There the wins of each bot are those expected of it, but for the pull of the prior."""
    counters = played()
    found = fit(counters)
    lead = found.strengths[:, None] - found.strengths[None, :]
    wins = half_wins(counters) / 2
    surplus = (wins - (wins + wins.T) / (1 + np.exp(-lead))).sum(axis=1)
    assert surplus == pytest.approx(found.strengths * (ELO / Prior().bots) ** 2, abs=1e-6)
    assert found.seats(1).tolist() == [0]


def test_stronger_bots_are_rated_higher_and_no_seat_has_an_effect() -> None:
    ratings = rate(played())
    values = [bot.rating for bot in ratings.bots]
    assert values == sorted(values)
    assert all(0 < half_width(bot) < 60 for bot in ratings.bots)
    assert ratings.seats == ()
    assert ratings.luck is None


def test_the_interval_narrows_with_the_root_of_the_deals() -> None:
    few, many = rate(played(200)), rate(played(800))
    for bot in range(5):
        assert half_width(many.bots[bot]) == pytest.approx(half_width(few.bots[bot]) / 2, rel=0.15)


def test_solo_deals_of_many_bots_are_rated() -> None:
    assert len(rate(played(deals=40, players=30)).bots) == 30


@pytest.mark.parametrize(
    ("players", "places", "reason"),
    [
        ([[0]], [[1]], "2 to 128 players, not 1"),
        ([[0, 0]], [[1, 2]], "only once"),
        ([[0, 3]], [[1, 2]], "numbered 0 to 2"),
        ([[0, 1]], [[1, 2, 3]], "do not match"),
    ],
)
def test_malformed_solo_deals_are_refused(players: list[list[int]], places: list[list[int]], reason: str) -> None:
    counters = Counters(3)
    with pytest.raises(CountersError, match=reason):
        counters.add_solo_deals(players, places)
    assert counters.deals == 0
