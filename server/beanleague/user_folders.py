"""Default folders of the user for data and caches, and expansion of "~" in paths."""

import os
from collections.abc import Callable
from pathlib import Path


class NoHomeError(Exception):
    """Raised when the user has no home folder, e.g. in containers with arbitrary user ids; the message says so."""


def data_folder() -> Path:
    """Return the folder for permanent data, e.g. ~/.local/share/beanleague.

    Raises:
        NoHomeError: the user has no home folder.
    """
    from platformdirs import user_data_path

    return _folder(user_data_path, "XDG_DATA_HOME")


def cache_folder() -> Path:
    """Return the folder for data that can be regenerated, e.g. ~/.cache/beanleague.

    Raises:
        NoHomeError: the user has no home folder.
    """
    from platformdirs import user_cache_path

    return _folder(user_cache_path, "XDG_CACHE_HOME")


def expand_home(path: str) -> Path:
    """Expand "~" in a path; the name of an unknown user is left unchanged, and is reported as missing later."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib's version raises RuntimeError


def _folder(find: Callable[..., Path], variable: str) -> Path:
    """Return a folder of the user. `find`: function of platformdirs, which without HOME needs the user database.

    `variable`: environment variable with the parent folder.
    """
    try:
        folder = find("beanleague", appauthor=False)
    except RuntimeError:  # raised by new Python versions; old ones keep the "~"
        folder = Path()
    if not folder.is_absolute():
        raise NoHomeError(
            f"the user with the id {os.getuid()} has no known home folder; set HOME or {variable} to a folder"
        )
    return folder
