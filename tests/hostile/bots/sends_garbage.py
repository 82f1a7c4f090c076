"""Sends bytes that are no message."""

from attacker import send_bytes

send_bytes(bytes(range(256)) * 4)
