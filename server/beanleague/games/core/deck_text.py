"""Reading the text of a deck: TOML with a table `[[cards]]` for each card."""

from __future__ import annotations

from beanleague.games.core.errors import SetupError, shown

DECK_OPTION = "cards of your own, deck=FILE; see docs/decks.md"
"""What the option `deck` means, in games that have it."""

MAX_TEXT = 100_000  # characters, the longest text allowed in a match record
MAX_LINE = 2000  # characters
MAX_DOTS = 20  # in a line: reading a dotted key takes time that grows with the square of its parts


def read_cards(text: str, card: str) -> list[object]:
    """Return the cards in the deck `text`, at least one. `card`: what a card needs, for the error message.

    Raises:
        SetupError: if the text is too long, is not TOML, or has anything but cards.
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
    import tomllib  # a bot is sent the cards

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise SetupError(f"deck: not TOML: {problem!s:.200}") from None
    cards = table.get("cards")
    if not isinstance(cards, list) or not cards:
        raise SetupError(f"deck: has no [[cards]]; each needs {card}")
    for key in table:
        if key != "cards":
            raise SetupError(f"deck: unknown entry {shown(key)}; a deck has [[cards]] only")
    return cards
