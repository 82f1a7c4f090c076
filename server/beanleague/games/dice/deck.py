"""Decks of harvest cards, read from TOML text and checked.

A deck is a list of `[[cards]]`, each with its `orders` from bottom to top and optionally `percent`, the chance of each
on a first roll; see `docs/decks.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.kinds import Kind, data_table, data_text, read_cards
from beanleague.games.dice.chances import Rolls, percent, rolls
from beanleague.games.dice.orders import Order, parse_order

MAX_CARDS = 200


@dataclass(frozen=True, slots=True)
class Edition:
    """The dice of an edition."""

    name: str
    """"2012" or "2022"."""
    dice: tuple[tuple[Kind, ...], ...]
    """`dice[die]`: the six faces of a die."""
    kinds: tuple[Kind, ...]
    """All kinds on the dice."""


@dataclass(frozen=True, slots=True)
class HarvestCard:
    """A harvest card."""

    orders: tuple[Order, ...]
    """The orders, from bottom to top."""
    percent: tuple[int, ...]
    """The chance of each order on a first roll, in percent, as printed."""


@lru_cache
def edition(name: str) -> Edition:
    """Return the edition "2012" or "2022", from `data/dice.toml`."""
    table = data_table("dice.toml")[name]
    dice = tuple(tuple(sort["faces"]) for sort in table.values() for _ in range(sort["dice"]))
    return Edition(name, dice, tuple(dict.fromkeys(kind for faces in dice for kind in faces)))


@lru_cache(maxsize=16)
def standard_deck(name: str, orders: int) -> tuple[HarvestCard, ...]:
    """Return the standard deck of the edition `name`, whose cards have `orders` orders."""
    return read_deck(data_text(f"dice_{name}.toml"), edition(name), orders)


@lru_cache(maxsize=16)
def read_deck(text: str, dice: Edition, orders: int) -> tuple[HarvestCard, ...]:
    """Return the deck in the TOML text `text`, whose cards must have `orders` orders for the dice `dice`.

    Raises:
        SetupError: if it cannot be played; the message names the card and the order (from the bottom), from 1.
    """
    cards = read_cards(text, "orders = [...], from bottom to top")
    if len(cards) > MAX_CARDS:
        raise SetupError(f"deck: {len(cards)} cards are too many: at most {MAX_CARDS}")
    first_roll = rolls(dice.dice, dice.kinds)
    return tuple(_card(card, f"deck: card {i}", dice, orders, first_roll) for i, card in enumerate(cards, 1))


def check_size(cards: Sequence[HarvestCard], seats: int, holders: int) -> None:
    """Check that there are enough cards for `seats` seats and `holders` of dollars (players and the Thief).

    When all cards but two per seat are dollars, somebody must have five single ones to trade in for a new deck.

    Raises:
        SetupError: if there are too few cards.
    """
    least = 2 * seats + 4 * holders
    if len(cards) < least:
        raise SetupError(f"deck: {len(cards)} cards are too few for a table of {seats}: at least {least}")


def _card(data: object, place: str, dice: Edition, orders: int, first_roll: Rolls) -> HarvestCard:
    if not isinstance(data, dict):
        raise SetupError(f"{place}: must be a table with orders, not {shown(data)}")
    for key in data:
        if key not in ("orders", "percent"):
            raise SetupError(f"{place}: unknown entry {shown(key)}; a card has orders and percent")
    texts = data.get("orders")
    if not isinstance(texts, list) or len(texts) != orders:
        raise SetupError(f"{place}: orders must be a list of {orders} strings, from bottom to top, not {shown(texts)}")
    read = tuple(_order(text, f"{place}, order {i}", dice, first_roll) for i, text in enumerate(texts, 1))
    printed = data.get("percent")
    if printed is None:
        return HarvestCard(read, tuple(percent(first_roll.chance(order)) for order in read))
    if not isinstance(printed, list) or len(printed) != orders:
        raise SetupError(f"{place}: percent must be a list of {orders} whole numbers, not {shown(printed)}")
    for i, number in enumerate(printed, 1):
        if type(number) is not int or not 0 <= number <= 100:
            raise SetupError(f"{place}, order {i}: percent must be a whole number from 0 to 100, not {shown(number)}")
    return HarvestCard(read, tuple(printed))


def _order(text: object, place: str, dice: Edition, first_roll: Rolls) -> Order:
    if not isinstance(text, str):
        raise SetupError(f"{place}: must be a string like '2 blue + soy', not {shown(text)}")
    try:
        order = parse_order(text, dice.kinds, len(dice.dice))
    except ValueError as problem:
        raise SetupError(f"{place}: {problem}") from None
    if not first_roll.meeting(order):
        raise SetupError(f"{place}: {shown(text)} can never be met with these dice")
    return order
