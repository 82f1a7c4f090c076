"""The layers there are, best first, and what each is good for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Layer(StrEnum):
    """How bots are confined. Best first."""

    BUBBLEWRAP = "bubblewrap"
    MASKED = "bubblewrap-masked-proc"
    LANDLOCK = "landlock"
    PLAIN = "plain"


CONFINING = (Layer.BUBBLEWRAP, Layer.MASKED, Layer.LANDLOCK)
"""The layers that bots nobody trusts may run under."""


class SandboxError(Exception):
    """Bots cannot be run as they should be; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class About:
    """What a layer is, what it covers, and what it lacks."""

    what: str
    covers: str
    lacks: str


ABOUT = {
    Layer.BUBBLEWRAP: About(
        "bubblewrap: namespaces of its own for every process, a seccomp filter and resource limits",
        "files, network, other processes, system calls, memory, number of processes, scratch space",
        "how busy the machine is, and what its caches hold, can be measured",
    ),
    Layer.MASKED: About(
        "the same with an empty /proc, for machines where mounting /proc is refused",
        "files, network, other processes, system calls, memory, number of processes, scratch space",
        "programs that read /proc do not work; how busy the machine is, and what its caches hold, can be measured",
    ),
    Layer.LANDLOCK: About(
        "Landlock, a seccomp filter and resource limits, for machines where namespaces are refused",
        "files, network, signals and other processes, system calls, memory; a bot is one process",
        "bots have no scratch folder and start no programs; names of processes are not hidden from system calls; "
        "sockets with a path can be reached by who knows it; abstract ones, too, before Linux 6.12",
    ),
    Layer.PLAIN: About(
        "a plain process with resource limits",
        "memory, address space, open files, size of files",
        "a bot can read and write all files its user can, use the network, and stop other programs of its user: "
        "for trusted bots only",
    ),
}
