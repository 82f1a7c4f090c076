"""Several hosts on one machine: network namespaces, joined by a bridge."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.processes import bots_in
from tests.waiting import until

_TIMEOUT_S = 120


@dataclass
class Program:
    """A command that runs on a host."""

    process: subprocess.Popen[bytes]
    log: Path
    """What it prints."""

    @property
    def text(self) -> str:
        """What it has printed so far."""
        return self.log.read_text()

    def says(self, text: str, times: int = 1) -> None:
        """Wait until it has printed a text."""
        until(lambda: self.text.count(text) >= times or self.process.poll() is not None)
        assert self.text.count(text) >= times, self.text

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, e.g. what Ctrl-C sends."""
        self.process.send_signal(number)

    def end(self) -> int:
        """Wait for its end; return the exit code."""
        return self.process.wait(_TIMEOUT_S)

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait(_TIMEOUT_S)


@dataclass
class Host:
    """A host, whose user has a home folder."""

    address: str
    namespace: str
    home: Path
    programs: list[Program] = field(default_factory=list)

    @property
    def _inside(self) -> list[str]:
        """What starts a command here, under the host's name."""
        named = f'hostname {self.home.name} && exec "$@"'
        return ["nsenter", f"--net=/run/netns/{self.namespace}", "unshare", "--uts", "sh", "-c", named, "sh"]

    def start(self, *command: str) -> Program:
        """Start a command, which may be `beanleague` as people type it."""
        log = self.home / f"{len(self.programs)}.log"
        path = f"{self.home}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {"HOME": str(self.home), "PATH": path, "PYTHONUNBUFFERED": "1"}
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*self._inside, *command],
                cwd=self.home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        self.programs.append(Program(process, log))
        return self.programs[-1]

    def run(self, *command: str) -> str:
        """Run a command that succeeds; return what it printed."""
        program = self.start(*command)
        assert program.end() == 0, program.text
        return program.text

    def unplug(self) -> None:
        """Cut it off from the network, without a word to anybody."""
        _checked("-n", self.namespace, "link", "set", "eth0", "down")

    def others(self) -> list[str]:
        """Return what runs here beside the programs that were started: workers, bots, whatever."""
        known = {program.process.pid for program in self.programs}
        listed = _ip("netns", "pids", self.namespace).stdout.split()
        inside = [psutil.Process(int(pid)) for pid in listed if int(pid) not in known and psutil.pid_exists(int(pid))]
        bots = bots_in(self.home / ".cache" / "beanleague" / "bundles")
        return [_describe(each) for each in (*inside, *bots)]


@contextmanager
def hosts(folder: Path, number: int) -> Iterator[Sequence[Host]]:
    """Give hosts with the addresses 192.0.2.1, 192.0.2.2, ..., and home folders in `folder`.

    The test is skipped where this is not possible.
    """
    if os.getuid():
        pytest.skip("needs root, for network namespaces")
    if not all(map(shutil.which, ("ip", "nsenter", "unshare"))):
        pytest.skip("needs the programs ip, nsenter and unshare")
    prefix = f"beanleague-{os.getpid()}"
    with ExitStack() as stack:
        switch = _namespace(stack, f"{prefix}-switch")
        _checked("-n", switch, "link", "add", "bridge", "type", "bridge")
        _checked("-n", switch, "link", "set", "bridge", "up")
        made = []
        for each in range(1, number + 1):
            name = _namespace(stack, f"{prefix}-{each}")
            host = Host(f"192.0.2.{each}", name, folder / f"host{each}")
            host.home.mkdir()
            port = f"port{each}"
            _checked("-n", switch, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            _checked("-n", switch, "link", "set", port, "master", "bridge", "up")
            _checked("-n", name, "address", "add", f"{host.address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                _checked("-n", name, "link", "set", device, "up")
            made.append(host)
        try:
            yield made
        finally:
            for host in made:
                for program in host.programs:
                    program.kill()


def _namespace(stack: ExitStack, name: str) -> str:
    _checked("netns", "add", name)
    stack.callback(_ip, "netns", "delete", name)
    return name


def _checked(*words: str) -> None:
    done = _ip(*words)
    if done.returncode:
        pytest.skip(f"network namespaces cannot be made here: {done.stderr.strip()}")


def _ip(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


def _describe(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        return "a process that has just ended"
