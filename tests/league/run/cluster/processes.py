"""Schedulers, nodes and runners in processes of their own. Run as a program: one of them.

python -m tests.league.run.cluster.processes scheduler PORT
python -m tests.league.run.cluster.processes node ADDRESS NAME CACHE
python -m tests.league.run.cluster.processes runner ADDRESS FILE
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from distributed import Scheduler

from beanleague.league.run.cluster.connecting import configure
from beanleague.league.run.cluster.node import serve_node
from beanleague.league.run.cluster.settings import ClusterSettings
from tests.waiting import first_line

ROOT = Path(__file__).parents[4]


def start(*words: str) -> subprocess.Popen[str]:
    """Start one of them; return it when it is ready."""
    command = [sys.executable, "-m", __name__, *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    first_line(process)
    return process


@contextmanager
def scheduler(port: int = 0) -> Iterator[str]:
    """Run a scheduler; give its address."""
    address = f"tcp://127.0.0.1:{port or free_port()}"
    process = start("scheduler", address)
    try:
        yield address
    finally:
        kill(process)


def start_node(address: str, name: str, cache: Path) -> subprocess.Popen[str]:
    """Start a node with one worker."""
    return start("node", address, name, str(cache))


def start_runner(address: str, file: Path) -> subprocess.Popen[str]:
    """Start a run of what is left of the league in `file`; return it when it has begun."""
    return start("runner", address, str(file))


def kill(process: subprocess.Popen[str]) -> None:
    """End a process at once."""
    process.kill()
    with process:
        pass


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def _scheduler(address: str) -> None:
    configure()
    port = int(address.rpartition(":")[2])
    async with Scheduler(host="127.0.0.1", port=port, dashboard_address="127.0.0.1:0") as scheduler:
        _say("ready")
        await scheduler.finished()


async def _node(address: str, name: str, cache: str) -> None:
    serving = asyncio.ensure_future(
        serve_node(ClusterSettings(address), workers=1, cache=Path(cache), name=name, say=_say)
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving


def _runner(address: str, file: str) -> None:
    from beanleague.league.run.cluster.pool import ClusterPools  # what the others need not spend time on
    from tests.chaos.leagues import run_league

    run_league(Path(file), ClusterPools(ClusterSettings(address)), lambda progress: _say(progress.state))


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "runner":
        _runner(*words)
    else:
        asyncio.run(_scheduler(*words) if what == "scheduler" else _node(*words))
    os._exit(0)
