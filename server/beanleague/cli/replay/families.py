"""The table of families: the module that draws the games of each; and the lines of what happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from beanleague.cli.replay.lines import sentence, worth_table
from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Event, Fault, View
from beanleague.games.core.words import fault_said
from beanleague.games.families import family_of_view, words_of
from beanleague.games.lazy import OnDemand


def picture(
    table: ReplayTable[Any],
    names: Sequence[str],
    title: str,
    width: int,
    *,
    cards: int | None = None,
    before: ReplayTable[Any] | None = None,
) -> RenderableType:
    """Return the table as it stands: each seat with what it has, then the cards between them.

    `cards`: how many of a hand are shown; None for all. What differs from the table `before` is marked.
    """
    module = _MODULES[type(table.public)]
    drawn: RenderableType = module.picture(table, before or table, names, title, width, cards)
    return drawn


def describe(step: Step[Any], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step` with their lines; of entries that share a line, only the last."""
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
        elif isinstance(entry, trades(step.table)):
            line.stylize("bold")
        together = 0
        yield entry, line


def help_on_worth(view: View) -> Text:
    """Return what beans are worth in this game; of the dice games, where each card says it, what a harvest earns."""
    rules: Any = view.rules
    if hasattr(rules, "dice"):
        earn = ", ".join(f"{orders} orders ${dollars}" for orders, dollars in enumerate(rules.dollars) if dollars)
        return Text(f"A harvest earns by the completed orders of the card: {earn}.")
    return worth_table(rules.kinds)


def trades(table: ReplayTable[Any]) -> tuple[type[Event], ...]:
    """Return the classes of the events in which players trade in this game."""
    kinds: tuple[type[Event], ...] = _MODULES[type(table.public)].TRADES
    return kinds


def harvests(table: ReplayTable[Any]) -> tuple[type[Event], ...]:
    """Return the classes of the events in which players harvest in this game."""
    kinds: tuple[type[Event], ...] = _MODULES[type(table.public)].HARVESTS
    return kinds


def _module(view: type[View]) -> Any:  # noqa: ANN401 - a module, which mypy does not know
    family = family_of_view(view)
    assert family is not None
    return family.module(__package__)


_MODULES = OnDemand(_module)
