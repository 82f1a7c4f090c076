"""Keyed chance: every outcome is a function of the seed and of what it decides.

Nothing is streamed, so the luck of one decision does not depend on how many came before it.
`docs/chance.md` says how to recompute each outcome without this code.
"""

from __future__ import annotations

import struct
from hashlib import blake2b

from beanleague.games.core.errors import SetupError, shown

MAX_SEED = 64  # bytes: the longest key BLAKE2b takes


def check_seed(seed: bytes) -> bytes:
    """Return `seed` if it is 1 to 64 bytes long.

    Raises:
        SetupError: if it is not.
    """
    if not isinstance(seed, bytes) or not 1 <= len(seed) <= MAX_SEED:
        raise SetupError(f"a seed is 1 to {MAX_SEED} bytes, not {shown(seed)}")
    return seed


def numbers(seed: bytes, key: str, count: int) -> tuple[int, ...]:
    """Return `count` 64-bit numbers decided by `seed` and `key`.

    Block b (0, 1, ...) of eight numbers is the 64-byte BLAKE2b digest of "`key`/b" keyed with the seed,
    read as little-endian unsigned integers.
    """
    blocks = -(-count // 8)
    data = b"".join(blake2b(f"{key}/{b}".encode(), key=seed).digest() for b in range(blocks))
    return struct.unpack(f"<{count}Q", data[: 8 * count])


def order(seed: bytes, key: str, count: int) -> tuple[int, ...]:
    """Return 0 .. `count` - 1 in the order decided by `seed` and `key`: sorted by their numbers, then by value."""
    drawn = numbers(seed, key, count)
    return tuple(sorted(range(count), key=lambda i: (drawn[i], i)))
