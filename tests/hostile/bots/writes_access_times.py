"""Reads a file that nobody read for long, so that its access time tells another process of it a bit."""

from pathlib import Path

from attacker import attempt, play

FILE = Path(__file__).with_name("seldom_read.txt")


def attack() -> object:
    before = FILE.stat().st_atime_ns
    FILE.read_bytes()
    return "changed" if FILE.stat().st_atime_ns != before else ""


attempt(attack)
play()
