"""Bots that are forked from a process with their library find all as others do, and end as they do."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.launch import BotFiles, Sandbox, Template
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.temp_folders import TempFolder

TIMEOUT_S = 20.0
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
    __name__, __file__, sys._getframe().f_back is None or "a caller",
):
    print(what)
"""
RANDOM = "import random, secrets\nprint(random.random(), secrets.token_hex(8))\n"
LATE = """
import atexit, threading, time
atexit.register(print, "at the end")
threading.Thread(target=lambda: (time.sleep(0.2), print("a thread"))).start()
print("the program")
"""


@pytest.fixture(scope="module")
def launching() -> Sandbox:
    found = examine(Layer.BUBBLEWRAP, Limits())
    if found.sandbox is None:
        pytest.skip(f"{Layer.BUBBLEWRAP} does not work here: {found.why_not}")
    return found.sandbox


@pytest.fixture(scope="module")
def template(launching: Sandbox) -> Iterator[Template]:
    made = launching.with_template().template
    if made is None:
        pytest.skip("only root, and where there are control groups, forks bots")
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


@contextmanager
def running(sandbox: Sandbox, program: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program, and kill it at the end."""
    with files_of(program) as files:
        group = sandbox.group(files)
        with sandbox.start(files, 0, group) as process:
            try:
                yield process
            finally:
                process.kill()
        group.remove()


def ended(sandbox: Sandbox, program: str) -> tuple[int, str]:
    """Return with what a program ends, and what it writes."""
    with running(sandbox, program) as process:
        output, _ = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, output.decode()


def test_it_finds_all_as_a_program_that_is_started(launching: Sandbox, forking: Sandbox) -> None:
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
    ],
)
def test_it_ends_as_a_program_that_is_started(launching: Sandbox, forking: Sandbox, program: str) -> None:
    assert ended(forking, program) == ended(launching, program)


def test_no_two_draw_the_same(forking: Sandbox) -> None:
    drawn = [ended(forking, RANDOM)[1].split() for _ in range(2)]
    assert all(map(str.__ne__, *drawn))


def test_bots_end_with_their_template(launching: Sandbox) -> None:
    sandbox = launching.with_template()
    if sandbox.template is None:
        pytest.skip("only root, and where there are control groups, forks bots")
    with running(sandbox, "print('here', flush=True)\nimport time\ntime.sleep(3600)") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        sandbox.template.close()
        assert process.wait(TIMEOUT_S) == 128 + signal.SIGKILL
    with running(launching, "") as process:
        assert process.wait(TIMEOUT_S) == 0


def test_without_its_template_a_bot_cannot_be_started(launching: Sandbox) -> None:
    sandbox = launching.with_template()
    if sandbox.template is None:
        pytest.skip("only root, and where there are control groups, forks bots")
    sandbox.template.process.kill()
    sandbox.template.process.wait()
    with files_of("") as files:
        group = sandbox.group(files)
        with pytest.raises(ConnectionError):
            sandbox.start(files, 0, group)
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
def test_it_becomes_no_bot_that_may_import_other_modules_than_it_has(
    template: Template, name: str, command: tuple[str, ...], suits: bool
) -> None:
    with files_of("", name, command) as files:
        assert template.suits(files) is suits


def test_it_becomes_no_bot_with_packages_of_its_own(template: Template, tmp_path: Path) -> None:
    with files_of("") as files:
        own = BotFiles(files.command, files.folder, files.socket, files.home, str(tmp_path))
        assert (template.suits(files), template.suits(own)) == (True, False)
