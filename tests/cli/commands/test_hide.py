"""`beanleague league hide` and `beanleague bot hide`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import On
from tests.cli.connection.test_completion import completed


def listed(on: On, *words: str) -> list[str]:
    """The first words of a list."""
    return [line.split()[0] for line in on(*words).stdout.splitlines()[2:]]


@pytest.fixture
def hidden(on: On, spring: str) -> Iterator[None]:
    """The league and the bot ann are hidden."""
    for words in ("league hide spring", "bot hide ann"):
        result = on(*words.split())
        assert result.exit_code == 0, result.output
        assert f"is hidden; show it again with: beanleague {words} --show" in result.stdout
    yield
    for words in ("league hide spring --show", "bot hide ann --show"):
        assert "is shown." in on(*words.split()).stdout


@pytest.mark.usefixtures("hidden")
def test_lists_leave_out_what_is_hidden(on: On, home: Path) -> None:
    assert "No leagues yet" in on("league", "list").stdout
    assert listed(on, "bot", "list") == ["ben@1", "cid@1"]
    assert "spring (hidden)" in on("league", "list", "--all").stdout
    assert "ann@1 (hidden)" in on("bot", "list", "--all").stdout
    assert completed("league show ", "--db", str(home / "leagues.db")) == []
    assert completed("bot show ", "--db", str(home / "leagues.db")) == ["ben", "cid"]


@pytest.mark.usefixtures("hidden")
def test_what_is_hidden_is_found_by_its_name(on: On) -> None:
    assert "ann@1" in on("standings", "spring").stdout
    assert on("match", "verify", "spring/1.0").exit_code == 0
    assert json.loads(on("bot", "show", "ben", "--json").stdout)["versions"][0]["entries"] == []
    assert "spring" in on("bot", "show", "ann", "--all").stdout
    assert "ann  (hidden)" in on("bot", "show", "ann").stdout


@pytest.mark.usefixtures("hidden")
def test_a_hidden_bot_enters_a_new_league_only_by_its_name(on: On, home: Path) -> None:
    refused = on("league", "create", "all", "--game", "bohnanza")
    assert "2" in refused.stderr
    assert refused.exit_code == 1
    named = on("league", "create", "named", "--game", "bohnanza", "--bot", "ann", "--bot", "ben", "--bot", "cid")
    assert named.exit_code == 0, named.output


def test_what_was_hidden_is_shown_again_as_it_was(on: On, spring: str) -> None:
    before = on("league", "list").stdout, on("bot", "list").stdout, on("bot", "show", "ann").stdout
    for words in ("league hide spring", "bot hide ann", "league hide spring --show", "bot hide ann --show"):
        on(*words.split())
    assert (on("league", "list").stdout, on("bot", "list").stdout, on("bot", "show", "ann").stdout) == before


def test_a_name_that_does_not_exist_is_an_error(on: On, spring: str) -> None:
    assert "did you mean 'spring'?" in on("league", "hide", "sprin").stderr
    assert "did you mean 'ann'?" in on("bot", "hide", "anne").stderr
