"""A bot's program: the classes it gives to `run()`, which can be found out without playing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from beanbot.bot import Bot
from beanleague.games.families import FAMILIES

_WITH_TRADING = next(family.ruleset_ids for family in FAMILIES if family.name == "bohnanza")

_recorded: ContextVar[list[type[Bot[Any]]] | None] = ContextVar("recorded", default=None)


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot that can play."""

    name: str
    """The name of its bundle or file; "" in a league, where the referee knows it."""
    classes: tuple[type[Bot[Any]], ...]
    """The classes that its program gives to `run()`."""
    folder: str = ""
    """The absolute path of the folder that it runs in; "" for that of the process."""

    def class_for(self, ruleset: str) -> type[Bot[Any]] | None:
        """Return the class that plays `ruleset`: one that names it, else one that names no games, else None."""
        for bot_class in self.classes:
            if ruleset in bot_class.games:
                return bot_class
        return next((bot_class for bot_class in self.classes if not bot_class.games), None)

    def trades(self) -> bool:
        """Return whether any class that plays a game with trading wants to be asked about trades."""
        return any(bot_class.trades for name in _WITH_TRADING if (bot_class := self.class_for(name)))


def check_classes(classes: tuple[object, ...]) -> tuple[type[Bot[Any]], ...]:
    """Return `classes` if `run()` accepts them.

    Raises:
        TypeError: if there are none, or one is not a subclass of `Bot`.
    """
    if not classes:
        raise TypeError("run() takes at least one bot class, as in run(MyBot)")
    for given in classes:
        if not (isinstance(given, type) and issubclass(given, Bot)):
            raise TypeError(f"run() takes bot classes, as in run(MyBot), not {given!r:.80}")
    return classes  # type: ignore[return-value]  # checked just above


@contextmanager
def recording() -> Iterator[list[type[Bot[Any]]]]:
    """Yield a list of the classes given to `run()` inside the block, where `run()` does not play."""
    classes: list[type[Bot[Any]]] = []
    token = _recorded.set(classes)
    try:
        yield classes
    finally:
        _recorded.reset(token)


def record(classes: tuple[type[Bot[Any]], ...]) -> bool:
    """Add `classes` to the list of the enclosing `recording()`; return False outside of a `recording()`."""
    recorded = _recorded.get()
    if recorded is None:
        return False
    recorded.extend(classes)
    return True
