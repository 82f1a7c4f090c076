"""Writes to its own folder, to tell its next process something."""

from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    return Path("note").write_text("cabbages come first")


attempt(attack)
play()
