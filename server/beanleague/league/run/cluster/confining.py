"""What a process gives up that anybody in the cluster may take over."""

import sys
from collections.abc import Sequence
from contextlib import suppress

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
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")


def confine(files: Sequence[str], port: int) -> bool:
    """Let this process read no files but `files` and programs, write none, and connect to this TCP port only.

    Nor can it look into other processes, or, of the user root, use what only root may. Return whether the kernel does
    that. To be called before there is a second thread: they are not all confined.
    """
    own = {sys.prefix, sys.base_prefix, *sys.path} - {"", "/"}
    with suppress(OSError, SandboxError):
        launcher.restrict([*_PROGRAMS, *_NAMES, *sorted(own), *files], list(_DEVICES), port, network_only())
        return True
    return False
