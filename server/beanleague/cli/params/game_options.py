"""Options of games as they are typed, NAME=VALUE or deck=FILE, and as they are shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import click

from beanproto.v1.league_pb2 import OptionValue

_DECK = "deck"
_MOST_BYTES = 400_000  # no deck has more; what else is named by mistake need not be read


def shown_option(name: str, value: int | str) -> int | str:
    """Return the value of an option as it is shown: of a deck, which is long, the SHA-256 digest of its text."""
    return f"sha256:{hashlib.sha256(str(value).encode()).hexdigest()}" if name == _DECK else value


def options_line(shown: Mapping[str, object]) -> str:
    """Return options as a line tells them; `shown`: by name, as `shown_option` shows them."""
    return ", ".join(f"{name}={value}" for name, value in shown.items()) or "none"


class GameOption(click.ParamType[OptionValue]):
    """An option of a game, "name=value"; whole numbers are numbers. Of a deck the value is a file, which is read."""

    name = "NAME=VALUE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> OptionValue:
        """Return the option."""
        if isinstance(value, OptionValue):
            return value
        name, equals, text = str(value).partition("=")
        if not (name and equals and text):
            self.fail(f"{value!r} must be NAME=VALUE, e.g. max_rounds=6", param, ctx)
        if name == _DECK:
            return OptionValue(name=name, text=self._deck(text, param, ctx))
        try:
            return OptionValue(name=name, number=int(text))
        except ValueError:
            return OptionValue(name=name, text=text)

    def _deck(self, file: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            with Path(file).open("rb") as opened:
                found = opened.read(_MOST_BYTES + 1)
            if len(found) > _MOST_BYTES:
                self.fail(f"the deck {file} is too large to be one", param, ctx)
            return found.decode("utf-8-sig")  # some editors begin a file with a mark of its encoding
        except OSError as error:
            self.fail(f"cannot read the deck {file}: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"the deck {file} is not text in UTF-8", param, ctx)
