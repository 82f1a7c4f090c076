"""Texts written by bots and strangers, made safe to show: on a terminal, and on a page."""

from __future__ import annotations

_KEPT = "\n\t"
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))  # C0, DEL and C1
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))  # change the writing direction
_CODES = [code for code in (*_CONTROLS, *_DIRECTIONS) if chr(code) not in _KEPT]
_REPLACED = dict.fromkeys(_CODES, "\N{REPLACEMENT CHARACTER}")
_ESCAPED = {code: f"\\u{code:04x}" for code in _CODES}


def replace_controls(text: str) -> str:
    """Return the text with each character that controls terminals, or the writing direction, replaced by U+FFFD.

    Line ends and tabs stay.
    """
    return text.translate(_REPLACED)


def storable(text: str) -> str:
    """Return the text with NUL, which not every database takes, replaced by U+FFFD."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def escape_controls(json_text: str) -> str:
    """Return the same JSON value with those characters escaped."""
    return json_text.translate(_ESCAPED)
