"""What the README says works as written."""

import re
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, shell, submit_house_bots, trusting

README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder outside of the project with the README's bot, and two house bots, which are submitted."""
    (toml,), (program,) = blocks("README.md", "toml"), blocks("README.md", "python")
    (tmp_path / "neighbour").mkdir()
    (tmp_path / "neighbour" / "bot.py").write_text(program)
    (tmp_path / "neighbour" / "bot.toml").write_text(toml)
    submit_house_bots(("farmer", "random"), "bohnanza", tmp_path)
    return tmp_path


def fresh_shell(script: str, folder: Path) -> str:
    """Run `script` after the README's line that activates its environment, here that of the tests."""
    install, activate = blocks("README.md", "sh")[0].splitlines(keepends=True)
    assert (install, activate) == ("make league\n", ". .venv/bin/activate\n")
    if not Path(sys.prefix, "bin/activate").is_file():
        pytest.skip("the tests run in an environment that cannot be activated")
    return shell(activate.replace(".venv", sys.prefix) + script, folder, activated=False)


def test_the_ten_line_bot_has_ten_lines() -> None:
    assert len([line for line in blocks("README.md", "python")[0].splitlines() if line]) <= 10


def test_a_bot_written_from_the_readme_practises(elsewhere: Path) -> None:
    output = fresh_shell(blocks("README.md", "sh")[1], elsewhere)
    neighbour = next(line.split() for line in output.splitlines() if line.startswith("neighbour"))
    assert neighbour[-3] == "0", "faults"


def test_a_bot_written_from_the_readme_plays_a_league_as_the_readme_says(elsewhere: Path) -> None:
    script = blocks("README.md", "sh")[2].replace("--deals 10", "--deals 1")
    output = fresh_shell(trusting(script), elsewhere)
    assert "neighbour is fine" in output
    assert "Submitted neighbour@1" in output
    assert re.search(r"^ +\d  neighbour@1  ", output, re.MULTILINE)
    assert "Game over" in output


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 180


def test_every_page_of_the_documentation_is_listed() -> None:
    listed = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README[README.index("## All pages") :]))
    assert listed == {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
