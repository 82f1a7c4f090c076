"""What looks like a mistake in a bot's class, though Python finds nothing wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from beanbot.bot import Bot

_LIBRARY = Bot.__module__.partition(".")[0]
_IN_A_FUNCTION = 1  # CO_OPTIMIZED of `inspect`, which takes long to load
_ALIKE = 0.8  # of `get_close_matches`: "awnser" is like "answer", "growing" is like nothing


def advice(classes: Iterable[type[Bot[Any]]]) -> Iterator[str]:
    """Yield a sentence for each public method of the author's classes that is nearly one that the library calls.

    A method whose name the author's own code uses is no mistake.
    """
    for bot_class in classes:
        ours = [base for base in bot_class.__mro__ if base.__module__.partition(".")[0] == _LIBRARY]
        called = {_plain(name): name for base in ours for name, value in vars(base).items() if _is_method(name, value)}
        own = [base for base in bot_class.__mro__ if base not in ours and base is not object]
        used = _used_names(own)
        for base in own:
            for name, value in vars(base).items():
                if _is_method(name, value) and name not in called.values() and name not in used:
                    from difflib import get_close_matches  # few bots have such a method

                    for alike in get_close_matches(_plain(name), called, 1, _ALIKE):
                        yield f"{base.__name__}.{name} is never called by a game; is {called[alike]} meant?"


def _used_names(classes: Iterable[type]) -> set[str]:
    """Return the names that the code of these classes uses, and that of all else in their modules."""
    modules = {base.__module__ for base in classes}
    loaded = [vars(sys.modules[name]) for name in modules if name in sys.modules]
    values = [value for names in loaded for value in names.values() if getattr(value, "__module__", "") in modules]
    scopes = [*classes, *(value for value in values if isinstance(value, type))]
    code = [value.__code__ for value in values if isinstance(value, FunctionType)]
    code += [part.__code__ for scope in scopes for part in vars(scope).values() if isinstance(part, FunctionType)]
    names: set[str] = set()
    while code:
        part = code.pop()
        if part.co_flags & _IN_A_FUNCTION:  # the body of a class names what it defines
            names.update(part.co_names)
        code += [constant for constant in part.co_consts if isinstance(constant, CodeType)]
    return names


def _is_method(name: str, value: object) -> bool:
    return callable(value) and not name.startswith("_")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
