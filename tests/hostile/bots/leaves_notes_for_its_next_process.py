"""Writes what it learnt of a deal to /tmp, and reads what other processes of it wrote."""

import os
from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    notes = [path.read_text() for path in Path("/tmp").glob("beanleague-note-*")]
    Path(f"/tmp/beanleague-note-{os.urandom(4).hex()}").write_text("the pile begins with a red bean")
    return notes


attempt(attack)
play()
