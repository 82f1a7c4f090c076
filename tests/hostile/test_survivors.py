"""Bots that outlive a referee that is killed, or do what they can to."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.temp_folders import TempFolder
from tests.hostile.conftest import findings

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
sandbox = examine(Layer({layer!r}), Limits()).sandbox
folder = Path({folder!r})
for number in range(4):
    home = folder / str(number)
    home.mkdir()
    path = home / "referee"
    socket.socket(socket.AF_UNIX).bind(str(path))
    room = BotFiles(("python", "-c", "import time; time.sleep(3600)"), folder, path, home)
    print(sandbox.start(room, number, sandbox.group(room)).pid, flush=True)
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
        _, alive = psutil.wait_procs(started, timeout=30)
        for process in alive:
            process.kill()
        assert alive == []


@pytest.mark.parametrize("name", SURVIVORS)
@pytest.mark.parametrize("layer", CONFINING)
def test_it_ends_with_a_referee_that_is_killed(layer: Layer, name: str) -> None:
    if why := findings()[layer]:
        pytest.skip(f"{layer} does not work here: {why}")
    root = str(Path(__file__).parents[2])
    words = [sys.executable, "-c", HOLDER.format(path=[root], name=name, layer=str(layer))]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"here to stay\n"
        started = psutil.Process(holder.pid).children(recursive=True)
        workers = [process.pid for process in started if "beanleague.referee.worker" in process.cmdline()]
        assert len(started) > len(workers) == 1
        for referee in (*workers, holder.pid):  # the worker can kill nobody any more
            os.kill(referee, signal.SIGKILL)
    _, alive = psutil.wait_procs(started, timeout=30)
    for process in alive:
        process.kill()
    assert alive == []
