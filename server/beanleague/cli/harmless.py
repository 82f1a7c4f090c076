"""Texts written by bots and by strangers, made safe to print at a terminal."""

from __future__ import annotations

_KEPT = "\n\t"
_CODES = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in _KEPT]  # C0, DEL and C1
_SHOWN = dict.fromkeys(_CODES, "\N{REPLACEMENT CHARACTER}")


def harmless(text: str) -> str:
    """Return the text with control characters replaced, as wide as before; line ends and tabs stay."""
    return text.translate(_SHOWN)
