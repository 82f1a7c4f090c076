"""Reads /etc/passwd."""

from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    return Path("/etc/passwd").read_text()


attempt(attack)
play()
