"""Practice of every ruleset, with options of the game, and how long decisions take."""

import signal
import subprocess
import sys
from array import array
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from beanbot import Action, Bot, View
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Plant
from beanbot.dice import DiceView
from beanbot.practice import PracticeError, __main__ as command, alarms, deals, play, summarise
from beanbot.practice.__main__ import main
from beanbot.practice.alarms import AlarmError, Watch
from beanbot.practice.match import PracticeMatch, PracticePlayer, Slowest
from beanbot.practice.result import as_text
from beanleague.games import Option, Outcome, Record, SetupError, record_from_json, record_to_json, verify
from tests.sdk.helpers import Dull, fail

RANDOM = str(Path(__file__).parents[3] / "bots" / "random")
DECK = files("beanleague.games").joinpath("data/dice_2022.toml").read_text("utf-8")
SHORT = DECK[: DECK.rindex("[[cards]]")]  # one card less than ours


def test_a_bot_meets_the_rounds_of_trading_that_are_asked_for() -> None:
    rounds = set()

    class Eager(BohnanzaBot):
        interludes = True

        def trade(self, view: BohnanzaView) -> Choice:
            rounds.add(view.rounds_left)
            return super().trade(view)

    play([Eager], deals=1, options={"max_rounds": 1})
    assert rounds == {1}


def test_a_bot_meets_the_cards_of_a_deck() -> None:
    cards = set()

    class Counting(Dull):
        games = ("dice",)

        def decide(self, view: View) -> Action:
            assert isinstance(view, DiceView)
            cards.add(len(view.rules.cards))
            return view.default()

    list(islice(deals([Counting], game="dice", options={"deck": SHORT}), 1))
    assert cards == {54}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"deck": "mine"}, "bohnanza has no option 'deck'; there are: max_rounds"),
        ({"interludes": (0,)}, "bohnanza has no option 'interludes'; there are: max_rounds"),
    ],
)
def test_an_option_that_no_league_could_have_is_refused(options: Mapping[str, Option], why: str) -> None:
    with pytest.raises(PracticeError, match=why):
        deals([BohnanzaBot], options=options)


def test_a_bad_value_is_refused_before_anything_is_played() -> None:
    with pytest.raises(SetupError, match="max_rounds must be a whole number from 0 to 1000, not 'six'"):
        deals([BohnanzaBot], options={"max_rounds": "six"})


def test_the_command_takes_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = tmp_path / "deck.toml"
    deck.write_text(f"\ufeff{SHORT}", "utf-8")
    assert main([RANDOM, "--game", "dice", "--deals", "1", "--option", f"deck={deck}"]) == 0
    assert main([RANDOM, "--deals", "1", "--option", "max_rounds=1"]) == 0
    assert not capsys.readouterr().err
    assert main([RANDOM, "--option", "max_rounds=six"]) == 1
    assert capsys.readouterr().err.startswith("practice: max_rounds must be a whole number")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--option", "max_rounds"], "'max_rounds' must be NAME=VALUE, e.g. max_rounds=6"),
        (["--option", "deck=gone.toml"], "cannot read the deck gone.toml: No such file"),
        (["--option", "max_rounds=1", "--option", "max_rounds=2"], "an option of the game is given twice"),
    ],
)
def test_options_that_cannot_be_read_are_wrong_usage(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([RANDOM, *arguments])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_a_deck_that_is_no_text_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xff")
    with pytest.raises(SystemExit):
        main([RANDOM, "--game", "dice", "--option", f"deck={tmp_path / 'bytes.toml'}"])
    assert "is not UTF-8 text" in capsys.readouterr().err


TUNED = """
from beanbot import run
from beanbot.bohnanza import BohnanzaBot, Pass

class Tuned(BohnanzaBot):
    def plant_second(self, view):
        assert isinstance(self.settings["name"], str)
        return super().plant_second(view) if self.settings["plants"] else Pass()

run(Tuned)
"""


@pytest.fixture
def tuned(tmp_path: Path) -> str:
    """A bundle with settings."""
    (tmp_path / "bot.py").write_text(TUNED)
    settings = '[settings]\nplants = true\nname = "t"\n'
    (tmp_path / "bot.toml").write_text(f'name = "tuned"\ncommand = ["python", "bot.py"]\n{settings}')
    return str(tmp_path)


def test_the_first_bot_plays_with_other_settings_against_itself(tuned: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [tuned, tuned, "farmer", "--deals", "2", "--paired", "--set", "plants=false", "--set", "name=x"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert not err
    assert "tuned in place of tuned #2, 2 deals: " in out
    assert "+0.00 ± 0.00 dollars" not in out


def test_settings_that_are_not_there_are_refused(tuned: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([tuned, "--set", "plant=false"]) == 1
    assert "[settings] has no 'plant'; there are: plants, name" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([tuned, "--set", "plants"])
    assert "'plants' must be NAME=VALUE" in capsys.readouterr().err


class Wrong(Dull):
    """Plants in a field that it does not have, and fails when it is to trade."""

    games = ("bohnanza",)

    def decide(self, view: View) -> Action:
        if view.turn > 2:
            return view.default()
        if view.decision.name == "TRADE":
            raise ValueError("no idea\nat all")
        return Plant(9)


def test_a_record_of_practice_is_reproduced_and_has_the_faults() -> None:
    kept: list[Record] = []
    list(islice(deals([Wrong, Dull], seats=3, report=lambda *_: None, keep=kept.append), 1))
    assert len(kept) == 3
    for record in kept:
        assert verify(record).problem == ""
        assert record_from_json(record_to_json(record)) == record
        assert {fault.kind for fault in record.faults} == {"illegal", "error"}
        assert all(record.moves[fault.move].by_default for fault in record.faults)
    assert kept[0].players == ("Wrong", "Dull", "Wrong")


def test_records_are_written_to_a_folder_and_none_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [RANDOM, "--deals", "1", "--game", "duel", "--record", str(tmp_path / "kept")]
    assert main(arguments) == 0
    assert sorted(file.name for file in (tmp_path / "kept").iterdir()) == ["1.0.json", "1.1.json"]
    assert verify(record_from_json((tmp_path / "kept/1.0.json").read_bytes())).problem == ""
    before = (tmp_path / "kept/1.0.json").read_bytes()
    capsys.readouterr()
    assert main([*arguments, "--seed", "2"]) == 1
    assert f"practice: cannot open {tmp_path / 'kept/1.0.json'}: File exists" in capsys.readouterr().err
    assert (tmp_path / "kept/1.0.json").read_bytes() == before


def match(times: list[float], slowest: Slowest) -> PracticeMatch:
    """Return a match in which one bot decided in these times."""
    entrants = (PracticePlayer("a", Dull),)
    return PracticeMatch(Outcome((3,), (1,)), entrants, (0,), (False,), (len(times),), (array("d", times),), (slowest,))


def test_mean_99_percent_and_the_slowest_are_of_all_decisions() -> None:
    worst = Slowest(2.0, "2.0, move 7")
    played = [(match([0.001] * 99, Slowest(0.001, "1.0, move 0")),), (match([0.005] * 100 + [2.0], worst),)]
    (row,) = summarise("bohnanza", 1, played).rows
    assert row.mean_seconds == pytest.approx((0.099 + 0.5 + 2) / 200)
    assert row.seconds_99 == 0.005
    assert row.slowest is worst
    assert "slowest decision of a: 2,000.00 ms at 2.0, move 7" in as_text(summarise("bohnanza", 1, played))


def test_every_decision_has_a_time_and_the_slowest_says_where_it_was() -> None:
    for result in next(deals([Dull], game="duel")):
        assert [len(times) for times in result.times] == list(result.decisions)
        for times, slowest in zip(result.times, result.slowest, strict=True):
            assert slowest
            assert slowest.seconds == max(times)
            assert slowest.where.startswith("1.")


LONG_MS = 600_000  # 10 minutes


class Stuck(Dull):
    """Never answers when it is to offer a gift for the first time."""

    stuck = False

    def decide(self, view: View) -> Action:
        if view.decision.name == "OFFER_GIFT" and not Stuck.stuck:
            Stuck.stuck = True
            while True:
                with suppress(Exception):
                    signal.raise_signal(signal.SIGALRM)  # the alarm itself would come too early on a busy machine
        assert self.move_ms == LONG_MS
        return view.default()


def test_a_decision_that_takes_too_long_is_interrupted_and_shown_with_its_stack() -> None:
    problems: list[str] = []
    kept: list[Record] = []
    Stuck.stuck = False
    (first, _) = next(
        deals(
            [Stuck, Dull], game="duel", move_ms=LONG_MS, report=lambda _, text: problems.append(text), keep=kept.append
        )
    )
    assert first.faults == (1, 0)
    assert "OFFER_GIFT" in problems[0]
    assert ", in decide\n" in problems[0]
    assert problems[0].endswith("TimeoutError: no answer within 600000 ms")
    assert problems[0].count("Traceback") == 1
    (fault,) = kept[0].faults
    assert fault.kind == "timeout"
    assert fault.reason.startswith("TimeoutError: no answer within 600000 ms (test_options.py, line ")


def test_a_bot_that_hangs_is_interrupted_at_the_last_look_at_one_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarms, "LOOKS", 3)
    watch = Watch()
    watch.look()
    watch.number += 1  # a decision begins
    watch.look()
    watch.look()
    with pytest.raises(AlarmError):
        watch.look()
    watch.number += 1
    watch.look()
    watch.number += 1  # the next one
    watch.look()
    watch.look()


def test_a_bot_that_is_debugged_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarms, "LOOKS", 2)
    monkeypatch.setattr(sys, "gettrace", lambda: print)
    watch = Watch()
    watch.number += 1
    for _ in range(3):
        watch.look()


def test_the_command_ends_bots_that_hang_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Hanging(BohnanzaBot):
            hung = False

            def plant_first(self, view):
                while not Hanging.hung:
                    try:
                        while True:
                            pass
                    finally:
                        Hanging.hung = True
                return super().plant_first(view)

        run(Hanging)
    """
    file = tmp_path / "hanging.py"
    file.write_text(dedent(code))
    monkeypatch.setattr(command, "HANGS_AFTER_S", 0.1)
    assert command.main([str(file), "--deals", "1", "--option", "max_rounds=1"]) == 0
    errors = capfd.readouterr().err
    assert "no answer within 0.1 s; --move-ms sets another limit" in errors
    assert ", in plant_first\n" in errors


def test_a_bot_that_cannot_be_interrupted_ends_practice_with_its_stack(tmp_path: Path) -> None:
    code = """
        import signal
        from beanbot import practice
        from beanbot.practice import alarms
        from beanbot.bohnanza import BohnanzaBot

        alarms.GRACE_S = 0.2

        class Deaf(BohnanzaBot):
            def decide(self, view):
                signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
                while True:
                    pass

        practice.play([Deaf], deals=1, move_ms=20)
    """
    file = tmp_path / "deaf.py"
    file.write_text(dedent(code))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "in decide" in done.stderr


def test_practice_without_a_limit_sets_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "setitimer", None)
    assert play([Dull], game="duel", deals=1).matches == 2


class Anything(Bot[View]):
    """Does anything that is legal."""

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal())


def test_every_bot_plays_the_same_deal_against_the_thief() -> None:
    bots: list[type[Bot[Any]]] = [Dull, Anything, Dull]
    first, second = islice(deals(bots, game="bean-thief-easy", report=fail), 2)
    assert [match.entrants[0].name for match in first] == ["Dull", "Anything"]
    assert len(second) == 2


def test_two_equal_bots_tie_on_every_deal_against_the_thief() -> None:
    class Same(Dull):
        pass

    result = play([Dull, Same], game="bean-thief-normal", deals=3, report=fail)
    (pairing,) = result.pairings
    assert (pairing.deals, pairing.score) == (3, 0.5)
    assert result.matches == 6
