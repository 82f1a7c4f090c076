"""Programs of the bots' library: their output, their time, and their end when nobody waits."""

from math import inf

import pytest

from beanleague.league.errors import LeagueError
from beanleague.league.uses import programs
from beanleague.league.uses.programs import Program, output_of

ENDLESS = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def _looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_LOOK_S", 0.05)


def program(code: str) -> Program:
    return Program(["own"], {"beanbot/__init__.py": b"", "beanbot/own.py": code.encode()})


def printed(code: str, looks: float = inf, timeout_s: float = 60.0) -> str:
    """Run `code` for somebody who waits for so many looks."""
    seen: list[tuple[int, int]] = []
    return output_of(program(code), lambda: len(seen) < looks, lambda *each: seen.append(each), timeout_s)


def test_only_the_last_line_of_the_output_counts() -> None:
    assert printed("print('hello'); print('{\"a\": 1}')") == '{"a": 1}'


def test_progress_is_that_of_the_latest_line() -> None:
    seen: list[tuple[int, int]] = []
    code = f"print('progress: 1 of 3 matches'); print('progress: 2 of 3 matches', flush=True); {ENDLESS}"
    with pytest.raises(LeagueError):
        output_of(program(code), lambda: seen[-1:] != [(2, 3)], lambda *each: seen.append(each), 60.0)
    assert set(seen) <= {(0, 0), (1, 3), (2, 3)}


def test_a_last_line_that_is_no_json_is_the_error() -> None:
    with pytest.raises(LeagueError, match=r"^no such thing$"):
        printed("print('own: no such thing')")


def test_a_program_without_output_is_an_error() -> None:
    with pytest.raises(LeagueError, match=r"^it ended without an error message$"):
        printed("pass")


def test_a_program_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_MAX_OUTPUT", 10_000)
    with pytest.raises(LeagueError, match="printed too much"):
        printed("while True: print('x' * 1000)")


@pytest.mark.parametrize("bounds", [{"timeout_s": 0.3}, {"looks": 3}], ids=["for so long", "for nobody"])
def test_a_silent_program_is_ended(bounds: dict[str, float]) -> None:
    with pytest.raises(LeagueError, match="or took longer"):
        printed(ENDLESS, **bounds)
