"""What errors of databases mean, for people; the sentences of all kinds of databases are together in `errors.toml`."""

import tomllib
from collections.abc import Callable
from pathlib import Path

# Read at once: when an error comes, there may be no open files left.
_ERRORS = tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8"))["errors"]


def meaning(sort: str, shows: Callable[[str], bool]) -> str:
    """Return what an error means, behind the name of its database; "" if it shows none of the signs of a `sort`."""
    fitting: list[str] = [error["means"] for error in _ERRORS if any(map(shows, error.get(sort, ())))]
    return fitting[0] if fitting else ""
