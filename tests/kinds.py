"""Kinds of beans, as tests write them."""

from typing import cast

from beanleague.games import Kind


def kinds(text: str) -> list[Kind]:
    """The kinds in a text such as "red blue"."""
    return cast("list[Kind]", text.split())
