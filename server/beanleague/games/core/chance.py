"""Keyed chance: every random outcome is a function of the seed and of a key that names it.

There is no random stream, so the luck of one decision does not depend on the number of earlier decisions.
`docs/chance.md` explains how to recompute each outcome without this code. A `Pile` draws cards by it.
"""

import struct
from hashlib import blake2b

from beanleague.games.core.game import SetupError, brief

MAX_SEED = 64  # maximum seed length in bytes, the longest key of BLAKE2b


def check_seed(seed: bytes) -> bytes:
    """Return `seed` if it is 1 to 64 bytes long.

    Raises:
        SetupError: if it is not.
    """
    if not isinstance(seed, bytes) or not 1 <= len(seed) <= MAX_SEED:
        raise SetupError(f"a seed is 1 to {MAX_SEED} bytes, not {brief(seed)}")
    return seed


def numbers(seed: bytes, key: str, count: int) -> tuple[int, ...]:
    """Return the `count` 64-bit numbers for `seed` and `key`.

    Block b (0, 1, ...) of eight numbers is the 64-byte BLAKE2b digest of "`key`/b" keyed with the seed,
    read as little-endian unsigned integers.
    """
    blocks = -(-count // 8)
    data = b"".join(blake2b(f"{key}/{b}".encode(), key=seed).digest() for b in range(blocks))
    return struct.unpack(f"<{count}Q", data[: 8 * count])


def order(seed: bytes, key: str, count: int) -> tuple[int, ...]:
    """Return 0 .. `count` - 1 in the order given by `seed` and `key`: sorted by their numbers, then by value."""
    drawn = numbers(seed, key, count)
    return tuple(sorted(range(count), key=lambda i: (drawn[i], i)))


class Pile:
    """Draw pile and discard pile of the cards 0 .. `cards` - 1; some cards may be elsewhere.

    For every pass (the time between two shuffles) each seat has its own order of all cards, decided by the
    seed, and draws the first card in it that is still in the pile.
    """

    __slots__ = ("_at", "_in_pile", "_name", "_orders", "_seed", "discards", "number", "size")

    def __init__(self, seed: bytes, cards: int, seats: int, name: str = "draw") -> None:
        self._seed = seed
        self._name = name  # part of the key of its draw orders; unique among the piles of a game
        self._in_pile = bytearray(b"\1") * cards
        self._orders: list[tuple[int, ...] | None] = [None] * seats
        self._at = [0] * seats
        self.size = cards
        self.discards: list[int] = []
        self.number = 0  # number of the pass; 0 before the first shuffle

    @classmethod
    def holding(cls, seed: bytes, cards: bytearray, seats: int, discards: list[int], name: str = "draw") -> "Pile":
        """Return a pile of the cards with entry 1 in `cards`, and the discard pile `discards`, top card last."""
        pile = cls(seed, 0, seats, name)
        pile._in_pile = cards
        pile.size = cards.count(1)
        pile.discards = discards
        return pile

    def reseed(self, seed: bytes) -> None:
        """Switch the order of all later draws to `seed`."""
        self._seed = seed
        self._orders = [None] * len(self._orders)
        self._at = [0] * len(self._at)

    def copy(self) -> "Pile":
        """Return an independent copy."""
        new = Pile.__new__(Pile)
        new._seed = self._seed
        new._name = self._name
        new._in_pile = self._in_pile[:]
        new._orders = self._orders[:]
        new._at = self._at[:]
        new.size = self.size
        new.discards = self.discards[:]
        new.number = self.number
        return new

    def draw(self, seat: int) -> int:
        """Draw a card for `seat` and return it; the pile must not be empty."""
        cards = self._orders[seat]
        if cards is None:
            cards = order(self._seed, f"{self._name}/{self.number}/{seat}", len(self._in_pile))
            self._orders[seat] = cards
        at = self._at[seat]
        in_pile = self._in_pile
        while not in_pile[cards[at]]:
            at += 1
        card = cards[at]
        self._at[seat] = at + 1
        in_pile[card] = 0
        self.size -= 1
        return card

    def shuffle(self) -> int:
        """Turn the discard pile into the draw pile and begin the next pass; return the number of cards."""
        for card in self.discards:
            self._in_pile[card] = 1
        self.size += len(self.discards)
        self.discards = []
        self.number += 1
        self._orders = [None] * len(self._orders)
        self._at = [0] * len(self._at)
        return self.size
