"""This machine as a node: its name, CPU model and versions."""

import os
import platform
import re
from functools import cache
from pathlib import Path

import beanleague
from beanleague.model import Node

_NAMES = ("model name", "cpu model", "cpu", "uarch")
"""Keys in /proc/cpuinfo for the name of the CPU model, which differ by processor."""
# words without information in the name of a CPU
_NOISE = re.compile(r"\((?:R|TM)\)|\b(?:CPU|Processor)\b", re.IGNORECASE)


def default_workers() -> int:
    """Return the default number of workers: one per core that this process may use."""
    return len(os.sched_getaffinity(0))


def part_of_the_cores(parts: int) -> frozenset[int]:
    """Return the cores to reserve for work that leagues must not delay: one in `parts`, but at least one."""
    cores = sorted(os.sched_getaffinity(0))
    return frozenset(cores[-max(1, len(cores) // parts) :])


@cache
def this_node(name: str = "", cpu_info: Path = Path("/proc/cpuinfo")) -> Node:
    """Return this machine as a node.

    `name`: name of the node, "" for the host's name. `cpu_info`: file that describes the CPU.
    """
    try:
        text = cpu_info.read_text("utf-8", "replace")
    except OSError:
        text = ""
    return Node(
        name=name or platform.node() or "localhost",
        cpu=cpu_model(text) or platform.machine(),
        beanleague=beanleague.__version__,
        python=platform.python_version(),
    )


def cpu_model(text: str) -> str:
    """Return the CPU model in `text`, the contents of /proc/cpuinfo; "" if it has none.

    Virtual machines often have only the name of a line of processors, such as "AMD EPYC"; there the model numbers are
    added. If cores differ, all models are named.
    """
    return " + ".join(sorted(filter(None, set(map(_model_of, text.split("\n\n"))))))


def _model_of(text: str) -> str:
    """Return the CPU model of one core, given its lines."""
    pairs = (line.partition(":") for line in text.splitlines())
    core = {name.strip(): " ".join(value.split()) for name, _, value in pairs}
    if part := core.get("CPU part"):  # ARM processors have only part numbers
        return f"ARM implementer {core.get('CPU implementer', '?')} part {part}"
    name = " ".join(_NOISE.sub(" ", next((core[name] for name in _NAMES if core.get(name)), "")).split())
    if family := core.get("cpu family"):
        name = f"{name} (family {family} model {core.get('model', '?')})".strip()
    return name
