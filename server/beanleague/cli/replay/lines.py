"""Pieces of what a replay tells and draws, the same for all games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from rich.text import Text

from beanleague.games.duel import DuelRules

Part: TypeAlias = str | Text | tuple[str, str]

_CENTS = 100


class Seated(Protocol):
    """A table with an active seat, and seats that forfeited."""

    @property
    def active(self) -> int: ...

    @property
    def forfeited(self) -> frozenset[int]: ...


def line(names: Sequence[str], seat: int, *parts: Part) -> Text:
    """Return a line that tells what a seat does."""
    return Text.assemble("  ", (names[seat], "bold"), " ", *parts)


def ending(names: Sequence[str], places: Sequence[int], money: Sequence[str]) -> Text:
    """Return the line that ends a game, the best first."""
    ranking = sorted(range(len(places)), key=lambda seat: places[seat])
    told = ", ".join(f"{places[seat]}. {names[seat]} {money[seat]}" for seat in ranking)
    return Text.assemble(("Game over", "bold underline"), f"  {told}")


def money(cents: int) -> Text:
    """Return an amount of a game with cents."""
    return Text(cents_text(cents), "bold green")


def cents_text(cents: int) -> str:
    """Return an amount of a game with cents, e.g. "$3.40"."""
    return f"${cents // _CENTS}.{cents % _CENTS:02d}"


def bohnus(rules: DuelRules, card: int) -> Text:
    """Return a bo(h)nus card: its sequence and its cents."""
    found = rules.bohnus[card]
    return Text.assemble("-".join(map(str, found.sequence)), (f" {found.cents}c", "green"))


def player_mark(board: Seated, seat: int) -> Text:
    """Return a sign for a seat that forfeited or is active; a space for others."""
    if seat in board.forfeited:
        return Text("✗", "bold red")
    return Text("▶", "bold green") if seat == board.active else Text(" ")


def player_name(board: Seated, names: Sequence[str], seat: int) -> Text:
    """Return the name of the player in a seat."""
    return Text(names[seat], "red" if seat in board.forfeited else "bold" if seat == board.active else "")
