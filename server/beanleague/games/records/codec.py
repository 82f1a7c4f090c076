"""Small dataclasses (actions, events) as JSON objects and back, by their fields alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from beanleague.games.core.deck_text import MAX_TEXT
from beanleague.games.core.errors import RecordError, shown
from beanleague.games.core.on_demand import OnDemand
from beanleague.games.families import Classes, snake

JsonObject = dict[str, Any]
Read = Callable[[object, str], Any]
_Readers = dict[str, tuple[str, Read]]

MAX_NUMBER = 2**31 - 1

T = TypeVar("T")


class TaggedCodec(Generic[T]):
    """Dataclasses, each known by its name in snake case: TurnStarted is "turn_started".

    Fields may be int, str, bool and tuples of these. `written`: names that differ in JSON from those of the fields.
    """

    def __init__(self, classes: Classes[T], written: Mapping[str, str] | None = None) -> None:
        self._classes = classes
        self._names = OnDemand(self._find_name)
        self._readers = OnDemand[type[T], _Readers](lambda cls: _readers(cls, written or {}))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(map(self.name, self._classes))

    @property
    def classes(self) -> tuple[type[T], ...]:
        """The classes."""
        return tuple(self._classes)

    def name(self, cls: type[T]) -> str:
        """Return the name of the class `cls`."""
        return self._names[cls]

    def write(self, tag: str, value: T) -> JsonObject:
        """Return `value` as a JSON object, the name of its class under `tag`."""
        entries = {written: getattr(value, field) for field, (written, _) in self._readers[type(value)].items()}
        return {tag: self._names[type(value)], **entries}

    def read(self, tag: str, data: object, place: str, beside: Iterable[str] = ()) -> T:
        """Return the value of the JSON object `data` at `place`. `beside`: keys that are read elsewhere.

        Raises:
            RecordError: if `data` is not such an object.
        """
        found = read_object(data, place)
        name = read_text(found.get(tag), f"{place}.{tag}")
        try:
            cls = self._classes.named[name]
        except KeyError:
            raise RecordError(f"{place}.{tag}: {shown(name)} is unknown; there are: {', '.join(self.names)}") from None
        readers = self._readers[cls]
        check_keys(found, place, required=[tag, *(written for written, _ in readers.values())], optional=beside)
        return cls(*[read(found[written], f"{place}.{written}") for written, read in readers.values()])

    def _find_name(self, cls: type[T]) -> str:
        if cls not in self._classes:
            raise KeyError(cls)
        return snake(cls.__name__)


def check_keys(data: JsonObject, place: str, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Check that the object `data` has the keys `required`, and of others only those in `optional`."""
    required = list(required)
    for key in required:
        if key not in data:
            raise RecordError(f"{_join(place, key)}: missing")
    for key in data:
        if key not in required and key not in optional:
            raise RecordError(f"{_join(place, shown(key)[1:-1])}: unknown entry")


def read_object(value: object, place: str) -> JsonObject:
    """Return `value` if it is an object."""
    if not isinstance(value, dict):
        raise RecordError(f"{place}: must be an object, not {shown(value)}")
    return value


def read_list(value: object, place: str) -> list[Any]:
    """Return `value` if it is a list."""
    if not isinstance(value, list):
        raise RecordError(f"{place}: must be a list, not {shown(value)}")
    return value


def read_number(value: object, place: str) -> int:
    """Return `value` if it is a whole number in range."""
    if type(value) is not int:
        raise RecordError(f"{place}: must be a whole number, not {shown(value)}")
    if not 0 <= value <= MAX_NUMBER:
        raise RecordError(f"{place}: must be 0 to {MAX_NUMBER}, not {shown(value)}")
    return value


def read_bool(value: object, place: str) -> bool:
    """Return `value` if it is true or false."""
    if type(value) is not bool:
        raise RecordError(f"{place}: must be true or false, not {shown(value)}")
    return value


def read_text(value: object, place: str) -> str:
    """Return `value` if it is a string of valid text."""
    if not isinstance(value, str):
        raise RecordError(f"{place}: must be a string, not {shown(value)}")
    if len(value) > MAX_TEXT:
        raise RecordError(f"{place}: more than {MAX_TEXT} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RecordError(f"{place}: contains half of a surrogate pair, which is not valid text")
    return value


def read_tuple(each: Read) -> Read:
    """Return a reader of lists whose entries `each` reads."""

    def read(value: object, place: str) -> tuple[Any, ...]:
        return tuple([each(entry, f"{place}[{i}]") for i, entry in enumerate(read_list(value, place))])

    return read


_SIMPLE: dict[type, Read] = {int: read_number, str: read_text, bool: read_bool}


def _readers(cls: type, written: Mapping[str, str]) -> _Readers:
    """Return for each field of the dataclass `cls` its name in JSON and the reader of its values."""
    hints = get_type_hints(cls)
    return {field.name: (written.get(field.name, field.name), _reader(hints[field.name])) for field in fields(cls)}


def _reader(hint: type[Any]) -> Read:
    if get_origin(hint) is tuple:
        each, dots = get_args(hint)
        assert dots is ...
        return read_tuple(_reader(each))
    if get_origin(hint) is Literal:  # whether a game has such a kind is for its rules to say
        return read_text
    return _SIMPLE[hint]


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
