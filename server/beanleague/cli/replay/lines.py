"""Parts of lines and pictures that are the same for all games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from rich.text import Text

from beanleague.cli.replay.changes import changed, new_cards
from beanleague.cli.replay.kinds import backs, label, row
from beanleague.cli.replay.steps import ReplayTable
from beanleague.games import Kind

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


class _Hand(Protocol):
    """A view with a hand of cards."""

    @property
    def seat(self) -> int: ...
    @property
    def hand(self) -> tuple[Kind, ...]: ...
    @property
    def hand_sizes(self) -> tuple[int, ...]: ...


def hand(own: _Hand, past: _Hand, cards: int | None, *, name: Callable[[Kind], str] = label) -> Text:
    """Return the first `cards` cards of a hand (all if None), new ones marked; their number if they are hidden."""
    if len(own.hand) < own.hand_sizes[own.seat]:
        return changed(lambda view: backs(view.hand_sizes[view.seat]), own, past)
    shown = own.hand[:cards]
    more = len(own.hand) - len(shown)
    drawn = row(shown, name=name, new=max(0, new_cards(own.hand, past.hand) - more))
    return Text.assemble(drawn, (f" +{more}", "dim")) if more else drawn


def player_mark(table: ReplayTable[Any], seat: int) -> Text:
    """Return a sign for a seat that forfeited or is active; a space for others."""
    if seat in table.forfeited:
        return Text("✗", "bold red")
    return Text("▶", "bold green") if seat == table.active else Text(" ")


def player_name(table: ReplayTable[Any], names: Sequence[str], seat: int) -> Text:
    """Return the name of the player in a seat."""
    return Text(names[seat], "red" if seat in table.forfeited else "bold" if seat == table.active else "")
