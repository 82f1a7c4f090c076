"""What looks like a mistake in a bot's class, though Python finds nothing wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from beanbot.bot import Bot

_LIBRARY = Bot.__module__.partition(".")[0]
_ALIKE = 0.8  # of `get_close_matches`: "awnser" is like "answer", "growing" is like nothing


def advice(classes: Iterable[type[Bot[Any]]]) -> Iterator[str]:
    """Yield a sentence for each public method of the author's classes that is nearly one that the library calls."""
    for bot_class in classes:
        ours = [base for base in bot_class.__mro__ if base.__module__.partition(".")[0] == _LIBRARY]
        called = {_plain(name): name for base in ours for name, value in vars(base).items() if _is_method(name, value)}
        for base in bot_class.__mro__:
            if base in ours or base is object:
                continue
            for name, value in vars(base).items():
                if _is_method(name, value) and name not in called.values():
                    for alike in get_close_matches(_plain(name), called, 1, _ALIKE):
                        yield f"{base.__name__}.{name} is never called by a game; is {called[alike]} meant?"


def _is_method(name: str, value: object) -> bool:
    return callable(value) and not name.startswith("_")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
