"""What is made when it is first asked for: the exports of packages, and the entries of tables.

Importing one module of a package imports the package itself, and few need all that it exports.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TypeVar


def exported_by(package: str, *modules: str) -> Callable[[str], object]:
    """Return the `__getattr__` of `package`: for a name in its `__all__` it imports `modules` until one has it.

    A package without `__all__` exports all that they have.
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
    """Return `__all__` and `__getattr__` of `module`, which passes on what `package` exports. Call it last there."""
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
    """A table whose entries are made when they are first looked up. `make` raises KeyError for what is not in it."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        value = self[key] = self._make(key)
        return value
