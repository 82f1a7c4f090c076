"""Watching processes from the host."""

import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from beanleague.referee.sandbox.process_tree import ProcessTree, usage_of

FAMILY = """
import os, sys, threading, time
held = bytearray(b"x") * {mebibytes} * 2**20
for _ in range(5):
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
if os.fork() == 0:
    os.setsid()
os.write(1, b"there\\n")
time.sleep(3600)
"""


@pytest.fixture
def family() -> Iterator[subprocess.Popen[bytes]]:
    """A process and its child, which left its session."""
    started = subprocess.Popen([sys.executable, "-c", FAMILY.format(mebibytes=50)], stdout=subprocess.PIPE)
    assert started.stdout
    assert [started.stdout.readline() for _ in range(2)] == [b"there\n"] * 2
    children = psutil.Process(started.pid).children()
    yield started
    for child in children:
        if child.is_running():
            child.kill()
    started.kill()
    started.wait()
    started.stdout.close()


def test_memory_of_a_whole_family_is_counted(family: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree()
    tree.add(family.pid)
    assert usage_of(tree.family(family.pid)).memory >= 50 * 2**20
    tree.refresh()
    assert usage_of(tree.family(family.pid)).memory >= 100 * 2**20


def test_threads_of_a_whole_family_are_counted(family: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree()
    tree.add(family.pid)
    tree.refresh()
    assert usage_of(tree.family(family.pid)).threads == 6 + 1, "a fork has one"


def test_a_child_that_left_its_session_is_killed_and_others_are_not(family: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree()
    tree.add(family.pid)
    tree.refresh()
    (child,) = set(tree.family(family.pid)) - {family.pid}
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]) as other:
        tree.refresh()
        tree.kill(family.pid)
        assert not _alive(child)
        assert other.poll() is None
        assert family.poll() is None
        other.kill()


def test_a_family_that_is_removed_is_forgotten(family: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree()
    tree.add(family.pid)
    tree.refresh()
    tree.remove(family.pid)
    assert tree.family(family.pid) == []


def _alive(process: int) -> bool:
    """Return whether a process runs, some time after it was killed."""
    for _ in range(50):
        try:
            if psutil.Process(process).status() == psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            return False
        time.sleep(0.1)
    return True
