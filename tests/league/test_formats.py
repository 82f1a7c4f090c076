from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from beanleague.league.bundles import read_bundle
from beanleague.league.errors import RequestError, RunError
from beanleague.league.joining import join, lift
from beanleague.league.matrix import UNKNOWN, matrix
from beanleague.league.recomputing import recompute
from beanleague.league.secrets import deal_seed
from beanleague.referee.match import MatchResult, MatchTask
from beanleague.store.store import Store
from beanleague.store.values import GAUNTLET
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, quick
from tests.league.helpers import SECRET, bundle, league_run


def forfeiting(*bots: int) -> FakePools:
    """Return a referee by which these entrants forfeit every match."""

    def forfeit(task: MatchTask, names: object) -> MatchResult:
        return replace(quick(task, ()), forfeited=tuple(bot in bots for bot in task.bots))

    return FakePools(forfeit)


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


def submit_late(store: Store, name: str = "late") -> None:
    """Submit one more bot, or one more version."""
    made = read_bundle(bundle(name, "later"))
    store.bots.add(made.manifest, made.digest, made.data)


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
        assert recompute(store, "spring").problems == ()

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
        [("bot1", 0, "bot1@1 plays in spring already"), ("late", 3, "there can be more, not fewer")],
    )
    def test_who_cannot_join_is_told_why(self, store: Store, bot: str, deals: int, why: str) -> None:
        submit_late(store)
        with pytest.raises(RequestError, match=why):
            join(store, "spring", [bot], deals)
        assert store.leagues.get("spring").entrants == 5


class TestSuspension:
    def test_a_bot_that_forfeits_time_and_again_is_seated_no_more(self, make_league: MakeLeague) -> None:
        store = make_league(deals=40)
        league_run(store, forfeiting(3), in_flight=1).play()
        assert store.leagues.get("spring").deals_done == 40
        assert store.leagues.entrants(1)[3].suspended == "5 forfeits in a row"
        assert games(store)[3] <= 10

    def test_a_lifted_suspension_counts_anew(self, make_league: MakeLeague) -> None:
        store = make_league(deals=40)
        league_run(store, forfeiting(3), in_flight=1).play()
        lift(store, "spring", "bot3")
        assert store.leagues.entrants(1)[3].active
        assert store.leagues.forfeits(1, 3) == (0, 0)
        with pytest.raises(RequestError, match="bot3 is not suspended"):
            lift(store, "spring", "bot3")

    def test_a_tenth_of_the_matches_is_not_too_many_and_more_is(self, make_league: MakeLeague) -> None:
        """Entrant 0 forfeits a match of every third deal, one in twelve, or of every second, one in eight."""
        for every, suspended in [(3, False), (2, True)]:
            store = make_league(bots=4, deals=12)

            def forfeit(task: MatchTask, names: object, every: int = every, store: Store = store) -> MatchResult:
                deal = next(n for n in range(1, 13) if deal_seed(SECRET, n) == task.seed)
                bad = task.bots[0] == 0 and deal % every == 0
                return replace(quick(task, ()), forfeited=tuple(bad and bot == 0 for bot in task.bots))

            league_run(store, FakePools(forfeit), in_flight=64).play() if not suspended else None
            if suspended:
                with pytest.raises(RunError, match="bot0@1 is suspended"):
                    league_run(store, FakePools(forfeit), in_flight=1).play()
            assert bool(store.leagues.entrants(1)[0].suspended) is suspended

    def test_without_enough_bots_the_run_ends_and_says_why(self, make_league: MakeLeague) -> None:
        store = make_league(bots=3, seats=3, deals=40)
        with pytest.raises(RunError, match=r"2 bots are left for 3 seats; bot1@1 is suspended \(5 forfeits in a row\)"):
            league_run(store, forfeiting(1), in_flight=1).play()


class TestRecompute:
    def test_a_league_is_reproduced_exactly(self, store: Store) -> None:
        league_run(store, FakePools()).play()
        found = recompute(store, "spring")
        assert (found.deals, found.matches, found.ratings, found.problems) == (10, 40, 5, ())

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ("UPDATE match_seat SET place = 5 - place WHERE deal = 3", "the rating of bot"),
            ("UPDATE match_seat SET score = score + 1 WHERE deal = 3", "the totals of bot"),
            ("UPDATE pair SET half_wins = zeroblob(128) WHERE first = 0", "the pair counters are not those"),
            ("UPDATE rating SET rating = rating + 0.000001 WHERE entrant = 0", "the rating of bot0@1 was kept as"),
        ],
    )
    def test_whatever_was_changed_is_found(self, store: Store, change: str, problem: str) -> None:
        league_run(store, FakePools()).play()
        with store.database.write() as session:
            session.connection().exec_driver_sql(change)
        assert any(problem in told for told in recompute(store, "spring").problems)


def test_the_matrix_is_in_the_order_asked_for(store: Store) -> None:
    league_run(store, FakePools()).play()
    found = matrix(store, store.leagues.get("spring"), [4, 0, 1, 2, 3])
    for figures in (found.better, found.pair_scores):
        assert [figures[n][n] for n in range(5)] == [UNKNOWN] * 5
        assert figures[0][1] + figures[1][0] == pytest.approx(1)
        assert figures[0][1] > 0.5  # higher numbers score more
