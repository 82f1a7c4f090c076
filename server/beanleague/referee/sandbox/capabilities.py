"""Capabilities of this host for bots, with advice on speed and strength for its administrator."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from beanleague.referee.sandbox.cgroups import ControlGroups
from beanleague.referee.sandbox.launch import Sandbox, why_no_programs
from beanleague.referee.sandbox.layers import Layer, SandboxError
from beanleague.referee.sandbox.probe import forking

_SESSION = (
    "in a systemd session with its own control groups (systemd-run --user --scope -p Delegate=yes beanleague ...)"
)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of a host in addition to its working layers."""

    root: bool
    """Whether the referee is root and can give each bot process its own user."""
    bubblewrap: bool
    """Whether bubblewrap is installed; it may still not work."""
    layer: Layer | None
    """Sandbox layer for untrusted bots; None if none works."""
    controllers: tuple[str, ...]
    """Controllers available in the bots' control groups."""
    why_no_programs: str
    """Reason why bots cannot start programs; "" if they can."""
    why_not_forked: str
    """Reason why Python bots are not forked from a template; "" if they are."""

    def summary(self) -> str:
        """Return a short summary of the host."""
        return ", ".join(
            (
                "root" if self.root else "an ordinary user",
                f"{'with' if self.bubblewrap else 'without'} the package bubblewrap",
                f"bots under {self.layer}" if self.layer else "no layer that works",
                "control groups" if self.controllers else "no control groups",
                f"bots are not forked: {self.why_not_forked}" if self.why_not_forked else "bots in Python are forked",
            )
        )

    def faster(self) -> Iterator[str]:
        """Yield advice on making leagues faster."""
        if self.why_not_forked:
            yield (
                f"run bots under {Layer.BUBBLEWRAP}: Python bots are then forked, so a start takes 6 ms of CPU instead "
                "of 60"
            )

    def stronger(self) -> Iterator[str]:
        """Yield advice on better protection, or more capabilities for bots."""
        if not self.bubblewrap:
            yield "install the package bubblewrap: bots then get namespaces and a scratch folder of their own"
        elif self.layer is not Layer.BUBBLEWRAP:
            yield "allow this user to create namespaces (sysctl user.max_user_namespaces): bubblewrap needs them"
        if not self.controllers:
            how = "where root may create control groups" if self.root else f"as root, or {_SESSION}"
            yield (
                f"run {how}: the kernel then limits the resources of bots at every moment, and under bubblewrap "
                "bots may start programs"
            )
        if not self.root:
            yield (
                "run as root: each bot process then gets its own user ID, and replays of a deal cannot signal to "
                "each other through per-user limits"
            )


def capabilities(sandbox: Sandbox | None, groups: ControlGroups) -> Capabilities:
    """Return the capabilities of this host. `sandbox`: sandbox for untrusted bots, None if no layer works."""
    return Capabilities(
        root=os.getuid() == 0,
        bubblewrap=shutil.which("bwrap") is not None,
        layer=sandbox.layer if sandbox else None,
        controllers=groups.controllers,
        why_no_programs=why_no_programs(sandbox.layer, groups) if sandbox else "no layer works",
        why_not_forked=_why_not_forked(sandbox) if sandbox else "no layer works",
    )


def _why_not_forked(sandbox: Sandbox) -> str:
    """Return the reason why Python bots are not forked from a template in `sandbox`, "" if a test fork worked."""
    try:
        made = forking(sandbox)
    except SandboxError as problem:
        return str(problem)
    if made.template:
        made.template.close()
    return ""
