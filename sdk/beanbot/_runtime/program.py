"""A bot's program: the classes it gives to `run()`, which can be found out without playing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from beanbot.bot import Bot
from beanleague.games.families import FAMILIES

if TYPE_CHECKING:
    from beanbot._runtime.home import Home
    from beanleague.bot_settings import Value

_WITH_TRADING = next(family.ruleset_ids for family in FAMILIES if family.name == "bohnanza")

_recorded: ContextVar[list[type[Bot[Any]]] | None] = ContextVar("recorded", default=None)


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot that can play."""

    name: str
    """The name of its bundle or file; "" in a league, where the referee knows it."""
    classes: tuple[type[Bot[Any]], ...]
    """The classes that its program gives to `run()`."""
    home: Home | None = None
    """Where it runs and finds its modules; None if it has the process to itself."""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The table [settings] of its `bot.toml`."""

    def class_for(self, ruleset: str) -> type[Bot[Any]] | None:
        """Return the class that plays `ruleset`: one that names it, else one that names no games, else None."""
        for bot_class in self.classes:
            if ruleset in bot_class.games:
                return bot_class
        return next((bot_class for bot_class in self.classes if not bot_class.games), None)

    def trades(self) -> bool:
        """Return whether any class that plays a game with trading wants to be asked about trades."""
        return any(bot_class.trades for name in _WITH_TRADING if (bot_class := self.class_for(name)))


def read_settings(*folders: str) -> Mapping[str, Value]:
    """Return the table [settings] of the first `bot.toml` in these folders; nothing if no folder has one.

    Raises:
        ValueError: if it is not TOML, or a value can be none of a setting; the message says which.
    """
    for folder in folders:
        with suppress(OSError), open(os.path.join(folder, "bot.toml"), encoding="utf-8-sig") as manifest:  # noqa: PTH118, PTH123  # pathlib takes long to load
            text = manifest.read()
            if "settings" not in text:
                return {}
            import tomllib  # only who has settings waits for these

            from beanleague.bot_settings import bot_settings

            return bot_settings(tomllib.loads(text).get("settings", {}))
    return {}


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
