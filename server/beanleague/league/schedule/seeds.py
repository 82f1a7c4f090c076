"""What decides the luck of a league: one master secret, and all that is derived from it (docs/fairness.md)."""

from __future__ import annotations

import hashlib
import hmac
import os

MIN_SECRET_BYTES = 16
MAX_SECRET_BYTES = 64
LUCK_BYTES = 16


def new_secret() -> bytes:
    """Return a random master secret."""
    return os.urandom(32)


def deal_seed(secret: bytes, deal: int) -> bytes:
    """Return the seed of a deal: HMAC-SHA256 of "deal/<number>" keyed with the master secret, 32 bytes."""
    return _derive(secret, f"deal/{deal}")


def seed_digest(seed: bytes) -> bytes:
    """Return what is published of a seed before it is played: its SHA-256, 32 bytes."""
    return hashlib.sha256(seed).digest()


def bot_luck(secret: bytes, deal: int, rotation: int, seat: int) -> bytes:
    """Return what a bot may seed its own random choices with: 16 bytes, the same whenever the match is played."""
    return _derive(secret, f"luck/{deal}/{rotation}/{seat}")[:LUCK_BYTES]


def _derive(secret: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, purpose.encode(), "sha256")
