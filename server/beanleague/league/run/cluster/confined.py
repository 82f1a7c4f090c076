"""The program of the process that talks to Dask for a run: gives up what it needs not, then begins.

Run by `link.Link`. Where the kernel has Landlock, it reads no files but programs and its certificate, writes none, and
connects to nobody but the scheduler. That is done before Dask is imported, which starts threads: only the thread that
asks for it, and those that it starts later, are confined.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.referee.sandbox import launcher
from beanleague.referee.sandbox.layers import SandboxError
from beanleague.referee.sandbox.seccomp import network_only

_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl")
_NAMES = (
    "/etc/hosts",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/run/systemd/resolve",
)
_OF_DASK = ("/proc/meminfo", "/proc/stat", "/proc/self")  # reads these as it is imported
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")


def _confine(files: Sequence[str], port: int) -> None:
    """Let this process read no files but `files` and programs, write none, and connect to this TCP port only.

    Nor can it look into other processes, or, of the user root, use what only root may. Where the kernel cannot do
    that, it goes on as it is.
    """
    own = {sys.prefix, sys.base_prefix, *sys.path} - {"", "/"}
    with suppress(OSError, SandboxError):
        launcher.restrict([*_PROGRAMS, *_NAMES, *_OF_DASK, *sorted(own), *files], list(_DEVICES), port, network_only())


def main() -> None:
    """Be confined, and serve the run."""
    given = json.loads(sys.argv[1])
    settings = ClusterSettings(given.pop("address"), **{name: Path(file) for name, file in given.items()})
    _confine([str(file) for file in (settings.ca, settings.cert, settings.key) if file], settings.port)
    from beanleague.league.run.cluster.messenger import serve

    serve(settings)


if __name__ == "__main__":
    main()
