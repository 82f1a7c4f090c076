"""Opens a socket for tcp."""

import socket

from attacker import attempt, play


def attack() -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as opened:
        return opened.fileno()


attempt(attack)
play()
