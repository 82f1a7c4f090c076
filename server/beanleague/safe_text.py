"""Texts written by bots and strangers: made safe to show, and what of them is worth showing."""

from collections.abc import Sequence

_TRACEBACK = "Traceback (most recent call last):"
_MAX_TRACEBACK_LINES = 40  # a recursion has a thousand
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


def one_line(text: str, most: int) -> str:
    """Return the first `most` characters of the text as one line that does nothing to a terminal."""
    return " ".join(replace_controls(text[:most]).split())


def storable(text: str) -> str:
    """Return the text with NUL, which not every database takes, replaced by U+FFFD."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def escape_controls(json_text: str) -> str:
    """Return the same JSON value with those characters escaped."""
    return json_text.translate(_ESCAPED)


def first_traceback(log: Sequence[str]) -> Sequence[str]:
    """Return the lines of the first traceback of Python in what a bot wrote; none if there is none."""
    begin = next((i for i, line in enumerate(log) if line.endswith(_TRACEBACK)), None)
    if begin is None:
        return ()
    after = range(begin + 1, len(log))
    end = next((i for i in after if not log[i].startswith(" ")), len(log) - 1)  # the error itself
    return log[begin : end + 1][-_MAX_TRACEBACK_LINES:]
