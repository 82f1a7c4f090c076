"""Programs of the bots' library that analyse matches and ask bots, run in sandboxed processes.

The server does not import that library, so a slow or failing program does not affect other calls.
"""

import json
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from beanleague.league.errors import LeagueError
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.probe import choose, started

_LOOK_S = 1.0  # interval of checking for waiting callers
_MAX_OUTPUT = 2**20  # maximum size of the output in bytes
_MAX_PROBLEM = 500  # characters shown of an error
_PROGRESS = re.compile(rb"progress: (\d{1,9}) of (\d{1,9}) ")  # a line of beanbot.analyse
_VERSION_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Program:
    """Program of the bots' library with its input files."""

    words: Sequence[str]
    """Module below `beanbot` and its arguments."""
    files: Mapping[str, bytes]
    """Contents of the input files, by path."""
    trusted: bool = True
    """Whether it may run without a sandbox if none works here."""


@dataclass(frozen=True, slots=True)
class ProgramBounds:
    """Time limits of a program."""

    timeout_s: float
    """Seconds after which the program is ended."""
    share_s: float
    """Seconds after which the program is ended if another caller waits."""


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """Progress of a program that waits for its turn, or runs."""

    ahead: int = 0
    """Place in the queue, from 1; 0 while running."""
    found: str = ""
    """Result as JSON; "" until finished."""
    done: int = 0
    """Number of finished matches of a report, or decisions of a match."""
    total: int = 0
    """Number of its matches or decisions; 0 until it is known."""


Runner: TypeAlias = Callable[[Callable[[], Program], ProgramBounds], Iterator[AnalysisProgress]]
"""Function that runs a program within bounds when its turn comes; the program is prepared only then. The result is the
last item."""


@cache
def analysis_version() -> int:
    """Return the version of the analysis in this installation."""
    return int(output_of(Program(["analyse", "--version"], {}), lambda: True, lambda *_: None, _VERSION_TIMEOUT_S))


def output_of(program: Program, wanted: Callable[[], bool], seen: Callable[[int, int], None], timeout_s: float) -> str:
    """Run a program and return the JSON on its last line of output. `wanted`: whether to go on.

    `seen`: called at least every second with the number of finished matches or decisions and their total, 0 and 0 at
    first; also without progress, since a proxy ends a silent connection.

    Raises:
        LeagueError: if it prints no JSON or too much, takes too long, or is no longer wanted.
        SandboxError: if no sandbox works, and the program is not trusted.
    """
    command = ("python", "-m", f"beanbot.{program.words[0]}", *program.words[1:], "--json")
    with started(choose(Limits(), trusted=program.trusted), command, program.files) as (process, _):
        output = _read(process, wanted, seen, timeout_s)
    last = output.decode("utf-8", "replace").strip().rpartition("\n")[2]
    try:
        return json.dumps(json.loads(last))
    except ValueError:
        problem = last.removeprefix(f"{program.words[0]}: ")[:_MAX_PROBLEM]
        raise LeagueError(problem or "it ended without an error message") from None


def _read(
    process: subprocess.Popen[bytes], wanted: Callable[[], bool], seen: Callable[[int, int], None], timeout_s: float
) -> bytes:
    """Return the whole output of a process."""
    assert process.stdout
    ends, output = time.monotonic() + timeout_s, b""
    while wanted() and time.monotonic() < ends and len(output) < _MAX_OUTPUT:
        if select.select([process.stdout], [], [], _LOOK_S)[0]:
            part = os.read(process.stdout.fileno(), _MAX_OUTPUT)
            if not part:
                return output
            output += part
        done, total = (_PROGRESS.findall(output) or [(b"0", b"0")])[-1]
        seen(int(done), int(total))
    raise LeagueError(f"it printed too much, or took longer than {timeout_s:.0f} seconds")
