"""A faster `dataclass` for the frozen classes that a bot's process defines at its start.

The standard library compiles six functions per class, and loads modules that inspect source code: 15 ms for the fifty
classes that a bot needs, a quarter of its start. Here one function is compiled and the other functions are shared. The
standard library is used only when fields are inspected (`dataclasses.fields`, `replace` and the like), and for classes
with options not supported here.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias


def _dataclass(**options: bool) -> Callable[[type], type]:
    """Return a class decorator that makes a dataclass, like `dataclasses.dataclass`."""
    return lambda cls: _make(cls, options)


def _field(**options: object) -> "_Option":
    """Return the options of one field, like `dataclasses.field`."""
    return _Option(options)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass, field as field  # noqa: PLC0414  # re-exported for type checkers
else:
    dataclass, field = _dataclass, _field


class _Option(dict[str, Any]):
    """Options of a field besides its type."""


_Fields: TypeAlias = dict[str, tuple[Any, Any]]
"""Fields by name: type (as text or object) and default (an `_Option`, or `_NOTHING`)."""
_NOTHING = object()
_OWN = "_types_and_defaults"  # class attribute that holds the `_Fields` of a class
_OPTIONS = frozenset({"frozen", "slots", "eq"})
_OPTIONS_OF_FIELDS = frozenset({"default_factory", "repr", "compare", "hash"})


def types_of(cls: type) -> dict[str, str]:
    """Return the types of a dataclass's fields as written in the source, by field name."""
    for base in cls.__mro__:
        if _OWN in vars(base):
            return {name: str(written) for name, (written, _) in vars(base)[_OWN].items()}
        if "__dataclass_fields__" in vars(base):
            break
    from dataclasses import fields

    return {found.name: str(found.type) for found in fields(cls)}


def refuse_to_set(_: object, name: str, value: object) -> NoReturn:
    """Raise the error of a frozen dataclass whose attribute is set."""
    del value
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _make(cls: type, options: dict[str, bool]) -> type:
    given: _Fields = {
        name: (written, vars(cls).get(name, _NOTHING))
        for name, written in cls.__annotations__.items()
        if not str(written).removeprefix("typing.").startswith("ClassVar")
    }
    if not _is_simple(cls, options, given):
        return _made_by_the_standard_library(cls, options, given)
    fields: _Fields = {}
    for base in cls.__mro__[:0:-1]:
        fields |= vars(base).get(_OWN, {})
    fields |= given
    members: dict[str, Any] = {
        _OWN: fields,
        "__match_args__": tuple(fields),
        "__init__": _init(cls, fields),
        "__setattr__": refuse_to_set,
        "__delattr__": _refuse_to_delete,
        **_readers(fields, compared=options.get("eq", True)),
    }
    members = {name: member for name, member in members.items() if name not in vars(cls)}
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        members[name] = _Standard(name)
    if options.get("slots"):
        return _with_slots(cls, given, members)
    for name, member in members.items():
        setattr(cls, name, member)
    return cls


def _is_simple(cls: type, options: dict[str, bool], given: _Fields) -> bool:
    """Return whether this module supports all options of the class."""
    return (
        options.get("frozen", False)
        and options.keys() <= _OPTIONS
        and all(default.keys() <= _OPTIONS_OF_FIELDS for _, default in given.values() if isinstance(default, _Option))
        and all(_OWN in vars(base) for base in cls.__mro__[1:] if "__dataclass_fields__" in vars(base))
        and not hasattr(cls, "__post_init__")
        and cls.__doc__ is not None
    )


def _made_by_the_standard_library(cls: type, options: dict[str, bool], given: _Fields) -> type:
    import dataclasses

    for name, (_, default) in given.items():
        if isinstance(default, _Option):
            setattr(cls, name, dataclasses.field(**default))
    made: type = dataclasses.dataclass(**options)(cls)
    return made


def _with_slots(cls: type, given: _Fields, members: dict[str, Any]) -> type:
    """Return a class like `cls` with slots, which cannot be added to an existing class."""
    taken = {name for base in cls.__mro__[1:] for name in vars(base).get("__slots__", ())}
    kept = {name: member for name, member in vars(cls).items() if name not in {*given, "__dict__", "__weakref__"}}
    slots = tuple(name for name in given if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, {**kept, **members, "__slots__": slots})
    made.__qualname__ = cls.__qualname__
    return made


class _Standard:
    """Descriptor for the standard library's attributes of a class, computed at the first access."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, value: object, cls: type) -> object:
        import dataclasses

        owner = next(base for base in cls.__mro__ if vars(base).get(self._name) is self)
        described = [
            (name, written, dataclasses.field(**_options(default)))
            for name, (written, default) in vars(owner)[_OWN].items()
        ]
        found: object = getattr(dataclasses.make_dataclass(owner.__name__, described, frozen=True), self._name)
        setattr(owner, self._name, found)
        return found


def _options(default: Any) -> dict[str, Any]:  # noqa: ANN401  # of any field
    if isinstance(default, _Option):
        return default
    return {} if default is _NOTHING else {"default": default}


def _init(cls: type, fields: _Fields) -> object:
    """Return the compiled `__init__`, with the fields' names and defaults."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_nothing": _NOTHING}
    arguments, lines = ["self"], ["pass"]
    for name, (_, default) in fields.items():
        options = _options(default)
        value = name
        if "default_factory" in options:
            known[f"_make_{name}"] = options["default_factory"]
            arguments.append(f"{name}=_nothing")
            value = f"_make_{name}() if {name} is _nothing else {name}"
        elif "default" in options:
            known[f"_default_{name}"] = default
            arguments.append(f"{name}=_default_{name}")
        else:
            arguments.append(name)
        lines.append(f"_set(self, {name!r}, {value})")
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(lines), known)  # noqa: S102  # names of our own
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _values(fields: Iterable[str]) -> Callable[[Any], tuple[object, ...]]:
    """Return a function from an object to the values of the given fields."""
    names = tuple(fields)
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda self: (getattr(self, names[0]),)) if names else lambda _: ()


def _chosen(fields: _Fields, what: str) -> list[str]:
    """Return the fields used in the text ("repr"), in comparisons ("compare") or in the hash ("hash")."""
    return [
        name
        for name, (_, default) in fields.items()
        if _options(default).get(what, what != "hash" or _options(default).get("compare", True))
    ]


def _readers(fields: _Fields, *, compared: bool) -> dict[str, object]:
    """Return the methods for copies and texts, and with `compared` also the methods for comparisons and hashes."""
    all_of, shown = _values(fields), _chosen(fields, "repr")
    values, hashed = (_values(_chosen(fields, what)) for what in ("compare", "hash"))

    def __repr__(self: object) -> str:  # noqa: N807  # the method's own name
        return f"{self.__class__.__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"

    def __eq__(self: object, other: object) -> bool:  # noqa: N807  # the method's own name
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    methods: dict[str, object] = {"__reduce__": lambda self: (self.__class__, all_of(self)), "__repr__": __repr__}
    return {**methods, "__eq__": __eq__, "__hash__": lambda self: hash(hashed(self))} if compared else methods
