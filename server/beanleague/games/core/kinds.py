"""Bean kinds: the kinds of a game, their data files, and the text of custom decks."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from beanleague.games.core.game import Kind, KindRule, SetupError, brief


class KindsInPlay:
    """Base of the rules of card games: access to the kinds in play."""

    __slots__ = ()

    kinds: tuple[KindRule, ...]

    def kind(self, name: Kind) -> KindRule:
        """Return the kind called `name`.

        Raises:
            KeyError: if it is not in play.
        """
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    @property
    def cards(self) -> int:
        """Number of cards in play, without cards that have no kind."""
        return sum(kind.cards for kind in self.kinds)


def data_text(name: str) -> str:
    """Return the text of the file `name`."""
    from pkgutil import get_data  # imported late: bots receive the files' contents in messages

    data = get_data("beanleague.games", f"data/{name}")
    assert data is not None
    return data.decode("utf-8")


def data_table(name: str) -> dict[str, Any]:
    """Return the TOML file `name` as a table."""
    import tomllib  # imported late: bots do not read TOML

    return tomllib.loads(data_text(name))


@cache
def all_kinds() -> tuple[KindRule, ...]:
    """Return all kinds of the card games, rarest first, from `data/beans.toml`."""
    rows: Mapping[Kind, Any] = data_table("beans.toml")  # type: ignore[assignment]  # its keys are kinds
    return tuple(KindRule(name, row["cards"], tuple(row["beanometer"])) for name, row in rows.items())


DECK_OPTION = "cards of your own, deck=FILE; see docs/decks.md"
"""Description of the option `deck` in games that have one."""

MAX_TEXT = 100_000  # maximum length of a text in a match record, in characters
MAX_LINE = 2000  # maximum length of a line, in characters
MAX_DOTS = 20  # maximum dots per line: the time to parse a dotted key grows with the square of its parts


def read_cards(text: str, card: str) -> list[object]:
    """Return the cards in the deck `text`, at least one. `card`: required entries of a card, for the error message.

    Raises:
        SetupError: if the text is too long, is not TOML, or contains anything but cards.
    """
    if len(text) > MAX_TEXT:
        raise SetupError(f"deck: more than {MAX_TEXT} characters")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            raise SetupError(
                f"deck: line {number} has {len(line)} characters; the maximum is {MAX_LINE}: break lists into "
                f"several lines"
            )
        if line.count(".") > MAX_DOTS:
            raise SetupError(f"deck: line {number} has {line.count('.')} dots; the maximum is {MAX_DOTS}")
    import tomllib  # imported late: bots receive the cards in messages

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise SetupError(f"deck: not TOML: {problem!s:.200}") from None
    cards = table.get("cards")
    if not isinstance(cards, list) or not cards:
        raise SetupError(f"deck: has no [[cards]]; each needs {card}")
    for key in table:
        if key != "cards":
            raise SetupError(f"deck: unknown entry {brief(key)}; a deck has [[cards]] only")
    return cards
