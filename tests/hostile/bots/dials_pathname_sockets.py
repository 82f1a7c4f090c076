"""Dials a unix socket of the host with a path that it knows."""

import socket

from attacker import SOCKET, attempt, play


def attack() -> object:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.connect(SOCKET)
    return "connected"


attempt(attack)
play()
