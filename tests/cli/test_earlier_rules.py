"""Leagues that were played under rules 1: all that looks at them works, and only what would play is refused.

`rules1.db.gz` was written by the last Beanleague of rules 1: the leagues "beans" and "rolls", each of one deal, and
"waiting", which never ran. The bot "talker" writes to stderr, and has faults in some matches.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from beanleague.games import RULES_VERSION

Run = Callable[..., Result]
STORED = Path(__file__).parents[1] / "store" / "rules1.db.gz"
EXPORTED = {  # SHA-256 of what the Beanleague that played them exported
    "beans/1.0": "569fbf5a41be090611887bc2d44b97f8e3d7690f57a510a83ed7ec5060814fff",
    "beans/1.1": "94e9e7a9b8f286ac9684386649c83b52e36544869128b89378a18c2bcb42cac8",
    "beans/1.2": "4b8d1b04a63ea07b2348b4fb6b67e53a2a5d3f9595f2b5585984917f33c8d742",
    "rolls/1.0": "baf0a3ad1dec0355e1639f6bde97620583de73eb2d4fa9ce870611ca4a38ecc5",
    "rolls/1.1": "6caf5a0b64434dceacfe24cee8cd6f7618684842b1ee535cff35bfce242b3bc6",
}
REFUSED = f"needs rules 1, but this Beanleague plays rules {RULES_VERSION}; use Beanleague 0.1"


@pytest.fixture
def on(run: Run, tmp_path: Path) -> Run:
    """Run a command on a copy of the database."""
    file = tmp_path / "rules1.db"
    file.write_bytes(gzip.decompress(STORED.read_bytes()))
    return lambda *words: run("--db", str(file), *words)


def works(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def refuses(result: Result, what: str) -> None:
    assert result.exit_code == 1
    assert result.output == f"Error: {what} {REFUSED}\n"


@pytest.mark.parametrize("match", EXPORTED)
def test_a_match_is_exported_to_the_byte_as_it_was(on: Run, match: str, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    works(on("match", "export", match, "-o", str(file)))
    assert hashlib.sha256(file.read_bytes()).hexdigest() == EXPORTED[match]


def test_standings_lists_logs_and_matches_are_shown(on: Run) -> None:
    assert "farmer@1" in works(on("standings", "beans"))
    assert "talker@1" in works(on("standings", "rolls", "--matrix"))
    listed = json.loads(works(on("league", "list", "--json")))["leagues"]
    assert [(league["name"], league["rules"]) for league in listed] == [("beans", 1), ("rolls", 1), ("waiting", 1)]
    assert "rules    1" in works(on("league", "show", "beans"))
    assert "turn 2: ANSWER" in works(on("bot", "logs", "talker"))
    assert "beans/1.2" in works(on("match", "list", "beans"))
    assert json.loads(works(on("match", "show", "beans/1.1", "--json")))["rules"] == 1
    assert "Talker returned None" in works(on("match", "show", "beans/1.1"))


def test_recompute_says_what_it_checks_and_what_it_cannot(on: Run) -> None:
    not_stored = (
        "Not checked: suspensions and tables: who joined, was suspended or returned when is stored since rules 2."
    )
    assert works(on("league", "recompute", "beans")).splitlines() == [
        "beans: all totals follow exactly from its 3 matches (1 deal).",
        "Not checked: newest ratings: not stored yet; 'beanleague standings beans' computes and stores them.",
        not_stored,
    ]
    on("standings", "beans")
    assert works(on("league", "recompute", "beans")).splitlines() == [
        "beans: all 3 ratings and totals follow exactly from its 3 matches (1 deal).",
        not_stored,
    ]


def test_trades_are_not_compared_since_none_were_stored(on: Run) -> None:
    result = on("league", "integrity", "beans")
    assert result.exit_code == 1
    assert result.output == (
        "Error: beans has no trades to compare: it was played under rules 1, and trades are stored since rules 2\n"
    )


@pytest.mark.parametrize("name", ["beans", "waiting"])
def test_such_a_league_is_not_run(on: Run, name: str) -> None:
    before = works(on("match", "list", "beans"))
    refuses(on("league", "run", name), f"the league {name}")
    assert works(on("match", "list", "beans")) == before


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_such_a_match_is_neither_verified_nor_replayed(on: Run, command: str, tmp_path: Path) -> None:
    refuses(on("match", command, "rolls/1.0"), "rolls/1.0")
    file = tmp_path / "rolls.json"
    works(on("match", "export", "rolls/1.0", "-o", str(file)))
    refuses(on("match", command, str(file)), str(file))


def test_a_new_league_of_the_same_bots_is_played_under_the_rules_of_today(on: Run) -> None:
    made = json.loads(
        works(on("league", "create", "new", "--game", "dice", "--bot", "talker", "--bot", "random", "--json"))
    )
    assert made["rules"] == RULES_VERSION
