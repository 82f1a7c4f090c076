"""Sends a datagram to a socket of the host with a path that it knows, over a socket and over a pair."""

import socket

from attacker import DATAGRAMS, attempt, play


def attack() -> object:
    sent = []
    for name in ("socket", "pair"):
        try:
            if name == "socket":
                sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            else:
                sender, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            sender.sendto(b"hello", DATAGRAMS)
        except OSError:
            continue
        sent.append(name)
    return sent


attempt(attack)
play()
