"""Replaces modules that other bots import."""

from pathlib import Path

import grpc
from attacker import attempt, play

import beanproto


def attack() -> object:
    return [Path(module.__path__[0], "planted.py").write_text("x = 1") for module in (grpc, beanproto)]


attempt(attack)
play()
