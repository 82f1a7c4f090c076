"""Families of small dataclasses (actions, events) as JSON objects and back, by their fields alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from beanleague.games.core.errors import RecordError, shown

JsonObject = dict[str, Any]
Read = Callable[[object, str], Any]

MOST_TEXT = 100_000  # characters
MOST_NUMBER = 2**31 - 1

T = TypeVar("T")


class TaggedCodec(Generic[T]):
    """Dataclasses, each known by its name in snake case: TurnStarted is "turn_started".

    Fields may be int, str, bool and tuples of these. `written`: names that differ in JSON from those of the fields.
    """

    def __init__(self, classes: Iterable[type[T]], written: Mapping[str, str] | None = None) -> None:
        self._classes = {_snake(cls.__name__): cls for cls in classes}
        self._names = {cls: name for name, cls in self._classes.items()}
        self._readers = {cls: _readers(cls, written or {}) for cls in self._names}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(self._classes)

    @property
    def classes(self) -> tuple[type[T], ...]:
        """The classes."""
        return tuple(self._names)

    def name(self, cls: type[T]) -> str:
        """Return the name of the class `cls`."""
        return self._names[cls]

    def write(self, tag: str, value: T) -> JsonObject:
        """Return `value` as a JSON object, the name of its class under `tag`."""
        told = {written: getattr(value, field) for field, (written, _) in self._readers[type(value)].items()}
        return {tag: self._names[type(value)], **told}

    def read(self, tag: str, told: object, place: str, beside: Iterable[str] = ()) -> T:
        """Return the value that the JSON object `told` at `place` is; `beside`: keys that are somebody else's.

        Raises:
            RecordError: if it is not such an object.
        """
        found = read_object(told, place)
        name = read_text(found.get(tag), f"{place}.{tag}")
        if name not in self._classes:
            raise RecordError(f"{place}.{tag}: {shown(name)} is unknown; there are: {', '.join(self._classes)}")
        cls = self._classes[name]
        readers = self._readers[cls]
        check_keys(found, place, must=[tag, *(written for written, _ in readers.values())], may=beside)
        return cls(*[read(found[written], f"{place}.{written}") for written, read in readers.values()])


def check_keys(told: JsonObject, place: str, must: Iterable[str], may: Iterable[str] = ()) -> None:
    """Check that the object `told` has the keys `must`, and none besides but those in `may`."""
    must = list(must)
    for key in must:
        if key not in told:
            raise RecordError(f"{_join(place, key)}: missing")
    for key in told:
        if key not in must and key not in may:
            raise RecordError(f"{_join(place, shown(key)[1:-1])}: there is no such entry")


def read_object(told: object, place: str) -> JsonObject:
    """Return the object `told`."""
    if not isinstance(told, dict):
        raise RecordError(f"{place}: must be an object, not {shown(told)}")
    return told


def read_list(told: object, place: str) -> list[Any]:
    """Return the list `told`."""
    if not isinstance(told, list):
        raise RecordError(f"{place}: must be a list, not {shown(told)}")
    return told


def read_number(told: object, place: str) -> int:
    """Return the whole number `told`."""
    if type(told) is not int:
        raise RecordError(f"{place}: must be a whole number, not {shown(told)}")
    if not 0 <= told <= MOST_NUMBER:
        raise RecordError(f"{place}: must be 0 to {MOST_NUMBER}, not {shown(told)}")
    return told


def read_bool(told: object, place: str) -> bool:
    """Return the truth value `told`."""
    if type(told) is not bool:
        raise RecordError(f"{place}: must be true or false, not {shown(told)}")
    return told


def read_text(told: object, place: str) -> str:
    """Return the text `told`."""
    if not isinstance(told, str):
        raise RecordError(f"{place}: must be a text, not {shown(told)}")
    if len(told) > MOST_TEXT:
        raise RecordError(f"{place}: more than {MOST_TEXT} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in told):
        raise RecordError(f"{place}: half a surrogate pair is no text")
    return told


def read_tuple(each: Read) -> Read:
    """Return the reader of lists whose entries `each` reads."""

    def read(told: object, place: str) -> tuple[Any, ...]:
        return tuple([each(entry, f"{place}[{i}]") for i, entry in enumerate(read_list(told, place))])

    return read


_SIMPLE: dict[type, Read] = {int: read_number, str: read_text, bool: read_bool}


def _readers(cls: type, written: Mapping[str, str]) -> dict[str, tuple[str, Read]]:
    """Return for each field of the dataclass `cls` its name in JSON and the reader of its values."""
    hints = get_type_hints(cls)
    return {field.name: (written.get(field.name, field.name), _reader(hints[field.name])) for field in fields(cls)}


def _reader(hint: type[Any]) -> Read:
    if get_origin(hint) is tuple:
        each, dots = get_args(hint)
        assert dots is ...
        return read_tuple(_reader(each))
    return _SIMPLE[hint]


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
