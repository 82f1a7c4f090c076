"""Whatever a bot does costs its own seat and nothing else: those in bots/, beside honest bots, or outlives it."""

import contextlib
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from beanleague.games.records.verify import verify
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import ABOUT, CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.temp_folders import TempFolder
from tests.hostile.arena import (
    CLASSES,
    NOT_STOPPED,
    Arena,
    actions,
    attacks,
    devices_are_as_they_were,
    keeps_access_times,
    secret_is_whole,
)
from tests.hostile.conftest import findings
from tests.hostile.table import UNKNOWN, committed
from tests.matches import column
from tests.processes import strays_in
from tests.referee.helpers import record_of
from tests.waiting import ending, until


def sees_others() -> bool:
    """Whether bots under Landlock get no mounts of their own on this machine, to cover /proc with."""
    return examine(Layer.LANDLOCK, Limits()).sees_others


LISTED = {
    Layer.LANDLOCK: {
        "counts_processes_of_the_host": "which process numbers are in use",
        **({"counts_descriptors_of_others": "how many descriptors"} if sees_others() else {}),
        **({"writes_access_times": "when files were last read"} if keeps_access_times() else {}),
    }
}
"""What layers do not stop, and the words by which `beanleague doctor` says so."""


def test_every_attack_is_of_one_class() -> None:
    assert sorted(name for names in CLASSES.values() for name in names) == sorted(attacks())


def test_the_others_play_as_beside_a_bot_that_never_came(arena: Arena, attack: str) -> None:
    match = arena.outcomes[attack].match
    assert {fault.seat for fault in match.faults} <= {1}
    assert (match.seats[0].forfeited, match.seats[2].forfeited) == (False, False)
    assert verify(record_of(match)).problem == ""
    assert actions(match) == actions(arena.idle)
    assert column(match, "score") == column(arena.idle, "score")


def test_cpu_of_children_is_charged_whether_or_not_they_are_reaped(arena: Arena) -> None:
    outcome = arena.outcomes["thinks_in_children"]
    charged = outcome.word == "forfeits: timeout"
    assert charged or "Operation not permitted" in outcome.log, outcome.log


def test_an_attack_is_stopped_or_the_doctor_shows_the_gap(arena: Arena, attack: str) -> None:
    outcome = arena.outcomes[attack]
    listed = LISTED.get(arena.layer, {}).get(attack)
    assert (outcome.word == NOT_STOPPED) == bool(listed), outcome.log
    assert listed is None or listed in ABOUT[arena.layer].lacks


def test_the_documentation_tells_whether_it_is_stopped(arena: Arena, attack: str) -> None:
    """How it is stopped depends on the machine: on which of several limits is met first."""
    documented = committed()[arena.layer].get(attack, UNKNOWN)
    assert documented != UNKNOWN, "write it anew: python -m tests.hostile.table"
    if attack == "counts_descriptors_of_others" and sees_others():
        pytest.skip("the table is of a machine where bots get mounts of their own")
    assert (documented == NOT_STOPPED) == (arena.outcomes[attack].word == NOT_STOPPED)


def test_the_documentation_tells_of_no_other_attack() -> None:
    assert all(set(column) == set(attacks()) for column in committed().values())


def nobody_strays(folder: Path) -> bool:
    return not strays_in(folder)


def test_the_host_is_as_it_was(arena: Arena) -> None:
    assert secret_is_whole(arena)
    assert arena.dialled == 0
    assert devices_are_as_they_were()
    for folder in {file.parent for file in attacks().values()}:
        until(partial(nobody_strays, folder))
        assert not (folder / "note").exists()


def test_each_match_says_under_which_layer_it_was_played(arena: Arena) -> None:
    assert {outcome.match.layer for outcome in arena.outcomes.values()} == {arena.layer}


SURVIVORS = ("becomes_another_program", "calls_off_its_end")

HOLDER = """
import sys
sys.path[:0] = {path!r}
from tests.hostile.arena import attacks
from tests.referee.helpers import bot, task
from beanleague.referee.messages import BotLog, BotSpec, Limits
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import Layer
file = attacks()[{name!r}]
specs = [BotSpec(0, {name!r}, str(file.parent), ("python", file.name)), bot(1, "plays_well")]
pool = WorkerPool(specs, Limits(move_ms=60_000), workers=1, in_flight=1, layers=[Layer({layer!r})])
pool.submit(task(0, [0, 1]))
while not any(isinstance(report, BotLog) and "here to stay" in report.text for report in pool.poll(1.0)):
    pass
print("here to stay", flush=True)
while True:
    pool.poll(60.0)
"""

STARTER = """
import os, signal, socket, sys
from pathlib import Path
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.launch import BotFiles
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.sandbox.users import BotUsers
sandbox = examine(Layer({layer!r}), Limits()).sandbox
users = BotUsers(needed=sandbox.gives_users)
folder = Path({folder!r})
for number in range(4):
    home = folder / str(number)
    home.mkdir()
    path = home / "referee"
    socket.socket(socket.AF_UNIX).bind(str(path))
    room = BotFiles(("python", "-c", "import time; time.sleep(3600)"), folder, path, home)
    print(sandbox.start(room, users.take(), sandbox.group(room)).pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("layer", CONFINING)
def test_a_bot_that_is_being_started_ends_with_a_referee_that_is_killed(layer: Layer) -> None:
    if why := findings()[layer]:
        pytest.skip(f"{layer} does not work here: {why}")
    with TempFolder() as folder:
        words = [sys.executable, "-c", STARTER.format(layer=str(layer), folder=str(folder.path))]
        starter = subprocess.run(words, stdout=subprocess.PIPE, check=False)
        assert starter.returncode == -signal.SIGKILL
        assert len(starter.stdout.split()) == 4
        started = []
        for pid in starter.stdout.split():
            with contextlib.suppress(psutil.NoSuchProcess):
                started.append(psutil.Process(int(pid)))
        _, alive = psutil.wait_procs(started, timeout=60)
        for process in alive:
            process.kill()
        assert alive == []


@pytest.mark.parametrize("name", SURVIVORS)
@pytest.mark.parametrize("layer", CONFINING)
def test_an_attacking_bot_ends_with_a_killed_referee(layer: Layer, name: str) -> None:
    if why := findings()[layer]:
        pytest.skip(f"{layer} does not work here: {why}")
    root = str(Path(__file__).parents[2])
    words = [sys.executable, "-c", HOLDER.format(path=[root], name=name, layer=str(layer))]
    with ending(subprocess.Popen(words, stdout=subprocess.PIPE)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"here to stay\n"
        started = psutil.Process(holder.pid).children(recursive=True)
        workers = [process.pid for process in started if "beanleague.referee.worker" in process.cmdline()]
        assert len(started) > len(workers) == 1
        for referee in (*workers, holder.pid):  # the worker can kill nobody any more
            os.kill(referee, signal.SIGKILL)
    _, alive = psutil.wait_procs(started, timeout=60)
    for process in alive:
        process.kill()
    assert alive == []
