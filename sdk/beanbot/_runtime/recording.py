"""Finding the classes a bot's program gives to `run()` without playing: while recording, `run()` only notes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from beanbot.bot import Bot

_recorded: ContextVar[list[type[Bot[Any]]] | None] = ContextVar("recorded", default=None)


@contextmanager
def recording() -> Iterator[list[type[Bot[Any]]]]:
    """Yield a list that fills with the classes given to `run()` inside."""
    classes: list[type[Bot[Any]]] = []
    token = _recorded.set(classes)
    try:
        yield classes
    finally:
        _recorded.reset(token)


def record(classes: tuple[type[Bot[Any]], ...]) -> bool:
    """Note `classes` if somebody records; return whether somebody does."""
    recorded = _recorded.get()
    if recorded is None:
        return False
    recorded.extend(classes)
    return True
