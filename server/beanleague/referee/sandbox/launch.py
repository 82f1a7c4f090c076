"""Starting a bot under a sandbox layer: its file system, environment and command."""

import marshal
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from beanleague.interpreter import PROGRAM, python
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox import launcher, surroundings
from beanleague.referee.sandbox.cgroups import ControlGroup, ControlGroups
from beanleague.referee.sandbox.layers import Layer, SandboxError
from beanleague.referee.sandbox.seccomp import OWN_PID, program
from beanleague.referee.sandbox.template import OWN_USERS

_LAUNCHER = launcher.__file__
_TEMPLATE = str(Path(_LAUNCHER).with_name("template.py"))
_HOLD = 'echo + >&0; read code || code=137; exit "$code"'  # exit code 137 stands for killed, like the template
_TEMPLATE_S = 10.0  # time for a template to load or to accept a message
_TEMPLATE_BYTES = 2**16  # maximum size of the module names
BUNDLE, _LAUNCHER_INSIDE = "/bot", "/run/launcher.py"
_PACKAGES = "/packages"
_ALONE = ("-I", "-S")  # options of the launcher's interpreter: only the standard library
# options if the interpreter becomes the bot, which then uses the Python variables of its environment
_AS_A_BOT = ("-s", "-S")
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
_NO_LANDLOCK = {"readable": (), "devices": (), "reads_all": False, "socket": "", "program": ""}
_LIBRARY_FOLDERS = ("/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
_DEVICE_BYTES = 64 * 2**10
_SHARED_MEMORY_BYTES = 2**20
_DATA_FACTOR = 4  # writable memory as a multiple of the memory limit, since not all of it is used
_MIN_DATA = 2**30  # minimum: grpc hangs with less
# address space as a multiple of the memory limit: Node.js and a JVM reserve more than 1 GiB and use little of it
_ADDRESS_SPACE_FACTOR = 16
_MIN_ADDRESS_SPACE = 4 * 2**30
_MAX_CPU_S = 6 * 3600  # CPU limit for orphaned processes; a process kept for many matches may live long
_MAX_OPEN_FILES = 256


@dataclass(frozen=True, slots=True)
class BotFiles:
    """Files and command of a bot process."""

    command: tuple[str, ...]
    """Command line: program and arguments."""
    folder: Path
    """Folder of the unpacked bundle."""
    socket: Path
    """Path of the referee's socket for this bot process."""
    home: Path
    """Private folder of this bot process, which contains the socket."""
    packages: str = ""
    """Folder of the packages in the bot's environment, "" for the default one."""


class Template:
    """Process that forks into bots; see `template.py`. `limits`: limits of each bot.

    Raises:
        OSError: the process cannot be started, or does not work here.
    """

    def __init__(self, limits: Limits) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = python(*_AS_A_BOT, _TEMPLATE, str(theirs.fileno()), BUNDLE)
            variables = surroundings.environment_inside(limits)
            self.process = _popen(words, variables, cwd=Path("/"), pass_fds=(theirs.fileno(),))
        self._socket.settimeout(_TEMPLATE_S)
        try:
            names = self._socket.recv(_TEMPLATE_BYTES)
        except OSError:
            names = b""
        if not names:
            self.close()
            raise OSError(f"{_TEMPLATE} did not start")
        self._names = frozenset(names.decode().split("\n"))

    @property
    def has_ended(self) -> bool:
        """Whether the template's process has ended, and all its bots with it."""
        return self.process.poll() is not None

    def suits(self, bot: BotFiles) -> bool:
        """Return whether the template can become `bot`: a Python file without modules named like loaded modules."""
        return _is_script(bot) and not bot.packages and not self._names & _names_in(bot.folder)

    def fork(self, descriptors: Sequence[int], *, own_users: bool) -> None:
        """Fork a bot; see `template.py`.

        Raises:
            OSError: the template has ended.
        """
        socket.send_fds(self._socket, [OWN_USERS if own_users else b"+"], descriptors)

    def close(self) -> None:
        """End the template and all bots forked from it."""
        self._socket.close()
        self.process.kill()
        with self.process:  # waits for the process and closes its pipe
            pass


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Settings for starting bots under a layer."""

    layer: Layer
    """Sandbox layer in use."""
    limits: Limits
    """Resource limits of each bot process."""
    bubblewrap: str
    """Path of `bwrap`, "" if not needed."""
    readable: tuple[str, ...]
    """Files and folders of the host that bots may read and execute."""
    filter: bytes
    """Seccomp filter, b"" for none."""
    listened_filter: bytes
    """Seccomp filter for processes with a `launcher._Listener`."""
    groups: ControlGroups
    """Places where bots' control groups are created."""
    runtime: Path | None = None
    """Copy of `readable` in memory for bots (see `in_memory.held_in_memory`); only under bubblewrap."""
    template: Template | None = None
    """Template process from which suitable bots are forked; None to start an interpreter for each."""

    @property
    def wrapped(self) -> bool:
        """Whether each process is in namespaces of its own, as a grandchild of the started one."""
        return self.layer is Layer.BUBBLEWRAP

    @property
    def why_no_programs(self) -> str:
        """Reason why bots cannot start programs in this sandbox; "" if they can."""
        return why_no_programs(self.layer, self.groups)

    def with_template(self) -> "Sandbox":
        """Return a copy with a template, which the caller must close.

        Raises:
            SandboxError: templates are impossible here; the message gives the reason.
        """
        if not self.wrapped:
            raise SandboxError(f"bots can be forked only under {Layer.BUBBLEWRAP}")
        if self.runtime is not None:
            raise SandboxError("bots are not forked in isolated leagues")
        try:
            return replace(self, template=Template(self.limits))
        except OSError as problem:
            raise SandboxError(f"the process that bots are forked from does not start: {problem}") from None

    def template_for(self, bot: BotFiles) -> Template | None:
        """Return the template to fork `bot` from; None if it must be started."""
        return self.template if self.template and self.template.suits(bot) else None

    @property
    def gives_users(self) -> bool:
        """Whether each bot process gets its own user."""
        return os.getuid() == 0 and self.layer is not Layer.PLAIN

    @property
    def outer_processes(self) -> int:
        """Number of our processes around a bot, each a child of the previous one."""
        return {Layer.BUBBLEWRAP: 2, Layer.LANDLOCK: 1, Layer.PLAIN: 0}[self.layer]

    def group(self, bot: BotFiles) -> ControlGroup:
        """Create the control group of a process.

        Raises:
            GroupError: the group cannot be created.
        """
        return self.groups.make(f"{bot.home.parent.name}-{bot.home.name}", self.limits)

    def start(
        self, bot: BotFiles, uid: int | None, group: ControlGroup, report: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a process in `group` and in a session of its own. `uid`: user of the process, None for the referee's.

        `report`: a descriptor to which "+" is written just before the bot's command is run, and then "-" if a shortage
        of the host prevents that.

        The first word "python" means the referee's own interpreter. Stdout and stderr share the pipe `stdout` of the
        result. The process ends with the calling thread.

        Raises:
            OSError: the process cannot be started.
        """
        first, *rest = bot.command
        command = [PROGRAM if first == "python" else first, *rest]
        if uid is not None:
            os.chown(bot.socket, uid, -1)
            bot.socket.chmod(0o600)
        if self.wrapped:
            return self._start_wrapped(bot, command, uid, group, report)
        if uid is not None:  # the user must reach its socket, but not list other folders
            for folder in (bot.home, bot.home.parent):
                folder.chmod(0o711)
        settings = _marshal(self._settings(command, uid, bot, report, None))
        path = surroundings.path_for(self.layer)
        variables = surroundings.environment(f"unix:{bot.socket}", str(bot.home), path, self.limits)
        words = group.enter(python(*_options(bot), _LAUNCHER, settings))
        return _popen(words, variables, cwd=bot.folder, pass_fds=(report,))

    def _start_wrapped(
        self, bot: BotFiles, command: list[str], uid: int | None, group: ControlGroup, report: int | None
    ) -> subprocess.Popen[bytes]:
        template = None if report is None else self.template_for(bot)
        variables = surroundings.environment_inside(self.limits)
        options = [
            *("--die-with-parent", "--new-session", "--clearenv", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
            *("--unshare-uts", "--hostname", "bot", "--unshare-cgroup-try"),
            *(word for name, value in variables.items() for word in ("--setenv", name, value)),
            *(("--cap-drop", "ALL") if template and uid is not None else _privileges(uid)),
            # The first process cannot be stopped or killed by a bot. It is the waiting shell, unless bots have
            # children, which bubblewrap must reap.
            *(("--as-pid-1",) if template and self.why_no_programs else ()),
            *self._files(bot),
            *("--chdir", BUNDLE),
        ]
        packed = b"".join(os.fsencode(option) + b"\0" for option in options)
        with _file_of(packed) as options_fd, _end_of_this_process() as end:
            words = [self.bubblewrap, "--args", str(options_fd)]
            if template and report is not None:
                settings = self._settings(command, uid, bot, None, None)
                return _fork(template, settings, words, options_fd, group, report)
            settings = self._settings(command, uid, bot, report, end)
            words += python(*_options(bot), _LAUNCHER_INSIDE, _marshal(settings))
            # With an empty environment and working folder, since the organiser's are private.
            return _popen(group.enter(words), {}, cwd=Path("/"), pass_fds=(options_fd, end, report))

    def _files(self, bot: BotFiles) -> Iterator[str]:
        """Yield bubblewrap's options for the bot's file system; children follow their parents."""
        yield from ("--perms", "1777", "--size", str(self.limits.scratch_bytes), "--tmpfs", "/tmp")  # noqa: S108
        # No real /proc: stat, smaps and pagemap of a process reveal the cached parts of files and the other processes
        # that map them; most other files reveal the activity of the machine, and the link count reveals the number of
        # processes on the host. The one link left lets the dynamic linker find libraries next to a program.
        yield from ("--perms", "0755", "--dir", "/proc", "--perms", "0755", "--dir", "/proc/self")
        yield from ("--symlink", _program(bot, BUNDLE), "/proc/self/exe")
        yield from ("--perms", "0755", "--size", str(_DEVICE_BYTES), "--tmpfs", "/dev")
        for device in _DEVICES:  # bubblewrap's read-only mounts have no devices; the filter protects their inodes
            yield from ("--dev-bind", device, device)
        yield from ("--perms", "1777", "--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm")  # noqa: S108
        yield from ("--remount-ro", "/dev")
        above = {str(parent) for path in (*self.readable, surroundings.SOCKET) for parent in Path(path).parents}
        for folder in sorted(above - {"/", "/tmp"}):  # noqa: S108  # bubblewrap would make them readable for root only
            yield from ("--perms", "0755", "--dir", folder)
        for path in self.readable:
            if path in _LIBRARY_FOLDERS and Path(path).is_symlink():
                yield from ("--symlink", str(Path(path).readlink()), path)
            elif self.runtime is None:
                yield from ("--ro-bind", path, path)
            else:
                yield from ("--ro-bind-try", f"{self.runtime}{path}", path)
        yield from ("--ro-bind", str(bot.folder), BUNDLE)
        if bot.packages:
            yield from ("--ro-bind", bot.packages, _PACKAGES)
        yield from ("--ro-bind", str(bot.socket), surroundings.SOCKET)
        yield from ("--ro-bind", _LAUNCHER, _LAUNCHER_INSIDE)
        yield from ("--remount-ro", "/")

    def _settings(
        self, command: list[str], uid: int | None, bot: BotFiles, report: int | None, referee: int | None
    ) -> dict[str, object]:
        """Return the settings of `launcher.run_as_bot`.

        `referee`: descriptor that becomes readable when this process has ended.

        A Python bot can read these settings.
        """
        landlock = self.layer is Layer.LANDLOCK
        # Landlock needs a listener anyway. Elsewhere it costs 6 MB, which Python does not need: its threads wait on
        # private futexes.
        listened = landlock or (self.wrapped and bot.command[0] != "python")
        return {
            "limits": self._resource_limits(uid),
            "landlock": landlock,
            **(self._landlock_settings(bot, uid) if landlock else _NO_LANDLOCK),
            "uid": uid,
            "parent": 0 if self.wrapped else os.getpid(),
            "referee": referee,
            "report": report,
            "seccomp": self.listened_filter if listened else self.filter,
            "listened": listened,
            "own_pid": b"" if self.wrapped else OWN_PID,
            "packages": _PACKAGES if self.wrapped and bot.packages else bot.packages,
            "script": _is_script(bot),
            "command": command,
        }

    def _resource_limits(self, uid: int | None) -> dict[str, int]:
        """Return the limits of a bot's processes by the names of `resource`, without RLIMIT_."""
        limits = self.limits
        most = {
            "AS": max(_ADDRESS_SPACE_FACTOR * limits.memory_bytes, _MIN_ADDRESS_SPACE),
            "DATA": max(_DATA_FACTOR * limits.memory_bytes, _MIN_DATA),
            "FSIZE": limits.scratch_bytes,
            "NOFILE": _MAX_OPEN_FILES,
            "CORE": 0,
            "CPU": _MAX_CPU_S,
        }
        # The kernel counts these per user: otherwise all processes of the referee's user would count.
        if "pids" not in self.groups.controllers and (self.wrapped or uid is not None):
            most["NPROC"] = limits.processes
        return most

    def _landlock_settings(self, bot: BotFiles, uid: int | None) -> Mapping[str, object]:
        """Return the settings that only Landlock needs; other layers use `_NO_LANDLOCK`."""
        own = (*self.readable, str(bot.folder), *filter(None, (bot.packages,)), _LAUNCHER)
        return {
            "readable": own,
            "devices": _DEVICES,
            "reads_all": uid is not None and not all(map(surroundings.open_to_all, own)),
            "socket": str(bot.socket),
            "program": _program(bot, str(bot.folder)),
        }


def make(layer: Layer, limits: Limits, bubblewrap: str, groups: ControlGroups) -> Sandbox:
    """Return the sandbox of `layer`, untested; see `beanleague.referee.sandbox.probe`.

    Args:
        layer: layer of the sandbox.
        limits: limits of each bot.
        bubblewrap: path of `bwrap`, "" if it is not installed.
        groups: places of control groups. Bots may start processes only if groups count the CPU time of all processes.

    Raises:
        SandboxError: the layer cannot work on this machine.
    """
    surroundings.compile_library()
    if layer is Layer.PLAIN:
        return Sandbox(layer, limits, "", (), b"", b"", groups)
    if not bubblewrap and layer is not Layer.LANDLOCK:
        raise SandboxError("the program bwrap is not installed; install the package bubblewrap")
    try:
        paths = surroundings.readable_files()
    except (OSError, subprocess.SubprocessError, ValueError) as problem:
        raise SandboxError(f"{PROGRAM} cannot list the folders of its modules: {problem}") from None
    namespaces = layer is Layer.BUBBLEWRAP
    processes = not why_no_programs(layer, groups)
    code = program(namespaces=namespaces, processes=processes, listens=False)
    listened = program(namespaces=namespaces, processes=processes, listens=True)
    return Sandbox(layer, limits, bubblewrap, paths, code, listened, groups)


def why_no_programs(layer: Layer, groups: ControlGroups) -> str:
    """Return the reason why bots under `layer` cannot start programs; "" if they can."""
    if layer is Layer.LANDLOCK:
        return f"under {layer} they can only use threads"
    # The CPU time of an unreaped child would not be charged.
    return "" if layer is Layer.PLAIN or groups.counts_cpu else "no control group counts the CPU time of their children"


def _program(bot: BotFiles, bundle: str) -> str:
    """Return the path of a bot's program inside the sandbox. `bundle`: path of its bundle there."""
    first = bot.command[0]
    if first == "python":
        return os.path.realpath(PROGRAM)
    if "/" not in first:
        return os.path.realpath(shutil.which(first, path=surroundings.path_for(Layer.BUBBLEWRAP)) or first)
    return os.path.normpath(Path(bundle, first))


def _is_script(bot: BotFiles) -> bool:
    """Return whether the command is a Python file, which the launcher runs in its own interpreter."""
    first, script, *_ = *bot.command, ""
    return first == "python" and script.endswith(".py") and not script.startswith("-")


def _options(bot: BotFiles) -> tuple[str, ...]:
    return _AS_A_BOT if _is_script(bot) else _ALONE


def _privileges(uid: int | None) -> tuple[str, ...]:
    if uid is None:
        return ("--unshare-user", "--disable-userns", "--cap-drop", "ALL")
    # No user namespace, so that bind mounts can reach folders of root; the launcher then changes to `uid`.
    return ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")


def _fork(
    template: Template,
    settings: dict[str, object],
    bubblewrap: list[str],
    options: int,
    groups: ControlGroup,
    report: int,
) -> subprocess.Popen[bytes]:
    """Start a waiting shell in new namespaces, and fork `template` into them.

    `bubblewrap`: command that creates the namespaces. `options`, `report`: descriptors of its options and of the bot's
    report.
    """
    with ExitStack() as opened:
        ends = [os.fdopen(end, "wb" if number % 2 else "rb", 0) for number, end in enumerate((*os.pipe(), *os.pipe()))]
        output, written, info, told = map(opened.enter_context, ends)
        hold, held = map(opened.enter_context, socket.socketpair())
        kept = opened.enter_context(_file_of(marshal.dumps(settings)))
        entrances = [opened.enter_context((folder / "cgroup.procs").open("wb", 0)) for folder in groups.folders]
        words = [*bubblewrap, "--info-fd", str(told.fileno()), "/bin/sh", "-c", _HOLD]
        # The shell holds both ends of `info`: if no process could read it, the shell would end, but not its child.
        fds = (options, info.fileno(), told.fileno())
        process = _popen(words, {}, cwd=Path("/"), pass_fds=fds, stdin=held.fileno(), stdout=written.fileno())
        try:
            described = (info, hold, written)
            descriptors = [kept, *(one.fileno() for one in described), report, *(one.fileno() for one in entrances)]
            template.fork(descriptors, own_users=settings["uid"] is None)
        except OSError:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        process.stdout = os.fdopen(os.dup(output.fileno()), "rb")
    return process


@contextmanager
def _file_of(data: bytes) -> Iterator[int]:
    """Yield a descriptor with these data, since bots could find them on a command line or in memory."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


@contextmanager
def _end_of_this_process() -> Iterator[int]:
    """Yield a descriptor that becomes readable when this process has ended."""
    end = os.pidfd_open(os.getpid())
    try:
        yield end
    finally:
        os.close(end)


def _popen(
    words: list[str],
    environment: dict[str, str],
    *,
    cwd: Path,
    pass_fds: tuple[int | None, ...],
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words,
        cwd=cwd,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=[descriptor for descriptor in pass_fds if descriptor is not None],
    )


@cache  # cached, since bundles do not change
def _names_in(folder: Path) -> frozenset[str]:
    """Return the names under which a program in `folder` could import its contents."""
    return frozenset(path.name.partition(".")[0] for path in folder.rglob("*"))


def _marshal(settings: dict[str, object]) -> str:
    """Return settings as text for the command line, marshalled: same interpreter, and faster to load than JSON."""
    return marshal.dumps(settings).hex()
