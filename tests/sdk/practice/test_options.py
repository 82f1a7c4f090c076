"""Practice with options of the game, as a league may have them."""

from collections.abc import Mapping
from importlib.resources import files
from itertools import islice
from pathlib import Path

import pytest

from beanbot import Action, View
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Plant
from beanbot.dice import DiceView
from beanbot.practice import PracticeError, deals, play
from beanbot.practice.__main__ import main
from beanleague.games import Option, Record, SetupError, record_from_json, record_to_json, verify
from tests.sdk.helpers import Dull

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

    play([Eager], games=3, options={"max_rounds": 1})
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
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SystemExit):
        main([RANDOM, "--game", "dice", "--option", f"deck={tmp_path / 'bytes.toml'}"])
    assert "is not text in UTF-8" in capsys.readouterr().err


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
