"""Extras: packages for optional parts of Beanleague."""

import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires


def installation(extra: str) -> str:
    """Return the command that installs the packages of an extra for this Python, however Beanleague was installed."""
    try:
        every = requires("beanleague") or []
    except PackageNotFoundError:  # not installed: the program runs from a source folder
        every = []
    split = (each.replace('"', "'").partition(";") for each in every)
    packages = [package.strip() for package, _, marker in split if marker.replace(" ", "") == f"extra=='{extra}'"]
    wanted = packages or [f"beanleague[{extra}]"]
    program = sys.executable  # noqa: TID251  # a command that people can type in any folder
    return shlex.join([program, "-P", "-m", "pip", "install", *wanted])
