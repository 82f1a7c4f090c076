"""The folders of the user who runs this: where data and caches are by default, and paths that begin with "~"."""

import os
from collections.abc import Callable
from pathlib import Path


class NoHomeError(Exception):
    """Raised when the user has no home folder, as in containers with user ids of their own; the message says so."""


def data_folder() -> Path:
    """Return the folder for what is kept, e.g. ~/.local/share/beanleague.

    Raises:
        NoHomeError: the user has no home folder.
    """
    from platformdirs import user_data_path

    return _folder(user_data_path, "XDG_DATA_HOME")


def cache_folder() -> Path:
    """Return the folder for what can be made again, e.g. ~/.cache/beanleague.

    Raises:
        NoHomeError: the user has no home folder.
    """
    from platformdirs import user_cache_path

    return _folder(user_cache_path, "XDG_CACHE_HOME")


def expanded(path: str) -> Path:
    """Return a path with its "~" replaced; one of an unknown user stays, and is then missing like any other file."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - that of pathlib raises RuntimeError


def _folder(find: Callable[..., Path], variable: str) -> Path:
    """Return a folder of the user. `find`: a function of platformdirs, which asks the database of users without HOME.

    `variable`: the one of the environment that names its parent.
    """
    try:
        folder = find("beanleague", appauthor=False)
    except RuntimeError:  # new versions raise it, others leave the "~"
        folder = Path()
    if not folder.is_absolute():
        raise NoHomeError(
            f"no home folder is known of the user with the id {os.getuid()}; set HOME to a folder, or {variable}"
        )
    return folder
