"""Options of the game and settings of a bot, as given on the command line."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path


def typed_option(text: str) -> tuple[str, int | str]:
    """Return the name and value in `text`, which is NAME=VALUE; for "deck", the text of the file VALUE.

    Raises:
        argparse.ArgumentTypeError: if it is not NAME=VALUE, or the file cannot be read.
    """
    name, _, value = text.partition("=")
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE, e.g. max_rounds=6")
    if name == "deck":
        try:
            return name, Path(value).read_text("utf-8-sig")
        except OSError as error:
            raise argparse.ArgumentTypeError(f"cannot read the deck {value}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise argparse.ArgumentTypeError(f"the deck {value} is not text in UTF-8") from None
    try:
        return name, int(value)
    except ValueError:
        return name, value


def typed_setting(text: str) -> tuple[str, object]:
    """Return the name and value in `text`, which is NAME=VALUE; what is no value of TOML is a text.

    Raises:
        argparse.ArgumentTypeError: if it is not NAME=VALUE.
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE, e.g. depth=3")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value
