"""A real ladder of forty bots: time until newcomers are rated, the forecasts, and the cost of a match.

Four house bots play at several strengths: a share of their decisions are random legal ones. When all but five are
rated, these are submitted at once by a command. The same bots play a league, whose tables are uniform. Both are whole
commands at default settings. It takes half an hour.

BEANLEAGUE_NEWCOMERS="12*2" sets the numbers of bots and of newcomers.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from beanleague.league.counting import count
from beanleague.league.ladder.inputs import known
from beanleague.league.schedule.plans import RATED_ELO
from beanleague.model import entry_states
from beanleague.store import Store
from benchmarks.field import control_group
from benchmarks.figures import Figure

NEWCOMERS = "40*5"
_POLICIES = ("farmer.Farmer", "barter.Haggler", "barter.Merchant", "trader.Trader")
_SLIPS = 0.3  # of the decisions of the weakest bots
_LOOK_S = 0.5  # between looks at the ladder
_UNIFORM = 30  # deals of each bot in the league

_MANIFEST = """
name = "{name}"
games = ["bohnanza"]
command = ["python", "bot.py"]
description = "Slips in {slips:.0%} of its decisions."
[settings]
slips = {slips}
"""

_PROGRAM = """
from beanbot import run
from beanbot.policies.{module} import {policy}


class Slipping({policy}):
    def decide(self, view):
        if self.random.random() < self.settings["slips"]:
            return self.random.choice(view.legal())
        return super().decide(view)


run(Slipping)
"""


def measure() -> list[Figure]:
    """Return the times until newcomers are rated and the cost of matches, in a ladder and with uniform tables."""
    bots, newcomers = map(int, os.environ.get("BEANLEAGUE_NEWCOMERS", NEWCOMERS).split("*"))
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        folders = [_bot(home, number, bots) for number in range(bots)]
        # Newcomers of all strengths.
        new = folders[bots // newcomers // 2 :: bots // newcomers][:newcomers]
        rows = _ladder(home / "ladder.db", [folder for folder in folders if folder not in new], new)
        rows += _league(home / "league.db", folders, {folder.name for folder in new})
    return [Figure(f"{bots} bots, {newcomers} newcomers: {what}", unit, values) for what, unit, values in rows]


_Row = tuple[str, str, tuple[float, ...]]


def _ladder(file: Path, old: Sequence[Path], new: Sequence[Path]) -> list[_Row]:
    """Play a ladder until the old bots are rated, then the new ones."""
    _say(file, "bot", "submit", *map(str, old))
    _say(file, "ladder", "create", "field", "--game", "bohnanza", "--without-house-bots")
    for folder in old:
        _say(file, "ladder", "enter", "field", folder.name)
    names = {folder.name for folder in new}
    with _playing(file, "ladder", "run", "field", "--json") as cpu, Store(f"sqlite:///{file}") as store:
        began = time.monotonic()
        while not all(placed for _, placed in _entries(store).values()):
            time.sleep(_LOOK_S)
        placed, before, used = time.monotonic() - began, store.leagues.get("field").matches_done, cpu()
        _say(file, "bot", "submit", "--ladder", "field", *map(str, new))
        entered = time.monotonic()
        shown = json.loads(_say(file, "ladder", "show", "field", "--json"))["entries"]
        foretold = [entry["forecast"] for entry in shown if entry["bot"] in names and "forecast" in entry]
        first: dict[str, float] = {}
        rated: dict[str, tuple[float, float]] = {}  # seconds and deals
        while len(rated) < len(new):
            for name, (deals, done) in _entries(store).items():
                if name in names and deals:
                    first.setdefault(name, time.monotonic() - entered)
                if name in names and done:
                    rated.setdefault(name, (time.monotonic() - entered, float(deals)))
            time.sleep(_LOOK_S)
        after, seconds = store.leagues.get("field").matches_done - before, time.monotonic() - entered
        each = 1000 * (cpu() - used) / after
    return [
        ("until the others are rated", "s", (placed,)),
        ("deals until then", "a bot", (before / len(old),)),  # a deal has as many matches as seats
        ("CPU until then", "ms a match", (1000 * used / before,)),
        ("first result", "s", tuple(first.values())),
        ("first result, foretold", "s", tuple(each["first_seconds"] for each in foretold)),
        ("rated", "s", tuple(after for after, _ in rated.values())),
        ("rated, foretold", "s", tuple(each["rated_seconds"] for each in foretold)),
        ("rated", "deals", tuple(deals for _, deals in rated.values())),
        ("rated, foretold", "deals", tuple(float(each["deals"]) for each in foretold)),
        ("matches while they are placed", "/s", (after / seconds,)),
        ("CPU while they are placed", "ms a match", (each,)),
    ]


def _league(file: Path, bots: Sequence[Path], new: set[str]) -> list[_Row]:
    """Play uniform tables of the same bots."""
    seats = 4
    deals = len(bots) * _UNIFORM // seats
    _say(file, "bot", "submit", *map(str, bots))
    _say(file, "league", "create", "field", "--game", "bohnanza", "--seats", f"{seats}", "--deals", f"{deals}")
    with _playing(file, "league", "run", "field", "--json") as cpu, Store(f"sqlite:///{file}") as store:
        while store.leagues.get("field").deals_done < deals:
            time.sleep(_LOOK_S)
        each = 1000 * cpu() / (deals * seats)
        league = store.leagues.get("field")
        found = known(count(store, league), league.anchor)
        widths = [
            one.half_width
            for one, each in zip(found, store.leagues.entrants(league.id), strict=True)
            if each.bot in new
        ]
    return [
        (f"uniform tables, half-width after {_UNIFORM} deals", "Elo", tuple(map(float, widths))),
        # It shrinks with the root of the deals.
        (
            "uniform tables, until it is at most 40 Elo",
            "deals",
            tuple(_UNIFORM * (width / RATED_ELO) ** 2 for width in widths),
        ),
        ("uniform tables, CPU", "ms a match", (each,)),
    ]


def _bot(home: Path, number: int, bots: int) -> Path:
    """Write a bot; return its folder. Bots with the same policy differ in the share of random decisions."""
    module, policy = _POLICIES[number % len(_POLICIES)].split(".")
    slips = round(_SLIPS * number / max(bots - 1, 1), 3)
    folder = home / f"{policy.lower()}-{number}"
    folder.mkdir()
    (folder / "bot.toml").write_text(_MANIFEST.format(name=folder.name, slips=slips))
    (folder / "bot.py").write_text(_PROGRAM.format(module=module, policy=policy))
    return folder


def _say(file: Path, *words: str) -> str:
    """Run a command to its end; return its output."""
    return subprocess.run(_command(file, *words), stdout=subprocess.PIPE, text=True, check=True).stdout


@contextmanager
def _playing(file: Path, *words: str) -> Iterator[Callable[[], float]]:
    """Run a command until it gets a signal; yield a function for the CPU seconds of it and its descendants."""
    with control_group() as group, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(group.enter(_command(file, *words)), stdout=said, stderr=said)
        try:
            yield lambda: group.cpu_seconds() or 0.0
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def _command(file: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "beanleague", "--db", str(file), *words]


def _entries(store: Store) -> dict[str, tuple[int, bool]]:
    """Return the deals of each entry and whether it is rated, by the name of its bot."""
    league = store.leagues.get("field").id
    states = entry_states(store.changes.list(league))
    entries = zip(store.leagues.entrants(league), store.leagues.totals(league), strict=True)
    return {entry.bot: (totals.deals, states[entry.number].placed) for entry, totals in entries}
