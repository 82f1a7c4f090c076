"""Completion in real shells, which split and replace words in ways of their own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.waiting import TIMEOUT_S

PATIENT = """
from beanleague.cli import main
from beanleague.cli.connection import completion
completion._TIMEOUT_S = 60.0
main(prog_name="beanleague")
"""
"""The command, which completes nothing when a call takes longer than people like to wait."""
PROGRAM = """#!/bin/sh
exec {python} -c {patient} "$@"
"""
SCRIPT = """
eval "$(_BEANLEAGUE_COMPLETE=bash_source beanleague)"
while IFS=$'\\t' read -r COMP_LINE words; do
    eval "COMP_WORDS=($words)"
    COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _beanleague_completion beanleague
    echo "${COMPREPLY[*]}"
done
"""
"""Completes lines, each with the words into which bash splits it."""


@pytest.fixture(scope="module")
def env(home: Path, spring: str) -> dict[str, str]:
    """An environment in which shells find `beanleague`, which knows a league and its bots."""
    programs = home / "programs"
    programs.mkdir()
    program = programs / "beanleague"
    program.write_text(PROGRAM.format(python=shlex.quote(sys.executable), patient=shlex.quote(PATIENT)))
    program.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "BEANLEAGUE_DB": str(home / "leagues.db"),
        "PYTHONWARNINGS": "ignore",
        "TERM": "dumb",
        "PS1": "$ ",
    }


@pytest.fixture(scope="module")
def bash(env: dict[str, str]) -> Iterator[pexpect.spawn[str]]:
    """A bash at a terminal that completes."""
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "-i"], env=env, encoding="utf-8", dimensions=(24, 200), timeout=TIMEOUT_S
    )
    shell.sendline('bind "set enable-bracketed-paste off"; eval "$(_BEANLEAGUE_COMPLETE=bash_source beanleague)"')
    shell.sendline("echo re''ady")
    shell.expect("ready")
    yield shell
    shell.close(force=True)


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("beanleague bot logs ann@", "ann@1"),
        ("beanleague league create x --game=bean-thief-e", "--game=bean-thief-easy"),
        ('beanleague bot logs "ann@', '"ann@1"'),
        ("beanleague match show spring/1.2", "spring/1.2 "),
        ("beanleague bot logs ann\\@", "\b\b@1 "),
        ('beanleague league create x --game="bean-thief-e', '--game="bean-thief-easy"'),
    ],
)
def test_bash_completes_a_word_that_it_splits(bash: pexpect.spawn[str], typed: str, completed: str) -> None:
    bash.send(f"{typed}\t")
    bash.expect_exact(completed)
    bash.sendcontrol("u")  # empties the line; bash may hold back an interrupt until the next key


def test_bash_replaces_what_follows_the_last_sign_at_which_it_splits(env: dict[str, str]) -> None:
    lines = {
        "beanleague league create x --game=\tbeanleague league create x --game =": "bohnanza bohnanza-extended",
        "beanleague play --against=ann@1,be\tbeanleague play --against = ann @ 1,be": "@1,beg",
        "beanleague bot logs 'ann@\tbeanleague bot logs \"'ann@\"": "ann@1",
        "beanleague standings \tbeanleague standings ''": "spring",
    }
    run = subprocess.run(
        ["bash", "--norc", "-c", f"COMP_WORDBREAKS=$' \\t\\n\"\\'@><=;|&(:'\n{SCRIPT}"],
        input="\n".join([*lines, ""]),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=env,
    )
    replies = run.stdout.splitlines()
    assert [reply[: len(wanted)] for reply, wanted in zip(replies, lines.values(), strict=True)] == list(lines.values())


def test_bash_that_splits_at_no_signs_is_given_whole_words(env: dict[str, str]) -> None:
    run = subprocess.run(
        ["bash", "--norc", "-c", f"COMP_WORDBREAKS=$' \\t\\n'\n{SCRIPT}"],
        input="beanleague league create x --game=du\tbeanleague league create x --game=du\n",
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=env,
    )
    assert run.stdout == "--game=duel\n"


WHOLE_WORDS = pytest.mark.parametrize(
    ("typed", "completed"), [("bot logs ann@", "ann@1"), ("play --game=du", "--game=duel")]
)


@WHOLE_WORDS
def test_fish_completes_whole_words(env: dict[str, str], typed: str, completed: str) -> None:
    if not shutil.which("fish"):
        pytest.skip("there is no fish here")
    script = f"_BEANLEAGUE_COMPLETE=fish_source beanleague | source; complete --do-complete 'beanleague {typed}'"
    run = subprocess.run(["fish", "-c", script], capture_output=True, encoding="utf-8", check=True, env=env)
    assert run.stdout.split() == [completed]


@WHOLE_WORDS
def test_zsh_completes_whole_words(env: dict[str, str], typed: str, completed: str) -> None:
    if not shutil.which("zsh"):
        pytest.skip("there is no zsh here")
    shell = pexpect.spawn("zsh", ["-f", "-i"], env=env, encoding="utf-8", timeout=TIMEOUT_S)
    shell.sendline('autoload -Uz compinit; compinit -u; eval "$(_BEANLEAGUE_COMPLETE=zsh_source beanleague)"')
    shell.sendline("echo re''ady")
    shell.expect("ready")
    shell.send(f"beanleague {typed}\t")
    shell.expect_exact(f"{completed} ")
    shell.close(force=True)
