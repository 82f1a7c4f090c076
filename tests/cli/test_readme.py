"""What the README says works as written."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from beanbot.bohnanza import BohnanzaBot
from beanleague.games import new_game
from beanleague.games.bohnanza.view import BohnanzaView
from tests.docs.pages import ROOT, blocks, shell, submit_house_bots, trusting

README = (ROOT / "README.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose first heading is this."""
    table = README[README.index(f"| {heading} |") :].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder outside of the project with the README's bots, and two house bots, which are submitted."""
    (toml,) = blocks("README.md", "toml")
    for name, program in zip(("neighbour", "swapper"), blocks("README.md", "python"), strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(program)
        (tmp_path / name / "bot.toml").write_text(toml.replace("neighbour", name))
    submit_house_bots(("farmer", "random"), "bohnanza", tmp_path)
    return tmp_path


def fresh_shell(script: str, folder: Path) -> str:
    """Run `script` after the README's line that activates its environment, here that of the tests."""
    activate = blocks("README.md", "sh")[0]
    assert activate == ". .venv/bin/activate\n"
    if not Path(sys.prefix, "bin/activate").is_file():
        pytest.skip("the tests run in an environment that cannot be activated")
    return shell(activate.replace(".venv", sys.prefix) + script, folder, activated=False)


def test_the_ten_line_bot_has_ten_lines() -> None:
    assert len([line for line in blocks("README.md", "python")[0].splitlines() if line]) <= 10


def test_a_bot_written_from_the_readme_practises(elsewhere: Path) -> None:
    output = fresh_shell(blocks("README.md", "sh")[1], elsewhere)
    neighbour = next(line.split() for line in output.splitlines() if line.startswith("neighbour"))
    assert neighbour[-3] == "0", "faults"


def test_the_bot_that_trades_beats_the_farmer_and_has_no_faults(elsewhere: Path) -> None:
    output = shell("python -m beanbot.practice swapper farmer random --deals 10", elsewhere)
    swapper = next(line.split() for line in output.splitlines() if line.startswith("swapper"))
    assert swapper[-3] == "0", "faults"
    assert re.search(r"swapper is placed before farmer in (100|[5-9]\d)", output)


def test_a_bot_written_from_the_readme_plays_a_league_as_the_readme_says(elsewhere: Path) -> None:
    script = blocks("README.md", "sh")[2].replace("--deals 10", "--deals 1")
    output = fresh_shell(trusting(script), elsewhere)
    assert "neighbour is fine" in output
    assert "Submitted neighbour@1" in output
    assert re.search(r"^ +\d  neighbour@1  ", output, re.MULTILINE)
    assert "village/1.2" in output
    assert "Game over" in output
    assert re.search(r"match\.json: all \d+ moves, \d+ events, scores and places are reproduced", output)


def test_every_decision_is_a_method_of_the_bot() -> None:
    methods = [re.findall(r"`(\w+)`", row[0])[0] for row in rows("method")]
    defined = [name for name in vars(BohnanzaBot) if not name.startswith("_") and name not in {"games", "decide"}]
    assert sorted(methods) == sorted(defined)


def test_everything_documented_about_the_view_is_in_the_view() -> None:
    view = new_game("bohnanza", seats=3, seed=b"x").view(0)
    assert isinstance(view, BohnanzaView)
    names = [name for row in rows("in the view") for name in re.findall(r"`(\w+)", row[0])]
    assert names
    assert all(hasattr(view, name) for name in names)
    documented = set(names) | {"decision"}
    assert set(BohnanzaView.__dataclass_fields__) <= documented


def test_every_page_of_the_documentation_is_listed() -> None:
    listed = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README[README.index("## Where things are") :]))
    assert listed == {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}


def test_the_tree_tells_where_things_are() -> None:
    tree = next(text for text in blocks("README.md", "text") if "proto/beanproto" in text)
    folder = ""
    for line in tree.splitlines():
        name = line.split()[0]
        if not line.startswith(" "):
            folder = name
        assert (ROOT / (folder if name == folder else folder + name)).is_dir(), name
