"""What practice and check say about mistakes: each program in `broken` has the one that its name says.

`broken.txt` has what is shown; with BEANLEAGUE_UPDATE set it is written anew, to be read before it is committed.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest

from beanbot import LoadError, load_bot
from beanbot.practice import play
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.bots.submission import check
from beanleague.referee.deal_pool import start_workers
from tests.league.helpers import bundle

_HERE = Path(__file__).parent
_PROGRAMS = sorted((_HERE / "broken").glob("*.py"))
_SNAPSHOT = _HERE / "broken.txt"
_HANGING = "hangs_in_trade"
_MAX_SHOWN = 2  # sentences about a program
_CHECKED_QUICKLY = ("module_not_found", "misspelt_plant_secnd", "answer_name_error")


def practised(program: Path) -> list[str]:
    """Return what practice says about the bot: warnings, then why it cannot be loaded or the first of its faults."""
    sentences: dict[str, None] = {}

    def report(name: str, fault: str) -> None:
        if name == program.stem:
            sentences[fault.split("\n")[1]] = None

    stderr = StringIO()
    with redirect_stderr(stderr):
        try:
            (random,) = (folder for folder in house_bots() if folder.name == "random")
            bots = [load_bot(program), load_bot(random)]
            play(bots, deals=1, seats=3, options={"max_rounds": 1}, report=report, lenient=True)
        except LoadError as error:
            sentences[str(error)] = None
    warnings = [line for line in stderr.getvalue().splitlines() if "warning" in line and "never awaited" not in line]
    said = [re.sub(r" at 0x\w+| \(/\S+\)", "", line) for line in (*warnings, *sentences)]  # nor paths of this machine
    return list(dict.fromkeys(line.replace(f"{program.parent}/", "") for line in said))[:_MAX_SHOWN]


def snapshot() -> Iterator[str]:
    for program in _PROGRAMS:
        if program.stem != _HANGING:
            yield program.stem
            yield from (f"  {sentence}" for sentence in practised(program))


def test_there_are_at_least_forty_broken_bots() -> None:
    assert len(_PROGRAMS) >= 40


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.slow
def test_practice_says_what_is_wrong_with_each_broken_bot() -> None:
    lines = list(snapshot())
    assert all(after.startswith("  ") for name, after in pairwise(lines) if name[0] != " ")
    said = "\n".join(lines) + "\n"
    if sys.version_info[:2] != (3, 11):
        pytest.skip("Python's own errors have other words in this version")
    if os.environ.get("BEANLEAGUE_UPDATE"):
        _SNAPSHOT.write_text(said, "utf-8")
    assert said == _SNAPSHOT.read_text("utf-8")


@pytest.mark.parametrize("name", _CHECKED_QUICKLY)
def test_check_finds_none_of_some_broken_bots_fine(tmp_path: Path, name: str) -> None:
    refused(tmp_path, _HERE / "broken" / f"{name}.py")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize("program", _PROGRAMS, ids=lambda program: program.stem)
def test_check_finds_no_broken_bot_fine(tmp_path: Path, program: Path) -> None:
    refused(tmp_path, program)


def refused(tmp_path: Path, program: Path) -> None:
    """Check `program` with real processes: it has a problem, and the sentence is that of practice."""
    report = check(bundle("ann", program.read_text("utf-8")), BundleCache(tmp_path / "cache"), start_workers)
    said = [mistake.fault.reason for trial in report.trials for mistake in trial.distinct]
    if program.stem == _HANGING:
        assert report.problems
        assert re.fullmatch(r"no answer within 6\.\d+ s \(bot\.py, line \d+, in trade\)", said[0])
        return
    expected = practised(program)[0].replace(program.name, "bot.py").removeprefix("bot.py: ")
    if expected.startswith("warning: "):
        assert expected in report.trials[0].log
        return
    assert report.problems
    without_places = [re.sub(r" at 0x\w+| \(/\S+\)", "", sentence) for sentence in said]
    if any(" cannot be sent: " in sentence for sentence in said):  # so no referee could say why it is illegal
        expected = expected.partition(" is illegal: ")[0]
        without_places = [sentence.partition(" cannot be sent: ")[0] for sentence in said]
    assert any(sentence.endswith(expected) for sentence in without_places) or _other_cards(expected, without_places)


def _other_cards(expected: str, said: Iterable[str]) -> bool:
    """Return whether one of these says the same of other cards, seats or fields: check plays other games."""

    def form(sentence: str) -> str:
        return re.sub(r"\d+|\b(?:garden|red|black_eyed|soy|green|stink|chili|blue)\b", "*", sentence)

    return form(expected) in map(form, said)
