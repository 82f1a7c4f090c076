"""One printer for all commands: `--json` for programs, text for people."""

import json
from collections.abc import Iterator

import click
import pytest
from rich.text import Text

from beanleague.cli import main
from beanleague.cli.views.output import Output
from beanproto.v1.league_pb2 import Entrant

SHOW_NO_DATA = {
    "bot new": "writes a bot",
    "cluster certs": "writes certificates",
    "cluster scheduler": "runs until it is stopped",
    "node": "runs until it is stopped",
    "match replay": "draws a match",
    "match export": "writes a record, which is JSON already",
    "serve": "runs until it is stopped",
    "play": "is played",
    "site": "writes pages",
    "web": "runs until it is stopped",
}


def commands(group: click.Command = main, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that is not a group, by its words."""
    if not isinstance(group, click.Group):
        yield " ".join(path), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command, *path, name)


COMMANDS = dict(commands())


def options(command: click.Command) -> list[click.Option]:
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_that_shows_data_has_json(words: str) -> None:
    has_json = any("--json" in option.opts for option in options(COMMANDS[words]))
    assert has_json is (words not in SHOW_NO_DATA)


def test_the_commands_without_data_exist() -> None:
    assert set(SHOW_NO_DATA) <= set(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_and_option_has_a_sentence_of_help(words: str) -> None:
    assert (COMMANDS[words].help or "").strip().endswith(".")
    for option in options(COMMANDS[words]):
        assert (option.help or "").endswith("."), option.opts


def test_json_is_printed_without_reading_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    def page() -> Iterator[str]:
        pytest.fail("was read")
        yield ""

    Output(as_json=True).show(Entrant(bot="ann", version=2), page())
    assert json.loads(capsys.readouterr().out) == {"bot": "ann", "version": 2}


def test_a_line_is_printed_whole_and_other_texts_are_fitted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "ten words of a text " * 2
    Output(as_json=False).show({}, [text, Text(text)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == text
    assert all(len(line) <= 20 for line in lines[1:])
    assert " ".join(" ".join(lines[1:]).split()) == text.strip()
