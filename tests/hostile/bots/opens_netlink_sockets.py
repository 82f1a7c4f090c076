"""Opens a socket for netlink."""

import socket

from attacker import attempt, play


def attack() -> object:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as opened:
        return opened.fileno()


attempt(attack)
play()
