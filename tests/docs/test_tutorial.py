"""Somebody who follows the tutorial gets where it leads."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import blocks, shell, submit_house_bots, trusting

PAGE = "docs/tutorial.md"
SHORTER = {
    "random --deals 20": "random --deals 2",
    "--paired --deals 20": "--paired --deals 10",
    "bohnanza --deals 20": "bohnanza --deals 1",
}


def commands() -> list[str]:
    """The examples that are typed into a shell, with fewer games."""
    found = blocks(PAGE, "sh")
    for long, short in SHORTER.items():
        assert sum(long in example for example in found) == 1, long
        found = [example.replace(long, short) for example in found]
    return found


def lost_by_it(listed: str) -> str:
    """Return the first match of a list in which others have more dollars, or, if it lost none of them, the first."""
    found: dict[str, bool] = {}
    for match, seats in re.findall(r"^(village/\S+) (.*ann@1.*)$", listed, re.MULTILINE):
        dollars = {bot: int(amount) for bot, amount in re.findall(r"(\S+) \$(\d+)", seats)}
        found[match] = dollars["ann@1"] == max(dollars.values())
    return min(found, key=found.__getitem__)


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """The folder in which somebody made the tutorial's bot."""
    _, new, *_ = commands()
    assert re.search(r"^ann .* 0 +0 +\S+ +\S+$", shell(new, tmp_path), re.MULTILINE), "no faults"
    return tmp_path


def change(folder: Path) -> None:
    """Put the lines that the page proposes before the last one of the bot's method `answer`."""
    (lines,) = blocks(PAGE, "python")
    program = folder / "ann" / "bot.py"
    text = program.read_text("utf-8")
    (last,) = re.findall(r"^ +return .*$", text[text.index("def answer") :], re.MULTILINE)
    program.write_text(text.replace(last, f"{lines}{last}"), "utf-8")


def test_from_a_new_bot_to_one_that_is_better(begun: Path) -> None:
    install, _, keep, paired, watch, *_ = commands()
    assert "pip install" in install
    shell(keep, begun)
    change(begun)
    better = re.search(r"ann in place of ann #2, \d+ deals: the better .*, \+(\S+) ± (\S+) Elo", shell(paired, begun))
    assert better
    assert float(better[1]) > float(better[2]), "the change helps, and the interval shows it"
    assert "Game over" in shell(watch, begun)


@pytest.mark.slow  # tests/cli/test_data_page.py has a bot checked, submitted and in a league; tox -e contract runs this
def test_from_a_league_to_the_decision_that_lost_a_match(begun: Path) -> None:
    *_, check, league, report, lost, again, decision = commands()
    submit_house_bots(("trader", "farmer"), "bohnanza", begun)
    change(begun)
    assert "ann is fine" in shell(trusting(check), begun)
    assert re.search(r"^ +\d  ann@1  ", shell(trusting(league), begun), re.MULTILINE)
    assert "## What to do" in shell(report, begun)
    match = lost_by_it(shell(lost, begun))
    listed = shell(again.replace("village/1.0", match), begun)
    assert "ann in place of ann@1" in listed
    assert "decisions, 0 of them different now" in listed
    (move, *_) = re.findall(r"^ +(\d+)  turn \d+, TRADE", listed, re.MULTILINE)
    shown = shell(re.sub(r"--at .*", f"--at {match}:{move}", decision), begun)
    answer = r"ann answers after \S+ ms:\n  Stop\(\) +end the trading\n(  .*\n)*"
    assert re.search(rf"{answer}In the match ann@1 played:\n  Stop\(\)", shown)
