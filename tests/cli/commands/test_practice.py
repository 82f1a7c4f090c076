"""`beanleague practice`, with a referee that plays in this process, and `compare` with laid down answers."""

import functools
import io
import json
import os
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest
from rich.console import Console

import beanleague.service.server
from beanleague.cli.views.comparison import ComparisonView, comparison_page
from beanleague.games import record_from_json, verify
from beanleague.model import FaultKind, PlayedMatch
from beanleague.referee.messages import MatchTask
from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import On, Run
from tests.cli.helpers import FakeLeague, write_bot
from tests.cli.samples import info
from tests.league.fakepool import FakePools, play

TRACEBACK = """Traceback (most recent call last):
  File "bot.py", line 8, in answer
    return 1 / 0
ZeroDivisionError: division by zero
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_bot(tmp_path / "mine", "mine")


def test_bots_in_folders_and_house_bots_play_and_nothing_is_kept(on: On, run: Run, mine: Path) -> None:
    result = run("practice", "mine", "farmer", "random", "--deals", "2", "--json")
    assert result.exit_code == 0, result.output
    standings = json.loads(result.stdout)["standings"]
    assert {standing["bot"] for standing in standings} == {"mine", "farmer", "random"}
    assert [standing["deals"] for standing in standings] == [2, 2, 2]
    assert sorted(path.name for path in mine.parent.iterdir()) == ["mine"]
    assert json.loads(on("league", "list", "--json").stdout)["leagues"] == []


def test_records_of_practice_take_a_folder_and_a_hyphen_is_none(run: Run, mine: Path) -> None:
    refused = run("practice", "mine", "random", "--deals", "1", "--record", "-")
    assert refused.exit_code == 1
    assert "Error: the output is a folder, not standard output (-)" in refused.stderr
    assert list(mine.parent.iterdir()) == [mine]


def test_the_line_that_a_new_bot_is_shown_runs(on: On, run: Run, mine: Path) -> None:
    """There are fewer bots than the game has seats at least, so one sits there twice."""
    result = run("practice", "mine", "random", "--game", "bohnanza", "--deals", "1", "--json")
    assert result.exit_code == 0, result.output
    assert {standing["bot"] for standing in json.loads(result.stdout)["standings"]} == {"mine", "random", "mine-2"}
    alone = run("practice", "mine", "--deals", "1", "--seats", "4", "--json")
    assert alone.exit_code == 0, alone.output
    standings = json.loads(alone.stdout)["standings"]
    assert {standing["bot"] for standing in standings} == {"mine", "mine-2", "mine-3", "mine-4"}


def test_faults_and_what_bots_write_are_shown(run: Run, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        in_practice = task.label.startswith("practice/")
        return play(task, bots, lambda bot, _: FaultKind.ILLEGAL if in_practice and bots[bot] == "mine@1" else None)

    pools = FakePools(play=failing, logs="here I am\n")
    embedded = functools.partial(beanleague.service.server.embedded, cache=mine.parent / "cache", start_pool=pools)
    monkeypatch.setattr(beanleague.service.server, "embedded", embedded)
    result = run("practice", "mine", "farmer", "random", "--deals", "1", "--lenient")
    assert result.exit_code == 0, result.output
    assert "mine@1 in practice: illegal" in result.output
    assert "last in practice/1." in result.output
    assert "mine@1 wrote:\n    here I am" in result.output
    assert result.output.index("here I am") < result.output.index("rank")
    standings = json.loads(run("practice", "mine", "farmer", "--deals", "1", "--json", "--lenient").stdout)["standings"]
    assert [standing["forfeits"] for standing in standings if standing["bot"] == "mine"] == [0]


def test_a_forfeit_is_reported_last_with_the_first_traceback_and_fails(
    run: Run, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crashing(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        in_practice = task.label.startswith("practice/")
        return play(task, bots, lambda bot, _: FaultKind.CRASH if in_practice and bots[bot] == "mine@1" else None)

    pools = FakePools(play=crashing, logs=f"hello\n[1.0] {TRACEBACK}\nand on\n{TRACEBACK}")
    embedded = functools.partial(beanleague.service.server.embedded, cache=mine.parent / "cache", start_pool=pools)
    monkeypatch.setattr(beanleague.service.server, "embedded", embedded)
    result = run("practice", "mine", "farmer", "random", "--deals", "1")
    assert result.exit_code == 1
    table, _, last = result.output.partition("mine@1 had ")
    assert "rank" in table
    assert "forfeited 3 of 3 matches, as it would in a league." in last
    assert last.splitlines()[-4:] == [
        "    Traceback (most recent call last):",
        '      File "bot.py", line 8, in answer',
        "        return 1 / 0",
        "    ZeroDivisionError: division by zero",
    ]


def test_the_seed_decides_the_cards(on: On, run: Run, mine: Path) -> None:
    words = ("practice", "mine", "farmer", "random", "--deals", "1", "--workers", "1", "--record")
    for folder, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert run(*words, folder, "--seed", seed).exit_code == 0
    first, again, other = (record_from_json(Path(folder, "1.0.json").read_bytes()).seed for folder in "abc")
    assert first == again != other


def test_records_of_all_matches_are_written_and_none_is_overwritten(on: On, run: Run, mine: Path) -> None:
    words = ("practice", "mine", "farmer", "random", "--deals", "1", "--record", "kept")
    assert run(*words).exit_code == 0
    assert sorted(path.name for path in Path("kept").iterdir()) == ["1.0.json", "1.1.json", "1.2.json"]
    before = Path("kept/1.0.json").read_bytes()
    assert verify(record_from_json(before)).problem == ""
    again = run(*words)
    assert again.exit_code == 1
    assert again.stderr == "Error: kept already contains records; choose a new folder\n"
    assert Path("kept/1.0.json").read_bytes() == before


def test_replay_shows_the_first_match(on: On, run: Run, mine: Path) -> None:
    result = run("practice", "mine", "farmer", "random", "--deals", "1", "--replay")
    assert result.exit_code == 0, result.output
    assert re.search(r"Game over\. 1\. \w+@1 \$", result.output)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("practice", "farmr"),
            "Error: farmr does not exist; pass a bot folder",
        ),
        (("--server", "x:1", "practice", "farmer"), "Error: practice needs no database and no server"),
    ],
)
def test_an_impossible_practice_prints_a_line(on: On, run: Run, words: tuple[str, ...], problem: str) -> None:
    result = run(*words)
    assert result.exit_code == 1
    assert result.stderr.startswith(problem)
    assert result.stderr.count("\n") == 1


WORDS = ("compare", "ann", "ben@2", "--game", "bohnanza")
FIGURES = "40 deals, 160 matches, LLR 2.97 (-2.94 .. 2.94), Elo +31 (95 %: +12 .. +50)"


def report(
    verdict: pb.Verdict.ValueType = pb.VERDICT_OPEN, deals: int = 40, llr: float = 2.97
) -> pb.ComparisonProgress:
    """A comparison of ann@1 with ben@2."""
    return pb.ComparisonProgress(
        league="compare-123",
        a=pb.Entrant(bot="ann", version=1),
        b=pb.Entrant(bot="ben", version=2),
        verdict=verdict,
        deals=deals,
        matches=4 * deals,
        score=0.54,
        elo=31.2,
        elo_least=12.1,
        elo_most=50.3,
        llr=llr,
        lower=-2.94,
        upper=2.94,
        elo1=20,
    )


def test_the_options_are_sent_and_the_answer_is_printed(run: Run, league: FakeLeague) -> None:
    league.answers["Compare"] = lambda *_: iter([report(deals=4, llr=0.1), report(pb.VERDICT_BETTER)])
    words = ("--elo1", "10", "--alpha", "0.01", "--seats", "3", "--filler", "cid", "--workers", "2")
    found = run(*WORDS, *words, "--server", league.address)
    assert found.exit_code == 0
    assert found.stdout.splitlines()[-2:] == ["ann@1 is better than ben@2 (by 20 Elo rather than 0).", FIGURES]
    (asked,) = league.asked
    assert isinstance(asked, pb.CompareRequest)
    assert (asked.a, asked.b, asked.ruleset, asked.seats) == ("ann", "ben@2", "bohnanza", 3)
    assert list(asked.fillers) == ["cid"]
    assert (asked.elo0, asked.elo1, asked.alpha, asked.beta, asked.workers) == (0, 10, 0.01, 0.05, 2)


def test_bots_without_a_sandbox_are_warned_of_once(run: Run, league: FakeLeague) -> None:
    news = [report(deals=n) for n in (1, 2, 3)] + [report(pb.VERDICT_BETTER)]
    for progress in news[1:]:
        progress.layer = "plain"
    league.answers["Compare"] = lambda *_: iter(news)
    found = run(*WORDS, "--server", league.address)
    assert found.exit_code == 0
    assert found.stderr.count("Warning: the bots run as plain processes") == 1


def test_losing_bubblewrap_is_warned_of_too(run: Run, league: FakeLeague) -> None:
    progress = report(pb.VERDICT_BETTER)
    progress.layer = "landlock"
    league.answers["Compare"] = lambda *_: iter([progress])
    warning = run(*WORDS, "--server", league.address).stderr
    assert "Warning: the bots run under Landlock, not bubblewrap" in warning
    assert "Install the package bubblewrap" in warning


def test_a_comparison_that_was_decided_before_tells_its_verdict_once(run: Run, league: FakeLeague) -> None:
    league.answers["Compare"] = lambda *_: iter([report(pb.VERDICT_BETTER)])
    found = run(*WORDS, "--server", league.address)
    assert found.stdout.splitlines() == ["ann@1 is better than ben@2 (by 20 Elo rather than 0).", FIGURES]


def test_before_the_first_deal_the_difference_is_unknown(run: Run, league: FakeLeague) -> None:
    news = pb.ComparisonProgress(a=report().a, b=report().b, verdict=pb.VERDICT_OPEN, elo=0, lower=-2.94, upper=2.94)
    league.answers["Compare"] = lambda *_: iter([news, report(pb.VERDICT_BETTER)])
    first, *_ = run(*WORDS, "--server", league.address).stdout.splitlines()
    assert first == "ann@1 against ben@2: 0 deals, 0 matches, LLR 0.00 (-2.94 .. 2.94), Elo unknown"


def test_remarks_and_nodes_of_a_cluster_are_shown(run: Run, league: FakeLeague) -> None:
    waiting = report(deals=0)
    waiting.remarks.append("no node is connected: the run waits")
    waiting.nodes.add(workers=4)
    league.answers["Compare"] = lambda *_: iter([waiting, report(pb.VERDICT_BETTER)])
    first, *_ = run(*WORDS, "--server", league.address).stdout.splitlines()
    assert first.endswith("; no node is connected: the run waits")
    on = Console(file=io.StringIO(), width=100)
    on.print(comparison_page(waiting))
    assert isinstance(on.file, io.StringIO)
    assert on.file.getvalue().splitlines()[-2:] == [
        "0 deals, 0 matches, 0.0 matches/s, 1 node with 4 workers",
        "no node is connected: the run waits",
    ]


def test_not_better_is_an_answer_too(run: Run, league: FakeLeague) -> None:
    league.answers["Compare"] = lambda *_: iter([report(pb.VERDICT_NOT_BETTER, llr=-3)])
    found = run(*WORDS, "--server", league.address)
    assert found.exit_code == 0
    assert "ann@1 is not better than ben@2 (by 0 Elo rather than 20)." in found.stdout


def test_by_dollars_is_asked_for_and_tells_the_lead(run: Run, league: FakeLeague) -> None:
    answer = report(pb.VERDICT_BETTER)
    answer.by, answer.lead, answer.lead_least, answer.lead_most = pb.MEASURE_DOLLARS, 1.253, 0.5, 2
    league.answers["Compare"] = lambda *_: iter([answer])
    found = run(*WORDS, "--by", "dollars", "--server", league.address)
    assert found.stdout.splitlines()[-1] == f"{FIGURES}, $+1.25 (95 %: +0.50 .. +2.00)"
    (asked,) = league.asked
    assert isinstance(asked, pb.CompareRequest)
    assert asked.by == pb.MEASURE_DOLLARS


def test_an_obvious_verdict_says_so(run: Run, league: FakeLeague) -> None:
    answer = report(pb.VERDICT_BETTER, deals=9, llr=0.5)
    answer.obvious = True
    league.answers["Compare"] = lambda *_: iter([answer])
    found = run(*WORDS, "--server", league.address)
    assert "ann@1 is better than ben@2, obviously (by 20 Elo rather than 0)." in found.stdout


def test_json_is_one_object_with_every_field_and_lines_go_to_stderr(run: Run, league: FakeLeague) -> None:
    league.answers["Compare"] = lambda *_: iter([report(deals=1), report(pb.VERDICT_BETTER)])
    found = run(*WORDS, "--json", "--server", league.address)
    answer = json.loads(found.stdout)
    assert list(answer) == [field.name for field in pb.ComparisonProgress.DESCRIPTOR.fields]
    assert (answer["verdict"], answer["deals"], answer["a"]) == ("better", 40, {"bot": "ann", "version": 1})
    assert found.stderr.startswith("ann@1 against ben@2: 1 deal, 4 matches, LLR")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_it_waits_for_it_and_tells_the_ratio_so_far(
    run: Run, league: FakeLeague, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, cancelled = threading.Event(), threading.Event()
    looks: list[bool] = []

    def play(_: object, context: Any) -> Iterator[object]:
        context.add_callback(cancelled.set)
        yield report(deals=12, llr=0.31)
        assert shown.wait(60)
        os.kill(os.getpid(), number)
        cancelled.wait(60)

    def show(request: Any, _: object) -> object:
        looks.append(request.name == "compare-123" and cancelled.is_set())
        return info(pb.LEAGUE_STATE_RUNNING if len(looks) < 3 else pb.LEAGUE_STATE_STOPPED)

    monkeypatch.setattr(ComparisonView, "show", lambda *_: shown.set())
    league.answers |= {"Compare": play, "ShowLeague": show}
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        found = run(*WORDS, "--server", league.address)
        assert signal.getsignal(signal.SIGTERM) == before[1]
    finally:
        signal.signal(signal.SIGINT, before[0])
    assert found.exit_code == 130, found.output
    assert found.stderr == (
        "stopped at ann@1 against ben@2: 12 deals, 48 matches, LLR 0.31 (-2.94 .. 2.94), Elo +31 (95 %: +12 .. +50)\n"
        "run the same command again to continue\n"
    )
    assert looks[-2:] == [True, True]


def test_an_interrupt_before_it_begins_says_how_to_go_on_too(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("beanleague.cli.connection.session.Session.store_url", interrupt)
    found = run(*WORDS)
    assert (found.exit_code, found.stderr) == (130, "stopped; run the same command again to continue\n")


def test_one_that_ends_early_says_how_to_go_on(run: Run, league: FakeLeague) -> None:
    league.answers["Compare"] = lambda *_: iter([report(deals=1)])
    found = run(*WORDS, "--server", league.address)
    assert found.exit_code == 1
    assert found.stderr == "Error: the comparison ended early after 1 deal; run the same command again to continue\n"


def test_one_that_fails_says_what_is_kept(run: Run, league: FakeLeague) -> None:
    def fail(_: object, context: grpc.ServicerContext) -> Iterator[object]:
        yield report(deals=12)
        context.abort(grpc.StatusCode.ABORTED, "ben@2 is suspended")

    league.answers["Compare"] = fail
    found = run(*WORDS, "--server", league.address)
    assert found.exit_code == 1
    assert found.stderr == (
        "the deals played so far are kept; run the same command again to continue\nError: ben@2 is suspended\n"
    )
