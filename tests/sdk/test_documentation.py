"""The code in docs/sdk.md does what the page says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from beanbot import load_bot
from beanbot.practice import play

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sdk.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


BOTS = [code for code in blocks("python") if "\nrun(" in code]
SCRIPTS = [code for code in blocks("python") if "\nrun(" not in code]


def title(code: str) -> str:
    named = re.search(r"class (\w+)", code)
    return named[1] if named else "script"


def test_the_page_has_bots_and_scripts() -> None:
    assert len(BOTS) >= 4
    assert len(SCRIPTS) >= 2


@pytest.mark.parametrize("code", BOTS, ids=title)
def test_each_bot_plays_without_a_fault(code: str, tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(code)
    bots = [load_bot(file), load_bot(ROOT / "bots" / "trader"), load_bot(ROOT / "bots" / "random")]
    for seats in (3, 5):
        result = play(bots, games=2 * seats, seats=seats, report=lambda name, what: pytest.fail(f"{name}: {what}"))
        assert result.row("mybot").decisions


@pytest.mark.parametrize("code", SCRIPTS, ids=title)
def test_each_script_runs(code: str) -> None:
    exec(compile(code, "docs/sdk.md", "exec"), {"__name__": "__main__"})


def test_the_caller_trades(tmp_path: Path) -> None:
    (code,) = (code for code in BOTS if title(code) == "Caller")
    file = tmp_path / "caller.py"
    file.write_text(code)
    alone = play([load_bot(ROOT / "bots" / "farmer")], games=30, seats=4).row("farmer").dollars
    assert play([load_bot(file)], games=30, seats=4).row("caller").dollars > alone


def test_the_bot_toml_is_toml_with_the_keys_a_bundle_has() -> None:
    (toml,) = blocks("toml")
    assert set(tomllib.loads(toml)) == {"name", "games", "command", "description", "author"}
