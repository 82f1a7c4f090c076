"""Practice, search, analysis, policies and games need no other process, thread, signal or extension module of these.

So they run in WebAssembly, where there are none; `tests/wasm` plays there.
"""

import subprocess
import sys

import pytest

from beanbot.policies.trader import Trader
from beanbot.practice import PracticeError, alarms, play, prepare
from beanbot.practice.workers import WorkerDiedError, play_deals
from beanleague.games import rulesets

PROGRAM = """
import _thread
import importlib
import pkgutil
import signal
import sys

processes = ("_multiprocessing", "_posixshmem", "_posixsubprocess", "multiprocessing", "subprocess")
sys.modules.update(dict.fromkeys((*processes, "google", "grpc", "numpy")))

def refused(*args, **kwargs):
    raise AssertionError("a thread or a signal")

for module, names in ((_thread, ("start_new_thread", "start_joinable_thread")), (signal, ("signal", "alarm"))):
    for name in names:
        setattr(module, name, refused)
for name in ("setitimer", "pthread_kill", "pthread_sigmask"):
    delattr(signal, name)

import beanbot.analyse
import beanbot.practice.__main__
for package in ("practice", "analysis", "search", "policies"):
    for module in pkgutil.walk_packages(importlib.import_module(f"beanbot.{package}").__path__, f"beanbot.{package}."):
        importlib.import_module(module.name)

from beanbot import practice
from beanbot.analysis.course import course
from beanbot.policies.mistakes import ByDefault
from beanbot.policies.trader import Trader
from beanleague.games import rulesets

kept = []
for rules in rulesets():
    seats = rules.least_seats
    bot = Trader if rules.id == "bohnanza" else ByDefault
    next(practice.deals([bot], game=rules.id, seats=seats, keep=kept.append))
course(kept[0], 2, 2)
assert beanbot.practice.__main__.main(["trader", "farmer", "--deals", "1", "--seats", "3"]) == 0
print(len({record.ruleset for record in kept}))
"""


def test_all_games_are_practised_and_analysed_without_them() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) == len(rulesets())


def test_a_limit_of_a_decision_is_refused_where_nothing_can_interrupt_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("signal.setitimer")
    assert not alarms.can_interrupt()
    with pytest.raises(PracticeError, match="cannot interrupt bots"):
        play([Trader], deals=1, move_ms=100)


def test_other_processes_are_refused_where_there_can_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = prepare([Trader], game="bohnanza", seats=3, seed=1, options=None)
    monkeypatch.setitem(sys.modules, "multiprocessing", None)
    with pytest.raises(WorkerDiedError, match="cannot start other processes"):
        list(play_deals(playing, [1, 2], report=lambda *_: None, workers=2))
