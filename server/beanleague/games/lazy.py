"""Lazy loading: the exports of packages, and the entries of tables.

Importing a module of a package imports the package itself, and few importers need all of its exports.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TypeVar


def exported_by(package: str, *modules: str) -> Callable[[str], object]:
    """Return the `__getattr__` of `package`: it imports `modules` until one has the name, which must be in `__all__`.

    Without `__all__`, all names of the modules are exported.
    """
    namespace = vars(sys.modules[package])

    def find(name: str) -> object:
        if name in namespace.get("__all__", () if name.startswith("_") else (name,)):
            for module in modules:
                found = vars(import_module(f"{package}.{module}"))
                if name in found:
                    namespace[name] = found[name]
                    return found[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


def passed_on(module: str, package: str) -> tuple[list[str], Callable[[str], object]]:
    """Return `__all__` and `__getattr__` for `module`, which re-exports `package`. Call it last in the module."""
    namespace = vars(sys.modules[module])
    others = import_module(package)

    def find(name: str) -> object:
        if name in others.__all__:
            found = namespace[name] = getattr(others, name)
            return found
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return [*(name for name in namespace if not name.startswith("_")), *others.__all__], find


K = TypeVar("K")
V = TypeVar("V")


class OnDemand(dict[K, V]):
    """A table whose entries are created at the first lookup. `make` raises KeyError for keys without an entry."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        value = self[key] = self._make(key)
        return value
