"""Binds an abstract socket, so that another process of it finds the name taken."""

import socket

from attacker import ABSTRACT, attempt, play


def attack() -> object:
    with socket.socket(socket.AF_UNIX) as opened:
        try:
            opened.bind("\0beanleague-sign")
        except OSError:
            return ""
        return "" if _alone() else "bound"


def _alone() -> bool:
    """Whether names are not the host's: the one that the arena has bound is free."""
    with socket.socket(socket.AF_UNIX) as opened:
        try:
            opened.bind(ABSTRACT)
        except OSError:
            return False
    return True


attempt(attack)
play()
