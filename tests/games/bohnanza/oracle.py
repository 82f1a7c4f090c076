"""Predicts every card drawn in a game from its seed, with hashlib alone, as `docs/chance.md` describes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from beanleague.games import Event
from beanleague.games.bohnanza import Traded, TradingEnded
from beanleague.games.core import Dealt, Drew, FieldBought, Harvested, Planted, Shuffled, TurnedOver


def draw_order(seed: bytes, shuffle: int, seat: int, cards: int) -> list[int]:
    """All cards in the order in which `seat` draws them after so many shuffles."""
    luck = []
    for card in range(cards):
        digest = blake2b(f"draw/{shuffle}/{seat}/{card // 8}".encode(), key=seed).digest()
        at = card % 8 * 8
        luck.append((int.from_bytes(digest[at : at + 8], "little"), card))
    return [card for _, card in sorted(luck)]


class Oracle:
    """Where every card is, worked out from the seed and from what the players do.

    `dealt`: cards dealt to each seat. `kinds`: name and number of cards of each kind, in the order of the rules.
    `predicted`: the kinds of every deal, draw and turning over so far; `drawn`: the same as the events have it.
    """

    def __init__(self, seed: bytes, dealt: Sequence[int], kinds: Iterable[tuple[str, int]]) -> None:
        self.seed = seed
        self.names = [name for name, count in kinds for _ in range(count)]
        self.shuffles = 0
        self.pile = set(range(len(self.names)))
        self.discard: set[int] = set()
        self.hands: list[list[int]] = [[] for _ in dealt]
        self.aside: list[list[int]] = [[] for _ in dealt]
        self.dollars: list[list[int]] = [[] for _ in dealt]
        self.fields: dict[tuple[int, int], list[int]] = {}
        self.turned: list[int] = []
        self.predicted: list[tuple[str, ...]] = []
        self.drawn: list[tuple[str, ...]] = []
        for already in range(max(dealt)):
            for seat, hand in enumerate(self.hands):
                if already < dealt[seat]:
                    self.draw(seat, 1, hand)

    def draw(self, seat: int, count: int, to: list[int]) -> list[int]:
        """Draw `count` cards."""
        order = draw_order(self.seed, self.shuffles, seat, len(self.names))
        drawn = [card for card in order if card in self.pile][:count]
        self.pile.difference_update(drawn)
        to.extend(drawn)
        return drawn

    def follow(self, events: Sequence[Event]) -> Oracle:
        """Move the cards as `events` say."""
        for event in events:
            match event:
                case Dealt():
                    self.compare(self.hands[event.seat], event.cards)
                case Drew():
                    self.compare(self.draw(event.seat, event.count, self.hands[event.seat]), event.cards)
                case TurnedOver():
                    self.compare(self.draw(event.seat, len(event.cards), self.turned), event.cards)
                case Shuffled():
                    self.shuffles += 1
                    self.pile, self.discard = self.discard, set()
                case Planted():
                    source = self.hands if event.source == "hand" else self.aside
                    card = source[event.seat].pop(event.position)
                    self.fields.setdefault((event.seat, event.field), []).append(card)
                case Harvested():
                    field = self.fields.pop((event.seat, event.field))
                    self.discard.update(field[: len(field) - event.dollars])
                    self.dollars[event.seat] += field[len(field) - event.dollars :]
                case FieldBought():
                    self.discard.update(self.dollars[event.seat].pop() for _ in range(event.price))
                case Traded():
                    given = take(self.turned, event.turned) + sorted(take(self.hands[event.seat], event.hand))
                    self.aside[event.seat] += sorted(take(self.hands[event.partner], event.partner_hand))
                    self.aside[event.partner] += given
                case TradingEnded():
                    self.aside[event.seat] += self.turned
                    self.turned = []
                case _:
                    pass
        return self

    def compare(self, cards: Iterable[int], drawn: tuple[str, ...]) -> None:
        self.predicted.append(tuple(self.names[card] for card in cards))
        self.drawn.append(drawn)


def take(cards: list[int], positions: Sequence[int]) -> list[int]:
    """Take the cards at `positions` out of `cards`."""
    taken = [cards[position] for position in positions]
    cards[:] = [card for i, card in enumerate(cards) if i not in positions]
    return taken
