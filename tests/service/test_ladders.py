"""Calls about ladders."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from beanleague.games import RULES_VERSION
from beanleague.league.ladder.changing import LadderRequest, create_ladder, enter, leave, succeed
from beanleague.service.server import embedded, served
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.databases import TEMPLATE, PostgreSQL
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle, store_with_bots, verified
from tests.league.ladder.playing import play_ladder
from tests.service.helpers import Guarded, guarded, refused, submit
from tests.waiting import TIMEOUT_S, ending, until

INVALID = grpc.StatusCode.INVALID_ARGUMENT


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Guarded]:
    """A server with the ladder "spring" of two bots of organisers and one of ann."""
    with guarded(tmp_path, pools=FakePools()) as server:
        organiser = server.stub("organiser")
        for name in ("plum", "pear"):
            submit(organiser, bundle(name))
        organiser.CreateLadder(
            pb.CreateLadderRequest(name="spring", ruleset="bohnanza", anchor="plum", without_house_bots=True)
        )
        organiser.EnterLadder(pb.EnterLadderRequest(name="spring", bot="pear"))
        submit(server.stub("ann", "author"), bundle("fig"))
        yield server


def test_an_author_enters_and_leaves_and_is_told_when_the_bot_is_rated(server: Guarded) -> None:
    ann = server.stub("ann", "author")
    entry = ann.EnterLadder(pb.EnterLadderRequest(name="spring", bot="fig"))
    assert (entry.bot, entry.owner, entry.state) == ("fig", "ann", pb.ENTRY_STATE_PLACING)
    assert (entry.forecast.deals, entry.forecast.before, entry.forecast.rated_seconds) == (30, 0, 0.0)
    with refused(INVALID, "fig@1 is already in spring: it is placing"):
        ann.EnterLadder(pb.EnterLadderRequest(name="spring", bot="fig"))
    left = ann.LeaveLadder(pb.LeaveLadderRequest(name="spring", bot="fig"))
    assert (left.state, left.reason) == (pb.ENTRY_STATE_LEFT, "ann took it out")


def test_an_anchor_that_has_left_anchors_the_ratings_again_when_it_returns(server: Guarded) -> None:
    organiser = server.stub("organiser")

    def anchor() -> list[str]:
        return [each.bot for each in organiser.ShowLeague(pb.ShowLeagueRequest(name="spring")).anchor]

    assert anchor() == ["plum"]
    organiser.LeaveLadder(pb.LeaveLadderRequest(name="spring", bot="plum"))
    assert anchor() == []
    organiser.EnterLadder(pb.EnterLadderRequest(name="spring", bot="plum"))
    assert anchor() == ["plum"]


def test_an_author_enters_only_their_own_bots(server: Guarded) -> None:
    with refused(grpc.StatusCode.PERMISSION_DENIED, "plum belongs to another author"):
        server.stub("ann", "author").EnterLadder(pb.EnterLadderRequest(name="spring", bot="plum"))


def test_a_ladder_is_shown_with_its_entries_newest_first(server: Guarded) -> None:
    info = server.stub("vic", "viewer").ShowLadder(pb.ShowLadderRequest(name="spring"))
    assert (info.seats, info.per_owner, info.versions_a_day, info.running) == (4, 2, 3, False)
    assert [entry.bot for entry in info.entries] == ["pear", "plum"]
    (listed,) = server.stub("vic", "viewer").ListLadders(pb.ListLaddersRequest()).ladders
    assert (listed.name, len(listed.entries)) == ("spring", 0)
    league = server.stub("vic", "viewer").ShowLeague(pb.ShowLeagueRequest(name="spring"))
    assert (league.format, league.state) == (pb.LEAGUE_FORMAT_LADDER, pb.LEAGUE_STATE_CREATED)


def test_status_tells_of_ones_own_bots_and_what_one_may_do(server: Guarded) -> None:
    ann = server.stub("ann", "author")
    ann.EnterLadder(pb.EnterLadderRequest(name="spring", bot="fig"))
    mine = ann.LadderStatus(pb.LadderStatusRequest())
    assert mine.owner == "ann"
    assert [(each.ladder, each.entry.bot, each.changes[0].kind) for each in mine.entries] == [
        ("spring", "fig", "joined")
    ]
    assert not mine.entries[0].certainty
    (quota,) = mine.quotas
    assert (quota.entered, quota.versions_a_day, quota.playing, quota.per_owner) == (1, 3, 0, 2)
    others = server.stub("vic", "viewer").LadderStatus(pb.LadderStatusRequest(owner="ann", ladder="spring"))
    assert [each.entry.bot for each in others.entries] == ["fig"]
    server.stub("organiser").SetLadder(pb.SetLadderRequest(name="spring", state=pb.LADDER_STATE_CLOSED, reason="over"))
    assert not ann.LadderStatus(pb.LadderStatusRequest()).entries


def test_status_of_a_bot_tells_how_well_it_is_known_and_its_worst_deals(tmp_path: Path) -> None:
    play_ladder(tmp_path / "a.db")
    with embedded(f"sqlite:///{tmp_path / 'a.db'}") as channel:
        status = LeagueStub(channel).LadderStatus(pb.LadderStatusRequest(bot="bot3"))
        ladder = LeagueStub(channel).ShowLadder(pb.ShowLadderRequest(name="spring"))
    assert all(each.half_width for each in ladder.entries), "also of the one that the newest epoch leaves out"
    newer, older = status.entries
    assert (newer.entry.version, older.entry.version) == (2, 1)
    deals = [each.deals for each in older.certainty]
    assert deals == sorted(set(deals))
    assert 0 < deals[0] < deals[-1] <= older.entry.deals
    assert older.certainty[0].half_width > older.certainty[-1].half_width > 0
    places = [each.mean_place for each in older.worst_deals]
    assert places == sorted(places, reverse=True)
    assert {each.matches for each in older.worst_deals} == {4}
    with store_with_bots(tmp_path / "a.db", 0) as store, store.database.write() as connection:
        connection.exec_driver_sql("UPDATE ladder_epoch SET entries = x'789c'")
    with embedded(f"sqlite:///{tmp_path / 'a.db'}") as channel:
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "the entries of an epoch of a ladder cannot be read"):
            LeagueStub(channel).LadderStatus(pb.LadderStatusRequest(bot="bot3"))
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "the entries of an epoch of a ladder cannot be read"):
            LeagueStub(channel).ShowLadder(pb.ShowLadderRequest(name="spring"))


def test_ratings_of_a_ladder_are_those_at_the_ends_of_days_and_how_they_moved_since(tmp_path: Path) -> None:
    play_ladder(tmp_path / "a.db", ended=True)
    with embedded(f"sqlite:///{tmp_path / 'a.db'}") as channel:
        stub = LeagueStub(channel)
        found = stub.Ratings(pb.RatingsRequest(league="spring"))
        alone = stub.Ratings(pb.RatingsRequest(league="spring", history_of=pb.Entrant(bot="bot1", version=1)))
        days = stub.ShowLadder(pb.ShowLadderRequest(name="spring")).days
        *_, checked = stub.VerifyLeague(pb.VerifyLeagueRequest(league="spring", day=1, no_replay=True))
        with refused(INVALID, "day 3 of spring cannot be verified: days 1 to 2 have ended"):
            [*stub.VerifyLeague(pb.VerifyLeagueRequest(league="spring", day=3))]
    assert [past.day for past in found.history] == [past.day for past in alone.history] == [1, 2, 0]
    yesterday = {(past.bot, past.version): past.rating for past in found.history[1].ratings}
    *rated, gone = found.standings
    for standing in rated:
        assert standing.moved == standing.rating - yesterday[standing.bot, standing.version]
    assert any(standing.moved for standing in rated)
    rows = [{(past.bot, past.version) for past in snapshot.ratings} for snapshot in found.history]
    assert [(gone.bot, gone.version) in row for row in rows] == [True, False, False], "it left on the second day"
    assert rows[2] == {(standing.bot, standing.version) for standing in rated}
    assert [(day.number, len(day.checkpoint)) for day in days] == [(3, 0), (2, 32), (1, 32)]
    assert (checked.done, checked.finding_count) == (True, 0)


def test_a_ladder_is_paused_and_closed_with_a_reason(server: Guarded) -> None:
    organiser = server.stub("organiser")
    paused = organiser.SetLadder(pb.SetLadderRequest(name="spring", state=pb.LADDER_STATE_PAUSED, reason="a holiday"))
    assert (paused.state, paused.reason) == (pb.LADDER_STATE_PAUSED, "a holiday")
    organiser.SetLadder(pb.SetLadderRequest(name="spring", state=pb.LADDER_STATE_CLOSED, reason="the end"))
    with refused(INVALID, "the ladder spring is closed: the end"):
        organiser.EnterLadder(pb.EnterLadderRequest(name="spring", bot="plum"))
    with refused(INVALID, "say whether the ladder is to be open, paused or closed"):
        organiser.SetLadder(pb.SetLadderRequest(name="spring"))


def test_the_share_of_a_ladder_is_changed_without_its_state(server: Guarded) -> None:
    organiser = server.stub("organiser")
    organiser.SetLadder(pb.SetLadderRequest(name="spring", state=pb.LADDER_STATE_PAUSED, reason="a holiday"))
    changed = organiser.SetLadder(pb.SetLadderRequest(name="spring", share=3))
    assert (changed.share, changed.state, changed.reason) == (3, pb.LADDER_STATE_PAUSED, "a holiday")
    with refused(INVALID, "--share must be 1 to 1000, not 1001"):
        organiser.SetLadder(pb.SetLadderRequest(name="spring", share=1001))


def test_a_league_is_no_ladder_and_a_ladder_no_ordinary_league(server: Guarded) -> None:
    organiser = server.stub("organiser")
    organiser.CreateLeague(pb.CreateLeagueRequest(name="cup", ruleset="bohnanza", bots=["plum", "pear", "fig"]))
    with refused(INVALID, "cup is a league, not a ladder"):
        organiser.ShowLadder(pb.ShowLadderRequest(name="cup"))
    with refused(INVALID, "cup is a league: the records of its matches are kept whole anyway"):
        organiser.PinMatch(pb.PinMatchRequest(match="cup/1.0"))
    with refused(grpc.StatusCode.NOT_FOUND, "deal 1 does not exist"):
        organiser.PinMatch(pb.PinMatchRequest(match="spring/1.0"))
    with refused(INVALID, "spring is a ladder; enter bots with 'ladder enter spring BOT'"):
        organiser.AddBots(pb.AddBotsRequest(league="spring", bots=["fig"]))
    with refused(INVALID, "a ladder needs a game of two or more"):
        organiser.CreateLadder(pb.CreateLadderRequest(name="solo", ruleset="bean-thief-easy"))


def test_a_ladder_of_old_rules_is_closed_and_another_goes_on_with_its_bots(tmp_path: Path) -> None:
    with store_with_bots(tmp_path / "a.db", 3) as store:
        create_ladder(store, LadderRequest(name="spring", ruleset="bohnanza", anchor="bot1", without_house_bots=True))
        for bot in ("bot0", "bot2"):
            enter(store, "spring", bot)
        leave(store, "spring", "bot2")
        old = replace(store.leagues.get("spring"), rules=1)
        assert succeed(store, old) == "spring-2"
        assert succeed(store, old) == "spring-2"  # again, after it was cut off
        closed, new = store.ladders.get(old.id), store.leagues.get("spring-2")
        assert (closed.state, closed.reason.partition(";")[2]) == ("closed", " spring-2 goes on with the same bots")
        assert [entrant.bot for entrant in store.leagues.entrants(new.id)] == ["bot1", "bot0"]
        assert (new.anchor, new.deals, new.rules, store.ladders.get(new.id).state) == ((0,), 0, RULES_VERSION, "open")


def test_a_server_plays_its_ladders_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with store_with_bots(tmp_path / "a.db", 5) as store:
        create_ladder(store, LadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True))
        for number in range(1, 5):
            enter(store, "spring", f"bot{number}")

        def played() -> int:
            return store.leagues.get("spring").deals_done

        for _ in range(2):
            before = played()
            with served("127.0.0.1:0", url, cache=tmp_path / "cache", start_pool=FakePools(), ladders=True):
                until(lambda: played() > before)  # noqa: B023  # called before the next round begins
        assert not store.runs.running()
        assert len(store.ladders.days(1)) == 1


ROOT = Path(__file__).parents[2]
SERVE = """
import sys
from pathlib import Path
from beanleague.service.server import served
from tests.league.fakepool import FakePools
with served("127.0.0.1:0", sys.argv[1], cache=Path(sys.argv[2]), start_pool=FakePools(at_once=1), ladders=True):
    sys.stdin.read()
"""


@pytest.mark.slow
def test_of_two_servers_one_plays_a_ladder_and_the_other_when_that_was_killed(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    url = postgresql.url(postgresql.create(TEMPLATE))
    with store_with_bots(url, 5) as store:
        create_ladder(store, LadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True))
        for number in range(1, 5):
            enter(store, "spring", f"bot{number}")

        def played(more: int) -> Callable[[], bool]:
            goal = store.leagues.get("spring").deals_done + more
            return lambda: store.leagues.get("spring").deals_done >= goal

        pools = FakePools(at_once=1)
        words = [sys.executable, "-c", SERVE, url, str(tmp_path / "one")]
        env = {"PYTHONPATH": str(ROOT)}
        with ending(subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.PIPE)) as first:
            until(played(5))
            with served("127.0.0.1:0", url, cache=tmp_path / "other", start_pool=pools, ladders=True):
                until(played(20))
                assert not pools.started
                first.kill()
                first.wait(TIMEOUT_S)
                waiting = [deal.number for deal in store.deals.unplayed(1)]
                until(lambda: bool(pools.started))
                until(played(5))
        assert [int(task.label.split("/")[1].split(".")[0]) for task in pools.tasks[::4]][: len(waiting)] == waiting
        *_, checked = verified(store, "spring", workers=0, replay=False)
        assert checked.finding_count == 0
