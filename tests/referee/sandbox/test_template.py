"""Bots that are forked from a process with their library find all as others do, and end as they do."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import ControlGroup
from beanleague.referee.sandbox.launch import BotFiles, Sandbox, Template
from beanleague.referee.sandbox.layers import Layer, SandboxError
from beanleague.referee.sandbox.probe import examine, forking as forking_here
from beanleague.referee.sandbox.process_tree import parent_and_birth, usage_of
from beanleague.referee.sandbox.users import BotUsers
from beanleague.referee.temp_folders import TempFolder
from tests.waiting import TIMEOUT_S, ending, until

FINDS = """
import ctypes, gc, os, resource, signal, sys
libc = ctypes.CDLL(None)
def is_open(descriptor):
    try:
        return bool(os.fstat(descriptor))
    except OSError:
        return False
for what in (
    sorted(os.environ.items()), os.getcwd(), sys.flags, sys.path, sys.argv, sys.orig_argv, sys.prefix, sys.executable,
    [(name, resource.getrlimit(getattr(resource, name))) for name in dir(resource) if name.startswith("RLIMIT_")],
    [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())], signal.pthread_sigmask(0, []),
    os.umask(0o22), os.getgroups(), os.getuid() == os.getgid() > 0, os.getsid(0) > 0, os.uname().nodename,
    [libc.prctl(23, capability, 0, 0, 0) for capability in range(64)], libc.prctl(39, 0, 0, 0, 0), gc.isenabled(),
    sys.stdin.read(), os.get_inheritable(1), [number for number in range(300) if is_open(number)],
    sys.stdout.encoding, sys.stdout.line_buffering, sys.getrecursionlimit(), len(os.sched_getaffinity(0)),
    sorted(os.listdir("/")), sorted(os.listdir("/tmp")), sorted(os.listdir("/dev")), os.access("/", os.W_OK),
    __name__, __file__, type(__builtins__).__name__, gc.get_threshold(), sys.stdout.seekable(),
):
    print(what)
"""
WAITS = "print('here', flush=True)\nimport time\ntime.sleep(3600)"
RANDOM = "import random, secrets\nprint(random.random(), secrets.token_hex(8))\n"
LATE = """
import atexit, threading, time
atexit.register(print, "at the end")
threading.Thread(target=lambda: (time.sleep(0.2), print("a thread"))).start()
print("the program")
"""
KINDS = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
HOLDS = f"""
import os
held = [os.open("/dev/null", os.O_RDONLY) for number in range(150)]
{WAITS}
"""
SIGNALS = """
import os, signal, sys
for process in {*range(1, 100)} - {os.getpid()}:
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            pass
print("all others are protected")
sys.exit(5)
"""
ORPHANS = """
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.write(writing, b"%d" % os.getpid())
    os._exit(0)
os.wait()
orphan = int(os.read(reading, 10))
deadline = time.monotonic() + 60
try:
    while time.monotonic() < deadline:
        os.kill(orphan, 0)
        time.sleep(0.01)
except ProcessLookupError:
    print("reaped")
"""


@pytest.fixture(scope="module")
def launching() -> Sandbox:
    found = examine(Layer.BUBBLEWRAP, Limits())
    if found.sandbox is None:
        pytest.skip(f"{Layer.BUBBLEWRAP} does not work here: {found.why_not}")
    return found.sandbox


def forkable(launching: Sandbox) -> Sandbox:
    """Return `launching` with a template, which the caller closes."""
    try:
        return forking_here(launching)
    except SandboxError as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def template(launching: Sandbox) -> Iterator[Template]:
    made = forkable(launching).template
    assert made
    yield made
    made.close()


@pytest.fixture(scope="module")
def forking(launching: Sandbox, template: Template) -> Sandbox:
    return replace(launching, template=template)


@contextmanager
def files_of(program: str, name: str = "bot.py", command: tuple[str, ...] = ()) -> Iterator[BotFiles]:
    """Give a bot of one file."""
    with TempFolder() as folder:
        folder.path.chmod(0o755)
        home, bundle = folder.path / "home", folder.path / "bundle"
        home.mkdir()
        bundle.mkdir()
        (bundle / name).write_text(program)
        (home / "referee").touch()
        yield BotFiles(command or ("python", name), bundle, home / "referee", home)


def start(sandbox: Sandbox, files: BotFiles, group: ControlGroup, report: int) -> subprocess.Popen[bytes]:
    """Start a bot that tells `report` how far it got."""
    with BotUsers(needed=sandbox.gives_users) as users:
        return sandbox.start(files, users.take(), group, report)


@contextmanager
def running(
    sandbox: Sandbox, program: str, command: tuple[str, ...] = ()
) -> Iterator[tuple[subprocess.Popen[bytes], BinaryIO]]:
    """Start a program, and kill it at the end; give it and its report."""
    reading, writing = os.pipe()
    with files_of(program, command=command) as files, os.fdopen(reading, "rb") as report:
        group = sandbox.group(files)
        try:
            process = start(sandbox, files, group, writing)
        finally:
            os.close(writing)
        with ending(process):
            try:
                yield process, report
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        until(group.remove)  # the kernel is ending them


@contextmanager
def forked(sandbox: Sandbox, program: str, command: tuple[str, ...] = ()) -> Iterator[int]:
    """Give the number of a bot that is forked, and has written a line."""
    with running(sandbox, program, command) as (process, report):
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        yield int(report.readline())


def ended(sandbox: Sandbox, program: str) -> tuple[int, str]:
    """Return with what a program ends, and what it writes."""
    with running(sandbox, program) as (process, _):
        output, _ = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, output.decode()


def test_a_forked_bot_finds_everything_like_a_started_one(launching: Sandbox, forking: Sandbox) -> None:
    code, found = ended(launching, FINDS)
    assert code == 0
    assert ended(forking, FINDS)[1].splitlines() == found.splitlines()


@pytest.mark.parametrize(
    "program",
    [
        "",
        "import sys\nsys.exit(3)",
        "import sys\nsys.exit('enough')",
        "import os\nos._exit(200)",
        "1 / 0",
        "import os\nos.kill(os.getpid(), 9)",
        "import os\nos.abort()",
        LATE,
        "import atexit, sys\natexit.register(print, 'at the end')\nsys.exit('enough')",
        "import sys\nsys.stdout = open(1, 'w', 4096)\nprint('not flushed')",
    ],
)
def test_a_forked_bot_ends_like_a_started_one(launching: Sandbox, forking: Sandbox, program: str) -> None:
    assert ended(forking, program) == ended(launching, program)


def test_a_forked_bot_can_neither_stop_nor_kill_its_waiting_shell(forking: Sandbox) -> None:
    if not (forking.why_no_programs or forking.gives_users):
        assert ended(forking, SIGNALS)[0] > 128, "who has its user ends with it"
        return
    assert ended(forking, SIGNALS) == (5, "all others are protected\n")


def test_children_that_it_leaves_behind_are_reaped(forking: Sandbox) -> None:
    if forking.why_no_programs:
        pytest.skip(f"no control groups: bots start no programs here, since {forking.why_no_programs}")
    assert ended(forking, ORPHANS) == (0, "reaped\n")


def test_no_two_draw_the_same(forking: Sandbox) -> None:
    drawn = [ended(forking, RANDOM)[1].split() for _ in range(2)]
    assert all(map(str.__ne__, *drawn))


def test_a_forked_bot_has_lost_all_rights_on_the_host(forking: Sandbox) -> None:
    with forked(forking, WAITS) as bot:
        status = Path(f"/proc/{bot}/status").read_text()
    assert re.findall(r"Cap\w+:\s*(\w+)", status) == [16 * "0"] * 5
    assert re.findall(r"(?:NoNewPrivs|Seccomp):\s*(\d)", status) == ["1", "2"]


def test_a_forked_bot_has_namespaces_of_its_own_and_a_user_namespace_if_it_has_the_referees_user(
    forking: Sandbox,
) -> None:
    def namespaces(process: int | str) -> dict[str, str]:
        return {kind: str(Path(f"/proc/{process}/ns/{kind}").readlink()) for kind in KINDS}

    with forked(forking, WAITS) as bot, forked(forking, WAITS) as other:
        found, others, ours = namespaces(bot), namespaces(other), namespaces("self")
    shared = {"user"} if forking.gives_users else set()
    assert {kind for kind in KINDS if found[kind] == ours[kind]} == shared
    assert {kind for kind in KINDS if found[kind] == others[kind]} == shared


def test_the_worker_can_measure_it(forking: Sandbox) -> None:
    """Also what only a process can see that might trace it: descriptors, and files in its scratch folder."""
    with forked(forking, HOLDS) as bot, forked(forking, WAITS) as other:
        assert parent_and_birth(bot)[0] == parent_and_birth(other)[0] > 0
        assert usage_of([bot]).memory > usage_of([other]).memory + 100 * 256 * 2**10


def test_nothing_of_others_is_left_in_its_memory(forking: Sandbox) -> None:
    """Nor what bubblewrap said of it: numbers of processes on the host."""
    with forked(forking, WAITS, ("python", "bot.py", "MATE-of-it")), forked(forking, WAITS) as bot:
        assert "bot.py" in memory_of(bot)
        assert [word for word in ("MATE-of-it", "child-pid", "cgroup.procs") if word in memory_of(bot)] == []


def memory_of(process: int) -> str:
    """Return what a process can write to."""
    found = []
    with Path(f"/proc/{process}/mem").open("rb", 0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            if rights.startswith("rw"):
                begin, end = (int(edge, 16) for edge in span.split("-"))
                memory.seek(begin)
                found.append(memory.read(end - begin).decode("latin-1"))
    return "".join(found)


def test_starts_that_are_broken_off_leave_nothing_open(forking: Sandbox, template: Template) -> None:
    def opened() -> list[int]:
        return [len(list(Path(f"/proc/{process}/fd").iterdir())) for process in ("self", template.process.pid)]

    ended(forking, "")
    before = opened()
    for number in range(20):
        with running(forking, WAITS):
            time.sleep(0.001 * number)
    ended(forking, "")  # it is last in the queue
    deadline = time.monotonic() + 60  # the kernel may still be ending others
    while opened() != before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert opened() == before


def test_bots_end_with_their_template(launching: Sandbox) -> None:
    sandbox = forkable(launching)
    assert sandbox.template
    with running(sandbox, WAITS) as (process, _):
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        sandbox.template.close()
        assert process.wait(TIMEOUT_S) == 128 + signal.SIGKILL


def test_without_its_template_a_bot_cannot_be_started(launching: Sandbox) -> None:
    sandbox = forkable(launching)
    assert sandbox.template
    sandbox.template.process.kill()
    sandbox.template.process.wait(TIMEOUT_S)
    with files_of("") as files, Path(os.devnull).open("wb") as report:
        group = sandbox.group(files)
        with pytest.raises(ConnectionError):
            start(sandbox, files, group, report.fileno())
        assert group.remove()
    sandbox.template.close()


@pytest.mark.parametrize(
    ("name", "command", "suits"),
    [
        ("bot.py", (), True),
        ("other_bot.py", (), True),
        ("random.py", ("python", "random.py"), False),
        ("beanbot.py", ("python", "beanbot.py"), False),
        ("google.json", ("python", "-m", "json"), False),
        ("bot.py", ("python", "-c", "pass"), False),
        ("bot.py", ("sh", "bot.py"), False),
    ],
)
def test_a_template_refuses_bots_that_may_import_other_modules(
    forking: Sandbox, template: Template, name: str, command: tuple[str, ...], suits: bool
) -> None:
    with files_of("", name, command) as files:
        assert template.suits(files) is suits
        assert forking.template_for(files) is (template if suits else None)


def test_a_template_refuses_bots_with_packages_of_their_own(template: Template, tmp_path: Path) -> None:
    with files_of("") as files:
        own = BotFiles(files.command, files.folder, files.socket, files.home, str(tmp_path))
        assert (template.suits(files), template.suits(own)) == (True, False)
