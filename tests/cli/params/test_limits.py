"""Limits of sizes: from the command line to the league and its bots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beanleague.cli.params.limits import SIZES
from beanproto.v1.league_pb2 import Limits
from tests.cli.conftest import Run
from tests.league.helpers import store_with_bots


def test_every_limit_of_a_league_can_be_set() -> None:
    options = {"move_ms", "bank_ms", "match_ms", "connect_ms", "strikes"}
    assert {*SIZES, *options} == {field.name for field in Limits.DESCRIPTOR.fields}


def test_they_are_kept_with_the_league(run: Run, tmp_path: Path) -> None:
    store_with_bots(tmp_path / "a.db", 3).close()
    words = ["league", "create", "spring", "--game", "bohnanza", "--db", str(tmp_path / "a.db")]
    made = run(*words, "--limit", "memory_bytes=512M", "--limit", "processes=100", "--json")
    limits = json.loads(made.stdout)["limits"]
    assert (limits["memory_bytes"], limits["processes"], limits["scratch_bytes"]) == (2**29, 100, 2**24)
    shown = " ".join(run("league", "show", "spring", "--db", str(tmp_path / "a.db")).stdout.split())
    assert "memory_bytes 536,870,912, processes 100, scratch_bytes 16,777,216" in shown


@pytest.mark.parametrize("message", ["memory_bytes", "processes=many", "processes=-1", "memory_bytes=1MG"])
def test_what_is_no_limit_is_refused(run: Run, message: str) -> None:
    refused = run("league", "create", "spring", "--game", "bohnanza", "--limit", message)
    assert refused.exit_code == 2
    assert "is not NAME=NUMBER" in refused.stderr


def test_a_misspelt_limit_is_recognised(run: Run) -> None:
    refused = run("league", "create", "spring", "--game", "bohnanza", "--limit", "memory_byte=1G")
    assert refused.exit_code == 2
    assert "'memory_byte' is not a limit; did you mean 'memory_bytes'?" in refused.stderr


def test_a_limit_given_twice_is_refused(run: Run) -> None:
    words = ["--limit", "processes=1", "--limit", "memory_bytes=1G", "--limit", "processes=2"]
    refused = run("league", "create", "spring", "--game", "bohnanza", *words)
    assert refused.exit_code == 2
    assert "processes is given twice; give it once" in refused.stderr
