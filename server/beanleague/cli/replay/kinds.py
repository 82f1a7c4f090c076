"""How kinds of beans look on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rich.text import Text

from beanleague.cli.replay.changes import CHANGED
from beanleague.games import Kind

_STYLES = {
    "cocoa": "rgb(150,95,60)",
    "garden": "rgb(110,190,70)",
    "red": "rgb(225,60,60)",
    "black_eyed": "rgb(170,170,190)",
    "soy": "rgb(215,180,60)",
    "green": "rgb(50,160,80)",
    "stink": "rgb(150,150,40)",
    "chili": "rgb(240,110,40)",
    "blue": "rgb(70,130,230)",
    "wax": "rgb(200,170,120)",
    "coffee": "rgb(175,115,85)",
}


def label(kind: Kind) -> str:
    """Return the name of a kind for people: "black-eyed"."""
    return kind.replace("_", "-")


def style(kind: Kind) -> str:
    """Return the colour of a kind, as rich takes it."""
    return _STYLES.get(kind, "default")


def short_label(kind: Kind) -> str:
    """Return the first word of the name of a kind, where there is little room: "black" for black-eyed."""
    return kind.partition("_")[0]


def row(kinds: Sequence[Kind], *, name: Callable[[Kind], str] = label, new: int = 0) -> Text:
    """Return cards in their order, as a hand holds them, the last `new` of them marked; "-" for none."""
    shown = [Text(name(kind), style(kind)) for kind in kinds]
    for card in shown[len(shown) - new :]:
        card.stylize(CHANGED)
    return Text(" ").join(shown) or Text("-", "dim")


def received(kinds: Sequence[Kind], count: int) -> Text:
    """Return cards in their order; their number if it is not known which they are."""
    return row(kinds) if kinds else backs(count)


def backs(count: int) -> Text:
    """Return cards of which only the number is known."""
    return Text(f"{count} card{'' if count == 1 else 's'}", "dim")


def goods(kinds: Iterable[Kind]) -> Text:
    """Return what one side gives in a trade, every kind with its count: "2 red, 1 soy"; "nothing" for no cards."""
    groups = [Text(f"{count} {label(kind)}", style(kind)) for kind, count in Counter(kinds).items()]
    return Text(", ").join(groups) or Text("nothing")


def heap(kinds: Iterable[Kind]) -> Text:
    """Return cards whose order does not matter, equal ones together, e.g. "2 blue, soy"."""
    groups = [
        Text(label(kind) if count == 1 else f"{count} {label(kind)}", style(kind))
        for kind, count in Counter(kinds).items()
    ]
    return Text(", ").join(groups)
