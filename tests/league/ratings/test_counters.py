import numpy as np
import pytest

from beanleague.league.ratings.counters import Counters, CountersError
from tests.league.ratings.simulation import half_wins_by_seats

AB = [((0, 1), (1, 2)), ((1, 0), (1, 2))]
"""A deal of two matches: 0 beats 1, then 1 beats 0; the first seat wins both."""


class TestAddDeal:
    def test_a_better_place_is_two_half_wins_over_that_bot_in_that_seat(self) -> None:
        counters = Counters(3)
        counters.add_deal([((2, 0), (1, 2))])
        expected = np.zeros((2, 2, 3, 3), int)
        expected[0, 1, 2, 0] = 2
        assert (half_wins_by_seats(counters, 2) == expected).all()

    def test_a_shared_place_is_a_half_win_for_both(self) -> None:
        counters = Counters(2)
        counters.add_deal([((0, 1), (1, 1))])
        assert half_wins_by_seats(counters, 2)[0, 1, 0, 1] == half_wins_by_seats(counters, 2)[1, 0, 1, 0] == 1

    def test_places_need_not_be_consecutive(self) -> None:
        plain, odd = Counters(3), Counters(3)
        plain.add_deal([((0, 1, 2), (1, 1, 2))])
        odd.add_deal([((0, 1, 2), (-3, -3, 70))])
        assert (half_wins_by_seats(plain, 3) == half_wins_by_seats(odd, 3)).all()

    def test_every_pair_of_every_match_counts_once(self) -> None:
        counters = Counters(4)
        counters.add_deal([((0, 1, 2, 3), (1, 2, 3, 4)), ((1, 2, 3, 0), (1, 2, 3, 4))])
        assert half_wins_by_seats(counters, 4).sum() == 2 * 2 * 6

    def test_a_bot_with_two_seats_has_sat_at_one_deal(self) -> None:
        counters = Counters(2)
        counters.add_deal([((0, 0, 1, 1), (1, 2, 3, 4))])
        assert counters.deals_of.tolist() == [1, 1]

    def test_table_sizes_are_counted_apart(self) -> None:
        counters = Counters(3)
        counters.add_deal(AB)
        counters.add_deal([((0, 1, 2), (1, 2, 3))])
        assert counters.sizes == (2, 3)
        assert (counters.deals, counters.deals_at(2), counters.deals_at(3)) == (2, 1, 1)
        assert counters.deals_of.tolist() == [2, 2, 1]

    def test_deals_in_one_call_are_the_same_deals_one_by_one(self) -> None:
        rng = np.random.default_rng(5)
        seatings = np.array([[rng.permutation(4) for _ in range(3)] for _ in range(50)])
        places = rng.integers(1, 4, seatings.shape)
        together, apart = Counters(4), Counters(4)
        together.add_deals(seatings, places)
        for seated, placed in zip(seatings.tolist(), places.tolist(), strict=True):
            apart.add_deal(list(zip(seated, placed, strict=True)))
        assert (half_wins_by_seats(together, 4) == half_wins_by_seats(apart, 4)).all()
        for one, other in zip(together.sums(), apart.sums(), strict=True):
            assert (one.seatings == other.seatings).all()
            assert (one.products == other.products).all()

    def test_a_bot_that_joins_leaves_the_counts_as_they_are(self) -> None:
        early, late = Counters(3), Counters(2)
        early.add_deal(AB)
        late.add_deal(AB)
        assert late.add_bot() == 2
        assert (half_wins_by_seats(early, 2) == half_wins_by_seats(late, 2)).all()
        assert late.deals_of.tolist() == [1, 1, 0]

    def test_only_who_met_is_kept_in_the_order_of_bots(self) -> None:
        counters = Counters(1000)
        counters.add_deal([((999, 7, 3), (1, 2, 2))])
        counters.add_deal([((999, 7, 3), (2, 1, 3))])
        met = counters.encounters(3)
        assert list(zip(met.one, met.other, met.seat, met.other_seat, met.wins, met.met, strict=True)) == [
            (3, 7, 2, 1, 1, 2),
            (3, 999, 2, 0, 0, 2),
            (7, 999, 1, 0, 2, 2),
        ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("deal", "reason"),
        [
            ([((0, 1), (1, 2)), ((0, 2), (1, 2))], "same bots"),
            ([((0, 9), (1, 2))], "numbered 0 to 2"),
            ([((0, -1), (1, 2))], "numbered 0 to 2"),
            ([((0,), (1,))], "tables seat 2"),
            ([((0, 1), (1,))], "a place for each seat"),
            ([((0, 1), (1, 2)), ((0, 1, 2), (1, 2, 3))], "equally many seats"),
            ([], "equally many seats"),
        ],
    )
    def test_a_deal_that_is_none_is_refused_and_not_counted(
        self, deal: list[tuple[tuple[int, ...], tuple[int, ...]]], reason: str
    ) -> None:
        counters = Counters(3)
        with pytest.raises(CountersError, match=reason):
            counters.add_deal(deal)
        assert counters.deals == 0
        assert counters.sizes == ()

    def test_arrays_that_do_not_fit_are_refused(self) -> None:
        with pytest.raises(CountersError, match="do not fit"):
            Counters(2).add_deals(np.zeros((1, 2, 2)), np.zeros((1, 1, 2)))


class TestSums:
    def test_scores_are_those_of_the_bots_then_of_the_seats(self) -> None:
        counters = Counters(2)
        counters.add_deal(AB)
        (sums,) = counters.sums()
        assert sums.scores.tolist() == [[2, 2, 4, 0]]
        assert (sums.products[0] == np.outer([2, 2, 4, 0], [2, 2, 4, 0])).all()

    def test_deals_with_the_same_seatings_are_one_row(self) -> None:
        counters = Counters(2)
        counters.add_deal(AB)
        counters.add_deal([((0, 1), (1, 1)), ((1, 0), (2, 1))])
        (sums,) = counters.sums()
        assert sums.deals.tolist() == [2]
        assert sums.scores.tolist() == [[2 + 3, 2 + 1, 4 + 1, 0 + 3]]
        assert sums.squares.tolist() == [4 + 4 + 1 + 1 + 4]

    def test_blocks_hold_every_deal_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        counters = Counters(6)
        rng = np.random.default_rng(1)
        seatings = np.array([[rng.permutation(6)[:3]] for _ in range(300)])
        counters.add_deals(seatings, rng.integers(1, 4, seatings.shape))
        whole = next(counters.sums())
        monkeypatch.setattr("beanleague.league.ratings.counters._BLOCK", 7)
        blocks = list(counters.sums())
        assert len(blocks) > 10
        assert (np.concatenate([block.products for block in blocks]) == whole.products).all()
        assert sum(int(block.deals.sum()) for block in blocks) == 300


class TestPairScores:
    def test_are_shares_of_the_pairs_won(self) -> None:
        counters = Counters(3)
        counters.add_deal([((0, 1), (1, 2)), ((1, 0), (1, 1))])
        scores = counters.pairs().shares(np.arange(3)[:, None], np.arange(3))
        assert scores[0, 1] == 0.75
        assert scores[1, 0] == 0.25
        assert np.isnan(scores[0, 2])
        assert np.isnan(scores[0, 0])
