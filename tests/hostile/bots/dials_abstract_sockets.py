"""Dials a unix socket of the host with an abstract name."""

import socket

from attacker import ABSTRACT, attempt, play


def attack() -> object:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.connect(ABSTRACT)
    return "connected"


attempt(attack)
play()
