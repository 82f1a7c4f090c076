"""Seeds and luck, derived from the master secret of a league (docs/fairness.md)."""

import hashlib
import hmac
import os

LUCK_BYTES = 16


def new_secret() -> bytes:
    """Return a random secret of a league or of a day of a ladder, 32 bytes."""
    return os.urandom(32)


def deal_seed(secret: bytes, deal: int) -> bytes:
    """Return the seed of a deal: HMAC-SHA256 of "deal/<number>" keyed with the master secret, 32 bytes."""
    return _derive(secret, f"deal/{deal}")


def table_rank(secret: bytes, table: int, count: int) -> int:
    """Return the rank, 0 to `count` - 1, of the companions of a ladder's table: see `draws`.

    The rank is HMAC-SHA256 of "table/<number>" keyed with the secret of the day, as a fraction of 2^256.
    """
    return int.from_bytes(_derive(secret, f"table/{table}")) * count >> 256


def seed_digest(seed: bytes) -> bytes:
    """Return the digest of a seed, published before play: its SHA-256, 32 bytes."""
    return hashlib.sha256(seed).digest()


def bot_luck(secret: bytes, deal: int, rotation: int, seat: int) -> bytes:
    """Return 16 bytes for a bot's own random choices, the same whenever the match is repeated."""
    return _derive(secret, f"luck/{deal}/{rotation}/{seat}")[:LUCK_BYTES]


def _derive(secret: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, purpose.encode(), "sha256")
