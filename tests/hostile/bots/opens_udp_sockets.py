"""Opens a socket for udp."""

import socket

from attacker import attempt, play


def attack() -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        return opened.fileno()


attempt(attack)
play()
