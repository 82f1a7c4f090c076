"""Modules that have moved. Stored bundles never change, so they still import them by their former names."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "beanbot.columns": "beanbot.helpers",
    "beanbot.fields": "beanbot.helpers",
    "beanbot.saving": "beanbot.helpers",
    "beanbot.session": "beanbot._runtime.session",
}


class MovedModules:
    """Imports a module by its former name: it is the same object as under its present one.

    A finder and loader without their base classes, which take every bot some milliseconds to import.
    """

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:  # noqa: ANN401  # path and target, not needed
        return ModuleSpec(fullname, self) if fullname in MOVED else None  # type: ignore[arg-type]  # has no base class

    def create_module(self, _: ModuleSpec) -> None:
        """Leave it to Python to make the module."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(MOVED[module.__name__])
