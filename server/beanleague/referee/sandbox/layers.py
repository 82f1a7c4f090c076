"""Layers of the sandbox, best first, with their properties."""

from dataclasses import dataclass
from enum import StrEnum


class Layer(StrEnum):
    """Layer of confinement for bots, best first."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    PLAIN = "plain"


CONFINING = (Layer.BUBBLEWRAP, Layer.LANDLOCK)
"""Layers that are safe for untrusted bots."""


class SandboxError(Exception):
    """Raised when bots cannot be confined as required. The message has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class About:
    """Description of a layer for users."""

    what: str
    """Name of the mechanism."""
    covers: str
    """Protection that the layer gives."""
    lacks: str
    """Protection that is missing, or features that bots miss."""


ABOUT = {
    Layer.BUBBLEWRAP: About(
        "bubblewrap: namespaces of its own for every process, a list of allowed system calls and resource limits",
        "files, network, other processes, system calls, memory, number of processes, scratch space",
        "bots have no /proc; replays of a deal can signal to each other slowly through timing (docs/sandbox.md "
        "has the rate)",
    ),
    Layer.LANDLOCK: About(
        "Landlock, a list of allowed system calls and resource limits, for machines where namespaces are refused",
        "files, all sockets but the referee's, signals and other processes, system calls, memory",
        "bots have no scratch folder and start no programs; they see which process numbers are in use and when "
        "files were last read; where they get no mounts of their own, they see how many descriptors and threads "
        "each process has, so any two can signal to each other, fast and exactly",
    ),
    Layer.PLAIN: About(
        "a plain process with resource limits",
        "memory, address space, open files, size of files",
        "a bot can read and write all files its user can, use the network, and stop other programs of its user: "
        "for trusted bots only",
    ),
}
