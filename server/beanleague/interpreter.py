"""The interpreter that runs Beanleague, and command lines of processes of our own.

Python puts the current folder first on the import path of `-m` and `-c`. Commands run in anybody's folder, e.g. in that
of a bot that was sent to you: a `random.py` there would run as you, outside the sandbox. Option -P prevents that.
PYTHONPATH and the user's packages stay, which are the caller's own.
"""

import sys

PROGRAM = sys.executable  # noqa: TID251
"""The path of the interpreter; `python` makes a command line of it."""


def python(*words: str) -> list[str]:
    """Return a command line of this interpreter with options and arguments, without the current folder on its path."""
    return [PROGRAM, "-P", *words]
