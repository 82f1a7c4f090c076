"""Where a bot runs that shares a process with others: its folder, and the modules that it finds there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


class Home:
    """A folder to run in, and maybe one to import from.

    While a bot is in its home, Python looks for modules there first, and knows those it has found there before. Other
    bots may have modules of the same names.
    """

    def __init__(self, folder: str | Path, imports: str | Path | None = None) -> None:
        self._folder = str(folder)
        self._imports = str(imports) if imports else ""
        self._modules: dict[str, ModuleType] = {}
        # Whoever loads the bot may have come from there, too: a test beside it.
        self._others = frozenset(name for name, module in sys.modules.items() if imports and self._has(name, module))
        self._known = 0

    def enter(self) -> None:
        """Go there. To be followed by `leave` before another home is entered."""
        os.chdir(self._folder)
        if self._imports:
            sys.path.insert(0, self._imports)
            sys.modules.update(self._modules)
            self._known = len(sys.modules)

    def leave(self) -> None:
        """Forget its modules until it is entered again; stay in the folder."""
        if not self._imports:
            return
        if self._imports in sys.path:
            sys.path.remove(self._imports)
        if len(sys.modules) != self._known:  # else nothing was imported, as after nearly every decision
            found = {name: module for name, module in sys.modules.items() if name not in self._others}
            self._modules = {name: module for name, module in found.items() if self._has(name, module)}
        for name in self._modules:
            del sys.modules[name]

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Be there, and then again in the folder from before."""
        before = Path.cwd()
        self.enter()
        try:
            yield
        finally:
            self.leave()
            os.chdir(before)

    def _has(self, name: str, module: ModuleType) -> bool:
        """Return whether `module` was found there, not in an environment that lies there, such as .venv."""
        known = getattr(module, "__dict__", {})  # to ask a module that loads itself late for more would load it
        place = Path(known.get("__file__") or next(iter(known.get("__path__", ())), "/"))
        inside = place.relative_to(self._imports).parts if place.is_relative_to(self._imports) else ()
        return bool(inside) and inside[0].partition(".")[0] == name.partition(".")[0]
