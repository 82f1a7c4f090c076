"""A bot put before one decision of a recorded match; deals by several processes, and two bots in each other's place."""

import io
import math
import os
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from textwrap import dedent
from typing import Any, ClassVar

import pytest

from beanbot import Action, Bot, View
from beanbot._runtime.again import AtError
from beanbot._runtime.asking import Failure, ask
from beanbot._runtime.program import BotProgram
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Offer, Stop
from beanbot.practice import PracticeError, deals, play, prepare
from beanbot.practice.__main__ import main
from beanbot.practice.at import decisions, moment
from beanbot.practice.result import as_text
from beanbot.practice.workers import play_deals
from beanleague.games import Record, record_to_json
from tests.sdk.helpers import Dull, program

Decided = list[tuple[int, View, object]]


class Remembering(Bot[View]):
    """Chooses by its luck and by all that it has seen; now and then it decides lists, or fails."""

    decided: ClassVar[Decided] = []
    seen = 0

    def decide(self, view: View) -> Choice:
        self.seen += len(view.news) + 1
        if self.seen % 23 == 0:
            raise ValueError("unlucky")
        legal = view.legal()
        choice = legal[(self.random.randrange(100) + self.seen) % len(legal)]
        Remembering.decided.append((self.seat, view, choice))
        return [choice, view.default()]


class Giving(BohnanzaBot):
    """Offers what it turned over as a gift."""

    def trade(self, view: BohnanzaView) -> Choice:
        return Offer((1, 2), turned=(0,)) if view.turned and view.seat == 0 else Stop()


def record(bots: list[type[Bot[Any]]], game: str) -> Record:
    kept: list[Record] = []
    Remembering.decided = []
    next(deals(bots, game=game, keep=kept.append, report=lambda *_: None, lenient=True))
    return kept[0]


@pytest.mark.parametrize("game", ["bohnanza", "duel"])
def test_at_every_decision_the_bot_has_seen_what_it_had_and_answers_the_same(game: str) -> None:
    played = record([Remembering, Dull, Dull][: 2 if game == "duel" else 3], game)
    own = [index for index, move in enumerate(played.moves) if move.seat == 0 and not move.by_default]
    first_match = [(view, choice) for seat, view, choice in Remembering.decided if seat == 0]
    checked = 0
    for index in own[:: max(1, len(own) // 12)]:
        reached = moment(played, index, program(Remembering))
        assert not reached.others
        choices = [choice for view, choice in first_match if view == reached.view]
        if not choices:
            continue  # inside of a list it was not asked
        answer = ask(reached.bot, reached.view)
        assert not isinstance(answer, Failure)
        assert [answer[0]] == choices == [played.moves[index].action]
        checked += 1
    assert checked > 5


def test_decisions_made_otherwise_are_counted_and_the_match_goes_on_as_recorded() -> None:
    played = record([Remembering, Dull], "duel")
    last = max(index for index, move in enumerate(played.moves) if move.seat == 0)
    reached = moment(played, last, program(Dull))
    assert 0 < len(reached.others) < len(reached.earlier)
    assert reached.view.legal()


def test_all_decisions_of_a_bot_are_those_that_it_made_and_none_is_otherwise_without_a_change() -> None:
    played = record([Dull, Remembering], "duel")
    first_match = [choice for seat, _, choice in Remembering.decided if seat == 1]
    name = Remembering.__name__
    assert played.players[1] == name
    seat, made = decisions(played, BotProgram(name, (Remembering,)))
    answers = [asked.action for asked in made if asked.action is not None]
    assert seat == 1
    assert answers == first_match[: len(answers)]
    assert len(answers) > 5
    assert not any(asked.otherwise for asked in made)
    _, changed = decisions(played, BotProgram(name, (Dull,)))
    assert any(asked.otherwise for asked in changed)


def test_an_impossible_moment_is_refused() -> None:
    played = record([Dull], "duel")
    with pytest.raises(AtError, match="no move 9999; its moves are 0 to"):
        moment(played, 9999, program(Dull))
    with pytest.raises(AtError, match="does not play duel"):
        moment(played, 0, program(BohnanzaBot))
    with pytest.raises(AtError, match=r"other did not play in this match, but .*; name a move"):
        decisions(played, BotProgram("other", (Dull,)))


# The command line

BOT = """
    from beanbot import run
    from beanbot.bohnanza import BohnanzaBot

    class MyBot(BohnanzaBot):
        def plant_second(self, view):
            answer = super().plant_second(view)
            return answer

    run(MyBot)
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mybot.py").write_text(dedent(BOT))
    played = record([BohnanzaBot], "bohnanza")
    (tmp_path / "match.json").write_text(record_to_json(played))
    return played


def test_the_command_shows_the_decision_the_legal_actions_and_the_answer(
    files: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mybot.py", "--at", "match.json:0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "match.json, move 0 (bohnanza, seat 0 of 3, turn 1, PLANT_FIRST): mybot in place of BohnanzaBot"
    )
    assert "legal actions" in out
    assert "mybot answers after " in out
    assert f"In the match BohnanzaBot played:\n  {files.moves[0].action}" in out


def test_without_a_move_the_command_lists_all_decisions_of_the_bot(
    files: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    text = record_to_json(replace(files, players=("mybot@3", *files.players[1:])))
    Path("match.json").write_text(text)
    Path("mybot.py").write_text(
        dedent(BOT).replace("return answer", "return Pass()").replace("BohnanzaBot", "BohnanzaBot, Pass", 1)
    )
    assert main(["mybot.py", "--at", "match.json"]) == 0
    head, _, columns, *rows, _, total = capsys.readouterr().out.splitlines()
    assert head == "match.json (bohnanza, seat 0 of 3): mybot in place of mybot@3"
    assert columns.split() == ["move", "decision", "played", "now"]
    assert rows[0].split()[:5] == ["0", "turn", "1,", "PLANT_FIRST", "plant"]
    otherwise = [row for row in rows if re.search(r"  plant \S+ in field \d.*  plant no more$", row)]
    assert total == f"{len(rows)} decisions, {len(otherwise)} of them different now; to see one: --at match.json:MOVE"
    assert 0 < len(otherwise) < len(rows)


def test_offers_are_said_in_the_sentences_of_replays(files: Record, capsys: pytest.CaptureFixture[str]) -> None:
    played = record([Giving, Dull, Dull], "bohnanza")
    Path("match.json").write_text(record_to_json(played))
    move = next(at for at, move in enumerate(played.moves) if isinstance(move.action, Offer))
    assert main(["mybot.py", "--at", f"match.json:{move}"]) == 0
    assert re.search(r"\n  Offer\(to=\(1, 2\),.*\)  offer \S+ to all as a gift\n", capsys.readouterr().out)
    assert main(["mybot.py", "--at", f"match.json:{move + 1}"]) == 0
    assert re.search(r"\noffer: seat 0 offers \S+ to all as a gift\n", capsys.readouterr().out)


def test_several_bots_say_what_they_would_do(files: Record, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.py").write_text(dedent(BOT).replace("return answer", "return 1 // 0"))
    assert main(["mybot.py", "farmer", "broken.py", "gone.py", "dicer", "--at", "match.json:1"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "Move 1 (bohnanza, seat 0, turn 1, PLANT_SECOND):"
    assert [row.split()[0] for row in rows] == ["played", "mybot", "farmer", "broken", "gone.py", "dicer"]
    assert [row.split(maxsplit=1)[1] for row in rows[3:]] == [
        "an error",
        "cannot be asked: gone.py: no such file",
        "cannot be asked: dicer does not play bohnanza",
    ]
    assert rows[0].split()[1:] == rows[1].split()[1:]


def test_several_bots_are_asked_at_one_decision_only(files: Record, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["mybot.py", "farmer", "--at", "match.json"])
    assert "name one, or a decision with --at MATCH:MOVE" in capsys.readouterr().err


def test_the_debugger_stops_in_the_bots_own_code(
    files: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("p view.turn * 1000\ncontinue\n"))
    assert main(["mybot.py", "--at", "match.json:1", "--pdb"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"mybot\.py\(\d\)plant_second\(\)\n", out)
    assert "1000" in out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["mybot.py", "--at", "match.json:99999"], "practice: the match has no move 99999"),
        (["mybot.py", "--at", "mybot.py:0"], "practice: mybot.py is not a record of a match"),
        (["mybot.py", "--at", "gone.json:0"], "practice: cannot open gone.json: No such file"),
    ],
)
def test_bad_moments_are_refused_in_a_line(
    files: Record, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    err = capsys.readouterr().err
    assert err.startswith(problem)
    assert err.count("\n") == 1


class Erring(Dull):
    """Chooses by its own luck, and fails now and then."""

    def decide(self, view: View) -> Action:
        if self.random.random() < 0.1:
            raise ValueError("unlucky")
        return self.random.choice(view.legal())


def played(workers: int) -> tuple[list[object], list[tuple[str, str]], list[tuple[str, Record]]]:
    """Return the results, reports and records of five deals."""
    bots: list[type[Bot[Any]]] = [Erring, Dull]
    playing = prepare(bots, game="duel", seats=2, seed=3, options=None)
    reports: list[tuple[str, str]] = []
    records: list[tuple[str, Record]] = []
    deals = play_deals(
        playing,
        range(1, 6),
        report=lambda *call: reports.append(call),
        keep=lambda *call: records.append(call),
        workers=workers,
    )
    results = [(match.outcome, match.entrants, match.faults) for deal in deals for match in deal]
    return list(results), reports, records


def headlines(reports: list[tuple[str, str]]) -> list[str]:
    return [problem.splitlines()[0] for _, problem in reports]


def test_several_processes_give_the_results_reports_and_records_of_one() -> None:
    one, two = played(1), played(2)
    assert one[0] == two[0]
    assert headlines(one[1]) == headlines(two[1]) != []
    assert one[2] == two[2]
    assert [name for name, _ in one[2]] == [f"{deal}.{rotation}" for deal in range(1, 6) for rotation in range(2)]


def test_more_processes_than_deals_do_no_harm() -> None:
    assert play([Dull], game="duel", deals=1, workers=4).matches == 2


def test_the_end_of_a_process_is_an_error_that_names_the_deal() -> None:
    class Leaving(Dull):
        def match_started(self) -> None:
            os._exit(7)

    with pytest.raises(PracticeError, match="a process ended with status 7 in deal 1"):
        play([Leaving], game="duel", deals=2, workers=2)


class Same(Dull):
    """Plays as `Dull` does."""


class Lucky(Dull):
    """Chooses by its own luck."""

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal()[:2])


def test_both_play_every_deal_in_the_same_seats_and_company() -> None:
    playing = prepare([Dull, Same, BohnanzaBot], game="bohnanza", seats=3, seed=1, options=None, paired=True)
    (deal,) = play_deals(playing, [1], report=lambda *_: None)
    seated = [[entrant.name for entrant in match.entrants] for match in deal]
    assert seated[:2] == [["Dull", "BohnanzaBot", "BohnanzaBot"], ["BohnanzaBot", "Dull", "BohnanzaBot"]]
    assert [["Dull" if name == "Same" else name for name in table] for table in seated[3:]] == seated[:3]
    assert [match.outcome for match in deal[:3]] == [match.outcome for match in deal[3:]]


def test_bots_that_play_alike_differ_by_nothing() -> None:
    paired = play([Dull, Same, BohnanzaBot], deals=3, paired=True).paired
    assert paired
    assert (paired.deals, paired.dollars, paired.dollars_error, paired.wins) == (3, 0, 0, 0)
    assert (paired.places.score, paired.places.elo) == (0.5, 0)


def test_the_interval_is_that_of_differences_by_deal() -> None:
    playing = prepare([Lucky, Dull, Same], game="duel", seats=2, seed=1, options=None, paired=True)
    differences = [
        fmean(
            sum(
                (1 if name == "Lucky" else -1) * match.outcome.scores[seat] / 100
                for seat, name in enumerate(entrant.name for entrant in match.entrants)
                if name != "Same"
            )
            for match in deal
        )
        * 2
        for deal in play_deals(playing, range(1, 9), report=lambda *_: None)
    ]
    result = play([Lucky, Dull, Same], game="duel", deals=8, paired=True, workers=2)
    assert result.paired
    assert result.paired.deals == 8
    assert math.isclose(result.paired.dollars, fmean(differences))
    assert math.isclose(result.paired.dollars_error, 1.96 * stdev(differences) / math.sqrt(8))
    assert f"; {fmean(differences):+.2f} ± " in as_text(result)


def test_bots_in_each_others_place_are_compared_by_places_first() -> None:
    result = play([BohnanzaBot, Dull, Same], game="bohnanza", deals=4, paired=True)
    assert result.paired
    better = result.paired.places
    assert better.score > 0.5
    assert better.deals == 4
    line = f"BohnanzaBot in place of Dull, 4 deals: the better place in {better.score:.1%} of the pairs of matches, "
    assert line in as_text(result)


def test_a_bot_that_is_compared_may_sit_among_the_others_too() -> None:
    alone, among = (
        play([BohnanzaBot, Dull, *others], game="bohnanza", seats=4, deals=2, paired=True).paired
        for others in ([Same, Same, Same], [Dull, Same, Same])
    )
    assert alone
    assert alone.dollars > 0
    assert alone == among


def test_impossible_pairs_are_refused() -> None:
    with pytest.raises(PracticeError, match="name both, and then at least one"):
        play([Dull, Same], paired=True)
    with pytest.raises(PracticeError, match="all bots play the same deals"):
        play([Dull, Same, Lucky], game="bean-thief-easy", paired=True)
