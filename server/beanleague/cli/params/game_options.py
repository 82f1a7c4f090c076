"""Options of games as users write them: NAME=VALUE, or deck=FILE."""

from __future__ import annotations

from pathlib import Path

import click

from beanleague.answers.shapes import DECK
from beanproto.v1.league_pb2 import OptionValue

_MAX_DECK_BYTES = 400_000  # no deck is larger, and other files given by mistake need not be read


class GameOption(click.ParamType[OptionValue]):
    """An option of a game, "name=value". Integers become numbers; the value of a deck is a file, which is read."""

    name = "NAME=VALUE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> OptionValue:
        """Return the option."""
        if isinstance(value, OptionValue):
            return value
        name, equals, text = str(value).partition("=")
        if not (name and equals and text):
            self.fail(f"{value!r} must be NAME=VALUE, e.g. max_rounds=6", param, ctx)
        if name == DECK:
            return OptionValue(name=name, text=self._deck(text, param, ctx))
        try:
            return OptionValue(name=name, number=int(text))
        except ValueError:
            return OptionValue(name=name, text=text)

    def _deck(self, file: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            with Path(file).open("rb") as opened:
                data = opened.read(_MAX_DECK_BYTES + 1)
            if len(data) > _MAX_DECK_BYTES:
                self.fail(f"the deck {file} is too large (maximum {_MAX_DECK_BYTES:,} bytes)", param, ctx)
            return data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
        except OSError as error:
            self.fail(f"cannot read the deck {file}: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"the deck {file} is not UTF-8 text", param, ctx)
