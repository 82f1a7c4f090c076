"""Formats of leagues; of the Bean Thief, each deal is played once by every bot."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import permutations

import pytest

from beanleague import model
from beanleague.league.counting import UNKNOWN, Compared
from beanleague.league.create import create_league, join, lift_suspension
from beanleague.league.errors import RequestError
from beanleague.league.schedule.schedule import ScheduleError, Table
from beanleague.league.schedule.seeds import deal_seed
from beanleague.league.schedule.tables import MAX_BOTS, Gauntlet, ranking
from beanleague.league.standings import standings
from beanleague.model import GAUNTLET, WIN, Fault, FaultKind, MatchFilter, PlayedMatch
from beanleague.referee.messages import MatchTask
from beanleague.store import MissingError, Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play, quick
from tests.league.helpers import DERIVED, SECRET, contents, derived_problems, league_run, submit_late
from tests.matches import changed


def games(store: Store, *, after: int = 0) -> Counter[int]:
    """Return how many of the tables of "spring" behind deal `after` each entrant sits at."""
    return Counter(bot for table in store.deals.tables(1)[after:] for bot in table)


class TestGauntlet:
    @pytest.mark.parametrize("seats", [3, 4])
    def test_the_hero_sits_at_every_table_and_the_field_is_balanced(self, make_league: MakeLeague, seats: int) -> None:
        store = make_league(deals=20, seats=seats, gauntlet="bot2")
        league_run(store, FakePools()).play()
        league = store.leagues.get("spring")
        assert (league.format, league.hero, league.deals_done) == (GAUNTLET, 2, 20)
        played = games(store)
        assert played.pop(2) == 20
        assert max(played.values()) - min(played.values()) <= 1

    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_the_field_meets_the_hero_equally_often(self, seats: int) -> None:
        gauntlet = Gauntlet(6, 2, seats, 43, ())
        played = [gauntlet.next() for _ in range(43)]
        assert all(table[0] == 2 and len(set(table)) == seats for table in played)
        met = Counter(bot for table in played for bot in table[1:])
        assert set(met) == {0, 1, 3, 4, 5}
        assert max(met.values()) - min(met.values()) <= 1

    @pytest.mark.parametrize(("bots", "seats", "all_tables"), [(9, 5, 70), (10, 4, 84), (8, 4, 35), (8, 3, 21)])
    def test_all_tables_are_played_once_if_that_is_how_many_deals_there_are(
        self, bots: int, seats: int, all_tables: int
    ) -> None:
        """Also if the league is stopped after every one."""
        played: list[Table] = []
        while len(played) < all_tables:
            played.append(Gauntlet(bots, 0, seats, all_tables, played).next())
        assert len(set(played)) == all_tables

    def test_a_field_that_is_too_small_is_refused(self) -> None:
        with pytest.raises(ScheduleError, match="2 other bots cannot fill 3 seats of a gauntlet"):
            Gauntlet(3, 0, 4, 5, ())


class TestJoining:
    def test_a_bot_that_joins_plays_until_it_has_caught_up(self, make_league: MakeLeague) -> None:
        store = make_league(deals=15)
        league_run(store, FakePools()).play()
        submit_late(store)
        join(store, "spring", ["late"], deals=60)
        league_run(store, FakePools()).play()
        played = games(store)
        assert max(played.values()) - min(played.values()) <= 1
        assert len(store.ratings.latest(1).ratings) == 6  # type: ignore[union-attr]
        assert derived_problems(store) == []

    def test_a_bot_that_joins_a_gauntlet_is_in_its_field(self, make_league: MakeLeague) -> None:
        store = make_league(deals=12, seats=3, gauntlet="bot0")
        league_run(store, FakePools()).play()
        submit_late(store)
        join(store, "spring", ["late"], deals=50)
        league_run(store, FakePools()).play()
        played = games(store)
        assert played.pop(0) == 50
        assert max(played.values()) - min(played.values()) <= 1

    def test_a_new_version_takes_the_place_of_the_old_one(self, make_league: MakeLeague) -> None:
        store = make_league(deals=15)
        league_run(store, FakePools()).play()
        submit_late(store, "bot1")
        join(store, "spring", ["bot1"], deals=40)
        league_run(store, FakePools()).play()
        later = games(store, after=15)
        assert later[1] == 0
        assert later[5] > 15
        assert [entrant.number for entrant in store.leagues.entrants(1) if entrant.retired] == [1]

    @pytest.mark.parametrize(
        ("bot", "deals", "why"),
        [("bot1", 0, "bot1@1 already plays in spring"), ("late", 3, "this number can only be raised")],
    )
    def test_bots_that_cannot_join_are_refused_with_the_reason(
        self, store: Store, bot: str, deals: int, why: str
    ) -> None:
        submit_late(store)
        with pytest.raises(RequestError, match=why):
            join(store, "spring", [bot], deals)
        assert store.leagues.get("spring").entrants == 5


class TestAllSeatings:
    def test_each_deal_is_played_in_all_six_orders_by_processes_of_their_own(self, make_league: MakeLeague) -> None:
        store, pools = make_league(seats=3, deals=4, all_seatings=True), FakePools()
        league_run(store, pools).play()
        league = store.leagues.get("spring")
        assert (league.deals_done, league.matches_done) == (4, 24)
        for seed in {task.seed for task in pools.tasks}:
            tasks = [task for task in pools.tasks if task.seed == seed]
            assert {task.bots for task in tasks} == set(permutations(tasks[0].bots))
            assert len({task.lane for task in tasks}) == 6
        for match in store.matches.list(1, MatchFilter(limit=100)):
            table = store.deals.tables(1)[match.deal - 1]
            assert tuple(seat.entrant for seat in match.seats) == list(permutations(table))[match.rotation]
        with pytest.raises(MissingError, match="its rotations are 0 to 5"):
            store.matches.get(1, 1, 6)

    def test_all_seatings_are_for_three_seats(self, make_league: MakeLeague) -> None:
        with pytest.raises(RequestError, match="all seatings can be played only with 3 seats, not with 4"):
            make_league(seats=4, all_seatings=True)


class TestDerivedAgain:
    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ("UPDATE match_seat SET place = 5 - place WHERE deal = 3", "rating.rating: bot"),
            ("UPDATE match_seat SET score = score + 1 WHERE deal = 3", "entrant.score: "),
            ("DELETE FROM rating WHERE entrant = 4", "rating.entrant: 4 are stored for 5 entrants"),
        ],
    )
    def test_underived_tables_are_reported(self, store: Store, change: str, problem: str) -> None:
        league_run(store, FakePools()).play()
        with store.database.write() as connection:
            connection.exec_driver_sql(change)
        assert any(problem in line for line in derived_problems(store))

    def test_totals_with_faults_and_shared_wins_are_reproduced(self, store: Store) -> None:
        def faulty(task: MatchTask, names: object) -> PlayedMatch:
            shared = changed(quick(task, {}), place=(1, 1, 1, 4), faults=(0, 0, 2, 0))
            return replace(shared, faults=(Fault(2, 1, FaultKind.TIMEOUT, "slow", False),) * 2)

        league_run(store, FakePools(faulty)).play()
        totals = store.leagues.totals(1)
        assert sum(entrant.faults for entrant in totals) == 2 * sum(entrant.faulted for entrant in totals) == 80
        assert sum(entrant.wins for entrant in totals) == 40 * WIN
        assert derived_problems(store) == []

    def test_ratings_from_before_a_bot_joined_are_no_fault(self, store: Store) -> None:
        league_run(store, FakePools()).play()
        submit_late(store)
        join(store, "spring", ["late"], deals=20)
        assert derived_problems(store) == []


def test_the_matrix_is_in_the_order_asked_for(store: Store) -> None:
    league_run(store, FakePools()).play()
    order = [4, 0, 1, 2, 3]
    for figures in Compared(store, store.leagues.get("spring")).matrix(order, order):
        assert [figures[n][n] for n in range(5)] == [UNKNOWN] * 5
        assert figures[0][1] + figures[1][0] == pytest.approx(1)
        assert figures[0][1] > 0.5  # higher numbers score more


GAME = "bean-thief-easy"


@pytest.fixture
def solo(make_league: MakeLeague) -> Store:
    """The league "spring" of three bots against the easy Thief, four deals, not played yet."""
    return make_league(game=GAME, bots=3, seats=0, deals=4)


def played(store: Store, **pools: object) -> FakePools:
    started = FakePools(**{"play": play, **pools})  # type: ignore[arg-type]
    league_run(store, started).play()
    return started


def suspend(store: Store, entrant: int) -> None:
    """Play a deal after which an entrant is suspended."""
    number = store.leagues.get("spring").deals_done + 1
    store.deals.schedule(1, [model.Deal(number, (entrant,), b"digest")])
    bot, thief = finish(entrant, 0, 13, forfeited=True)
    seats = bot, replace(thief, entrant=store.leagues.get("spring").entrants - 1)
    deal = model.PlayedDeal(number, b"seed", (model.PlayedMatch(0, b"record", seats),))
    store.deals.commit(1, [deal], [model.Suspension(entrant, number, "why")])


def finish(
    entrant: int, dollars: int, thief: int, *, forfeited: bool = False
) -> tuple[model.SeatResult, model.SeatResult]:
    won = dollars > thief and not forfeited
    return (
        model.SeatResult(entrant, dollars, 1 if won else 2, 50, 0, forfeited),
        model.SeatResult(9, thief, 2 if won else 1, 0, 0, forfeited=False),
    )


class TestRanking:
    def test_a_win_then_the_lead_then_the_thief_then_a_loss(self) -> None:
        players, places = ranking([finish(0, 5, 13), finish(1, 13, 12), finish(2, 14, 2), finish(3, 9, 13)])
        assert dict(zip(players, places, strict=True)) == {2: 1, 1: 2, 9: 3, 3: 4, 0: 5}

    def test_equal_leads_share_a_place(self) -> None:
        players, places = ranking([finish(0, 13, 5), finish(1, 14, 6)])
        assert dict(zip(players, places, strict=True)) == {0: 1, 1: 1, 9: 3}

    def test_a_forfeiting_bot_is_last_whatever_it_earned(self) -> None:
        players, places = ranking([finish(0, 13, 5, forfeited=True), finish(1, 0, 13), finish(2, 1, 0, forfeited=True)])
        assert dict(zip(players, places, strict=True)) == {9: 1, 1: 2, 0: 3, 2: 3}


class TestRoom:
    """For 127 bots and the Thief; in most of these tests for five."""

    @pytest.fixture
    def full(self, make_league: MakeLeague, monkeypatch: pytest.MonkeyPatch) -> Store:
        monkeypatch.setattr("beanleague.league.create.MAX_BOTS", 5)
        return self.with_bots(make_league, 5)

    def with_bots(self, make_league: MakeLeague, bots: int) -> Store:
        """Return a league of so many, a newer version of one of them, and another bot."""
        store = make_league(game=GAME, bots=bots, seats=0, deals=1)
        submit_late(store, "bot0", GAME)
        submit_late(store, "late", GAME)
        return store

    def test_a_newer_version_needs_none(self, full: Store) -> None:
        join(full, "spring", ["bot0"], deals=2)
        assert full.leagues.get("spring").seated == 6

    def test_one_more_is_refused(self, make_league: MakeLeague) -> None:
        full = self.with_bots(make_league, MAX_BOTS)
        for bots in (["late"], ["bot0", "late"]):
            with pytest.raises(
                RequestError, match=f"can have at most 127 bots, and {128 - len(bots)} others play in spring"
            ):
                join(full, "spring", bots)

    def test_a_suspension_is_not_lifted_when_another_took_its_place(self, full: Store) -> None:
        suspend(full, 3)
        join(full, "spring", ["late"])
        with pytest.raises(RequestError, match="can have at most 5 bots, and 5 others play in spring"):
            lift_suspension(full, "spring", full.leagues.entrants(1)[3].bot)
        assert full.leagues.entrants(1)[3].suspended == "why"

    def test_a_suspension_is_lifted_when_there_is_room(self, full: Store) -> None:
        suspend(full, 3)
        lift_suspension(full, "spring", full.leagues.entrants(1)[3].bot)
        assert full.leagues.get("spring").seated == 6


class TestRun:
    def test_every_bot_plays_every_deal_once_on_the_same_luck(self, solo: Store) -> None:
        pools = played(solo)
        league = solo.leagues.get("spring")
        assert (league.deals_done, league.matches_done) == (4, 12)
        tasks = sorted((task.seed, task.bots) for task in pools.tasks)
        assert tasks == sorted((deal_seed(SECRET, deal), (bot,)) for deal in range(1, 5) for bot in range(3))
        assert solo.deals.tables(league.id) == ((0, 1, 2),) * 4

    def test_a_match_is_kept_with_the_dollars_of_the_thief(self, solo: Store) -> None:
        played(solo)
        for match in solo.matches.list(1, model.MatchFilter(limit=100)):
            bot, thief = match.seats
            assert (bot.entrant, thief.entrant) == (match.rotation, 3)
            assert sorted((bot.place, thief.place)) == [1, 2]
            assert (bot.score > thief.score) == (bot.place == 1)

    def test_the_thief_is_an_entrant_with_a_rating(self, solo: Store) -> None:
        played(solo)
        found = standings(solo, solo.leagues.get("spring"), running=False)
        (thief,) = (standing for standing in found if standing.entrant.version_id is None)
        assert (thief.entrant.bot, thief.totals.deals, thief.totals.matches) == (model.THIEF, 4, 12)
        assert thief.rank > 0
        bots = [standing for standing in found if standing is not thief]
        assert [standing.totals.matches for standing in bots] == [4, 4, 4]
        assert thief.wins + sum(standing.wins for standing in bots) == 12

    def test_a_bot_that_wins_all_is_above_the_thief_and_one_that_loses_all_below(self, solo: Store) -> None:
        def fixed(task: MatchTask, bots: object) -> model.PlayedMatch:
            del bots
            dollars, thief = ((13, 2), (13, 9), (4, 13))[task.bots[0]]
            won = dollars > thief
            assert task.thief is not None
            seats = (
                model.SeatResult(task.bots[0], dollars, 1 if won else 2, 60, 0, forfeited=False),
                model.SeatResult(task.thief, thief, 2 if won else 1, 0, 0, forfeited=False),
            )
            return model.PlayedMatch(task.id, b"", seats)

        played(solo, play=fixed)
        found = standings(solo, solo.leagues.get("spring"), running=False)
        assert [standing.entrant.bot for standing in found] == ["bot0", "bot1", model.THIEF, "bot2"]
        assert [standing.mean_score for standing in found] == [13, 13, 8, 4]

    def test_a_forfeit_is_last_and_a_win_of_the_thief(self, solo: Store) -> None:
        def forfeiting(task: MatchTask, bots: Mapping[int, str]) -> model.PlayedMatch:
            result = play(task, bots)
            if task.bots[0]:
                return result
            fault = model.Fault(0, 0, model.FaultKind.CRASH, "gone", forfeited=True)
            result = changed(result, score=(20, 0), place=(2, 1), faults=(1, 0), forfeited=(True, False))
            return replace(result, faults=(fault,))

        played(solo, play=forfeiting)
        found = standings(solo, solo.leagues.get("spring"), running=False)
        assert found[-1].entrant.bot == "bot0"
        assert (found[-1].wins, found[-1].totals.forfeits) == (0, 4)

    def test_the_results_of_a_league_do_not_depend_on_its_runs(self, make_league: MakeLeague) -> None:
        one, other = (make_league(game=GAME, bots=3, seats=0, deals=4) for _ in range(2))
        played(one)
        pools = FakePools(play=play, order=7, at_once=1)
        run = league_run(other, pools, in_flight=1)
        pools.before = lambda _: run.stop() if pools.played == 5 else None
        run.play()
        pools.before = lambda _: None
        league_run(other, pools).play()
        assert contents(one, leave_out=DERIVED) == contents(other, leave_out=DERIVED)

    def test_one_bot_alone_can_play(self, make_league: MakeLeague) -> None:
        store = make_league(game=GAME, bots=1, seats=0, deals=3)
        played(store)
        found = standings(store, store.leagues.get("spring"), running=False)
        assert {standing.entrant.bot for standing in found} == {"bot0", model.THIEF}


class TestCreation:
    def test_without_a_number_of_deals_there_is_one(self, make_league: MakeLeague) -> None:
        assert make_league(game=GAME, bots=3, seats=0, deals=0).leagues.get("spring").deals == 1

    @pytest.mark.parametrize(("wish", "message"), [({"seats": 2}, "is for 1 seat, not 2"), ({}, "at least 1 bot")])
    def test_a_league_that_cannot_be_created_is_refused(
        self, make_league: Callable[..., Store], wish: dict[str, int], message: str
    ) -> None:
        store = make_league()
        with pytest.raises(RequestError, match=message):
            create_league(store, model.LeagueRequest(name="autumn", ruleset=GAME, **wish))  # type: ignore[arg-type]
