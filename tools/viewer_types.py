"""Write the types of records as the viewer reads them, as TypeScript, from the classes of the games.

`server/beanleague/web/static/viewer/records.d.ts` calls this through cog. To bring it up to date: `make generated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from beanleague.games.core.game import Kind, NamedDecision
from beanleague.games.families import ACTIONS, EVENTS, FAMILIES, snake
from beanleague.games.records.faults import Fault

SIMPLE = {int: "number", str: "string", bool: "boolean", Kind: "Kind"}
PARTNER = {"seat": "partner"}
"""Names of fields of actions that differ in JSON: `seat` is there the seat that acts."""


def text() -> str:
    """Return the declarations."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    for family in FAMILIES:
        family.module("beanleague.games")
    yield f"export type Kind = {_union(get_args(Kind))};"
    yield f"export type Family = {_union(family.name for family in FAMILIES)};"
    decisions = (each.name.lower() for family in NamedDecision.__subclasses__() for each in family if each)
    yield f"export type Decision = {_union(sorted(set(decisions)))};"
    yield ""
    yield "/** Per event: what it has besides its name. */"
    yield from _table("Events", EVENTS, {})
    yield ""
    yield "/** Per action: what it has besides its name. */"
    yield from _table("Actions", ACTIONS, PARTNER)
    yield ""
    yield "/** Per family: the names of its own events, besides those of the core. */"
    yield "export interface OwnEvents {"
    for family in FAMILIES:
        yield f"  {family.name}: {_union(snake(each.__name__) for each in EVENTS.of(family))};"
    yield "}"
    yield ""
    yield f"export interface Fault {_fields(Fault, {})}"


def _table(name: str, classes: Iterable[type], written: dict[str, str]) -> Iterator[str]:
    yield f"export interface {name} {{"
    for each in classes:
        yield f"  {snake(each.__name__)}: {_fields(each, written)};"
    yield "}"


def _fields(cls: type[Any], written: dict[str, str]) -> str:
    hints = get_type_hints(cls)
    parts = [f"{written.get(field.name, field.name)}: {_type(hints[field.name])}" for field in fields(cls)]
    return f"{{ {'; '.join(parts)} }}" if parts else "{}"


def _type(hint: Any) -> str:  # noqa: ANN401 - the type of a type
    if get_origin(hint) is tuple:
        inner = _type(get_args(hint)[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if hint in SIMPLE:
        return SIMPLE[hint]
    assert get_origin(hint) is Literal, hint
    return _union(get_args(hint))


def _union(names: Iterable[str]) -> str:
    return " | ".join(f'"{name}"' for name in names)
