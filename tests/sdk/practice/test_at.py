"""A bot put before one decision of a recorded match."""

import io
import re
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, ClassVar

import pytest

from beanbot import Bot, View
from beanbot._runtime.asking import Failure, ask
from beanbot._runtime.program import BotProgram
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Offer, Stop
from beanbot.practice import deals
from beanbot.practice.__main__ import main
from beanbot.practice.at import AtError, decisions, moment
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


def test_what_cannot_be_shown_is_refused() -> None:
    played = record([Dull], "duel")
    with pytest.raises(AtError, match="no move 9999; it has moves 0 to"):
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
    assert total == f"{len(rows)} decisions, {len(otherwise)} of them otherwise now; to see one: --at match.json:MOVE"
    assert 0 < len(otherwise) < len(rows)


def test_offers_are_said_in_the_sentences_of_replays(files: Record, capsys: pytest.CaptureFixture[str]) -> None:
    played = record([Giving, Dull, Dull], "bohnanza")
    Path("match.json").write_text(record_to_json(played))
    move = next(at for at, move in enumerate(played.moves) if isinstance(move.action, Offer))
    assert main(["mybot.py", "--at", f"match.json:{move}"]) == 0
    assert re.search(r"\n  Offer\(to=\(1, 2\),.*\)  offer \S+ to all as a gift\n", capsys.readouterr().out)
    assert main(["mybot.py", "--at", f"match.json:{move + 1}"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert re.search(r"; offer: seat 0 offers \S+ to all as a gift; ", shown)


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
