"""Solo deals: every player has a place among all that played the deal by itself."""

import numpy as np
import pytest

from beanleague.league.ratings.counters import Counters, CountersError
from beanleague.league.ratings.fit import Prior, fit
from beanleague.league.ratings.ratings import rate
from beanleague.league.ratings.scores import ELO
from tests.league.ratings.simulation import half_width


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
        ([[0, 0]], [[1, 2]], "twice"),
        ([[0, 3]], [[1, 2]], "numbered 0 to 2"),
        ([[0, 1]], [[1, 2, 3]], "do not fit"),
    ],
)
def test_what_is_no_solo_deal_is_refused(players: list[list[int]], places: list[list[int]], reason: str) -> None:
    counters = Counters(3)
    with pytest.raises(CountersError, match=reason):
        counters.add_solo_deals(players, places)
    assert counters.deals == 0
