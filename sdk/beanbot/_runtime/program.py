"""Program of a bot: the classes passed to `run()`, and its home folder if it shares a process with others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any

from beanbot.bot import Bot
from beanleague.games.core.values import dataclass, field
from beanleague.games.families import FAMILIES

if TYPE_CHECKING:
    from pathlib import Path

    from beanleague.bot_settings import Value

_WITH_TRADING = next(family.ruleset_ids for family in FAMILIES if family.name == "bohnanza")

_recorded: ContextVar[list[type[Bot[Any]]] | None] = ContextVar("recorded", default=None)


@dataclass(frozen=True, slots=True)
class BotProgram:
    """The classes and settings of a bot."""

    name: str
    """Name of the bundle or file; "" in a league, where the referee knows the name."""
    classes: tuple[type[Bot[Any]], ...]
    """Bot classes that the program passes to `run()`."""
    home: Home | None = None
    """Working and import folder of the bot; None if it has its own process."""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The table `[settings]` of the bot's `bot.toml`."""

    def class_for(self, ruleset: str) -> type[Bot[Any]] | None:
        """Return the class that plays `ruleset`: one that names it, else one that names no games, else None."""
        for bot_class in self.classes:
            if ruleset in bot_class.games:
                return bot_class
        return next((bot_class for bot_class in self.classes if not bot_class.games), None)

    def trades(self) -> bool:
        """Return whether any class for a trading game wants to be asked about trades."""
        return any(bot_class.trades for name in _WITH_TRADING if (bot_class := self.class_for(name)))


def read_settings(*folders: str) -> Mapping[str, Value]:
    """Return the table [settings] of the first `bot.toml` in these folders; empty if no folder has one.

    Raises:
        ValueError: if it is not TOML, or a value is not allowed in settings; the message names it.
    """
    for folder in folders:
        with suppress(OSError), open(os.path.join(folder, "bot.toml"), encoding="utf-8-sig") as manifest:  # noqa: PTH118, PTH123  # pathlib takes long to load
            text = manifest.read()
            if "settings" not in text:
                return {}
            import tomllib  # imported late, since few bots have settings

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
    """Yield a list of the classes passed to `run()` inside the block, where `run()` does not play."""
    classes: list[type[Bot[Any]]] = []
    token = _recorded.set(classes)
    try:
        yield classes
    finally:
        _recorded.reset(token)


def record(classes: tuple[type[Bot[Any]], ...]) -> bool:
    """Add `classes` to the list of the enclosing `recording()`; return False outside of one."""
    recorded = _recorded.get()
    if recorded is None:
        return False
    recorded.extend(classes)
    return True


class Home:
    """Working folder of a bot, with an optional import folder.

    While a bot is in its home, Python imports from there first, and `sys.modules` has the modules of this home. Other
    bots may have modules of the same names.
    """

    def __init__(self, folder: str | Path, imports: str | Path | None = None) -> None:
        self._folder = str(folder)
        self._imports = str(imports) if imports else ""
        self._modules: dict[str, ModuleType] = {}
        # Modules of this folder that were loaded earlier, e.g. a test next to the bot, are not the bot's.
        self._others = frozenset(name for name, module in sys.modules.items() if imports and self._has(name, module))
        self._known = 0

    def enter(self) -> None:
        """Change to the folder and restore its modules. Call `leave` before entering another home."""
        os.chdir(self._folder)
        if self._imports:
            sys.path.insert(0, self._imports)
            sys.modules.update(self._modules)
            self._known = len(sys.modules)

    def leave(self) -> None:
        """Remove its modules until the next `enter`; stay in the folder."""
        if not self._imports:
            return
        if self._imports in sys.path:
            sys.path.remove(self._imports)
        # true if the bot imported something, which is rare after the first decision
        if len(sys.modules) != self._known:
            found = {name: module for name, module in sys.modules.items() if name not in self._others}
            self._modules = {name: module for name, module in found.items() if self._has(name, module)}
        for name in self._modules:
            del sys.modules[name]

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Stay in the home during this context, then return to the previous folder."""
        before = os.getcwd()  # noqa: PTH109  # pathlib takes long to load
        self.enter()
        try:
            yield
        finally:
            self.leave()
            os.chdir(before)

    def _has(self, name: str, module: ModuleType) -> bool:
        """Return whether `module` is a file of the import folder, outside of environments in it such as .venv."""
        from pathlib import Path  # imported late, since only practice needs it

        known = getattr(module, "__dict__", {})  # access to any other attribute could load a lazy module
        place = Path(known.get("__file__") or next(iter(known.get("__path__", ())), "/"))
        inside = place.relative_to(self._imports).parts if place.is_relative_to(self._imports) else ()
        return bool(inside) and inside[0].partition(".")[0] == name.partition(".")[0]
