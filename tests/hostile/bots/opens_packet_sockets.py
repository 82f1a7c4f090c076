"""Opens a socket for packet."""

import socket

from attacker import attempt, play


def attack() -> object:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as opened:
        return opened.fileno()


attempt(attack)
play()
