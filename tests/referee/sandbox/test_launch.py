"""What programs can do under each layer that works here, and what they cannot."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from beanbot._runtime import runner
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import ControlGroups
from beanleague.referee.sandbox.in_memory import _LEFT_OUT, copy_runtime
from beanleague.referee.sandbox.launch import BotFiles, Sandbox, make
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.sandbox.users import BotUsers
from beanleague.referee.temp_folders import MEMORY, TempFolder
from tests.waiting import until

PROGRAMS = Path(__file__).parent / "programs"
LIMITS = Limits()
START_TIMEOUT_S = 60
LARGE = (
    "playwright",
    "scipy*",
    "sqlalchemy",
    "mypy",
    "ruff",
    "gymnasium",
    "distributed",
    "PIL",
)

Build = Callable[[Path], tuple[str, ...]]


def python(folder: Path) -> tuple[str, ...]:
    return ("python", "hello.py")


def node(folder: Path) -> tuple[str, ...]:
    return (needed("node"), "hello.js")


def java(folder: Path) -> tuple[str, ...]:
    needed("java")
    put_compiled(folder, needed("javac"), "Hello.java")
    return ("java", "Hello")


def java_with_several_collectors(folder: Path) -> tuple[str, ...]:
    return ("java", "-XX:-UseSerialGC", "-XX:+UseG1GC", "-Xmx64m", java(folder)[-1])


def static_c(folder: Path) -> tuple[str, ...]:
    put_compiled(folder, needed("gcc"), "-O1", "-static", "-pthread", "-o", "hello", "hello.c")
    return ("./hello",)


def dynamic_c(folder: Path) -> tuple[str, ...]:
    put_compiled(folder, needed("gcc"), "-O1", "-pthread", "-o", "hello", "hello.c")
    return ("./hello",)


def slow(build: Build) -> pytest.ParameterSet:
    """Return a program that only slow tests start."""
    return pytest.param(build, marks=pytest.mark.slow)


def put_compiled(folder: Path, *compiler: str) -> None:
    """Put into `folder` what a compiler makes there."""
    for name, data in compiled(compiler).items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o755)


@cache
def compiled(compiler: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files that a compiler makes of the programs; compiling takes longer than running them."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(PROGRAMS, Path(folder, "programs")))
        before = set(copy.iterdir())
        subprocess.run(compiler, cwd=copy, check=True)
        return {file.name: file.read_bytes() for file in set(copy.iterdir()) - before}


def needed(program: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    return program


@pytest.fixture(params=CONFINING)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    found = examine(request.param, LIMITS)
    if found.sandbox is None:
        pytest.skip(f"{request.param} does not work here: {found.why_not}")
    return found.sandbox


@pytest.fixture(scope="module")
def memory_sandbox() -> Iterator[Sandbox]:
    """The sandbox with all its programs in memory, and of the packages beside these tests none that takes long."""
    found = examine(Layer.BUBBLEWRAP, LIMITS)
    if found.sandbox is None:
        pytest.skip(f"{Layer.BUBBLEWRAP} does not work here: {found.why_not}")
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        Path(folder).chmod(0o755)
        programs = [program for program in ("node", "java") if shutil.which(program)]
        with pytest.MonkeyPatch.context() as patch:
            # What a copy leaves out is no setting: leagues would differ by it. Here it spares a minute of copying.
            patch.setattr("beanleague.referee.sandbox.in_memory._LEFT_OUT", (*_LEFT_OUT, *LARGE))
            copy_runtime(Path(folder), found.sandbox.readable, programs)
        yield replace(found.sandbox, runtime=Path(folder))


@contextmanager
def started(
    sandbox: Sandbox, build: Build, packages: str = ""
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Start the program that `build` makes in a copy of the folder `programs`, and listen at its socket."""
    with TempFolder() as folder, socket.socket(socket.AF_UNIX) as listening:
        folder.path.chmod(0o755)
        home, bundle = folder.path / "home", folder.path / "bundle"
        home.mkdir()
        shutil.copytree(PROGRAMS, bundle)
        command = build(bundle)
        listening.bind(str(home / "referee"))
        listening.listen()
        listening.settimeout(START_TIMEOUT_S)
        files = BotFiles(command, bundle, home / "referee", home, packages)
        group = sandbox.group(files)
        with (
            BotUsers(needed=sandbox.gives_users) as users,
            sandbox.start(files, users.take(), group) as process,
        ):
            try:
                yield process, listening
            finally:
                process.kill()
                process.wait(START_TIMEOUT_S)
        group.remove()


def check_it_answers(sandbox: Sandbox, build: Build) -> None:
    """Start a program, which connects, answers in capitals and ends well."""
    with started(sandbox, build) as (process, listening):
        try:
            connection, _ = listening.accept()
        except TimeoutError:
            process.kill()
            pytest.fail(process.communicate(timeout=START_TIMEOUT_S)[0].decode())
        with connection:
            connection.settimeout(START_TIMEOUT_S)
            connection.sendall(b"hello\n")
            assert connection.recv(100) == b"HELLO\n"
        assert process.wait(START_TIMEOUT_S) == 0


@pytest.mark.parametrize("build", [python, node, java, slow(java_with_several_collectors), static_c, dynamic_c])
def test_programs_in_many_languages_run(sandbox: Sandbox, build: Build) -> None:
    check_it_answers(sandbox, build)


def test_threads_are_limited_by_user_only_where_no_group_limits_them(sandbox: Sandbox) -> None:
    """Somebody else's threads of the same user would count too."""
    code = "import resource, sys; print(resource.getrlimit(resource.RLIMIT_NPROC)[0], file=sys.stderr)"
    for groups in {sandbox.groups, ControlGroups(why_not="there are none")}:
        by_user = "pids" not in groups.controllers and (sandbox.wrapped or sandbox.gives_users)
        here = resource.getrlimit(resource.RLIMIT_NPROC)[0]
        with started(replace(sandbox, groups=groups), lambda _: ("python", "-c", code)) as (process, _):
            said = process.communicate(timeout=START_TIMEOUT_S)[0]
        assert int(said) == (LIMITS.processes if by_user else here)


@pytest.mark.parametrize("build", [java, dynamic_c])
def test_a_thread_that_waits_for_another_sleeps(sandbox: Sandbox, build: Build) -> None:
    """The first thread of both programs waits with pthread_join for the one that waits for a message."""
    with started(sandbox, build) as (process, listening):
        connection, _ = listening.accept()
        with connection:

            def sleeps() -> bool:
                before = ticks(process.pid)
                time.sleep(0.5)
                return ticks(process.pid) - before < 0.1 * os.sysconf("SC_CLK_TCK")

            until(sleeps)  # on a busy machine it is still being started


PACKAGES = """
import os, socket, sys
import tiny
try:
    open(os.path.join(os.path.dirname(tiny.__file__), "tiny.py"), "a")
    written = "written"
except OSError:
    written = "read-only"
with socket.socket(socket.AF_UNIX) as referee:
    referee.connect(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"))
    referee.sendall(f"{tiny.WORD} {written}".encode())
"""


@pytest.mark.parametrize("in_memory", [False, True])
def test_programs_import_the_packages_of_their_environment_and_cannot_change_them(
    sandbox: Sandbox, in_memory: bool, tmp_path: Path
) -> None:
    if in_memory and sandbox.layer is not Layer.BUBBLEWRAP:
        pytest.skip("only bubblewrap shows bots what is in memory")
    with tempfile.TemporaryDirectory(dir=MEMORY if in_memory else None) as packages:
        Path(packages).chmod(0o755)
        Path(packages, "tiny.py").write_text("WORD = 'bean'")

        def asking(folder: Path) -> tuple[str, ...]:
            (folder / "asking.py").write_text(PACKAGES)
            return ("python", "asking.py")

        with started(sandbox, asking, packages) as (process, listening):
            assert process.stdout
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                process.kill()
                pytest.fail(process.stdout.read().decode())
            with connection:
                connection.settimeout(START_TIMEOUT_S)
                assert connection.makefile().read() == "bean read-only"


SEEN = """
import builtins, os, sys
print(__name__, os.path.basename(__file__), __package__, __spec__, type(__loader__).__name__, sys.argv)
print(sorted(globals()))
print(__file__ == os.path.abspath("seen.py"), sys.path[0] == os.path.dirname(__file__), sys.path[1:])
print(sys.prefix, sys.modules["__main__"].__dict__ is globals(), hash("bean"), hasattr(builtins, "exit"))
print(sorted(set(sys.modules) & {"site", "json", "__mp_main__"}), os.environ.get("PYTHONPATH"))
def fail():
    raise OSError("at the end")
try:
    1 / 0
except ZeroDivisionError:
    fail()
"""


@pytest.mark.parametrize("text", [SEEN, "print('never'\n", "import sys\nsys.exit('enough')\n", None])
def test_a_program_in_python_finds_and_leaves_all_as_if_an_interpreter_was_started_for_it(
    sandbox: Sandbox, text: str | None
) -> None:
    folders, alone = [], []

    def seeing(folder: Path) -> tuple[str, ...]:
        if text is not None:
            (folder / "seen.py").write_text(f"import sys\nsys.stdout = sys.stderr\n{text}")
        environment = {"PATH": os.defpath, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "seen.py", "--word"]
        alone.append(subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False))
        folders.append(folder)
        return ("python", *command[1:])

    with started(sandbox, seeing) as (process, _):
        said = process.communicate(timeout=START_TIMEOUT_S)[0].decode()
    (expected,), (folder,) = alone, folders
    if sandbox.wrapped:
        said = said.replace("/bot/", f"{folder}/")
    assert said == expected.stderr.decode()
    assert process.returncode == expected.returncode


def test_the_library_of_bots_is_compiled_before_they_start(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Path(cache_from_source(runner.__file__))
    compiled.unlink(missing_ok=True)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    make(Layer.PLAIN, LIMITS, "", ControlGroups(why_not="there are none"))
    assert compiled.exists()


def ticks(pid: int) -> int:
    """Return the CPU time of a process and its children."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(") ")[2].split()
    children = [child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    return int(fields[11]) + int(fields[12]) + sum(ticks(int(child)) for child in children)


def test_both_outputs_of_a_program_are_read(sandbox: Sandbox) -> None:
    with started(sandbox, lambda _: ("/bin/sh", "-c", "echo out; echo err >&2; echo out")) as (process, _):
        assert process.communicate(timeout=START_TIMEOUT_S)[0] == b"out\nerr\nout\n"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (b"echo hello\n", b"Exec format error; it is neither a program for this kind of machine nor a script"),
        (b"#!/usr/bin/python0\n", b"No such file or directory; it is there, but not the interpreter"),
    ],
)
def test_a_program_that_cannot_be_run_is_told_with_the_cause(sandbox: Sandbox, program: bytes, why: bytes) -> None:
    def build(folder: Path) -> tuple[str, ...]:
        (folder / "run").write_bytes(program)
        (folder / "run").chmod(0o755)
        return ("./run",)

    with started(sandbox, build) as (process, _):
        assert process.communicate(timeout=START_TIMEOUT_S)[0].startswith(b"./run: " + why)


def test_a_program_may_wait_for_all_its_children(sandbox: Sandbox) -> None:
    """The process that answers for it is not among them."""
    with started(sandbox, lambda _: ("/bin/sh", "-c", "wait && echo none left")) as (process, _):
        assert process.communicate(timeout=START_TIMEOUT_S)[0] == b"none left\n"


def test_no_processes_are_started_where_nobody_counts_their_cpu_time() -> None:
    found = examine(Layer.BUBBLEWRAP, LIMITS)
    if found.sandbox is None:
        pytest.skip(f"{Layer.BUBBLEWRAP} does not work here: {found.why_not}")
    sandbox = make(Layer.BUBBLEWRAP, LIMITS, found.sandbox.bubblewrap, ControlGroups(why_not="there are none"))
    code = (
        "import os, subprocess, threading\n"
        "thread = threading.Thread(target=int); thread.start(); thread.join()\n"
        "for start in os.fork, lambda: subprocess.run(['true']), lambda: os.posix_spawn('/bin/true', ['true'], {}):\n"
        "    try: start()\n"
        "    except PermissionError: print('refused', flush=True)\n"
    )
    with started(sandbox, lambda _: ("python", "-c", f"import sys; sys.stdout = sys.stderr\n{code}")) as (process, _):
        assert process.communicate(timeout=START_TIMEOUT_S)[0].split() == [b"refused"] * 3


def test_a_socket_is_connected_to_the_referee_alone(sandbox: Sandbox) -> None:
    with TempFolder() as folder, socket.socket(socket.AF_UNIX) as other:
        other.bind(str(folder.path / "other"))
        (folder.path / "other").chmod(0o777)
        folder.path.chmod(0o755)
        other.listen()
        code = (
            "import os, socket\n"
            f"for path in {str(folder.path / 'other')!r}, os.environ['BEANLEAGUE_SOCKET'][5:]:\n"
            "    for blocking in True, False:\n"
            "        with socket.socket(socket.AF_UNIX) as opened:\n"
            "            opened.setblocking(blocking)\n"
            "            print(opened.connect_ex(path) == 0, flush=True)\n"
        )
        command = ("python", "-c", f"import sys; sys.stdout = sys.stderr\n{code}")
        with started(sandbox, lambda _: command) as (process, _):
            assert process.communicate(timeout=START_TIMEOUT_S)[0].split() == [b"False"] * 2 + [b"True"] * 2


def test_an_address_beyond_all_memory_is_refused_and_the_referee_can_be_dialled_after_it(sandbox: Sandbox) -> None:
    code = (
        "import ctypes, os, socket\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "opened = socket.socket(socket.AF_UNIX)\n"
        "for address in 2**64 - 16, 2**63, 16:\n"
        "    failed = libc.connect(opened.fileno(), ctypes.c_void_p(address), ctypes.c_uint(110))\n"
        "    print(failed, ctypes.get_errno() in {5, 14}, flush=True)\n"  # EIO, EFAULT
        "print(opened.connect_ex(os.environ['BEANLEAGUE_SOCKET'][5:]), flush=True)\n"
    )
    command = ("python", "-c", f"import sys; sys.stdout = sys.stderr\n{code}")
    with started(sandbox, lambda _: command) as (process, _):
        assert process.communicate(timeout=START_TIMEOUT_S)[0].splitlines() == [b"-1 True"] * 3 + [b"0"]


def test_the_filter_alone_keeps_bots_of_the_referee_s_user_from_cutting_files() -> None:
    """Landlock does not before Linux 6.2: neither by `truncate` nor by opening what may only be read."""
    found = examine(Layer.LANDLOCK, LIMITS)
    if found.sandbox is None:
        pytest.skip(f"{Layer.LANDLOCK} does not work here: {found.why_not}")
    code = (
        "import errno, os\n"
        "for cut in lambda: os.truncate('/etc/hosts', 0), lambda: os.open(__file__, os.O_RDONLY | os.O_TRUNC):\n"
        "    try: cut()\n"
        "    except OSError as refused: print(errno.errorcode[refused.errno], flush=True)\n"
        "print(open('/dev/null', 'w').write('x'), flush=True)\n"
    )

    def cutting(folder: Path) -> tuple[str, ...]:
        (folder / "cutting.py").write_text(f"import sys; sys.stdout = sys.stderr\n{code}")
        return ("python", "cutting.py")

    with started(found.sandbox, cutting) as (process, _):  # the filter's errors: Landlock's would be EACCES
        assert process.communicate(timeout=START_TIMEOUT_S)[0].split() == [b"ENOSYS", b"EPERM", b"1"]


@pytest.mark.parametrize("build", [python, slow(node), java, slow(dynamic_c)])
def test_programs_run_from_a_copy_in_memory(memory_sandbox: Sandbox, build: Build) -> None:
    check_it_answers(memory_sandbox, build)


def test_links_to_programs_stay_links_in_a_copy_in_memory(memory_sandbox: Sandbox) -> None:
    """With what they lead to, the copy would be hundreds of megabytes larger."""
    assert memory_sandbox.runtime
    links = [path for path in Path("/etc/alternatives").glob("*") if path.is_symlink()]
    copies = Path(memory_sandbox.runtime, "etc/alternatives")
    assert {(copies / link.name).is_symlink() for link in links} <= {True}


def test_nothing_of_the_disk_is_seen_beside_a_copy_in_memory(memory_sandbox: Sandbox) -> None:
    code = "import os, sys; print(len({os.stat(place).st_dev for place in ('/usr', os.__file__)}), file=sys.stderr)"
    disk = Path(os.__file__).stat().st_dev
    code += f"; print(os.stat(os.__file__).st_dev == {disk}, file=sys.stderr)"
    with started(memory_sandbox, lambda _: ("python", "-c", code)) as (process, _):
        assert process.communicate(timeout=START_TIMEOUT_S)[0].split() == [b"1", b"False"]


def test_a_memory_limit_of_the_league_is_kept(sandbox: Sandbox) -> None:
    sandbox = replace(sandbox, limits=Limits())
    with started(sandbox, lambda _: ("python", "-c", "bytearray(2**31)")) as (process, _):
        assert b"MemoryError" in process.communicate(timeout=START_TIMEOUT_S)[0]
