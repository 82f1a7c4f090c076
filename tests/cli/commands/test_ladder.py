"""`ladder` with a server whose answers are laid down."""

import pytest

from beanproto.v1 import league_pb2 as pb, referee_pb2
from tests.cli.conftest import Run
from tests.cli.helpers import FakeLeague
from tests.cli.samples import WHEN

FIG = pb.LadderEntry(
    bot="fig", version=2, owner="ann", state=pb.ENTRY_STATE_PLACING, since=WHEN, deals=12, half_width=71
)
FIG.forecast.CopyFrom(pb.Forecast(deals=18, before=1, rated_seconds=80.0))


def test_status_tells_where_ones_bots_are_and_what_is_left_of_a_day(run: Run, league: FakeLeague) -> None:
    league.answers["LadderStatus"] = pb.LadderStatusResponse(
        owner="ann",
        entries=[pb.EntryStatus(ladder="spring", entry=FIG)],
        quotas=[pb.LadderQuota(ladder="spring", entered=1, versions_a_day=3, playing=1, per_owner=2)],
    )
    text = run("ladder", "status", "--server", league.address, COLUMNS="100").output
    assert "placing: about 18 deals; rated in 1:20; 1 before it" in text
    assert "ann in spring: 1 of 3 versions entered within 24 hours, 1 of 2 bots play" in text


def test_status_of_a_bot_tells_how_well_it_is_known_its_worst_deals_and_why(run: Run, league: FakeLeague) -> None:
    status = pb.EntryStatus(
        ladder="spring",
        entry=FIG,
        changes=[pb.EntryChange(kind="paused", reason="the newest 2 bots of ann play", happened=WHEN)],
        certainty=[pb.Certainty(deals=deals, rating=1500 + deals, half_width=200 - deals) for deals in range(1, 31)],
        worst_deals=[pb.EntryDeal(deal=7, mean_place=3.75, score=20, matches=4, faults=1)],
        faults=[pb.FaultCount(kind=referee_pb2.FAULT_KIND_TIMEOUT, count=2, reason="slow", match="spring/7.1")],
    )
    league.answers["LadderStatus"] = pb.LadderStatusResponse(owner="ann", entries=[status])
    text = run("ladder", "status", "fig@2", "--ladder", "spring", "--server", league.address).output
    assert league.asked == [pb.LadderStatusRequest(bot="fig@2", ladder="spring")]
    for words in (
        "199 after 1 (1501), 196 after 4 (1504)",
        "rating: results at tables drawn at random from the field",
        "worst deal spring/7: mean place 3.8 of its matches, 1 fault",
        "match rotations spring/7 --bot fig@2",
        "fig@2 in spring: timeout 2 times, last in spring/7.1: slow",
        "paused: the newest 2 bots of ann play",
        "bot logs fig@2 --league spring",
    ):
        assert words in " ".join(text.split())


@pytest.mark.parametrize(("anchor", "told"), [("fig", True), ("plum", False)])
def test_leaving_says_that_the_mean_of_the_field_is_1500_if_the_anchor_leaves(
    run: Run, league: FakeLeague, anchor: str, told: bool
) -> None:
    before = pb.LeagueInfo(name="spring", endless=True, anchor=[pb.Entrant(bot=anchor, version=2)])
    league.answers |= {"ShowLeague": before, "LeaveLadder": pb.LadderEntry(bot="fig", version=2)}
    text = run("ladder", "leave", "spring", "fig", "--server", league.address).output
    assert "fig@2 has left spring." in text
    assert ("the mean of the field is 1500" in text) is told


def test_status_of_nobody_says_how_to_enter(run: Run, league: FakeLeague) -> None:
    league.answers["LadderStatus"] = pb.LadderStatusResponse()
    text = run("ladder", "status", "fig", "--server", league.address).output
    assert "No ladder has fig; enter with: beanleague ladder enter NAME fig" in text


def test_show_tells_digests_of_checkpoints_of_days_that_ended(run: Run, league: FakeLeague) -> None:
    ended = pb.LadderDay(number=1, began=WHEN, digest=b"1" * 32, secret=b"2" * 32, checkpoint=b"3" * 32)
    days = [pb.LadderDay(number=2, began=WHEN, digest=b"4" * 32), ended]
    league.answers["ShowLadder"] = pb.LadderInfo(name="spring", days=days)
    text = run("ladder", "show", "spring", "--server", league.address).output
    assert text.count("checkpoint at its end") == 1
    assert (b"3" * 32).hex() in text
    assert "packed" not in text


def test_show_tells_up_to_which_deal_records_are_packed(run: Run, league: FakeLeague) -> None:
    block = pb.RecordBlockInfo(number=16, first=1126, last=1200, matches=299, digest=b"5" * 32)
    league.answers["ShowLadder"] = pb.LadderInfo(name="spring", newest_block=block)
    text = run("ladder", "show", "spring", "--server", league.address).output
    assert f"records up to deal 1,200 are packed, in 16 blocks: {(b'5' * 32).hex()}" in " ".join(text.split())


def test_how_long_a_server_keeps_records_whole_is_not_for_runs_to_say(run: Run, league: FakeLeague) -> None:
    league.answers["RunLeague"] = lambda *_: iter([pb.Progress(state=pb.RUN_STATE_DONE)])
    run("ladder", "run", "spring", "--keep-days", "7", "--server", league.address)
    assert league.asked == [pb.RunLeagueRequest(name="spring")]


@pytest.mark.parametrize("undo", [False, True])
def test_pin_says_whether_the_record_stays_whole(run: Run, league: FakeLeague, undo: bool) -> None:
    league.answers["PinMatch"] = pb.PinMatchResponse(match="spring/7.1", pinned=not undo)
    text = run("match", "pin", "spring/7.1", *(["--undo"] if undo else []), "--server", league.address).output
    assert league.asked == [pb.PinMatchRequest(match="spring/7.1", undo=undo)]
    assert text == f"spring/7.1 {'is not pinned any more' if undo else 'is pinned: its record stays whole'}.\n"


def test_share_says_what_the_ladder_has_now(league: FakeLeague, run: Run) -> None:
    league.answers["SetLadder"] = pb.LadderInfo(name="spring", share=3)
    text = run("ladder", "share", "spring", "3", "--server", league.address).output
    assert league.asked == [pb.SetLadderRequest(name="spring", share=3)]
    assert text == "The share of spring is 3.\n"


def test_a_run_that_ends_early_names_the_command_that_goes_on(league: FakeLeague, run: Run) -> None:
    league.answers["RunLeague"] = lambda *_: iter([pb.Progress(deals_done=3)])
    result = run("ladder", "run", "spring", "--server", league.address)
    assert result.stderr.endswith(f"continue with: beanleague ladder run spring --server {league.address}\n")


def test_a_ladder_that_was_stopped_names_the_command_that_goes_on(league: FakeLeague, run: Run) -> None:
    league.answers["StopRun"] = pb.LeagueInfo(
        name="spring", has_entries=True, endless=True, deals_done=3, deals_total=3
    )
    text = run("league", "stop", "spring", "--server", league.address).output
    assert f"continue with: beanleague ladder run spring --server {league.address}" in text
