"""The interpreter that runs Beanleague, and command lines for its processes.

Python puts the current folder first on the import path of `-m` and `-c`. Users run commands in untrusted folders, e.g.
of a bot that they were sent: a `random.py` there would run with their rights, outside the sandbox. Option -P prevents
that. PYTHONPATH and the user's own packages still apply.
"""

import sys

PROGRAM = sys.executable  # noqa: TID251
"""Path of the Python interpreter; `python` puts it into command lines."""


def python(*words: str) -> list[str]:
    """Return a command line for this interpreter without the current folder on the import path."""
    return [PROGRAM, "-P", *words]
