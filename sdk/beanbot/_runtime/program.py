"""A bot's program: the classes it plays with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from beanbot.bot import Bot


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot as its program gives it to `run()`: `classes` are those, `name` is that of the bundle or the file."""

    name: str
    classes: tuple[type[Bot[Any]], ...]

    def class_for(self, ruleset: str) -> type[Bot[Any]] | None:
        """Return the class that plays `ruleset`: one that names it, else one that names no games, else None."""
        for bot_class in self.classes:
            if ruleset in bot_class.games:
                return bot_class
        return next((bot_class for bot_class in self.classes if not bot_class.games), None)


def check_classes(classes: tuple[object, ...]) -> tuple[type[Bot[Any]], ...]:
    """Return `classes` if they are what `run()` takes.

    Raises:
        TypeError: there are none, or one is not a subclass of `Bot`.
    """
    if not classes:
        raise TypeError("run() takes at least one bot class, as in run(MyBot)")
    for given in classes:
        if not (isinstance(given, type) and issubclass(given, Bot)):
            raise TypeError(f"run() takes bot classes, as in run(MyBot), not {given!r:.80}")
    return classes  # type: ignore[return-value]  # checked just above
