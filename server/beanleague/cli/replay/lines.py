"""Parts of lines and pictures that are the same for all games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from rich.text import Text

from beanleague.cli.replay.steps import Table

Part: TypeAlias = str | Text | tuple[str, str]
"""A text, or a text and its style."""


def line(names: Sequence[str], seat: int, *parts: Part) -> Text:
    """Return a line about what a seat does."""
    return Text.assemble("  ", (names[seat], "bold"), " ", *parts)


def ending(names: Sequence[str], places: Sequence[int], money: Sequence[str]) -> Text:
    """Return the line that ends a game: every player with its place and money, the best first."""
    ranking = sorted(range(len(places)), key=lambda seat: places[seat])
    results = ", ".join(f"{places[seat]}. {names[seat]} {money[seat]}" for seat in ranking)
    return Text.assemble(("Game over", "bold underline"), f"  {results}")


def player_mark(table: Table[Any], seat: int) -> Text:
    """Return a sign for a seat that forfeited or is active; a space for others."""
    if seat in table.forfeited:
        return Text("✗", "bold red")
    return Text("▶", "bold green") if seat == table.active else Text(" ")


def player_name(table: Table[Any], names: Sequence[str], seat: int) -> Text:
    """Return the name of the player in a seat."""
    return Text(names[seat], "red" if seat in table.forfeited else "bold" if seat == table.active else "")
