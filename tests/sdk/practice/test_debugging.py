"""A breakpoint in a bot: practice stops there, ends when its author leaves, and names one that was forgotten."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from beanbot.practice.__main__ import main
from beanleague.games import new_game
from beanleague.games.families import text_of

BOT = """
    from beanbot import run
    from beanbot.bohnanza import BohnanzaBot, Stop

    class Mine(BohnanzaBot):
        def trade(self, view):
            try:
                {stop}
                return Stop()
            except Exception:
                raise

    run(Mine)
"""


class Terminal(io.StringIO):
    """Keys of an author at a terminal; "^C" interrupts."""

    def isatty(self) -> bool:
        return True

    def readline(self, *size: int) -> str:  # type: ignore[override]
        line = super().readline(*size)
        if line == "^C\n":
            raise KeyboardInterrupt
        return line


@pytest.fixture
def practise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return a function that practises with a bot that stops, while its author presses keys."""

    def practised(keys: io.StringIO, stop: str = "breakpoint()") -> int:
        file = tmp_path / "mine.py"
        file.write_text(dedent(BOT).format(stop=stop))
        monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
        monkeypatch.setattr(sys, "stdin", keys)
        return main([str(file), "random", "--deals", "1", "--option", "max_rounds=1"])

    return practised


@pytest.mark.parametrize(
    "keys", ["q\n", "exit\n", "", "^C\n", "c\nq\n"], ids=["q", "exit", "Ctrl-D", "Ctrl-C", "later"]
)
def test_leaving_the_debugger_ends_practice(
    practise: Callable[..., int], capfd: pytest.CaptureFixture[str], keys: str
) -> None:
    assert practise(Terminal(keys)) == 1
    out, err = capfd.readouterr()
    assert out.count("-> return Stop()") == 1 + keys.count("c\n")
    assert err == "practice: ended in the debugger\n"


def test_a_debugger_that_the_bot_starts_by_itself_ends_practice_too(
    practise: Callable[..., int], capfd: pytest.CaptureFixture[str]
) -> None:
    assert practise(Terminal("q\n"), "import pdb; pdb.Pdb().set_trace()") == 1
    assert capfd.readouterr().err.endswith("practice: ended in the debugger\n")


def test_the_debugger_prints_a_view_as_a_table(practise: Callable[..., int], capfd: pytest.CaptureFixture[str]) -> None:
    practise(Terminal("p view\np len(view.hand)\np nothing\nq\n"))
    out = capfd.readouterr().out
    assert "seat 0 is asked TRADE; turn 1, of seat 0\n   seat  $  fields[0]" in out
    assert "(Pdb) 3\n" in out
    assert "NameError: name 'nothing' is not defined" in out


def test_a_breakpoint_without_a_terminal_is_called_forgotten(
    practise: Callable[..., int], capfd: pytest.CaptureFixture[str]
) -> None:
    assert practise(io.StringIO(), "import bdb; raise bdb.BdbQuit") == 1
    said = "a breakpoint is left in the code, where nobody can debug: remove breakpoint() (mine.py, line 8, in trade)\n"
    assert capfd.readouterr().err.count(f"TRADE):\n{said}") == 3


def test_text_of_a_view_has_a_row_for_each_seat_and_what_lies_between() -> None:
    game = new_game("bohnanza", seats=3, seed=b"text")
    game.apply(0, game.default(0))
    hand = game.view(0).hand  # type: ignore[attr-defined]
    first, head, own, *others, numbers, can_harvest = text_of(game.view(0)).splitlines()
    assert first == "seat 0 is asked PLANT_SECOND; turn 1, of seat 0"
    assert head.split("  ")[-1] == "hand"
    assert own.startswith(">  0     0  1 ")
    assert own.endswith(" ".join(hand))
    assert [row.split() for row in others] == [[str(seat), "0", "-", "-", "-", "5", "cards"] for seat in (1, 2)]
    assert numbers.endswith("pile 89")
    assert can_harvest == "harvestable: 0"
