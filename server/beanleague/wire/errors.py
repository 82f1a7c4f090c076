"""The error of messages that cannot be understood."""

from __future__ import annotations


class WireError(Exception):
    """A message that does not say what it should; the text says what is wrong with it."""
