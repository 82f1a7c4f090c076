"""A view as text, like the table of a replay: a row for each seat, then what lies between them."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any

from beanleague.games.core.values import types_of

_WIDTH = 110
_IN_THE_FIRST_LINE = frozenset({"rules", "seat", "decision", "turn", "active", "news"})
_IN_THE_TABLE = frozenset(
    {
        *("hand", "hand_sizes", "fields", "dollars", "aside", "gifts", "bohnus", "bohnus_sizes", "earned"),
        *("tops", "bottoms", "completed"),
    }
)


def view_text(view: Any, said: Callable[[Any], str] | None = None) -> str:  # noqa: ANN401 - a View, which prints by this
    """Return the decision asked, a table with a row for each seat, then the other non-empty fields by name.

    `said`: turns an event, such as an offer, into words; without it, an event is shown like any value.
    """
    first = f"seat {view.seat} is asked {view.decision}; turn {view.turn}, of seat {view.active}"
    return "\n".join((first, *_table(view), *_rest(view, said)))


def _table(view: Any) -> Iterator[str]:  # noqa: ANN401 - each family has its own views
    """Yield the lines of the table; the seat whose turn it is has a mark."""
    seats = range(len(view.dollars))
    columns = [("", [">" if seat == view.active else "" for seat in seats]), ("seat", list(map(str, seats)))]
    columns += [(name, cells) for name, cells in _columns(view, seats) if any(cells)]
    widths = [max(len(name), *map(len, cells)) for name, cells in columns]
    for row in zip(*([name, *cells] for name, cells in columns), strict=True):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _columns(view: Any, seats: range) -> Iterator[tuple[str, list[str]]]:  # noqa: ANN401 - see `_table`
    """Yield the name and the cells of each column that the view's family has."""
    yield "$", [str(dollars) for dollars in view.dollars]
    if hasattr(view, "fields"):
        yield from _card_columns(view)
    yield "aside", [" ".join(cards) for cards in getattr(view, "aside", ())]
    yield "gift", [gift or "" for gift in getattr(view, "gifts", ())]
    if hasattr(view, "bohnus_sizes"):
        yield "bo(h)nus", _own_or_number(view.seat, _bohnus(view.rules, view.bohnus), view.bohnus_sizes)
        yield "fulfilled", [_bohnus(view.rules, cards) for cards in view.earned]
    if hasattr(view, "tops"):
        yield "completed", _completed(view)
        yield "next orders", ["; ".join(map(str, view.open_orders(seat)[:2])) for seat in seats]


def _card_columns(view: Any) -> Iterator[tuple[str, list[str]]]:  # noqa: ANN401 - see `_table`
    """Yield the columns of the games with hands and fields."""
    for number, fields in enumerate(zip_longest(*view.fields)):
        yield f"fields[{number}]", ["" if field is None else _field(view.rules, field) for field in fields]
    yield "hand", _own_or_number(view.seat, " ".join(view.hand), view.hand_sizes)


def _completed(view: Any) -> list[str]:  # noqa: ANN401 - a DiceView, which this layer does not know
    """Return the number of completed orders by seat, e.g. "2 of 5"."""
    orders = [len(view.rules.cards[top].orders) for top in view.tops]
    return [f"{completed} of {number}" for completed, number in zip(view.completed, orders, strict=True)]


def _own_or_number(own: int, cards: str, sizes: Iterable[int]) -> list[str]:
    """Return the cells of hidden cards: the `cards` of the seat `own`, if any; numbers for all other seats."""
    return [
        (cards if seat == own else "") or f"{size} card{'' if size == 1 else 's'}" for seat, size in enumerate(sizes)
    ]


def _field(rules: Any, field: Any) -> str:  # noqa: ANN401 - each family has its own rules and fields
    """Return a field with its earnings and the next step of the beanometer: "3 chili $1 (6: $2)"."""
    if hasattr(field, "cards"):
        kind, count = field.last, len(field.cards)
        cards = ", ".join(f"{len(list(run))} {name}" for name, run in groupby(field.cards))
    else:
        kind, count = field.kind, field.count
        cards = f"{count} {kind}"
    if kind is None:
        return "-"
    meter = rules.kind(kind)
    earns = meter.dollars(count)
    coming = [f"({least}: ${dollars})" for least, dollars in meter.steps(count)[:1]]
    return " ".join([cards, *([f"${earns}"] if earns else []), *coming])


def _bohnus(rules: Any, cards: Iterable[int]) -> str:  # noqa: ANN401 - DuelRules, which this layer does not know
    shown = (rules.bohnus[card] for card in cards)
    return " ".join(f"{'-'.join(map(str, card.sequence))} ({card.cents}c)" for card in shown)


def _rest(view: Any, said: Callable[[Any], str] | None) -> Iterator[str]:  # noqa: ANN401 - see `_table`
    """Yield lines for the fields outside of the table: numbers together, others by themselves."""
    values = _rest_values(view)
    numbers = [f"{name} {value}" for name, value in values.items() if isinstance(value, int)]
    if numbers:
        yield "  ".join(numbers)
    for name, value in values.items():
        if isinstance(value, int):
            continue
        shown = _counted(view.rules.kinds, value) if name == "discard" else _text(value, said)
        if shown:
            yield from textwrap.wrap(f"{name}: {shown}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _rest_values(view: Any) -> dict[str, Any]:  # noqa: ANN401 - see `_table`
    """Return the non-empty fields outside of the first line and the table, by name."""
    names = [name for name in types_of(type(view)) if name not in _IN_THE_FIRST_LINE | _IN_THE_TABLE]
    return {name: value for name in names if (value := getattr(view, name))}


def _counted(kinds: Sequence[Any], discard: Sequence[Any]) -> str:
    """Return the discard pile: counts in the order of `kinds`, or the cards themselves."""
    counts = Counter(discard)
    if isinstance(discard[0], int):
        counts = Counter({kind.name: count for kind, count in zip(kinds, discard, strict=True)})
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def _text(value: object, said: Callable[[Any], str] | None) -> str:
    """Return a value without class names; nested parts are in brackets."""
    if said and hasattr(type(value), "seen_by"):  # an event
        return said(value)
    if isinstance(value, tuple | list):
        return _texts(value, said) or "-"
    if _has_fields(value):
        return _texts([getattr(value, name) for name in types_of(type(value))], said)
    return "-" if value is None else str(value)


def _texts(values: Iterable[object], said: Callable[[Any], str] | None) -> str:
    return " ".join(
        f"[{_text(value, said)}]" if isinstance(value, tuple | list) or _has_fields(value) else _text(value, said)
        for value in values
    )


def _has_fields(value: object) -> bool:
    return hasattr(type(value), "__match_args__")
