"""Comparisons stop by themselves; two bots of a league, in the deals that both played."""

import random
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.league.compare import ComparisonRequest, LiveComparison, comparison_league, pair, sequential_test
from beanleague.league.counting import thinking_time
from beanleague.league.errors import RequestError
from beanleague.league.ratings.scores import By, DealScore
from beanleague.league.ratings.sprt import Comparison, SequentialTest, Verdict
from beanleague.model import Deal, League, PlayedDeal, SeatResult
from beanleague.store import Store
from beanproto.v1 import referee_pb2
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run, store_with_bots
from tests.store.helpers import add_bots, add_league, deal


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of four bots."""
    with store_with_bots(tmp_path / "a.db", 4) as store:
        yield store


def asked(store: Store, a: str = "bot1", b: str = "bot0", **more: object) -> League:
    return comparison_league(store, ComparisonRequest(a, b, "bohnanza", SequentialTest(), **more))  # type: ignore[arg-type]


def compared(store: Store, league: League, pools: FakePools, *, stop_after: int = 0) -> Comparison:
    """Run a comparison and return what it found; `stop_after`: so many matches."""
    run = league_run(store, pools, name=league.name)
    if stop_after:
        pools.before = lambda _: run.stop() if pools.played >= stop_after else None
    run.play()
    return LiveComparison(store, league).comparison


def test_a_and_b_share_the_seats_of_every_match_and_each_has_every_seat(store: Store) -> None:
    pools = FakePools()
    compared(store, asked(store), pools)
    seatings = {task.bots for task in pools.tasks}
    assert seatings == {(0, 0, 1, 1), (0, 1, 1, 0), (1, 1, 0, 0), (1, 0, 0, 1)}


def test_a_comparison_stops_by_itself_when_it_is_decided(store: Store) -> None:
    """By the referee of the tests entrant 1 has a dollar more than entrant 0 in most matches."""
    found = compared(store, asked(store), FakePools())
    assert found.verdict is Verdict.NOT_BETTER
    assert found.obvious
    assert found.deals < 100  # those that were in play count too, more of them on a slow machine


def test_the_same_question_goes_on_and_a_decided_one_plays_nothing_more(store: Store) -> None:
    stopped = compared(store, asked(store), FakePools(), stop_after=60)
    assert stopped.verdict is Verdict.OPEN
    found = compared(store, asked(store), FakePools(order=7))
    assert found.deals > stopped.deals
    pools = FakePools()
    assert compared(store, asked(store), pools) == found
    assert pools.started == 0


def test_by_dollars_is_a_question_of_its_own_that_goes_on_like_others(store: Store) -> None:
    def by_dollars() -> League:
        return comparison_league(store, ComparisonRequest("bot1", "bot0", "bohnanza", SequentialTest(by=By.DOLLARS)))

    assert by_dollars().name != asked(store).name
    stopped = compared(store, by_dollars(), FakePools(), stop_after=12)
    assert (stopped.verdict, stopped.test.by) == (Verdict.OPEN, By.DOLLARS)
    found = compared(store, by_dollars(), FakePools(order=7))
    assert found.deals > stopped.deals
    assert found == compared(store, by_dollars(), FakePools())
    assert 0 > found.lead_interval[1] > found.lead > -1.5


def test_one_that_ended_before_today_s_formula_knows_goes_on(store: Store) -> None:
    league = asked(store)
    compared(store, league, FakePools(), stop_after=60)
    store.leagues.add(league.id, (), store.leagues.get(league.name).deals_done)
    assert compared(store, asked(store), FakePools()).verdict is not Verdict.OPEN


@pytest.mark.parametrize(("more", "matches"), [({"seats": 3}, 6), ({"fillers": ("bot2",), "seats": 3}, 6)])
def test_other_seats_and_fillers(store: Store, more: dict[str, object], matches: int) -> None:
    league = asked(store, **more)  # type: ignore[arg-type]  # options by name
    assert league.matches_a_deal == matches
    pools = FakePools()
    found = compared(store, league, pools)
    assert found.verdict is not Verdict.OPEN
    assert len({task.bots for task in pools.tasks}) == matches


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"b": "bot1"}, "named twice"),
        ({"seats": 6}, "for 3 to 5 seats, not 6"),
        ({"fillers": ("bot2", "bot3"), "seats": 3}, "leave no room"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(store: Store, more: dict[str, object], why: str) -> None:
    with pytest.raises(RequestError, match=why):
        asked(store, **more)  # type: ignore[arg-type]
    assert store.leagues.list() == ()


def test_bounds_that_make_no_sense_are_refused() -> None:
    with pytest.raises(RequestError, match="elo0 must be less than elo1"):
        sequential_test(20, 0, 0.05, 0.05)


@pytest.fixture
def league(store: Store) -> League:
    """A league of three bots at one table."""
    return add_league(store, add_bots(store, 3), deals=0)


def play(store: Store, league: League, deals: int, better: float) -> None:
    """Play deals in which bot 0 has `better` more dollars than the others, and luck does the rest."""
    chance = random.Random(7)
    played: list[PlayedDeal] = []
    for number in range(1, deals + 1):
        matches = []
        for match in deal(number).matches:
            scores = [chance.gauss(10 + better * (seat.entrant == 0), 3) for seat in match.seats]
            places = [1 + sum(other > score for other in scores) for score in scores]
            seats = zip(match.seats, scores, places, strict=True)
            matches.append(
                replace(match, seats=tuple(SeatResult(s.entrant, round(x), p, 50, 0, False) for s, x, p in seats))
            )
        played.append(replace(deal(number), matches=tuple(matches)))
    store.deals.schedule(league.id, [Deal(number, (0, 1, 2), b"") for number in range(1, deals + 1)])
    store.deals.commit(league.id, played)


@pytest.mark.parametrize("by", By)
def test_the_test_is_that_of_a_comparison_and_all_deals_count_for_the_score(
    store: Store, league: League, by: By
) -> None:
    play(store, league, 150, better=1.5)
    test = SequentialTest(by=by)
    found = pair(store, league, 0, 1, test)
    expected, seen = Comparison(test), 0
    for each in store.pairs.by_deal(league.id, 0, 1, solo=False):
        lead, square = (each.mean_lead, each.squares / each.pairs) if by is By.DOLLARS else (0.0, 0.0)
        expected, seen = expected.with_deal(DealScore(each.share, lead, square)), seen + 1
        if expected.verdict is not Verdict.OPEN:
            break
    assert expected.verdict is Verdict.BETTER
    assert seen < 150
    assert (found.test.verdict, found.test.deals, found.test.llr) == (Verdict.BETTER, seen, expected.llr)
    assert len(found.deals) == found.by_places.deals == found.by_dollars.deals == 150
    assert found.by_places.score == pytest.approx(sum(each.share for each in found.deals) / 150)


def test_the_deals_with_the_largest_leads_come_first_on_both_sides(store: Store, league: League) -> None:
    play(store, league, 40, better=0)
    found = pair(store, league, 0, 1, SequentialTest())
    leads = sorted((each.mean_lead for each in found.deals), reverse=True)
    assert [each.mean_lead for each in found.ahead(3)] == leads[:3]
    assert [each.mean_lead for each in found.ahead(3, sign=-1)] == leads[:-4:-1]
    assert all(each.lead > 0 for each in found.ahead(40))


def test_a_bot_is_not_compared_with_itself(store: Store, league: League) -> None:
    with pytest.raises(RequestError, match="cannot be compared with itself"):
        pair(store, league, 1, 1, SequentialTest())


class TestThinkingTime:
    def commit(self, store: Store, league: League, *, record: bytes | None = None) -> None:
        """Commit a deal in which entrant 0 makes four decisions a match, of which one comes as a list of two moves."""
        store.deals.schedule(league.id, [Deal(1, (0, 1, 2), b"")])
        matches = []
        for match in deal(1).matches:
            mine = [seat.entrant for seat in match.seats].index(0)
            times = [(mine, 40), (mine, 0), ((mine + 1) % 3, 900), (mine, 8), (mine, 0), (mine, 12)]
            message = referee_pb2.Record(
                moves=[referee_pb2.Played(seat=seat) for seat, _ in times], ms=[ms for _, ms in times]
            )
            data = zlib.compress(message.SerializeToString()) if record is None else record
            seats = tuple(replace(seat, decisions=4) for seat in match.seats)
            matches.append(replace(match, record=data, seats=seats))
        store.deals.commit(league.id, [replace(deal(1), matches=tuple(matches))])

    def test_thinking_time_counts_the_decisions_of_the_entrant_alone(self, store: Store, league: League) -> None:
        self.commit(store, league)
        found = thinking_time(store, league.id, 0)
        assert found is not None
        assert (found.matches, found.decisions, found.mean_ms) == (3, 12, 15.0)
        assert (found.slow_ms, found.most_ms) == (40, 40)

    @pytest.mark.parametrize("record", [b"", b"beans", zlib.compress(b"\xff"), zlib.compress(b"")])
    def test_without_times_nothing_is_said(self, store: Store, league: League, record: bytes) -> None:
        self.commit(store, league, record=record)
        assert thinking_time(store, league.id, 0) is None


def test_a_long_league_is_tested_up_to_its_end(store: Store, league: League) -> None:
    """After a thousand deals the test is looked at now and then only, but always after the last."""
    play(store, league, 1013, better=0.1)
    wide = SequentialTest(elo0=-1500, elo1=1500, alpha=1e-9, beta=1e-9)
    for test in (wide, SequentialTest(elo0=9.5, elo1=10)):
        found = pair(store, league, 0, 1, test)
        assert found.test.verdict is not Verdict.OPEN or found.test.deals == 1013
