"""The bot in docs/search.md plays, and is better than the policy of its play-outs."""

import re
from pathlib import Path

import pytest

from beanbot import load_bot
from beanbot.practice import play
from tests.sdk.helpers import fail

ROOT = Path(__file__).parents[3]
(CODE,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/search.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
SAMPLES = "SAMPLES, OFFERS = 12, 8"


def searcher(folder: Path, samples: str) -> Path:
    assert SAMPLES in CODE
    file = folder / "searcher.py"
    file.write_text(CODE.replace(SAMPLES, samples))
    return file


def test_the_bot_has_60_lines() -> None:
    assert len([line for line in CODE.splitlines() if line.strip()]) <= 60


def test_the_bot_plays_without_a_fault(tmp_path: Path) -> None:
    bots = [searcher(tmp_path, "SAMPLES, OFFERS = 4, 2"), ROOT / "bots/trader", ROOT / "bots/random"]
    played = play([load_bot(bot) for bot in bots], deals=1, options={"max_rounds": 1}, report=fail)
    assert played.row("searcher").decisions


@pytest.mark.slow
def test_the_bot_beats_the_farmer(tmp_path: Path) -> None:
    played = play([load_bot(searcher(tmp_path, SAMPLES)), load_bot(ROOT / "bots/farmer")], deals=6, seats=4)
    assert played.row("searcher").dollars > played.row("farmer").dollars + 1
