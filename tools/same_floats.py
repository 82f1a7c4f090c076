"""A plugin of mypy that refuses arithmetic of floats whose last bit depends on Python, processor or C library.

The sum of floats everywhere; functions of `math` and `**` only in the games, the SDK and bots, where decisions and
figures of analysis must be the same on every host: see `beanleague.games.core.floats`. Where a figure is only shown,
`# type: ignore[same-floats]` allows one.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.errorcodes import ErrorCode
from mypy.maptype import map_instance_to_supertype
from mypy.plugin import FunctionContext, MethodContext, Plugin
from mypy.types import Instance, Type, UnionType, get_proper_type

UNBOUND = ("tests/", "benchmarks/", "tools/")
"""Folders whose figures nothing decides by, and nobody keeps."""
DECIDING = ("sdk/", "server/beanleague/games/")
"""Folders where functions of `math` and `**` are refused; other figures of the server come from numpy."""
HOUSE_BOTS = "/bots_"
"""Within the paths of house bots, as `tools/check_bots.py` writes them."""

FUNCTIONS = frozenset(
    f"math.{name}"
    for name in (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "dist", "erf", "erfc"),
        *("exp", "exp2", "expm1", "gamma", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh"),
        *("sumprod", "tan", "tanh"),
    )
)
POWERS = frozenset({"builtins.float.__pow__", "builtins.float.__rpow__"})
CODE = ErrorCode("same-floats", "Floats whose last bit differs from host to host", "General")


class SameFloats(Plugin):
    """Looks at calls of `sum`, of functions of `math`, and at powers."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname == "builtins.sum":
            return _check_sum
        return _check_math if fullname in FUNCTIONS else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        return _check_power if fullname in POWERS else None


def plugin(version: str) -> type[Plugin]:
    """Return the plugin, as mypy asks for it."""
    del version
    return SameFloats


def _check_sum(context: FunctionContext) -> Type:
    given = get_proper_type(context.arg_types[0][0])
    if isinstance(given, Instance) and given.type.has_base("typing.Iterable"):
        iterable = context.api.lookup_typeinfo("typing.Iterable")  # type: ignore[attr-defined]  # of mypy's checker
        if _is_float(map_instance_to_supertype(given, iterable).args[0]) and not context.api.path.startswith(UNBOUND):
            _fail(context, "sum() of floats differs between versions of Python; use float_sum() or math.fsum()")
    return context.default_return_type


def _check_math(context: FunctionContext) -> Type:
    if _decides(context.api.path):
        _fail(context, "This function of math differs between processors; see beanleague.games.core.floats")
    return context.default_return_type


def _check_power(context: MethodContext) -> Type:
    if _decides(context.api.path):
        _fail(context, "A power of floats differs between processors; use power(), exp() or a product")
    return context.default_return_type


def _decides(path: str) -> bool:
    return path.startswith(DECIDING) or HOUSE_BOTS in path


def _is_float(kind: Type) -> bool:
    kind = get_proper_type(kind)
    if isinstance(kind, UnionType):
        return any(map(_is_float, kind.items))
    return isinstance(kind, Instance) and kind.type.fullname == "builtins.float"


def _fail(context: FunctionContext | MethodContext, message: str) -> None:
    """Report a message that stays: mypy drops those of a function with overloads and says that none of them fits."""
    errors = context.api.errors  # type: ignore[attr-defined]  # of mypy's checker
    watchers, errors._watchers = errors._watchers, []  # noqa: SLF001  # there is no other way
    try:
        context.api.fail(message, context.context, code=CODE)
    finally:
        errors._watchers = watchers  # noqa: SLF001
