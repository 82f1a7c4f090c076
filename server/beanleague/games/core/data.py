"""The files in `beanleague/games/data`."""

from __future__ import annotations

from pkgutil import get_data
from typing import Any


def data_text(name: str) -> str:
    """Return the text of the file `name`."""
    data = get_data("beanleague.games", f"data/{name}")
    assert data is not None
    return data.decode("utf-8")


def data_table(name: str) -> dict[str, Any]:
    """Return the TOML file `name` as a table."""
    import tomllib  # a bot is sent what is in the files, and needs no TOML

    return tomllib.loads(data_text(name))
