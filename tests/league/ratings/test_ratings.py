from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.fit import Fit, Prior, fit
from beanleague.league.ratings.ratings import AnchorError, Ratings, rate
from beanleague.league.ratings.scores import ELO
from beanleague.league.ratings.spread import spread
from beanleague.model import Rating
from tests.league.ratings.simulation import add_deal, half_width, half_wins_by_seats, league, play, rotated

Deal = list[tuple[Sequence[int], Sequence[int]]]
NO_SEATS = Prior(seats=1e-6)
"""A prior so sure that seats are equal that they are."""


def duels(results: Sequence[tuple[int, int]], bots: int) -> Counters:
    """Deals of two matches, seats swapped, each won by the first of the two bots."""
    counters = Counters(bots)
    for winner, loser in results:
        add_deal(counters, [((winner, loser), (1, 2)), ((loser, winner), (2, 1))])
    return counters


def seeded_league(matches: int = 240, bots: int = 6, seats: int = 4, seed: int = 3) -> Counters:
    rng = np.random.default_rng(seed)
    return league(rng, rng.normal(0, 150, bots), matches, seats=seats)


def points(counters: Counters, anchor: Sequence[int] = (), prior: Prior | None = None) -> np.ndarray:
    """The ratings without their intervals."""
    return np.array([bot.rating for bot in rate(counters, anchor, prior).bots])


def bits(ratings: Ratings) -> tuple[object, ...]:
    return ratings.bots, ratings.seats, all_better(ratings).tobytes(), ratings.luck


class TestFit:
    @pytest.mark.parametrize("ties", [False, True])
    def test_agrees_with_choix_to_a_hundredth_of_an_elo(self, ties: bool) -> None:
        rng = np.random.default_rng(11)
        bots, strengths = 12, rng.normal(0, 200, 12)
        seatings = rotated([rng.permutation(bots)[:4].tolist() for _ in range(60)])
        places = play(rng, seatings, strengths, luck=0.6)
        if ties:
            places = (places + 1) // 2
        counters = Counters(bots)
        counters.add_deals(seatings, places)
        import choix  # slow, and every process reads this file

        twice = []  # choix knows no ties: every pair goes in twice, a tie once each way
        for seated, placed in zip(seatings.reshape(-1, 4).tolist(), places.reshape(-1, 4).tolist(), strict=True):
            for a, b in combinations(range(4), 2):
                pair = (seated[a], seated[b])
                back = (seated[b], seated[a])
                twice += [pair if placed[a] <= placed[b] else back, pair if placed[a] < placed[b] else back]
        penalty = (ELO / 350) ** 2 / 2
        theirs = choix.opt_pairwise(bots, twice, alpha=2 * penalty, tol=1e-12)
        ours = points(counters, prior=NO_SEATS)
        assert np.abs(ours - (1500 + ELO * (theirs - theirs.mean()))).max() < 0.01

    def test_is_where_the_log_posterior_is_flat(self) -> None:
        counters = seeded_league()
        add_deal(counters, [((0, 1, 2), (1, 2, 3)), ((1, 2, 0), (3, 1, 2))])
        found = fit(counters)
        at = found.parameters
        for index in range(len(at)):
            nudge = np.zeros_like(at)
            nudge[index] = 1e-4
            slope = (log_posterior(counters, found, at + nudge) - log_posterior(counters, found, at - nudge)) / 2e-4
            assert abs(slope) < 1e-4

    def test_curvature_is_that_of_the_log_posterior(self) -> None:
        counters = seeded_league(matches=24)
        found = fit(counters)
        length, step = len(found.parameters), 1e-3
        middle = log_posterior(counters, found, found.parameters)
        for a, b in [(0, 0), (0, 1), (2, length - 1), (length - 2, length - 1), (length - 3, length - 3)]:
            one, other = np.eye(length)[a] * step, np.eye(length)[b] * step
            up, down = (log_posterior(counters, found, found.parameters + x) for x in (one + other, -one - other))
            mixed = (up + down - 2 * middle) / step**2
            expected = found.curvature.dense[a, a] + found.curvature.dense[b, b] + 2 * found.curvature.dense[a, b]
            assert -mixed == pytest.approx(expected, rel=1e-4)

    @pytest.mark.parametrize("bots", [3, 40, 150])
    def test_is_that_of_dense_matrices(self, bots: int) -> None:
        """Also where most bots never met, some never lost, and tables differ in size."""
        rng = np.random.default_rng(bots)
        counters = Counters(bots)
        for seats in (2, 3):
            tables = [np.sort(rng.choice(bots, seats, replace=False)).tolist() for _ in range(bots)]
            seatings = rotated(tables)
            counters.add_deals(seatings, play(rng, seatings, rng.normal(0, 400, bots), 0.6))
        add_deal(counters, [((0, 0, 1, 1), (1, 2, 3, 4))])
        found = fit(counters)
        assert np.abs(found.parameters - dense_fit(counters, found)).max() * ELO < 1e-6

    def test_from_an_earlier_fit_is_that_from_zero(self) -> None:
        """Also of bots and table sizes that came later."""
        rng = np.random.default_rng(4)
        counters = Counters(150)
        strengths = rng.normal(0, 300, 151)
        before = fit(counters)
        for seats in (3, 4):
            seatings = rotated([np.sort(rng.choice(counters.bots, seats, replace=False)).tolist() for _ in range(600)])
            before = fit(counters)
            counters.add_deals(seatings, play(rng, seatings, strengths, 0.6))
            counters.grow(counters.bots + 1)
        cold, warm = fit(counters), fit(counters, start=before)
        assert np.abs(cold.parameters - warm.parameters).max() * ELO < 1e-6

    def test_curvature_times_a_vector_is_that_of_the_matrix(self) -> None:
        curvature = fit(seeded_league()).curvature
        vector = np.random.default_rng(1).normal(size=len(curvature.diagonal))
        assert np.allclose(curvature.times(vector), curvature.dense @ vector, rtol=1e-12)
        assert np.allclose(curvature.dense @ curvature.solve(vector), vector, rtol=1e-6, atol=1e-6)

    def test_finds_the_worth_of_seats(self) -> None:
        rng = np.random.default_rng(8)
        counters = league(rng, rng.normal(0, 100, 8), 8000, seat_elo=(60, 20, -20, -60))
        found = {effect.seat: effect for effect in rate(counters).seats}
        for seat, true in enumerate((60, 20, -20, -60)):
            assert abs(found[seat].elo - true) < 1.5 * found[seat].interval
            assert found[seat].interval < 12

    def test_a_bot_is_not_blamed_for_a_bad_seat(self) -> None:
        """Bot 0 always has the poor last seat, and plays as well as the others."""
        rng = np.random.default_rng(4)
        others = [rng.permutation([1, 2, 3]).tolist() for _ in range(600)]
        fair = [rng.permutation(4).tolist() for _ in range(1200)]
        seatings = np.array([[[*rest, 0]] for rest in others] + [[seated] for seated in fair])
        counters = Counters(4)
        counters.add_deals(seatings, play(rng, seatings, np.zeros(4), 0.0, seat_elo=(0, 0, 0, -200)))
        assert abs(points(counters)[0] - 1500) < 30
        assert points(counters, prior=NO_SEATS)[0] < 1470

    def test_without_deals_all_are_equal_and_unknown(self) -> None:
        ratings = rate(Counters(3))
        first, *others = ratings.bots
        assert first == Rating(0, 1500.0, 0.0, 1, 3, anchor=True)
        assert others == [Rating(bot, 1500.0, None, 1, 3, provisional=True) for bot in (1, 2)]
        assert ratings.luck is None

    def test_a_bot_that_has_not_played_moves_nobody(self) -> None:
        counters = seeded_league()
        before = points(counters, anchor=[0])
        counters.grow(counters.bots + 1)
        assert np.abs(points(counters, anchor=[0])[:-1] - before).max() < 1e-5

    def test_a_bot_that_has_not_played_makes_nobody_less_sure(self) -> None:
        counters = seeded_league()
        before = rate(counters)
        counters.grow(counters.bots + 1)
        after = rate(counters)
        for old, new in zip(before.bots, after.bots, strict=False):
            assert (new.rating, half_width(new)) == pytest.approx((old.rating, half_width(old)), abs=1e-4)
        assert after.bots[-1].interval is None


class TestOrder:
    def test_shuffled_deals_and_matches_change_no_bit(self) -> None:
        rng = np.random.default_rng(2)
        deals: list[Deal] = []
        for seats in (3, 4):
            seatings = rotated([rng.permutation(7)[:seats].tolist() for _ in range(60)])
            places = (play(rng, seatings, rng.normal(0, 150, 7), 0.6) + 1) // 2
            deals += [list(zip(*deal, strict=True)) for deal in zip(seatings.tolist(), places.tolist(), strict=True)]
        expected = None
        for _ in range(5):
            counters = Counters(7)
            for deal in rng.permutation(len(deals)):
                add_deal(counters, [deals[deal][match] for match in rng.permutation(len(deals[deal]))])
            found = bits(rate(counters, anchor=[1, 4]))
            expected = expected or found
            assert found == expected

    def test_bots_that_join_later_change_no_bit(self) -> None:
        early, late = Counters(6), Counters(3)
        late.grow(6)
        rng = np.random.default_rng(6)
        seatings = rotated([rng.permutation(6)[:4].tolist() for _ in range(40)])
        places = play(rng, seatings, rng.normal(0, 100, 6), 0.6)
        early.add_deals(seatings, places)
        late.add_deals(seatings[:10], places[:10])
        late.add_deals(seatings[10:], places[10:])
        assert bits(rate(early)) == bits(rate(late))


class TestAnchor:
    def test_by_default_the_mean_is_the_base(self) -> None:
        assert points(seeded_league()).mean() == pytest.approx(1500, abs=1e-5)

    def test_a_bot_can_be_the_base(self) -> None:
        anchored = rate(seeded_league(), anchor=[2]).bots[2]
        assert anchored.rating == 1500
        assert half_width(anchored) == pytest.approx(0, abs=1e-4)

    def test_of_several_those_count_whose_differences_are_known(self) -> None:
        """Bot 0 never lost to the others, so its distance from them would make all ratings unknown."""
        counters = duels([(0, 1), (0, 2), (1, 2), (2, 1), (1, 2)] * 20, bots=3)
        ratings = rate(counters, anchor=[0, 1, 2]).bots
        assert ratings[1].rating + ratings[2].rating == pytest.approx(3000)
        assert [bot.interval is None for bot in ratings] == [True, False, False]

    def test_several_bots_can_be_the_base_together(self) -> None:
        ratings = points(seeded_league(), anchor=[1, 4])
        assert (ratings[1] + ratings[4]) / 2 == pytest.approx(1500, abs=1e-5)

    def test_moves_no_bot_against_another(self) -> None:
        counters = seeded_league()
        assert np.ptp(points(counters, anchor=[0]) - points(counters)) < 1e-5
        assert (all_better(rate(counters, anchor=[0])) == all_better(rate(counters))).all()

    def test_an_unknown_bot_is_refused(self) -> None:
        with pytest.raises(AnchorError, match="anchored at bot 6"):
            rate(seeded_league(), anchor=[6])


class TestIntervals:
    @staticmethod
    def assert_sandwich(number: int, seatings: np.ndarray, places: np.ndarray) -> None:
        """The covariance of a league of `number` bots is what the formula gives, deal by deal."""
        counters = Counters(number)
        counters.add_deals(seatings, places)
        found = fit(counters)
        meat = sum(np.outer(s, s) for s in (deal_score(found, *deal) for deal in zip(seatings, places, strict=True)))
        bread = np.linalg.inv(found.curvature.dense)
        expected = bread @ (len(places) / (len(places) - 1) * np.asarray(meat) + np.diag(found.precision)) @ bread
        bots, scatter = counters.bots, spread(counters, found)
        assert scatter.bots.full is not None
        assert np.allclose(scatter.bots.full, expected[:bots, :bots], rtol=1e-6, atol=1e-9)
        assert np.allclose(scatter.seats, expected[bots:, bots:], rtol=1e-6, atol=1e-9)

    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_the_covariance_is_the_sandwich_clustered_by_deal(self, seats: int) -> None:
        rng = np.random.default_rng(seats)
        seatings = rotated([rng.permutation(5)[:seats].tolist() for _ in range(30)] * 2)
        places = play(rng, seatings, rng.normal(0, 150, 5), 0.6)
        self.assert_sandwich(5, seatings, places)

    def test_a_bot_with_two_seats_at_a_table_is_one_bot(self) -> None:
        rng = np.random.default_rng(9)
        seatings = np.array([[(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 1)]] * 200)
        places = play(rng, seatings, np.array([50.0, -50.0]), 0.6)
        self.assert_sandwich(2, seatings, places)

    def test_narrow_as_deals_come_in(self) -> None:
        widths = [
            np.mean([half_width(bot) for bot in rate(seeded_league(matches)).bots]) for matches in (96, 384, 1536)
        ]
        assert widths[0] / widths[1] == pytest.approx(2, rel=0.35)
        assert widths[1] / widths[2] == pytest.approx(2, rel=0.25)


class TestProvisional:
    def test_is_who_has_played_little_or_is_far_from_known(self) -> None:
        assert {bot.provisional for bot in rate(seeded_league(2400)).bots} == {False}
        few = rate(duels([(0, 1), (1, 0), (1, 2), (2, 1)] * 14, bots=3)).bots
        assert [(bot.entrant, bot.provisional) for bot in few] == [(0, True), (1, True), (2, True)]

    def test_is_nobody_because_of_the_anchor_s_noise(self) -> None:
        """The anchor has played enough, but all that is known of it is that it wins nearly always."""
        rng = np.random.default_rng(7)
        counters = league(rng, np.array([1300.0, 40, 0, -40, 20, -20]), 2400)
        ratings = rate(counters, anchor=[0]).bots
        assert all(half_width(bot) > 50 for bot in ratings[1:])
        assert [bot.provisional for bot in ratings] == [False] * 6

    def test_is_nobody_because_of_a_newcomer_beside_it(self) -> None:
        counters = seeded_league(2400)
        order = ranked(rate(counters))
        new = counters.bots
        counters.grow(new + 1)
        for _ in range(3):
            add_deal(counters, [((new, order[2]), (1, 2)), ((order[2], new), (1, 2))])
        after = rate(counters).bots
        assert [bot.entrant for bot in after if bot.provisional] == [new]

    def test_is_never_the_anchor(self) -> None:
        anchor = rate(duels([(0, 1), (1, 0)], bots=2), anchor=[0]).bots[0]
        assert (anchor.anchor, anchor.provisional) == (True, False)


class TestRanks:
    def test_ranges_count_the_bots_certainly_above_and_below(self) -> None:
        ratings = rate(seeded_league(1000))
        for bot in ratings.bots:
            assert bot.best_rank == 1 + sum(all_better(ratings)[:, bot.entrant] > 0.975)
            assert bot.worst_rank == 6 - sum(all_better(ratings)[bot.entrant] > 0.975)

    def test_clear_differences_leave_one_rank_each(self) -> None:
        rng = np.random.default_rng(0)
        ratings = rate(league(rng, np.array([0.0, 400, -400, 200]), 2000))
        assert [(bot.best_rank, bot.worst_rank) for bot in ratings.bots] == [(3, 3), (1, 1), (4, 4), (2, 2)]
        assert ranked(ratings) == [1, 3, 0, 2]

    def test_bots_alike_share_all_ranks(self) -> None:
        ratings = rate(duels([(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] * 5, bots=3))
        assert {(bot.best_rank, bot.worst_rank) for bot in ratings.bots} == {(1, 3)}

    def test_the_chance_to_be_better_is_one_less_that_to_be_worse(self) -> None:
        better = all_better(rate(seeded_league()))
        assert np.allclose(better + better.T, 1, atol=2e-6)
        assert (better.diagonal() == 0.5).all()


class TestLuck:
    @pytest.mark.parametrize(("luck", "low", "high"), [(0.0, -0.02, 0.02), (0.6, 0.38, 0.48), (0.95, 0.64, 0.75)])
    def test_share_follows_the_luck_of_the_deal(self, luck: float, low: float, high: float) -> None:
        rng = np.random.default_rng(12)
        share = rate(league(rng, rng.normal(0, 100, 8), 8000, luck=luck)).luck
        assert share is not None
        assert low < share < high

    def test_needs_deals_of_several_matches(self) -> None:
        counters = Counters(2)
        add_deal(counters, [((0, 1), (1, 2))])
        assert rate(counters).luck is None


def dense_fit(counters: Counters, found: Fit) -> np.ndarray:
    """The parameters of `found` by Newton's method with full matrices: a column for each bot and seat."""
    at, length = np.zeros_like(found.parameters), len(found.parameters)
    signs, wins, met = [], [], []
    for size in counters.sizes:
        first, each = found.seats_at[size], counters.encounters(size)
        sign = np.zeros((len(each.met), length))
        for column, one in ((each.one, 1), (first + each.seat, 1), (each.other, -1), (first + each.other_seat, -1)):
            np.add.at(sign, (np.arange(len(sign)), column), one)
        signs.append(sign)
        wins.append(each.wins / 2)
        met.append(each.met)
    sign, won, times = np.concatenate(signs), np.concatenate(wins), np.concatenate(met)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-sign @ at))
        curvature = sign.T @ ((times * chance * (1 - chance))[:, None] * sign) + np.diag(found.precision)
        at += np.linalg.solve(curvature, sign.T @ (won - times * chance) - found.precision * at)
    return at


def ranked(ratings: Ratings) -> list[int]:
    """Return the bots, the highest rating first."""
    return [bot.entrant for bot in sorted(ratings.bots, key=lambda bot: -bot.rating)]


def all_better(ratings: Ratings) -> np.ndarray:
    """How probable it is that each bot is stronger than each other."""
    each = np.arange(len(ratings.bots))
    return ratings.better(each[:, None], each)


def log_posterior(counters: Counters, found: Fit, at: np.ndarray) -> float:
    """Of the parameters `at`, term by term."""
    value = -0.5 * float((found.precision * at**2).sum())
    for size in counters.sizes:
        pairs = half_wins_by_seats(counters, size)
        for s, r in combinations(range(size), 2):
            seats = at[found.seats_at[size] + s] - at[found.seats_at[size] + r]
            for i in range(counters.bots):
                for j in range(counters.bots):
                    chance = 1 / (1 + np.exp(at[j] - at[i] - seats))
                    value += pairs[s, r, i, j] / 2 * np.log(chance) + pairs[r, s, j, i] / 2 * np.log(1 - chance)
    return float(value)


def deal_score(found: Fit, seated: np.ndarray, placed: np.ndarray) -> np.ndarray:
    """Derivative of the log likelihood of one deal, pair by pair."""
    score = np.zeros_like(found.parameters)
    size = seated.shape[1]
    first = found.seats_at[size]
    for bots, places in zip(seated, placed, strict=True):
        for s, r in combinations(range(size), 2):
            lead = found.strengths[bots[s]] + found.seats(size)[s] - found.strengths[bots[r]] - found.seats(size)[r]
            won = 1.0 if places[s] < places[r] else 0.5 if places[s] == places[r] else 0.0
            surplus = won - 1 / (1 + np.exp(-lead))
            score[bots[s]] += surplus
            score[bots[r]] -= surplus
            score[first + s] += surplus
            score[first + r] -= surplus
    return score
