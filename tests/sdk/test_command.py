"""The command `beanbot`, which runs others, and where each process comes from that practice starts."""

import json
from pathlib import Path

import pytest

from beanbot.__main__ import main
from beanbot.practice.at import _exporting


def test_a_command_gets_all_words_behind_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["practice", "random", "random", "--game", "bohnanza-two", "--deals", "1", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["ruleset"] == "bohnanza-two"


@pytest.mark.parametrize("words", [["--help"], ["practice", "--help"], ["analyse", "--help"], ["rotations", "--help"]])
def test_help_names_the_command_as_it_is_typed(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(" ".join(["usage: beanbot", *words[:-1], "["]))


@pytest.mark.parametrize("words", [[], ["play"]])
def test_other_words_are_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: beanbot" in capsys.readouterr().err


def test_a_match_of_a_league_is_exported_without_the_current_folder() -> None:
    program, *options = _exporting("spring/1.0")
    assert Path(program).is_absolute()
    assert options[:3] == ["-P", "-m", "beanleague"]
