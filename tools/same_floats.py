"""A plugin of mypy that refuses arithmetic of floats whose last bit depends on Python, processor or C library.

Sums of floats and correlations everywhere; functions of `math`, distributions and powers only in the games, the SDK and
bots, where decisions and figures of analysis must be the same on every host: see `beanleague.games.core.floats`.
Passing such a function to `map`, `reduce` and the like is refused, too. `# type: ignore[same-floats]` allows one for a
figure that is only displayed. `tests/tools/floats_that_differ.py` has an example of each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from mypy.errorcodes import ErrorCode
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import RefExpr, UnaryExpr
from mypy.plugin import FunctionContext, MethodContext, Plugin
from mypy.types import Instance, TupleType, Type, UnionType, get_proper_type

UNBOUND = ("tests/", "benchmarks/", "tools/")
"""Folders with figures that decide nothing and are not stored."""
EXAMPLES = "tests/tools/floats_that_differ.py"
"""The file in which all of them are refused."""
DECIDING = ("sdk/", "server/beanleague/games/", EXAMPLES)
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
POWER_OF_INT = "builtins.int.__pow__"
"""A float where the exponent is negative."""
POWER_FUNCTIONS = frozenset({"builtins.pow", "operator.pow", "_operator.pow"})
OF_PYTHON = frozenset(f"statistics.{name}" for name in ("correlation", "covariance", "linear_regression"))
"""Functions that add products, in another way since Python 3.12. Mean, variance and stdev round once, at the end."""
WEIGHTED = "statistics.fmean"
"""The same, if it is given weights."""
DISTRIBUTIONS = frozenset(
    {"statistics.geometric_mean", "statistics.kde", "statistics.kde_random"}
    | {f"statistics.NormalDist.{name}" for name in ("cdf", "inv_cdf", "overlap", "pdf", "quantiles", "samples")}
    | {
        f"random.Random.{name}variate"
        for name in ("beta", "binomial", "expo", "gamma", "lognorm", "normal", "pareto", "vonmises", "weibull")
    }
    | {"random.Random.gauss", "random.gauss", "random.expovariate", "random.normalvariate"}
)
TAKING = frozenset(
    {"builtins.map", "builtins.max", "builtins.min", "builtins.sorted", "builtins.list.sort", "functools.reduce"}
    | {"_functools.reduce", "itertools.accumulate", "itertools.starmap"}
)
"""Functions that are handed others, and call them."""
CODE = ErrorCode("same-floats", "Floats whose last bit differs from host to host", "General")

SUM_DIFFERS = "sum() of floats differs between versions of Python; use float_sum() or math.fsum()"
MATH_DIFFERS = "This function of math differs between processors; see beanleague.games.core.floats"
POWER_DIFFERS = "A power of floats differs between processors; use power(), exp() or a product"
PYTHON_DIFFERS = "This figure of floats differs between versions of Python; use math.fsum() of products"
DISTRIBUTION_DIFFERS = "What comes of logarithms differs between processors; see beanleague.games.core.floats"


class SameFloats(Plugin):
    """Looks at calls of the functions above, and at powers."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname == "builtins.sum":
            return _check_sum
        if fullname == WEIGHTED:
            return _check_weighted
        if fullname in OF_PYTHON:
            return lambda context: _refuse(context, PYTHON_DIFFERS, bound=_bound(context))
        if fullname in FUNCTIONS:
            return lambda context: _refuse(context, MATH_DIFFERS, bound=_decides(context))
        if fullname in DISTRIBUTIONS:
            return lambda context: _refuse(context, DISTRIBUTION_DIFFERS, bound=_decides(context))
        if fullname in POWER_FUNCTIONS:
            return _check_power
        return _check_handed if fullname in TAKING else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if fullname in DISTRIBUTIONS:
            return lambda context: _refuse(context, DISTRIBUTION_DIFFERS, bound=_decides(context))
        if fullname in POWERS:
            return _check_power
        if fullname == POWER_OF_INT:
            return _check_power_of_int
        return _check_handed if fullname in TAKING else None


def plugin(version: str) -> type[Plugin]:
    """Return the plugin, as mypy asks for it."""
    del version
    return SameFloats


Context = FunctionContext | MethodContext


def _check_sum(context: FunctionContext) -> Type:
    given = get_proper_type(context.arg_types[0][0])
    floats = isinstance(given, TupleType) and any(map(_is_float, given.items))
    if isinstance(given, Instance) and given.type.has_base("typing.Iterable"):
        iterable = context.api.lookup_typeinfo("typing.Iterable")  # type: ignore[attr-defined]  # of mypy's checker
        floats = _is_float(map_instance_to_supertype(given, iterable).args[0])
    return _refuse(context, SUM_DIFFERS, bound=floats and _bound(context))


def _check_weighted(context: FunctionContext) -> Type:
    weights = context.arg_types[1:]
    return _refuse(context, PYTHON_DIFFERS, bound=any(weights) and _bound(context))


def _check_power(context: Context) -> Type:
    kinds = (context.default_return_type, *itertools.chain.from_iterable(context.arg_types))
    return _refuse(context, POWER_DIFFERS, bound=any(map(_is_float, kinds)) and _decides(context))


def _check_power_of_int(context: MethodContext) -> Type:
    exponent = context.args[0][0]
    negative = isinstance(exponent, UnaryExpr) and exponent.op == "-"
    return _refuse(context, POWER_DIFFERS, bound=negative and _decides(context))


def _check_handed(context: Context) -> Type:
    """Look at the functions that are handed over; they are called with floats where these are in the result."""
    kinds = [context.default_return_type]
    if isinstance(context, MethodContext):
        kinds.append(context.type)
    for argument in itertools.chain.from_iterable(context.args):
        name = argument.fullname if isinstance(argument, RefExpr) else ""
        if name in FUNCTIONS and _decides(context):
            return _refuse(context, MATH_DIFFERS, bound=True)
        if name == "builtins.sum" and _bound(context) and any(map(_mentions_float, kinds)):
            return _refuse(context, SUM_DIFFERS, bound=True)
        if name in POWER_FUNCTIONS and _decides(context) and any(map(_mentions_float, kinds)):
            return _refuse(context, POWER_DIFFERS, bound=True)
    return context.default_return_type


def _bound(context: Context) -> bool:
    """Return whether figures of the file are kept or decide anything."""
    path: str = context.api.path
    return path == EXAMPLES or not path.startswith(UNBOUND)


def _decides(context: Context) -> bool:
    path: str = context.api.path
    return path.startswith(DECIDING) or HOUSE_BOTS in path


def _is_float(kind: Type) -> bool:
    kind = get_proper_type(kind)
    if isinstance(kind, UnionType):
        return any(map(_is_float, kind.items))
    return isinstance(kind, Instance) and kind.type.fullname == "builtins.float"


def _mentions_float(kind: Type) -> bool:
    """Return whether a type is that of floats, or of something that has some, e.g. a list."""
    kind = get_proper_type(kind)
    if isinstance(kind, TupleType | UnionType):
        return any(map(_mentions_float, kind.items))
    return _is_float(kind) or (isinstance(kind, Instance) and any(map(_mentions_float, kind.args)))


def _refuse(context: Context, message: str, *, bound: bool) -> Type:
    """Report a message if it is `bound`; return the type of the call."""
    if bound:
        _fail(context, message)
    return context.default_return_type


def _fail(context: Context, message: str) -> None:
    """Report a message that stays: mypy drops messages of overloaded functions and replaces them by "none fits"."""
    errors = context.api.errors  # type: ignore[attr-defined]  # of mypy's checker
    watchers, errors._watchers = errors._watchers, []  # noqa: SLF001  # there is no other way
    try:
        context.api.fail(message, context.context, code=CODE)
    finally:
        errors._watchers = watchers  # noqa: SLF001
