"""Which files of an author's folder are no part of the bundle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

ALWAYS = ("__pycache__", "*.pyc", ".git", "__MACOSX")
"""What Python, Git and archivers leave behind: no bundle has it, and it may come to be in the folder of one."""

BY_DEFAULT = (*ALWAYS, ".venv", "node_modules/.cache", "*.js.map", "*.mjs.map", "*.cjs.map", "*.ts.map")
"""What is left out when a bot is packed or submitted. What is stored is not looked at again: this list may grow."""


class LeaveOut:
    """Tells which names are left out.

    A pattern without "/" matches files and folders of that name anywhere, one with "/" those at that place of the
    bundle; `*`, `?` and `[...]` stand for characters of one name. What is in a folder that is left out is left out too.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        stripped = [pattern.rstrip("/") for pattern in patterns]
        names = [translate(pattern) for pattern in stripped if "/" not in pattern]
        self._names = re.compile("|".join(names) or "(?!)")
        self._places = [
            [re.compile(translate(part)) for part in pattern.lstrip("/").split("/")]
            for pattern in stripped
            if "/" in pattern
        ]

    def __call__(self, name: str) -> bool:
        """Return whether the file or folder `name` of the bundle is left out. Its bot.toml never is."""
        if name == "bot.toml":
            return False
        parts = name.split("/")
        return any(map(self._names.match, parts)) or any(
            len(place) <= len(parts) and all(word.match(part) for word, part in zip(place, parts, strict=False))
            for place in self._places
        )
