"""Writes to a database of the host whose path it knows."""

from pathlib import Path

from attacker import CANARY, attempt, play


def attack() -> object:
    return (Path(CANARY) / "league.db").write_bytes(b"spoilt")


attempt(attack)
play()
