"""ASCII forms of printed signs, for terminals, files and pipes whose encoding lacks them, e.g. "+-" for "±".

Otherwise such a stream would show "?", which in standings means "not reliable yet".
"""

import codecs
import io
from typing import TextIO
from unicodedata import combining, normalize

_FORMS = {
    "±": "+-",
    "…": "...",
    "\N{EN DASH}": "-",
    "—": "-",
    "\N{MINUS SIGN}": "-",
    "·": "|",
    "¢": "c",
    "\N{MULTIPLICATION SIGN}": "x",
    "✗": "x",
    "✓": "*",
    "●": "o",
    "■": "#",
    "□": ".",
    "◀": "<",
    "▶": ">",
    "▸": "*",  # not ">", which at the beginning of a line is a prompt
    "←": "<",
    "→": ">",
    "↑": "^",
    "↓": "v",
    "\N{NO-BREAK SPACE}": " ",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    **dict.fromkeys("─━═╌┄╴╶╸╺", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼┏┓┗┛╭╮╰╯╡╞╪╇╈", "+"),
}
"""ASCII forms of signs. All forms except for "±" and "…" have the width of the sign, so that tables and pictures stay
aligned."""


def at_words(text: str, stream: TextIO) -> str:
    """Return a text with lines broken between words to fit the terminal of `stream`; unchanged for files and pipes.

    Indented lines stay as they are: they show code, or something to copy.
    """
    if not stream.isatty():
        return text
    from shutil import get_terminal_size
    from textwrap import TextWrapper  # imported late, since few commands fail

    wrap = TextWrapper(get_terminal_size().columns, break_long_words=False, break_on_hyphens=False).fill
    return "\n".join(line if line.startswith(" ") else wrap(line) for line in text.split("\n"))


ELLIPSIS = "…"
_HANDLER = "beanleague.signs"


def make_legible(*streams: object) -> None:
    """Make text streams replace signs that their encoding lacks by ASCII forms, and never fail on a character."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def is_unicode(stream: object) -> bool:
    """Return whether a stream can write every character, as streams without an encoding can."""
    return str(getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def fitted_ellipsis(text: str) -> str:
    """Return text of the same width in which three dots replace each ellipsis and the letters before it."""
    while ELLIPSIS in text:
        before, _, after = text.partition(ELLIPSIS)
        dots = "." * min(len(before) + 1, 3)
        text = f"{before[: len(before) + 1 - len(dots)]}{dots}{after}"
    return text


def _replacement(error: UnicodeError) -> tuple[str | bytes, int]:
    """Error handler: return the replacement for unencodable characters, and the position to continue at."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, end = error.object, error.end
    letters = text[error.start : end]
    if name := _file_name(letters):
        return name, end
    if letters.endswith("±") and text[end : end + 1] == " ":
        end += 1  # "+-" takes the place of "± "
    return "".join(map(_form, letters)), end


def _form(letter: str) -> str:
    if letter in _FORMS:
        return _FORMS[letter]
    bare = "".join(part for part in normalize("NFKD", letter) if not combining(part))
    return bare if bare.isascii() else "?"


def _file_name(letters: str) -> bytes:
    """Return the bytes of an undecodable part of a file name, if they are UTF-8; else b""."""
    try:
        name = letters.encode("ascii", "surrogateescape")
        return name if name.decode("utf-8").isprintable() else b""
    except UnicodeError:
        return b""


codecs.register_error(_HANDLER, _replacement)
