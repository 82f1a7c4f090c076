"""Writes without end to stdout and stderr."""

import sys
import threading

from attacker import play


def flood() -> None:
    for _ in range(200):
        sys.stdout.write("o" * 2**16)
        sys.stderr.write("e" * 2**16)


threading.Thread(target=flood, daemon=True).start()
play()
