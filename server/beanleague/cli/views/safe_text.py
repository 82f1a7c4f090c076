"""Texts written by bots and by strangers, made safe to print at a terminal."""

from __future__ import annotations

_KEPT = "\n\t"
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))  # C0, DEL and C1
_TURNS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))  # what is written right to left
_CODES = [code for code in (*_CONTROLS, *_TURNS) if chr(code) not in _KEPT]
_SHOWN = dict.fromkeys(_CODES, "\N{REPLACEMENT CHARACTER}")
_ESCAPED = {code: f"\\u{code:04x}" for code in _CODES}


def harmless(text: str) -> str:
    """Return the text with what controls terminals, or turns the direction of writing, replaced.

    Line ends and tabs stay.
    """
    return text.translate(_SHOWN)


def harmless_json(text: str) -> str:
    """Return JSON that means the same, with those characters escaped."""
    return text.translate(_ESCAPED)
