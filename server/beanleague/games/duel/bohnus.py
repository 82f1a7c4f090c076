"""Bo(h)nus cards, and the decks they come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.kinds import KindRule, data_text, read_cards

DOLLAR = 100  # cents
MAX_SYMBOLS = 4
MAX_CENTS = 10 * DOLLAR
MIN_CARDS = 6  # three for each player
MAX_CARDS = 1000


@dataclass(frozen=True, slots=True)
class BohnusCard:
    """A bo(h)nus card."""

    sequence: tuple[int, ...]
    """Run lengths in planting order: (2, 1) is two beans of a kind, then one of another."""
    cents: int
    """Cents printed on the card; it is worth a dollar more."""

    @property
    def worth(self) -> int:
        """Cents that the fulfilled card is worth: one dollar plus `cents`."""
        return DOLLAR + self.cents


@cache
def standard_deck() -> str:
    """Return the text of the standard deck."""
    return data_text("bohnus.toml")


def read_deck(text: str, kinds: tuple[KindRule, ...]) -> tuple[BohnusCard, ...]:
    """Return the cards of the deck `text` for a game with `kinds`.

    `text` is TOML with a table `[[cards]]` for each card, e.g. with `sequence = "2-1"` and `cents = 10`. An entry
    `seen`, how often the sequence is expected, is allowed and ignored.

    Raises:
        SetupError: if the deck cannot be played; the message names the card, counted from 1.
    """
    cards = read_cards(text, 'a sequence and cents, as in sequence = "2-1" and cents = 10')
    if not MIN_CARDS <= len(cards) <= MAX_CARDS:
        raise SetupError(f"deck: must have {MIN_CARDS} to {MAX_CARDS} cards, not {len(cards)}")
    return tuple(_read_card(card, f"deck: card {number}", kinds) for number, card in enumerate(cards, 1))


def _read_card(data: object, place: str, kinds: Sequence[KindRule]) -> BohnusCard:
    if not isinstance(data, dict):
        raise SetupError(f"{place}: must be a table with a sequence and cents, not {shown(data)}")
    for key in ("sequence", "cents"):
        if key not in data:
            raise SetupError(f"{place}: {key} is missing")
    for key in data:
        if key not in ("sequence", "cents", "seen"):
            raise SetupError(f"{place}: unknown entry {shown(key)}; a card has a sequence and cents")
    cents = data["cents"]
    if type(cents) is not int or not 0 <= cents <= MAX_CENTS:
        raise SetupError(f"{place}: cents must be a whole number from 0 to {MAX_CENTS}, not {shown(cents)}")
    return BohnusCard(_read_sequence(data["sequence"], place, kinds), cents)


def _read_sequence(value: object, place: str, kinds: Sequence[KindRule]) -> tuple[int, ...]:
    runs = value.split("-") if isinstance(value, str) else []
    if not runs or not all(run.isascii() and run.isdigit() and len(run) < 3 and int(run) for run in runs):
        raise SetupError(f'{place}: sequence must be numbers of beans like "2-1", not {shown(value)}')
    if len(runs) > MAX_SYMBOLS:
        raise SetupError(f"{place}: sequence {shown(value)} has {len(runs)} symbols; the maximum is {MAX_SYMBOLS}")
    sequence = tuple(map(int, runs))
    starts = range(len(kinds) - len(sequence) + 1)
    if not any(all(run <= kind.cards for run, kind in zip(sequence, kinds[at:], strict=False)) for at in starts):
        raise SetupError(f"{place}: sequence {shown(value)} can never be planted: there are not enough beans of a kind")
    return sequence
