"""Signs in streams whose encoding lacks them: an ASCII form that says the same, and never a question mark."""

import ast
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

import beanbot
import beanleague
from beanleague.signs import at_words, fitted_ellipsis, make_legible

SERVER, SDK = (Path(str(package.__file__)).parent for package in (beanleague, beanbot))
NO_SIGNS = {0xD800, 0xDFFF, 0xFFFD}  # the bounds of surrogates, and what stands for unknown letters
PRINTING = (SERVER / "cli", SERVER / "games", SERVER / "answers.py", SDK)


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_lines_for_a_terminal_break_between_words_and_what_is_to_be_copied_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = f"bot.py: is not a program, see /{'x' * 20}\n  run: chmod +x bot.py && ls"
    assert at_words(text, Terminal()).splitlines() == [
        "bot.py: is not a",
        "program, see",
        f"/{'x' * 20}",
        "  run: chmod +x bot.py && ls",
    ]
    assert at_words(text, io.StringIO()) == text


def written(text: str, encoding: str) -> bytes:
    """Return the bytes of `text` in a stream of this encoding."""
    data = io.BytesIO()
    stream = io.TextIOWrapper(data, encoding)
    make_legible(stream)
    stream.write(text)
    stream.flush()
    return data.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1712 ±  23 ?", b"1712 +- 23 ?"),
        ("1712 ± 101", b"1712 +-101"),
        ("10±1", b"10+-1"),
        ("◀──●──▶", b"<--o-->"),
        ("■■□ ✓ ✗", b"##. * x"),
        ("3-4 (10¢)", b"3-4 (10c)"),
        ("→ ← ↑ ↓", b"> < ^ v"),
        ("a \N{EN DASH} b…", b"a - b..."),
        ("Zoë García", b"Zoe Garcia"),
        ("豆", b"?"),
    ],
)
def test_ascii_streams_show_a_form_of_each_sign(text: str, shown: bytes) -> None:
    assert written(text, "ascii") == shown


def test_signs_that_an_encoding_has_are_kept() -> None:
    assert written("1712 ±  23 ──", "latin-1") == b"1712 \xb1  23 --"
    assert written("1712 ±  23 ──", "utf-8") == "1712 ±  23 ──".encode()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_names_of_files_are_shown_as_they_are_on_disk(encoding: str) -> None:
    undecoded = "é.db".encode().decode("ascii", "surrogateescape")
    assert written(undecoded, encoding) == "é.db".encode()


def test_names_that_are_no_text_control_no_terminal() -> None:
    assert written("\udc9b2J", "utf-8") == b"?2J"
    assert written("\udcc2\udc9b2J", "ascii") == b"??2J"


@pytest.mark.parametrize(("cut", "fitted"), [("merchan…", "merch..."), ("r…", ".."), ("…", ".")])
def test_an_ellipsis_takes_no_more_room_in_dots(cut: str, fitted: str) -> None:
    assert fitted_ellipsis(cut) == fitted
    assert len(fitted) == len(cut)


def literals(root: Path) -> Iterator[str]:
    """Yield the texts in the programs below a folder, docstrings among them."""
    for file in [root] if root.is_file() else root.rglob("*.py"):
        nodes = ast.walk(ast.parse(file.read_text("utf-8")))
        yield from (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


@pytest.mark.parametrize("root", PRINTING, ids=lambda root: root.name)
def test_every_sign_in_what_is_printed_has_a_form(root: Path) -> None:
    signs = {letter for text in literals(root) for letter in text if not letter.isascii()}
    assert not [sign for sign in sorted(signs) if ord(sign) not in NO_SIGNS and b"?" in written(sign, "ascii")]
