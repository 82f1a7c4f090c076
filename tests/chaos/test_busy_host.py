"""A host with far too much to do: no honest bot loses a decision for it, and every match is as on a quiet one."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from beanleague.games import ruleset, rulesets
from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.run.progress import Progress
from beanleague.model import PlayedMatch
from beanleague.referee.messages import BotSpec, Limits, MatchTask, VoidMatch, WorkerCounts
from beanleague.referee.pool import WorkerPool
from beanleague.store import Store
from tests.chaos.leagues import SEATS, new_league, run_league
from tests.league.helpers import contents
from tests.timeless import timeless
from tests.waiting import LONG_S


@contextmanager
def busy_host(processes: int) -> Iterator[None]:
    """So many processes that never rest."""
    words = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(words) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


@pytest.fixture
def _busy_host() -> Iterator[None]:
    with busy_host(8 * (os.cpu_count() or 1)):
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("_busy_host")
def test_no_bot_loses_a_decision_and_the_hosts_delay_is_reported(tmp_path: Path) -> None:
    game, deals = "bohnanza", 15
    league = new_league(tmp_path / "a.db", deals, game)
    reports: list[Progress] = []
    run_league(league, report=reports.append)
    assert reports[-1].matches_done == SEATS[game] * deals
    assert reports[-1].host_delay > 0.1
    with Store(f"sqlite:///{league}") as store:
        kept = contents(store)
    assert len(kept["match"]) == SEATS[game] * deals
    assert kept["fault"] == []


def house_bots_by_ruleset(names: Sequence[str]) -> tuple[list[BotSpec], dict[str, list[int]]]:
    """Return these house bots, or all if none is named, and the numbers of those that play each ruleset."""
    specs: list[BotSpec] = []
    players: dict[str, list[int]] = {}
    for folder in house_bots():
        if not names or folder.name in names:
            manifest = read_bundle(pack(folder)).manifest
            for game in manifest.games:
                players.setdefault(game, []).append(len(specs))
            specs.append(BotSpec(len(specs), folder.name, str(folder), manifest.command, trusted=True))
    return specs, players


def play(games: Sequence[str], names: Sequence[str], deals: int, workers: int) -> tuple[list[PlayedMatch], float]:
    """Play deals of these rulesets with these house bots, several matches at once; always the same ones.

    Return the matches, and the host's delay.
    """
    specs, players = house_bots_by_ruleset(names)
    tasks: list[MatchTask] = []
    for game in map(ruleset, games):
        for deal in range(deals):
            number = len(tasks)
            bots = tuple(players[game.id][(seat + deal) % len(players[game.id])] for seat in range(game.least_seats))
            luck = tuple(bytes([seat]) * 16 for seat in range(len(bots)))
            tasks.append(MatchTask(number, game.id, b"%d" % number, bots, luck, number % workers))
    results: dict[int, PlayedMatch] = {}
    delay = 0.0
    with WorkerPool(specs, Limits(), workers=workers, in_flight=4) as pool:
        for task in tasks:
            pool.submit(task)
        deadline = time.monotonic() + LONG_S
        while len(results) < len(tasks):
            assert time.monotonic() < deadline, f"{len(results)} of {len(tasks)} matches are over"
            for report in pool.poll(1.0):
                assert not isinstance(report, VoidMatch)
                if isinstance(report, PlayedMatch):
                    results[report.id] = report
                elif isinstance(report, WorkerCounts):
                    delay += report.host_delay
    return [results[task.id] for task in tasks], delay


@pytest.mark.parametrize(
    ("games", "bots", "deals", "workers"),
    [
        pytest.param(["duel", "bean-thief-hard"], ["random"], 1, 1, id="short"),
        pytest.param([game.id for game in rulesets()], [], 3, 2, id="long", marks=pytest.mark.slow),
    ],
)
def test_records_are_the_same_as_on_a_quiet_host_and_its_delay_is_reported(
    games: list[str], bots: list[str], deals: int, workers: int
) -> None:
    quiet, _ = play(games, bots, deals, workers)
    with busy_host(20):
        busy, delay = play(games, bots, deals, workers)
    for one, other in zip(quiet, busy, strict=True):
        assert (one.faults, other.faults) == ((), ())
        assert timeless(one.record) == timeless(other.record)
    assert delay > 0
