"""Detection of working layers by starting a process under each, and starting of single programs."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import ControlGroups, GroupError, find
from beanleague.referee.sandbox.launch import BotFiles, Sandbox, make
from beanleague.referee.sandbox.layers import CONFINING, Layer, SandboxError
from beanleague.referee.sandbox.users import BotUsers
from beanleague.referee.temp_folders import TempFolder

_START_TIMEOUT_S = 20.0
_PROBE = """\
import os, socket, threading
import google.protobuf, grpc
line = threading.Thread(target=int)
line.start()
line.join()
with socket.socket(socket.AF_UNIX) as referee:
    referee.connect(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"))
    referee.sendall(b"sees" if os.path.exists("/proc/1/task") else b"here")
"""


@dataclass(frozen=True, slots=True)
class LayerFinding:
    """Result of testing a layer."""

    layer: Layer
    """Sandbox layer."""
    sandbox: Sandbox | None
    """Working sandbox of the layer; None if it does not work."""
    why_not: str = ""
    """Reason why the layer does not work; "" if it does."""
    sees_others: bool = False
    """Whether its processes see others in /proc; this happens only where mounts are refused."""


_SWITCHES = {
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        (
            "AppArmor keeps bubblewrap from creating namespaces; as root, give it a profile with userns, or allow "
            "it to all: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        ),
    ),
    "kernel/unprivileged_userns_clone": (
        "0",
        "users may not create namespaces here; as root, allow it: sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    "user/max_user_namespaces": (
        "0",
        "nobody may create namespaces here; as root, allow it: sysctl -w user.max_user_namespaces=15000",
    ),
}
"""Kernel settings below /proc/sys that prevent bubblewrap's namespaces, each with a remedy."""
_OF_ALL = "user/max_user_namespaces"  # root ignores the other settings


def explained(line: str, *, root: bool, settings: Path = Path("/proc/sys")) -> str:
    """Explain `line`, the last message of bwrap, if a kernel setting is the cause; else return it.

    `root`: whether root started bwrap. `settings`: folder of the kernel settings.
    """
    if not line.startswith("bwrap:"):
        return line
    for name, (closed, remedy) in _SWITCHES.items():
        if root and name != _OF_ALL:
            continue
        with suppress(OSError):
            if (settings / name).read_text("ascii").strip() == closed:
                return f"{remedy} ({line})"
    return line


def examine(layer: Layer, limits: Limits) -> LayerFinding:
    """Test `layer`: start an interpreter that loads a bot's modules and connects to its socket."""
    try:
        sandbox, sees_others = _working(layer, limits, shutil.which("bwrap") or "")
    except (SandboxError, GroupError) as problem:
        return LayerFinding(layer, None, str(problem))
    except OSError as problem:
        return LayerFinding(layer, None, problem.strerror or str(problem))
    return LayerFinding(layer, sandbox, sees_others=sees_others)


@cache  # only success is cached, since a failure may come from a busy host
def _working(layer: Layer, limits: Limits, bubblewrap: str) -> tuple[Sandbox, bool]:
    sandbox = make(layer, limits, bubblewrap, groups_here(limits))
    return sandbox, _start_a_process(sandbox) == b"sees"


@cache
def groups_here(limits: Limits) -> ControlGroups:
    """Return the places of control groups on this machine."""
    return find(limits)


def choose(limits: Limits, *, trusted: bool, layers: Sequence[Layer] = CONFINING) -> Sandbox:
    """Return the first of `layers` that works. `trusted`: whether the plain layer is acceptable.

    Raises:
        SandboxError: if none works.
    """
    reasons = []
    for layer in layers:
        found = examine(layer, limits)
        if found.sandbox:
            return found.sandbox
        reasons.append(f"{layer}: {found.why_not}")
    if trusted:
        return make(Layer.PLAIN, limits, "", groups_here(limits))
    raise SandboxError(
        f"no sandbox works on this machine ({'; '.join(reasons)}); see 'beanleague doctor', or pass --trust-bots if "
        "you trust the authors of all bots"
    )


def forking(sandbox: Sandbox) -> Sandbox:
    """Return `sandbox` with a template, tested by a fork; the caller must close the template.

    Raises:
        SandboxError: forking is impossible here; the message gives the reason.
    """
    made = sandbox.with_template()
    assert made.template
    try:
        with started(made, ("python", "probe.py"), {"probe.py": b""}, forked=True) as (process, _):
            code = process.wait(_START_TIMEOUT_S)
            why = f"a process ended with {code}" if code else ""
    except (OSError, GroupError, subprocess.TimeoutExpired) as problem:
        why = str(problem)
    if why:
        made.template.close()
        raise SandboxError(f"forking a bot fails here: {why}")
    return made


@contextmanager
def started(
    sandbox: Sandbox, command: Sequence[str], files: Mapping[str, bytes], *, forked: bool = False
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Yield a sandboxed program, running in a folder with `files`, and its socket; kill it at the end.

    `forked`: whether it may be forked from the sandbox's template.

    Raises:
        GroupError: the control group cannot be created.
        OSError: the program cannot be started.
    """
    with (
        TempFolder() as folder,
        socket.socket(socket.AF_UNIX) as referee,
        BotUsers(needed=sandbox.gives_users) as users,
        Path(os.devnull).open("wb") as report,
    ):
        home, bundle = folder.path / "0", folder.path / "bundle"
        home.mkdir(mode=0o700)
        bundle.mkdir()
        for name, data in files.items():
            file = bundle / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        for path in (bundle, *bundle.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        path = home / "referee"
        referee.bind(str(path))
        referee.listen()
        bot = BotFiles(tuple(command), bundle, path, home)
        group = sandbox.group(bot)
        process = sandbox.start(bot, users.take(), group, report.fileno() if forked else None)
        try:
            yield process, referee
        finally:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
            group.remove()


def _start_a_process(sandbox: Sandbox) -> bytes:
    """Return the message that a process in the sandbox sends over its socket."""
    with started(sandbox, ("python", "probe.py"), {"probe.py": _PROBE.encode()}) as (process, referee):
        referee.settimeout(_START_TIMEOUT_S)
        try:
            output, _ = process.communicate(timeout=_START_TIMEOUT_S)
            if process.returncode:
                *_, last = ["", *output.decode("utf-8", "replace").strip().splitlines()]
                why = explained(last[:300], root=os.getuid() == 0)
                raise SandboxError(why or f"a process ended with {process.returncode}")
            with referee.accept()[0] as connection:
                said = connection.recv(4)
        except (subprocess.TimeoutExpired, TimeoutError):
            raise SandboxError(f"a process did not start within {_START_TIMEOUT_S:.0f} s") from None
        if not said:
            raise SandboxError("a process could not connect to its socket")
        return said
