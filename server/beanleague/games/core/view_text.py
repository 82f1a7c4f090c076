"""A view in a few lines, for authors who print it."""

from __future__ import annotations

import textwrap
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beanleague.games.core.game import View

_WIDTH = 110
_IN_THE_FIRST_LINE = frozenset({"rules", "seat", "decision", "turn", "active", "news"})


def view_text(view: View) -> str:
    """Return who is asked what, then all that is on the table and not empty, by the names of the view's fields."""
    values: Any = view  # of a family's own class, with its own fields
    shown = {field.name: getattr(values, field.name) for field in fields(values)}
    parts = (f"{name}: {_text(value)}" for name, value in shown.items() if name not in _IN_THE_FIRST_LINE and value)
    first = f"seat {view.seat} is asked {view.decision}; turn {view.turn}, of seat {view.active}"
    rest = textwrap.wrap("; ".join(parts), _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join((first, *rest))


def _text(value: object) -> str:
    """Return a value without the names of classes; parts of parts are in brackets."""
    if isinstance(value, tuple | list):
        return " ".join(f"[{_text(part)}]" if _has_parts(part) else _text(part) for part in value) or "-"
    if is_dataclass(value) and not isinstance(value, type):
        parts = [getattr(value, field.name) for field in fields(value)]
        return " ".join(f"[{_text(part)}]" if _has_parts(part) else _text(part) for part in parts)
    return "-" if value is None else str(value)


def _has_parts(value: object) -> bool:
    return isinstance(value, tuple | list) or is_dataclass(value)
