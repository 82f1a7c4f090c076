"""Ignores signals and leaves grandchildren in sessions of their own."""

import os
import signal
import time

from attacker import attempt, play


def attack() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)


attempt(attack)
play()
