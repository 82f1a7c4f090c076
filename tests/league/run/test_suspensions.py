"""Bots that forfeit too often are suspended; organisers suspend and remove others, and lift that."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from beanleague.league.compare import ComparisonRequest, comparison_league
from beanleague.league.create import join, lift_suspension, suspend
from beanleague.league.errors import RequestError, RunError
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.league.schedule.seeds import deal_seed
from beanleague.model import Deal, Forfeits, PlayedDeal, PlayedMatch, SeatResult
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from tests.league import helpers
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play, quick
from tests.matches import changed

SOLO = "bean-thief-easy"


def forfeiting(*bots: int, playing: Callable[..., PlayedMatch] = quick) -> FakePools:
    """Return a referee by which these entrants forfeit every match."""

    def forfeit(task: MatchTask, names: object) -> PlayedMatch:
        return changed(playing(task, names), forfeited=tuple(bot in bots for bot in task.bots))

    return FakePools(forfeit)


def games(store: Store) -> Counter[int]:
    """Return how many tables each entrant sits at."""
    return Counter(bot for table in store.deals.tables(1) for bot in table)


class TestLeague:
    def test_a_bot_that_forfeits_time_and_again_is_seated_no_more(self, make_league: MakeLeague) -> None:
        store = make_league(deals=40)
        helpers.league_run(store, forfeiting(3), in_flight=1).play()
        assert store.leagues.get("spring").deals_done == 40
        assert store.leagues.entrants(1)[3].suspended == "8 forfeits in a row"
        assert games(store)[3] <= 10

    def test_a_good_match_at_the_end_of_a_deal_does_not_save_it(self, make_league: MakeLeague) -> None:
        """Entrant 0 forfeits six of the seven matches of both deals; the last one it plays."""
        store = make_league(game="bohnanza-classic", bots=7, seats=7, deals=2)

        def forfeit(task: MatchTask, names: object) -> PlayedMatch:
            rotation = task.id % 7
            return changed(quick(task, {}), forfeited=tuple(bot == 0 and rotation < 6 for bot in task.bots))

        helpers.league_run(store, FakePools(forfeit), in_flight=1).play()
        assert store.leagues.entrants(1)[0].suspended == "6 forfeits in a row"

    def test_a_bot_suspended_by_an_organiser_gets_no_deals_until_the_suspension_is_lifted(
        self, make_league: MakeLeague
    ) -> None:
        def played() -> list[int]:
            helpers.league_run(store, FakePools(), in_flight=1).play()
            assert helpers.derived_problems(store) == []
            return [total.deals for total in store.leagues.totals(1)]

        store = make_league(deals=10)
        before = played()
        suspend(store, "spring", "bot3", "it was asked for")
        with pytest.raises(RequestError, match="bot3 is not seated"):
            suspend(store, "spring", "bot3", "again")
        join(store, "spring", [], deals=20)
        without = played()
        assert without[3] == before[3] < without[0]
        assert store.leagues.entrants(1)[3].suspended == "it was asked for"
        lift_suspension(store, "spring", "bot3")
        join(store, "spring", [], deals=30)
        assert played()[3] > before[3]

    def test_bots_that_are_taken_out_during_a_run_void_deals_that_are_published_and_not_begun(
        self, make_league: MakeLeague
    ) -> None:
        """Later tables are those of a league that never had the deals given up."""
        store = make_league(bots=6, deals=100)
        published = [100]

        def before(task: MatchTask) -> None:
            published.append(len(store.deals.tables(1)))
            several = published[-1] >= published[-2] + 8 and len(published) > 150  # of which one is begun
            if several and store.leagues.entrants(1)[3].active:
                suspend(store, "spring", "bot3", "it was asked for")
                suspend(store, "spring", "bot4", "its author left", for_good=True)

        helpers.league_run(store, FakePools(before=before), in_flight=16, clock=helpers.slow_clock()).play()
        dropped, tables = store.deals.drop_times(1), dict(enumerate(store.deals.tables(1), 1))
        its = {number for number, table in tables.items() if {3, 4} & {*table}}
        assert dropped.keys() == {number for number in its if number >= min(dropped)}
        assert store.leagues.get("spring").deals_done == 100
        voids = {void.deal: void.reason for void in store.deals.voids(1, limit=100)}
        assert voids.keys() == dropped.keys()
        assert {voids[number] for number in dropped if 3 in tables[number]} == {"bot3@1 is suspended: it was asked for"}
        assert {voids[number] for number in dropped if 3 not in tables[number]} == {
            "bot4@1 has left: an organiser took it out (its author left)"
        }
        assert helpers.derived_problems(store) == []
        with store.database.write() as connection:
            connection.exec_driver_sql("UPDATE deal SET dropped = dropped + 1 WHERE dropped IS NOT NULL")
        assert "deal.dropped" in helpers.derived_problems(store)[0]

    def test_a_suspension_is_lifted_during_a_run_and_only_what_follows_counts(self, make_league: MakeLeague) -> None:
        """Also of the deals that are played and not committed yet. Entrant 3 forfeits until that is lifted twice."""
        store = make_league(deals=50)
        lifted: list[int] = []

        def before(task: MatchTask) -> None:
            if len(lifted) < 2 and store.leagues.entrants(1)[3].suspended:
                lift_suspension(store, "spring", "bot3")
                lifted.append(store.leagues.get("spring").deals_done)

        def forfeit(task: MatchTask, names: object) -> PlayedMatch:
            return changed(quick(task, {}), forfeited=tuple(bot == 3 and len(lifted) < 2 for bot in task.bots))

        helpers.league_run(store, FakePools(forfeit, before=before), in_flight=8, clock=helpers.slow_clock()).play()
        assert store.leagues.get("spring").deals_done == 50
        assert store.leagues.entrants(1)[3].active
        assert [change.kind for change in store.changes.list(1) if change.entrant == 3] == [
            *("joined", "suspended", "lifted", "suspended", "lifted")
        ]
        assert store.leagues.forfeits(1)[3].matches > 50
        assert helpers.derived_problems(store) == []

    def test_a_removed_bot_stays_out_until_a_newer_version_joins(self, make_league: MakeLeague) -> None:
        store = make_league(deals=10)
        suspend(store, "spring", "bot3", "it was asked for", for_good=True)
        helpers.league_run(store, FakePools(), in_flight=1).play()
        assert games(store)[3] == 0
        for good in (False, True):
            with pytest.raises(RequestError, match="bot3 is not seated"):
                suspend(store, "spring", "bot3", "again", for_good=good)
        with pytest.raises(RequestError, match="bot3 is not suspended"):
            lift_suspension(store, "spring", "bot3")
        with pytest.raises(RequestError, match="bot3@1 is no longer seated in spring; add a newer version"):
            join(store, "spring", ["bot3"], deals=20)
        helpers.submit_late(store, "bot3")
        join(store, "spring", ["bot3"], deals=20)
        helpers.league_run(store, FakePools(), in_flight=1).play()
        assert games(store)[3] == 0 < games(store)[5]
        assert helpers.derived_problems(store) == []

    @pytest.mark.parametrize("admits", [True, False])
    def test_bots_and_deals_that_are_added_during_a_run_are_played(self, make_league: MakeLeague, admits: bool) -> None:
        store = make_league(deals=20)

        def before(task: MatchTask) -> None:
            if pools.played == 20:
                join(store, "spring", ["late", "bot0"], deals=40)

        helpers.submit_late(store, "late")
        pools = FakePools(before=before, admits=admits)
        helpers.league_run(store, pools, in_flight=1).play()
        assert store.leagues.get("spring").deals_done == 40
        late, *others = reversed(store.leagues.totals(1))
        assert late.deals > min(other.deals for other in others) - 2
        assert pools.started == (1 if admits else 2)
        assert helpers.derived_problems(store) == []

    def test_few_deals_are_published_ahead_until_each_bot_has_had_five(self, make_league: MakeLeague) -> None:
        store = make_league(deals=40)
        ahead: dict[bool, list[int]] = {True: [], False: []}

        def before(task: MatchTask) -> None:
            young = min(total.deals for total in store.leagues.totals(1)) < 5
            ahead[young].append(len(store.deals.tables(1)) - store.leagues.get("spring").deals_done)

        helpers.league_run(store, FakePools(before=before), in_flight=8, clock=helpers.slow_clock()).play()
        assert max(ahead[True]) <= 4
        assert max(ahead[False]) >= 8

    @pytest.mark.parametrize("reason", ["", " ", "a\nb", "x" * 201])
    def test_a_suspension_has_a_reason_in_one_line(self, make_league: MakeLeague, reason: str) -> None:
        with pytest.raises(RequestError, match="a reason must have 1 to 200 characters"):
            suspend(make_league(deals=1), "spring", "bot3", reason)

    def test_the_hero_of_a_gauntlet_is_not_suspended(self, make_league: MakeLeague) -> None:
        with pytest.raises(RequestError, match="sits at every table"):
            suspend(make_league(seats=3, deals=2, gauntlet="bot0"), "spring", "bot0", "why not")

    def test_a_lifted_suspension_counts_anew(self, make_league: MakeLeague) -> None:
        store = make_league(deals=40)
        helpers.league_run(store, forfeiting(3), in_flight=1).play()
        lift_suspension(store, "spring", "bot3")
        assert store.leagues.entrants(1)[3].active
        assert store.leagues.forfeits(1)[3] == Forfeits(0, 0, 0)
        with pytest.raises(RequestError, match="bot3 is not suspended"):
            lift_suspension(store, "spring", "bot3")

    def test_a_tenth_of_the_matches_is_not_too_many_and_more_is(self, make_league: MakeLeague) -> None:
        """Entrant 0 forfeits a match of every third deal, one in twelve, or of every second, one in eight."""
        for every, suspended in [(3, False), (2, True)]:
            store = make_league(bots=4, deals=12)

            def forfeit(task: MatchTask, names: object, every: int = every, store: Store = store) -> PlayedMatch:
                deal = next(n for n in range(1, 13) if deal_seed(helpers.SECRET, n) == task.seed)
                bad = task.bots[0] == 0 and deal % every == 0
                return changed(quick(task, {}), forfeited=tuple(bad and bot == 0 for bot in task.bots))

            with pytest.raises(RunError, match="bot0@1 is suspended") if suspended else nullcontext():
                helpers.league_run(store, FakePools(forfeit), in_flight=1).play()
            assert bool(store.leagues.entrants(1)[0].suspended) is suspended

    def test_without_enough_bots_the_run_ends_and_says_why(self, make_league: MakeLeague) -> None:
        store = make_league(bots=3, seats=3, deals=40)
        with pytest.raises(RunError, match=r"2 bots are left for 3 seats; bot1@1 is suspended \(6 forfeits in a row\)"):
            helpers.league_run(store, forfeiting(1), in_flight=1).play()

    def test_without_its_hero_a_gauntlet_stops_until_the_suspension_is_lifted(self, make_league: MakeLeague) -> None:
        """During the run, and when it goes on."""
        store = make_league(seats=3, deals=20, gauntlet="bot0")
        for _ in range(2):
            message = r"no longer seated; bot0@1 is suspended .* or create a gauntlet of another bot"
            with pytest.raises(RunError, match=message):
                helpers.league_run(store, forfeiting(0), in_flight=1).play()
        lift_suspension(store, "spring", "bot0")
        helpers.league_run(store, FakePools(), in_flight=1).play()
        assert store.leagues.get("spring").deals_done == 20

    def test_forfeits_before_a_lift_do_not_count(self, make_league: MakeLeague) -> None:
        """Of all its matches entrant 3 has forfeited more than a tenth; of those since then none."""
        store = make_league(deals=60)
        helpers.league_run(store, forfeiting(3), in_flight=1).play()
        lift_suspension(store, "spring", "bot3")
        join(store, "spring", [], deals=70)
        helpers.league_run(store, FakePools(), in_flight=1).play()
        assert not store.leagues.entrants(1)[3].suspended
        since = store.leagues.forfeits(1)[3]
        assert (since.forfeits, since.in_a_row) == (0, 0)
        assert since.matches >= 20

    def test_a_new_version_takes_the_place_of_a_suspended_one(self, make_league: MakeLeague) -> None:
        store = make_league(deals=40)
        helpers.league_run(store, forfeiting(3), in_flight=1).play()
        helpers.submit_late(store, "bot3")
        join(store, "spring", ["bot3"], deals=60)
        helpers.league_run(store, FakePools(), in_flight=1).play()
        old, new = (entrant for entrant in store.leagues.entrants(1) if entrant.bot == "bot3")
        assert (old.retired, old.suspended, new.active) == (True, "", True)
        with pytest.raises(RequestError, match="bot3 is not suspended"):
            lift_suspension(store, "spring", "bot3")
        assert games(store)[new.number] > 15
        assert helpers.derived_problems(store) == []


class TestInARow:
    def matches(self, number: int, *forfeited: bool) -> PlayedDeal:
        seats = [SeatResult(0, 1, 1, 9, 0, lost) for lost in forfeited]
        other = SeatResult(1, 1, 2, 9, 0, forfeited=False)
        return PlayedDeal(number, b"", tuple(PlayedMatch(r, b"", (seat, other)) for r, seat in enumerate(seats)))

    @pytest.mark.parametrize(
        ("commits", "in_a_row"),
        [
            ([[(True, True)], [(True, True)]], 4),
            ([[(True, True), (True, False)], [(True, True)]], 3),
            ([[(True, True)], [(True, False), (False, True)], [(True,)]], 3),
            ([[(True, True)], [(False, False)]], 2),
            ([[(True, True, True)], [(True, False), (True, False)]], 4),
            ([[(False, True)], [(False, True, True), (True, False)], [(True, True)]], 3),
        ],
    )
    def test_the_most_forfeits_in_a_row_are_counted_from_commit_to_commit(
        self, make_league: MakeLeague, commits: list[list[tuple[bool, ...]]], in_a_row: int
    ) -> None:
        assert self.most(make_league(bots=4), commits) == in_a_row

    @pytest.mark.parametrize("seed", range(6))
    def test_how_many_deals_are_committed_at_once_does_not_matter(self, make_league: MakeLeague, seed: int) -> None:
        rng = random.Random(seed)
        deals = [tuple(rng.random() < 0.6 for _ in range(4)) for _ in range(12)]
        row = "".join("x" if forfeited else " " for deal in deals for forfeited in deal)
        for at_once in (1, 3, 12):
            commits = [deals[begin : begin + at_once] for begin in range(0, len(deals), at_once)]
            assert self.most(make_league(bots=4), commits) == max(map(len, row.split()))

    def test_forfeits_in_a_row_before_a_lift_do_not_count(self, make_league: MakeLeague) -> None:
        store = make_league(bots=4)
        self.most(store, [[(True,) * 4]])
        store.leagues.suspend(1, 0, "it was asked for")
        store.leagues.lift_suspension(1, 0)
        assert self.most(store, [[(True, False)]], after=1) == 1

    def most(self, store: Store, commits: Sequence[Sequence[tuple[bool, ...]]], after: int = 0) -> int:
        """Commit deals of which entrant 0 forfeits these matches; return how many in a row are noted."""
        number = after
        for deals in commits:
            played = []
            for forfeited in deals:
                number += 1
                played.append(self.matches(number, *forfeited))
            publish(store, *(deal.number for deal in played))
            store.deals.commit(1, played)
        return store.leagues.forfeits(1)[0].in_a_row


class TestSolo:
    @pytest.fixture
    def solo(self, make_league: MakeLeague) -> Store:
        return make_league(game=SOLO, bots=3, seats=0, deals=30)

    def test_a_bot_that_forfeits_time_and_again_plays_no_more(self, solo: Store) -> None:
        helpers.league_run(solo, forfeiting(1, playing=play), in_flight=1).play()
        league = solo.leagues.get("spring")
        assert (league.deals_done, league.seated) == (30, 3)
        assert "forfeits in a row" in solo.leagues.entrants(1)[1].suspended
        assert games(solo)[1] < 15
        assert games(solo)[0] == games(solo)[2] == 30
        assert league.matches_done == league.matches == 60 + games(solo)[1]
        assert helpers.derived_problems(solo) == []

    def test_without_bots_the_run_ends_and_says_why(self, solo: Store) -> None:
        with pytest.raises(RunError, match=r"no bot is left; bot0@1 is suspended .* Lift a suspension \('league lift"):
            helpers.league_run(solo, forfeiting(0, 1, 2, playing=play), in_flight=1).play()
        with pytest.raises(RunError, match="no bot is left"):
            helpers.league_run(solo, FakePools(play)).play()


class TestComparison:
    def test_a_comparison_ends_with_the_first_suspension_and_goes_on_when_it_is_lifted(self, tmp_path: Path) -> None:
        with helpers.store_with_bots(tmp_path / "a.db", 2) as store:
            league = comparison_league(store, ComparisonRequest("bot0", "bot1", "bohnanza", SequentialTest()))

            def run(pools: FakePools) -> None:
                helpers.league_run(store, pools, name=league.name, workers=1, in_flight=1).play()

            for pools in (forfeiting(1), FakePools()):
                with pytest.raises(RunError, match=r"bot1@1 is suspended .* or compare other bots, and try again"):
                    run(pools)
            before = store.leagues.get(league.name).deals_done
            lift_suspension(store, league.name, "bot1")
            run(FakePools())
            assert store.leagues.get(league.name).deals_done > before


def publish(store: Store, *numbers: int) -> None:
    store.deals.schedule(1, [Deal(number, (0, 1), b"digest") for number in numbers])
