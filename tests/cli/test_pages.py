"""What commands print about a small league, whole: one page each, in `pages/`.

`WRITE_PAGES=1 pytest tests/cli/test_pages.py` writes them anew, to be looked at before they are committed.
"""

import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import On

PAGES = Path(__file__).with_name("pages")
COMMANDS = {
    "bot-list": "bot list",
    "bot-logs": "bot logs ann",
    "bot-show": "bot show ann",
    "bot-times": "bot times ann",
    "games": "games",
    "ladder-list": "ladder list",
    "league-deals": "league deals spring",
    "league-list": "league list",
    "league-show": "league show spring",
    "league-verify": "league verify spring",
    "match-list": "match list spring",
    "match-rotations": "match rotations spring/1 --bot ann",
    "match-show": "match show spring/1.0",
    "match-verify": "match verify spring/1.0",
    "standings": "standings spring",
    "standings-authors": "standings spring --by author",
    "standings-csv": "standings spring --csv",
    "standings-matrix": "standings spring --matrix",
    "standings-matrix-csv": "standings spring --matrix --csv",
    "standings-plot": "standings spring --plot",
    "token-list": "token list",
}
SHOWN = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?"), "WHEN"),
    (re.compile(r"\b(?=\d*[a-f])[0-9a-f]{12,64}\b"), "DIGEST"),
    (re.compile(r"(?<=--db )'?/.*/leagues\.db'?"), "DATABASE"),
)
"""What differs from one time to the next, and what the pages have in its place."""


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("page", COMMANDS)
def test_the_page_of_a_command_is_the_one_that_was_looked_at(on: On, spring: str, page: str) -> None:
    result = on(*COMMANDS[page].split(), COLUMNS="100")
    assert result.exit_code == 0, result.output
    printed = result.output
    for what, word in SHOWN:
        printed = what.sub(word, printed)
    printed = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    file = PAGES / f"{page}.txt"
    if os.environ.get("WRITE_PAGES"):
        file.write_text(printed, "utf-8")
    assert printed == file.read_text("utf-8")


@pytest.mark.parametrize("page", COMMANDS)
def test_no_page_is_empty_on_a_screen_of_one_column(on: On, spring: str, page: str) -> None:
    narrow, wide = (on(*COMMANDS[page].split(), COLUMNS=columns) for columns in ("1", "200"))
    assert (narrow.exit_code, narrow.exception) == (0, None)
    assert len(narrow.output.splitlines()) >= len(wide.output.splitlines())


def test_each_page_belongs_to_a_command() -> None:
    assert {file.stem for file in PAGES.iterdir()} == set(COMMANDS)
