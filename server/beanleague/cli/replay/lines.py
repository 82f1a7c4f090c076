"""Shared drawing of replays in a terminal, for all families: coloured sentences, beans, hands, and marks of changes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rich.console import RenderableType
from rich.text import Text

from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Fault, Kind, KindRule, View
from beanleague.games.core.words import Beans, Money, Part, Who, fault_said, kind_text, part_text
from beanleague.games.families import family_of_view, words_of

T = TypeVar("T")
ViewT = TypeVar("ViewT", bound=View)

CHANGED = "reverse"
"""Style of changed values, chosen to be visible without colours, too."""


@dataclass(frozen=True, slots=True)
class Drawing(Generic[ViewT]):
    """Table to draw, with its previous state."""

    table: ReplayTable[ViewT]
    """Table to draw."""
    before: ReplayTable[ViewT]
    """Table of the previous step; differences are marked."""
    names: Sequence[str]
    """Player names, by seat."""
    title: str
    """Start of the heading; "" for none."""
    width: int
    """Width of the terminal in columns."""
    cards: int | None
    """Number of cards shown per hand; None for all."""

    def heading(self, facts: str) -> Text:
        """Return the heading above the table."""
        title = (self.title, "bold"), "  " if self.title else ""
        return Text.assemble(*title, f"turn {self.table.public.turn}  ", (facts, "dim"))

    def changed(self, draw: Callable[[ViewT], Text]) -> Text:
        """Return `draw` of the public view, marked if it has changed."""
        return changed(draw, self.table.public, self.before.public)

    def seats(self) -> Iterator[tuple[int, ViewT, ViewT]]:
        """Yield each seat with its current and its previous view."""
        yield from zip(range(len(self.table.views)), self.table.views, self.before.views, strict=True)

    def mark(self, seat: int) -> Text:
        """Return a sign for a seat that forfeited or is active; a space for others."""
        if seat in self.table.forfeited:
            return Text("✗", "bold red")
        return Text("▸", "bold green") if seat == self.table.public.active else Text(" ")

    def name(self, seat: int) -> Text:
        """Return the name of the player in a seat."""
        active = seat == self.table.public.active
        return Text(self.names[seat], "red" if seat in self.table.forfeited else "bold" if active else "")


def changed(draw: Callable[[T], Text], now: T, before: T) -> Text:
    """Return `draw(now)`, marked if it differs from `draw(before)`."""
    drawn = draw(now)
    if drawn.plain != draw(before).plain:
        drawn.stylize(CHANGED)
    return drawn


def new_cards(now: Sequence[Kind], before: Sequence[Kind]) -> int:
    """Return the number of new cards at the end of a hand."""
    rest = iter(before)
    kept = 0
    while kept < len(now) and now[kept] in rest:  # cards that leave a hand do not change the order of the rest
        kept += 1
    return len(now) - kept


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


def style(kind: Kind) -> str:
    """Return the colour of a kind, as a rich style."""
    return _STYLES.get(kind, "default")


def short_label(kind: Kind) -> str:
    """Return the first word of a kind's name, for narrow places: "black" for black-eyed."""
    return kind.partition("_")[0]


def row(kinds: Sequence[Kind], *, name: Callable[[Kind], str] = kind_text, new: int = 0) -> Text:
    """Return cards in order, the last `new` of them marked; "-" if there are none."""
    shown = [Text(name(kind), style(kind)) for kind in kinds]
    for card in shown[len(shown) - new :]:
        card.stylize(CHANGED)
    return Text(" ").join(shown) or Text("-", "dim")


def backs(count: int) -> Text:
    """Return hidden cards as a number."""
    return Text(f"{count} card{'' if count == 1 else 's'}", "dim")


def heap(kinds: Iterable[Kind]) -> Text:
    """Return cards grouped by kind, where order does not matter, e.g. "2 blue, soy"."""
    groups = [
        Text(kind_text(kind) if count == 1 else f"{count} {kind_text(kind)}", style(kind))
        for kind, count in Counter(kinds).items()
    ]
    return Text(", ").join(groups)


def worth(kind: KindRule, cards: int) -> Text:
    """Return the earnings of a field with `cards` cards, after a space; empty if 0."""
    earns = kind.dollars(cards)
    return Text(f" ${earns}", "green") if earns else Text()


def next_worth(kind: KindRule, cards: int) -> Text:
    """Return the next step of the beanometer above `cards` cards, e.g. "(4: $1)"."""
    return Text("".join(f"({least}: ${dollars})" for least, dollars in kind.steps(cards)[:1]), "dim")


def worth_table(kinds: Iterable[KindRule]) -> Text:
    """Return a line per kind with its beanometer."""
    lines = [
        Text.assemble(
            (f"  {kind_text(kind.name):12}", style(kind.name)),
            "  ".join(f"{least}: ${dollars}" for least, dollars in kind.steps()),
        )
        for kind in kinds
    ]
    return Text("\n").join([Text("Earnings by number of beans", "bold"), *lines])


def sentence(parts: Sequence[Part], names: Sequence[str]) -> Text:
    """Return a sentence in colours; one that begins a turn or names all players is a heading."""
    first = parts[0]
    heading = isinstance(first, str) and first[0].isupper() and any(isinstance(part, Who) for part in parts)
    line = Text() if heading else Text("  ")
    for at, part in enumerate(parts):
        match part:
            case Who():
                line.append(part_text(part, names), "bold")
            case Beans(found):
                line.append(heap(found))
            case Money(text):
                line.append(text, "bold green")
            case _:
                line.append(part, "bold underline" if heading and not at else "")
    return line


def hand(own: Any, past: Any, cards: int | None, *, name: Callable[[Kind], str] = kind_text) -> Text:  # noqa: ANN401 - views with hands
    """Return the first `cards` cards of a hand (None: all), new ones marked; a hidden hand as a number."""
    if len(own.hand) < own.hand_sizes[own.seat]:
        return changed(lambda view: backs(view.hand_sizes[view.seat]), own, past)
    shown = own.hand[:cards]
    more = len(own.hand) - len(shown)
    drawn = row(shown, name=name, new=max(0, new_cards(own.hand, past.hand) - more))
    return Text.assemble(drawn, (f" +{more}", "dim")) if more else drawn


def picture(
    table: ReplayTable[Any],
    names: Sequence[str],
    title: str,
    width: int,
    *,
    cards: int | None = None,
    before: ReplayTable[Any] | None = None,
) -> RenderableType:
    """Return the table: each seat with its cards, then the common cards; see `Drawing`."""
    drawing = Drawing(table, before or table, names, title, width, cards)
    drawn: RenderableType = drawing_module(table).picture(drawing)
    return drawn


def describe(step: Step[Any], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step` with their lines; of entries that share a line, only the last one."""
    words = words_of(step.table.public.rules)
    words.look(step.before.public)
    said = [fault_said(entry) if isinstance(entry, Fault) else words.event(entry) for entry in step.entries]
    together = 0
    for at, (entry, phrase) in enumerate(zip(step.entries, said, strict=True)):
        several = phrase.text.partition("|")[2]
        together += 1
        if several and at + 1 < len(said) and said[at + 1].text == phrase.text:
            continue
        line = sentence(phrase.parts(words.cards), names)
        if several:
            line = Text(f"  {several.format(together)}" if together > 1 else line.plain, "dim")
        elif isinstance(entry, Fault):
            line.highlight_regex(r"fault, \w+:", "bold red")
        elif isinstance(entry, drawing_module(step.table).TRADES):
            line.stylize("bold")
        together = 0
        yield entry, line


def help_on_worth(view: View) -> Text:
    """Return the values of beans in this game; for the dice games only the earnings of a harvest."""
    rules: Any = view.rules
    if hasattr(rules, "dice"):
        earn = ", ".join(f"{orders} orders ${dollars}" for orders, dollars in enumerate(rules.dollars) if dollars)
        return Text(f"A harvest earns by the completed orders of the card: {earn}.")
    return worth_table(rules.kinds)


def drawing_module(table: ReplayTable[Any]) -> Any:  # noqa: ANN401 - a module, which mypy does not know
    """Return the family's module for drawing: `picture`, and the events for the keys, TRADES and HARVESTS."""
    family = family_of_view(type(table.public))
    assert family is not None
    return family.module(__package__)
