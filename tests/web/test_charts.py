"""Numbers become positions: intervals on one scale, sparklines, the history with its names, heat maps, seats."""

from itertools import pairwise

import pytest

from beanleague.web.charts import (
    _LINE,
    Scale,
    gift_matrix,
    history_chart,
    history_table,
    rating_matrix,
    rating_scale,
    seat_bars,
    signed,
    standing_rows,
)
from beanproto.v1 import league_pb2 as pb


def standing(bot: str, rank: int, rating: float, interval: float | None = 20, **more: float) -> pb.Standing:
    return pb.Standing(bot=bot, version=1, rank=rank, rating=rating, interval=interval, **more)  # type: ignore[arg-type]


def snapshot(deals: int, interval: float, **ratings: float) -> pb.RatingSnapshot:
    past = [pb.PastRating(bot=bot, version=1, rating=rating, interval=interval) for bot, rating in ratings.items()]
    return pb.RatingSnapshot(deals=deals, ratings=past)


class TestScale:
    def test_values_beyond_its_ends_stay_on_it(self) -> None:
        scale = Scale(0, 10, 100, 200)
        assert [scale.at(value) for value in (-5, 0, 5, 10, 15)] == [100, 100, 150, 200, 200]

    def test_ticks_are_round_and_within(self) -> None:
        assert Scale(1413, 1587).ticks() == [1450, 1500, 1550]
        assert Scale(-3.1, 3.1).ticks() == [-2, 0, 2]

    def test_equal_ratings_have_some_room(self) -> None:
        scale = rating_scale([1500, 1500])
        assert scale.at(1500) == 50
        assert rating_scale([None]).low < 1500


class TestRows:
    def test_bars_share_a_scale_and_bounds_are_open(self) -> None:
        best, middle, worst = (
            row.bar
            for row in standing_rows(
                [
                    standing("ann", 1, 1700, None, least=1650),
                    standing("ben", 2, 1500),
                    standing("cid", 3, 1300, None, most=1350),
                ],
                {},
                {},
            )
        )
        assert best is not None
        assert middle is not None
        assert worst is not None
        assert (best.open_right, best.right, best.at) == (True, 100, None)
        assert (worst.open_left, worst.left) == (True, 0)
        assert middle.at == 50
        assert worst.right < middle.left < middle.right < best.left

    def test_a_bot_that_has_not_played_has_neither_bar_nor_line(self) -> None:
        (row,) = standing_rows([pb.Standing(bot="ann", version=1)], {("ann", 1): [(1, 1500.0)]}, {})
        assert (row.bar, row.spark, row.move) == (None, "", 0)

    def test_a_line_goes_up_when_the_rating_does(self) -> None:
        (row,) = standing_rows([standing("ann", 1, 1600)], {("ann", 1): [(10, 1500.0), (20, 1600.0)]}, {})
        (x0, y0), (x1, y1) = (tuple(map(float, point.split(","))) for point in row.spark.split())
        assert x0 < x1
        assert y0 > y1

    def test_ranks_gained_are_counted_from_the_ranks_before(self) -> None:
        found = standing_rows([standing("ann", 1, 1600), standing("ben", 2, 1500)], {}, {("ann", 1): 3, ("ben", 1): 1})
        assert [row.move for row in found] == [2, -1]


class TestHistory:
    def test_names_are_apart_in_the_order_of_their_lines(self) -> None:
        ratings = {f"bot{number:02}": 1500 - number * 0.1 for number in range(30)}
        standings = [standing(bot, rank, rating) for rank, (bot, rating) in enumerate(ratings.items(), 1)]
        chart = history_chart(standings, [snapshot(10, 20, **ratings), snapshot(20, 15, **ratings)])
        assert chart is not None
        labels = [line.label for line in chart.lines]
        assert labels == sorted(labels)
        assert all(below - above >= _LINE - 0.2 for above, below in pairwise(labels))
        assert 0 < labels[0] < labels[-1] < chart.height

    def test_the_first_points_which_are_noise_are_left_out(self) -> None:
        history = [snapshot(1, 900, ann=1900.0), snapshot(8, 40, ann=1510.0), snapshot(16, 25, ann=1500.0)]
        chart = history_chart([standing("ann", 1, 1500)], history)
        assert chart is not None
        assert [label for _, label in chart.across] == ["16", "8"]
        (points,), (band,) = chart.lines[0].parts, chart.lines[0].bands
        assert len(points.split()) == 2
        assert len(band.split()) == 4

    def test_a_bot_outside_of_the_field_for_a_day_has_a_gap_in_its_line(self) -> None:
        days = [{"ann": 1600.0, "ben": 1400.0}] * 2 + [{"ben": 1400.0}] + [{"ann": 1580.0, "ben": 1400.0}] * 2
        history = [snapshot(10 * 2**day, 20, **ratings) for day, ratings in enumerate(days)]
        standings = [standing("ann", 1, 1580), standing("ben", 2, 1400)]
        chart = history_chart(standings, history)
        assert chart is not None
        ann, ben = chart.lines
        assert [len(part.split()) for part in ann.parts] == [2, 2]
        assert [len(band.split()) for band in ann.bands] == [4, 4]
        assert [len(part.split()) for part in ben.parts] == [5]
        assert history_table(standings, history)[0][1] == [1600, 1600, None, 1580, 1580]

    def test_of_many_bots_the_first_and_the_chosen_have_lines_and_the_others_are_a_cloud(self) -> None:
        names = [f"bot{number}" for number in range(40)]
        standings = [standing(name, rank, 1700 - 10 * rank) for rank, name in enumerate(names, 1)]
        ratings = {name: 1700.0 - 10 * rank for rank, name in enumerate(names, 1)}
        history = [snapshot(10, 20, **ratings), snapshot(20, 15, **ratings)]
        chart = history_chart(standings, history, standings[30:31])
        assert chart is not None
        assert [line.bot for line in chart.lines] == [*names[:10], "bot30"]
        outer, inner = ([float(point.split(",")[1]) for point in cloud.split()] for cloud in chart.clouds)
        assert min(outer) < min(inner) < max(inner) < max(outer)
        few = history_chart(standings[:30], history)
        assert few is not None
        assert len(few.lines) == 30

    def test_days_of_a_ladder_are_as_far_apart_as_they_ended(self) -> None:
        history = [snapshot(deals, 20, ann=1500.0) for deals in (10, 1_000, 1_001)]
        for number, past in enumerate(history, 1):
            past.day = number % 3
            past.created.FromSeconds(86_400 * number)
        chart = history_chart([standing("ann", 1, 1500)], history)
        assert chart
        (first, _), (second, _), (third, _) = sorted(chart.across)
        assert [label for _, label in sorted(chart.across)] == ["day 1", "day 2", "now"]
        assert second - first == pytest.approx(third - second)

    def test_one_point_is_no_history(self) -> None:
        assert history_chart([standing("ann", 1, 1500)], [snapshot(1, 90, ann=1500.0)]) is None
        assert history_chart([], []) is None


class TestHeat:
    def test_a_share_has_the_colour_of_its_distance_from_a_half(self) -> None:
        rated = pb.RatingsResponse(
            standings=[standing("ann", 1, 1600), standing("ben", 2, 1500)],
            matrix=[
                pb.MatrixRow(better=[-1, 0.9], pair_score=[-1, 1]),
                pb.MatrixRow(better=[0.1, -1], pair_score=[0, -1]),
            ],
        )
        (itself, won), (lost, _) = rating_matrix(rated).rows
        assert itself is None
        assert won is not None
        assert lost is not None
        assert (won.text, won.heat, lost.text, lost.heat) == ("100", 5, "0", -5)
        assert "ann@1 won 100% of its pairs with ben@1; stronger with 90% probability" in won.title

    def test_a_part_of_a_matrix_has_the_names_of_its_rows_and_columns(self) -> None:
        standings = [standing(name, rank, 1500) for rank, name in enumerate(("ann", "ben", "cid"), 1)]
        row = pb.MatrixRow(better=[0.4, -1], pair_score=[0.5, -1])
        part = rating_matrix(pb.RatingsResponse(standings=standings, matrix=[row]), 2, 1)
        assert (part.names, part.columns, part.bots) == (["cid@1"], ["ben@1", "cid@1"], 3)
        assert part.rows[0][0] is not None
        assert part.rows[0][1] is None

    def test_gifts_are_negative_in_the_other_direction(self) -> None:
        pair = pb.PairFlow(
            giver=pb.Entrant(bot="ann", version=1), receiver=pb.Entrant(bot="ben", version=1), excess=0.5
        )
        (_, gave), (got, _) = gift_matrix([pair]).rows
        assert gave is not None
        assert got is not None
        assert (gave.text, gave.heat) == ("+0.50", 5)
        assert (got.text, got.heat) == ("\N{MINUS SIGN}0.50", -5)


def test_seats_are_drawn_around_the_mean() -> None:
    effects = [pb.SeatEffect(seat=0, elo=-10, interval=5), pb.SeatEffect(seat=1, elo=10, interval=5)]
    (_, first), (_, second) = seat_bars(effects)
    assert first.at is not None
    assert second.at is not None
    assert first.at < 50 < second.at
    assert first.left < first.at < first.right < 50


@pytest.mark.parametrize(
    ("value", "text"), [(0.004, "0.00"), (-0.004, "0.00"), (1.5, "+1.50"), (-1.5, "\N{MINUS SIGN}1.50")]
)
def test_a_number_rounded_to_zero_has_no_sign(value: float, text: str) -> None:
    assert signed(value, 2) == text
