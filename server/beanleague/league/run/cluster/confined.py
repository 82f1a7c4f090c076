"""Program of the process that talks to Dask for a run. It drops all unneeded rights first.

Started by `link.Link`. If the kernel has Landlock, it can read no files except programs and its certificate, write
none, and connect only to the scheduler. This happens before the import of Dask, which starts threads: the restrictions
apply only to the calling thread and its later threads.
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
_OF_DASK = ("/proc/meminfo", "/proc/stat", "/proc/self")  # files that Dask reads when imported
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")


def _confine(files: Sequence[str], port: int) -> None:
    """Restrict this process to reading `files` and programs, writing nothing, and connecting to this TCP port.

    It also cannot inspect other processes, and as root it loses root's privileges. If the kernel lacks support, it
    continues unrestricted.
    """
    own = {sys.prefix, sys.base_prefix, *sys.path} - {"", "/"}
    with suppress(OSError, SandboxError):
        launcher.restrict([*_PROGRAMS, *_NAMES, *_OF_DASK, *sorted(own), *files], list(_DEVICES), port, network_only())


def main() -> None:
    """Restrict the process, then serve the run."""
    given = json.loads(sys.argv[1])
    settings = ClusterSettings(given.pop("address"), **{name: Path(file) for name, file in given.items()})
    _confine([str(file) for file in (settings.ca, settings.cert, settings.key) if file], settings.port)
    from beanleague.league.run.cluster.messenger import serve

    serve(settings)


if __name__ == "__main__":
    main()
