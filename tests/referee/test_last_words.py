"""Why programs in Python ended, from their tracebacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from beanleague.referee.bot_process import last_words


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import numpie", "ModuleNotFoundError: No module named 'numpie' (bot.py, line 1, in <module>)"),
        ("x = 1\nif x\n    y", "SyntaxError: expected ':' (bot.py, line 2)"),
        ("def f():\n    raise KeyError\nf()", "KeyError (bot.py, line 2, in f)"),
        (
            "import json\njson.loads('x')",
            "JSONDecodeError: Expecting value: line 1 column 1 (char 0) (bot.py, line 2, in <module>)",
        ),
        ("raise SystemExit('that is all')", ""),
        ("print('Error: mine')", ""),
        ("", ""),
    ],
)
def test_the_error_is_that_of_the_traceback_and_its_place_is_in_the_bot_s_files(
    tmp_path: Path, code: str, said: str
) -> None:
    program = tmp_path / "bot.py"
    program.write_text(code)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert last_words(f"here I am\n{done.stderr}", f"{tmp_path}/") == said
