"""Control groups: where they are looked for, and what they do where they can be made; watching from the host."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox import cgroups as module
from beanleague.referee.sandbox.cgroups import ControlGroup, ControlGroups, GroupError, find
from beanleague.referee.sandbox.process_tree import ProcessTree, usage_of
from beanleague.referee.temp_folders import PREFIX
from tests.referee.helpers import QUICK, bot, play, task
from tests.waiting import TIMEOUT_S, ending, until

HERE = find(Limits())
"""Where groups can be made on the machine of the tests."""

HOST_V1 = """\
30 25 0:26 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
32 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
33 25 0:29 /docker/1f /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
"""
OWN_V1 = """\
4:cpu,cpuacct:/user.slice
3:memory:/docker/1f/inner
1:name=systemd:/user.slice
0::/user.slice/session.scope
"""


def needs(controller: str) -> pytest.MarkDecorator:
    why = HERE.why_not or f"{controller} is not given to the group of this process"
    return pytest.mark.skipif(controller not in HERE.controllers, reason=f"no control groups here: {why}")


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A group for one Python process at a time, with 64 MiB and 2 processes (and what the referee adds)."""
    made = HERE.make(f"{PREFIX}test-{os.getpid()}", replace(Limits(), memory_bytes=2**25, scratch_bytes=0, processes=2))
    yield made
    until(made.remove)  # its processes are ending


def run(group: ControlGroup, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        group.enter([sys.executable, "-c", code]), capture_output=True, text=True, timeout=60, check=False
    )


class TestLooking:
    def test_in_version_1_below_the_own_group_as_this_mount_shows_it(self) -> None:
        found = module._by_hierarchy(HOST_V1, OWN_V1)
        assert found.places == (
            ("memory", Path("/sys/fs/cgroup/memory/inner")),
            ("cpu", Path("/sys/fs/cgroup/cpu,cpuacct/user.slice")),
            ("cpuacct", Path("/sys/fs/cgroup/cpu,cpuacct/user.slice")),
        )
        assert not found.unified

    def test_in_version_2_below_the_parent_with_what_it_gives_to_its_groups(self, tmp_path: Path) -> None:
        (tmp_path / "user" / "session").mkdir(parents=True)
        (tmp_path / "user" / "session" / "cgroup.subtree_control").write_text("\n")
        (tmp_path / "user" / "cgroup.subtree_control").write_text("memory pids\n")
        mounts = f"30 25 0:26 / {tmp_path} rw,relatime - cgroup2 cgroup2 rw\n"
        found = module._places_v2(mounts, "0::/user/session\n")
        assert found == ControlGroups((("memory", tmp_path / "user"), ("pids", tmp_path / "user")), unified=True)

    def test_in_version_2_without_controllers_nothing_is_limited_and_version_1_is_used_if_it_can_be(
        self, tmp_path: Path
    ) -> None:
        """As beside hierarchies of version 1, which have them: such a group can be frozen and killed, no more."""
        (tmp_path / "cgroup.subtree_control").write_text("\n")
        mounts = f"30 25 0:26 / {tmp_path} rw,relatime - cgroup2 cgroup2 rw\n{HOST_V1}"
        own = f"{OWN_V1.rpartition('0::')[0]}0::/\n"
        assert module._places_v2(mounts, own).places == ()
        assert "memory" in module._by_hierarchy(mounts, own).controllers

    @pytest.mark.parametrize(("given", "bound"), [("memory pids", True), ("memory cpu", False), ("pids", False)])
    def test_usage_is_bound_where_memory_and_processes_are_limited(self, given: str, bound: bool) -> None:
        assert ControlGroups(tuple((controller, Path("/g")) for controller in given.split())).bound_usage is bound

    def test_limits_are_written_as_version_2_wants_them(self, tmp_path: Path) -> None:
        limits = Limits(memory_bytes=2**28, scratch_bytes=2**24, processes=64)
        found = ControlGroups(tuple((controller, tmp_path) for controller in module.CONTROLLERS), unified=True)
        made = found.make("a", limits)
        written = {path.name: path.read_text() for path in made.folders[0].iterdir()}
        assert written == {"memory.max": str(2**28 + 2**24 + 2**25), "pids.max": "67", "cpu.max": "100000 100000"}

    @pytest.mark.parametrize(
        ("unified", "file", "value"),
        [(True, "memory.swap.max", "0"), (False, "memory.memsw.limit_in_bytes", str(2**28 + 2**24 + 2**25))],
    )
    def test_where_swap_is_counted_it_does_not_add_to_memory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unified: bool, file: str, value: str
    ) -> None:
        mkdir = Path.mkdir

        def with_swap(path: Path) -> None:
            mkdir(path)
            (path / file).touch()

        monkeypatch.setattr(Path, "mkdir", with_swap)
        made = ControlGroups((("memory", tmp_path),), unified=unified).make(
            "a", Limits(memory_bytes=2**28, scratch_bytes=2**24)
        )
        assert (made.folders[0] / file).read_text() == value

    def test_an_impossible_group_gives_the_reason_and_leaves_nothing(self, tmp_path: Path) -> None:
        found = ControlGroups((("pids", tmp_path), ("memory", tmp_path / "nowhere")))
        with pytest.raises(GroupError, match="nowhere"):
            found.make("a", Limits())
        assert list(tmp_path.iterdir()) == []

    def test_groups_that_were_left_behind_are_removed_once_they_are_old(self, tmp_path: Path) -> None:
        for name, age in (("beanleague-old", 3600), ("beanleague-new", 0), ("another", 3600)):
            (tmp_path / name).mkdir()
            os.utime(tmp_path / name, (time.time() - age,) * 2)
        ControlGroups((("pids", tmp_path),)).sweep()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["another", "beanleague-new"]


FIRST_VERSION = {
    "memory.oom_control": "under_oom 0\noom_kill 1\n",
    "memory.limit_in_bytes": str(256 * 2**20),
    "memory.memsw.limit_in_bytes": str(256 * 2**20),
}


@pytest.mark.parametrize(
    ("files", "own", "of_the_host"),
    [
        ({"memory.events": "max 3\noom 0\noom_kill 0\n"}, False, False),
        ({"memory.events": "oom 1\noom_kill 1\n", "memory.events.local": "oom 1\noom_kill 1\n"}, True, False),
        ({"memory.events": "oom 0\noom_kill 1\n", "memory.events.local": "oom 0\noom_kill 1\n"}, False, True),
        ({"memory.events": "oom 1\noom_kill 1\n"}, True, False),
        ({**FIRST_VERSION, "memory.max_usage_in_bytes": str(200 * 2**20)}, False, True),
        ({**FIRST_VERSION, "memory.max_usage_in_bytes": str(256 * 2**20 - 4096)}, True, False),
        ({**FIRST_VERSION, "memory.memsw.max_usage_in_bytes": str(256 * 2**20)}, True, False),
        ({"memory.oom_control": "under_oom 0\n"}, False, False),  # of a kernel that does not count kills
    ],
)
def test_a_group_is_blamed_for_a_kill_if_it_was_full_itself(
    tmp_path: Path, files: dict[str, str], own: bool, of_the_host: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    group = ControlGroup((tmp_path,))
    assert (group.ran_out_of_memory(), group.host_ran_out_of_memory()) == (own, of_the_host)


class TestLimiting:
    @needs("pids")
    def test_processes_are_counted_together(self, group: ControlGroup) -> None:
        code = "import os, time\nwhile True:\n    if not os.fork(): time.sleep(0.5); os._exit(0)"
        ended = run(group, code)
        assert ended.returncode == 1
        assert "BlockingIOError" in ended.stderr

    @needs("memory")
    def test_a_process_that_takes_too_much_memory_is_killed_and_reported(self, group: ControlGroup) -> None:
        assert run(group, "bytearray(2**22)").returncode == 0
        assert not group.ran_out_of_memory()
        assert run(group, "bytearray(b'x') * 2**27").returncode == -9
        assert group.ran_out_of_memory()
        assert not group.host_ran_out_of_memory()

    @needs("memory")
    def test_a_kill_since_a_group_above_is_full_is_the_fault_of_the_host(self) -> None:
        (place,) = [place for controller, place in HERE.places if controller == "memory"]
        above = HERE.make(f"{PREFIX}above-{os.getpid()}", replace(Limits(), memory_bytes=2**25, scratch_bytes=0))
        (folder,) = [folder for folder in above.folders if folder.parent == place]
        if HERE.unified:
            (folder / "cgroup.subtree_control").write_text("+memory")
        below = ControlGroups((("memory", folder),), HERE.unified).make("bot", Limits(memory_bytes=2**30))
        try:
            assert run(below, "bytearray(b'x') * 2**27").returncode == -9
            assert not below.ran_out_of_memory()
            assert below.host_ran_out_of_memory()
        finally:
            until(lambda: below.remove() and above.remove())

    @pytest.mark.skipif(not HERE.counts_cpu, reason=f"no control groups count CPU time here: {HERE.why_not}")
    def test_the_time_of_children_counts_though_nobody_waits_for_them(self, group: ControlGroup) -> None:
        code = (
            "import os, signal, time\n"
            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
            "if not os.fork():\n"
            "    while time.process_time() < 1: pass\n"
            "    os._exit(0)\n"
            "try: os.wait()\n"
            "except ChildProcessError: assert os.times().children_user == 0\n"
        )
        before = group.cpu_seconds()
        assert run(group, code).returncode == 0
        after = group.cpu_seconds()
        assert before is not None
        assert after is not None
        assert after - before >= 1

    @needs("cpu")
    def test_a_bot_has_one_cpu(self, group: ControlGroup) -> None:
        written = {path.name: path.read_text().split() for folder in group.folders for path in folder.glob("cpu.*")}
        first_version = written.get("cpu.cfs_quota_us", []) + written.get("cpu.cfs_period_us", [])
        assert written.get("cpu.max", first_version) == ["100000", "100000"]


def test_nothing_is_left_when_matches_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    remove = ControlGroups.remove

    def note(groups: ControlGroups, name: str) -> bool:
        removed.append(name)
        return remove(groups, name)

    monkeypatch.setattr(ControlGroups, "remove", note)
    play([bot(1, "plays_well")], [task(1, [1, 1, 1])])
    assert removed
    assert all(name.startswith(PREFIX) for name in removed)
    assert [path for name in removed for _, place in HERE.places for path in place.glob(f"{name}*")] == []


def test_limits_of_a_hurried_league_hold_too() -> None:
    assert find(QUICK).controllers == HERE.controllers


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
    words = [sys.executable, "-c", FAMILY.format(mebibytes=50)]
    with ending(subprocess.Popen(words, stdout=subprocess.PIPE)) as started:
        assert started.stdout
        assert [started.stdout.readline() for _ in range(2)] == [b"there\n"] * 2
        children = psutil.Process(started.pid).children()
        yield started
        for child in children:
            if child.is_running():
                child.kill()
        started.kill()


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
    with ending(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])) as other:
        tree.refresh()
        tree.kill(family.pid)
        until(lambda: _has_ended(child))
        assert other.poll() is None
        assert family.poll() is None
        other.kill()


def test_a_family_that_is_removed_is_forgotten(family: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree()
    tree.add(family.pid)
    tree.refresh()
    tree.remove(family.pid)
    assert tree.family(family.pid) == []


def _has_ended(process: int) -> bool:
    """Return whether a process does not run any more."""
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def unified(tmp_path: Path) -> Iterator[ControlGroup]:
    """A group of version 2, with a process that is never idle."""
    mounted = subprocess.run(["mount", "-t", "cgroup2", "none", str(tmp_path)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no control groups of version 2 here: {mounted.stderr.decode()}")
    made = ControlGroup((tmp_path / f"{PREFIX}test-{os.getpid()}",))
    try:
        made.folders[0].mkdir()
        yield made
    finally:
        until(made.remove)
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_in_version_2_a_frozen_group_gets_no_cpu_and_can_be_killed(unified: ControlGroup) -> None:
    with ending(subprocess.Popen(unified.enter([sys.executable, "-c", "while True: pass"]))) as busy:

        def goes_on() -> bool:
            before = unified.cpu_seconds()
            time.sleep(0.1)
            return unified.cpu_seconds() != before

        until(goes_on)
        assert unified.freeze(frozen=True)
        until(lambda: "frozen 1" in (unified.folders[0] / "cgroup.events").read_text())
        assert not goes_on()
        assert unified.freeze(frozen=False)
        until(goes_on)
        assert unified.freeze(frozen=True)
        busy.kill()
        assert busy.wait(TIMEOUT_S) == -9


def test_in_version_1_no_group_is_frozen(tmp_path: Path) -> None:
    assert not ControlGroup((tmp_path,)).freeze(frozen=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "refused"),
    [
        ({"pids.events": "max 3", "pids.peak": "20", "pids.max": "64"}, 3),
        ({"pids.events": "max 3", "pids.peak": "64", "pids.max": "64"}, 0),
        ({"pids.events": "max 3", "pids.max": "64"}, None),  # before Linux 6.1
        ({"pids.events": "max 3", "pids.peak": "20", "pids.max": "64", "cgroup.controllers": "pids"}, None),
        ({}, None),
    ],
)
def test_threads_that_the_host_refused_are_told_from_those_beyond_the_own_limit(
    tmp_path: Path, files: dict[str, str], refused: int | None
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n")
    assert ControlGroup((tmp_path,)).refusals() == refused


@needs("pids")
def test_a_group_counts_what_one_above_it_refuses(group: ControlGroup) -> None:
    (folder,) = (folder for folder in group.folders if (folder / "pids.max").exists())
    if HERE.unified:
        assert group.refusals() is None
        return
    inner = ControlGroup((folder / "inner",))
    inner.folders[0].mkdir()
    (inner.folders[0] / "pids.max").write_text("64")
    many = "import threading, time\nfor _ in range(9): threading.Thread(target=time.sleep, args=(0.1,)).start()"
    assert "can't start new thread" in run(inner, many).stderr
    refused = inner.refusals()
    until(inner.remove)
    assert refused
