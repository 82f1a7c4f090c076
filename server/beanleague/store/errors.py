"""Explanations of database errors; the sentences for all kinds of databases are in `errors.toml`."""

import tomllib
from collections.abc import Callable
from pathlib import Path

# Read at import: when an error occurs, no more files may be available.
_ERRORS = tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8"))["errors"]


def meaning_of(sort: str, shows: Callable[[str], bool]) -> str:
    """Return the explanation of an error, a phrase to follow the database's name; "" if unknown.

    `sort`: key of the signs in `errors.toml`. `shows`: returns whether the error has a sign.
    """
    fitting: list[str] = [error["means"] for error in _ERRORS if any(map(shows, error.get(sort, ())))]
    return fitting[0] if fitting else ""
