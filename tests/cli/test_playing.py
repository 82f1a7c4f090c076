"""A person plays at a real terminal, with real bots."""

from __future__ import annotations

import os
import random
import re
import sys
from pathlib import Path

import pexpect
import pytest

from beanleague.games import record_from_json, verify
from tests.cli.conftest import Run

TIMEOUT_S = 60
PROGRAM = "from beanleague.cli import main; main(prog_name='beanleague')"
CHOICE = re.compile(r"\n +(\d+)  ([^\r]*)")


def start(folder: Path, *words: str) -> pexpect.spawn[str]:
    """Start `play` in an environment in which it finds only `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BEANLEAGUE")}
    own = {"BEANLEAGUE_DB": str(folder / "a.db"), "XDG_CACHE_HOME": str(folder / "cache"), "TERM": "dumb"}
    arguments, env = ["-c", PROGRAM, "play", *words], {**kept, **own}
    return pexpect.spawn(
        sys.executable, arguments, env=env, encoding="utf-8", dimensions=(40, 120), timeout=TIMEOUT_S, echo=False
    )


def check(file: Path, ruleset: str) -> None:
    record = record_from_json(file.read_text("utf-8"))
    assert (record.ruleset, record.faults, verify(record).problem) == (ruleset, (), "")
    assert "guest" in record.players


def test_a_match_is_played_by_numbers_and_its_record_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    terminal = start(tmp_path, "--game", "bean-thief-very-hard", "--seed", "beans")
    assert terminal.expect([r"\n> "]) == 0
    terminal.sendline("?")
    terminal.expect("leave the table")
    terminal.sendline("harvest everything")
    terminal.expect("is no kind of bean here")
    terminal.sendline("t")
    terminal.expect("turn 1")
    terminal.expect(r"\n> ")
    terminal.sendline("1")
    chosen = random.Random(5)
    while terminal.expect([r"\n> ", r"Save the record to a file"]) == 0:
        terminal.sendline(chosen.choice([number for number, _ in CHOICE.findall(terminal.before or "")]))
    terminal.sendline(str(file))
    terminal.expect("The record is in")
    terminal.expect(pexpect.EOF)
    assert terminal.wait() == 0
    check(file, "bean-thief-very-hard")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("bohnanza", ["--against", "trader,farmer", "--option", "max_rounds=1", "--interludes"]),
        ("bohnanza-classic", ["--against", "random", "--option", "max_rounds=1"]),
        ("bohnanza-two", ["--against", "gardener"]),
        ("duel", ["--against", "duelist", "--interludes"]),
        ("dice", ["--against", "dicer"]),
    ],
)
def test_a_match_of_every_family_is_played_by_numbers(tmp_path: Path, game: str, words: list[str]) -> None:
    file = tmp_path / "match.json"
    terminal = start(tmp_path, "--game", game, "--seat", "1", "--record", str(file), *words)
    chosen = random.Random(5)
    while terminal.expect([r"\n> ", pexpect.EOF]) == 0:
        numbers = [number for number, words in CHOICE.findall(terminal.before or "") if "ask all" not in words]
        terminal.sendline(chosen.choice(numbers))
    check(file, game)


def test_who_leaves_reads_that_the_match_is_over(tmp_path: Path) -> None:
    terminal = start(tmp_path, "--game", "duel", "--against", "random", "--seat", "0")
    terminal.expect(r"\n> ")
    terminal.sendline("q")
    terminal.expect("You left the table")
    terminal.expect(pexpect.EOF)
    assert terminal.wait() == 130


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (
            ["--game", "duel"],
            2,
            "say whom you play against, e.g. --against grandmaster; strongest first, duel is",
        ),
        (["--game", "poker"], 2, "poker"),
        (["--game", "duel", "--against", "random", "--seat", "2"], 2, "yours is 0 to 1, not 2"),
        (["--game", "duel", "--against", "nobody"], 1, "there is no bot 'nobody'"),
        (["--game", "duel", "--against", "trader"], 1, "trader does not play duel"),
        (["--game", "duel", "--against", "random", "--option", "pace=1"], 1, "duel has no option 'pace'"),
    ],
    ids=["nobody", "game", "seat", "unknown bot", "wrong bot", "option"],
)
def test_why_nothing_can_be_played_is_said_in_a_sentence(
    run: Run, tmp_path: Path, words: list[str], code: int, why: str
) -> None:
    done = run("--db", str(tmp_path / "a.db"), "play", *words, XDG_CACHE_HOME=str(tmp_path))
    assert done.exit_code == code
    assert why in done.stderr
    assert "Traceback" not in done.stderr
