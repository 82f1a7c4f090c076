"""Make the decks of harvest cards that come with the dice games.

    python tools/make_dice_deck.py            writes server/beanleague/games/data/dice_2012.toml and dice_2022.toml
    python tools/make_dice_deck.py FOLDER     writes them there

The printed cards are not public, so these decks are our own. They follow from the faces of the dice and the seeds
below, and come out the same on every Python. `docs/decks.md` says what a deck must be like.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from pathlib import Path

from beanleague.games.core.chance import numbers
from beanleague.games.core.game import Kind
from beanleague.games.dice.orders import Order, Rolls, percent
from beanleague.games.dice.rules import Edition, edition

DATA = Path(__file__).resolve().parent.parent / "server" / "beanleague" / "games" / "data"
TRIES = 50  # to find an order for a place, before the card is started again


@dataclass(frozen=True)
class Plan:
    """Requirements for a deck."""

    edition: str
    """The edition of the dice: "2012" or "2022"."""
    ruleset: str
    """The id of the ruleset."""
    seed: bytes
    """The seed that decides which orders are on which cards."""
    cards: int
    """The number of cards."""
    bands: tuple[tuple[int, int], ...]
    """Lowest and highest printed percentage for each order, bottom to top."""
    copies: int
    """The maximum number of cards with the same order."""
    never_together: int
    """This many consecutive orders of a card are never met by one roll; 0 for no such rule."""


PLANS = (
    Plan("2022", "dice", b"dice 2022", 55, ((24, 44), (19, 33), (14, 25), (9, 18), (5, 14)), 3, 0),
    Plan("2012", "dice-2012", b"dice 2012", 64, ((36, 60), (27, 44), (19, 33), (13, 24), (9, 18), (4, 12)), 3, 4),
)

# The kinds of order in the rule book, and how often each is tried.
SHARES = ("plain",) * 6 + ("either",) * 3 + ("choice",) * 4 + ("several",) * 3


@dataclass(frozen=True)
class Candidate:
    """An order that a card may have."""

    order: Order
    rolls: int
    """The set of first rolls that meet it, as a bit mask; see `Rolls`."""
    percent: int
    """The chance of these rolls."""


Candidates = dict[str, list[Candidate]]


class Luck:
    """Numbers that follow from a seed and a key."""

    def __init__(self, seed: bytes, key: str) -> None:
        self._numbers = (number for block in range(10_000) for number in numbers(seed, f"{key}/{block}", 64))

    def below(self, limit: int) -> int:
        """Return the next number from 0 to `limit` - 1."""
        return next(self._numbers) % limit


def plain(kinds: tuple[Kind, ...]) -> Iterator[Order]:
    """Yield "stink + soy + red", "2 blue + green" and the like."""
    for number in (2, 3, 4, 5):
        for beans in combinations_with_replacement(kinds, number):
            yield Order((tuple((kind,) for kind in beans),))


def either(kinds: tuple[Kind, ...]) -> Iterator[Order]:
    """Yield "2 green or 2 soy", "4 blue or 2 red" and the like."""
    for one, other in combinations(kinds, 2):
        for number, more in ((2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2), (3, 4), (4, 3), (4, 4)):
            yield Order((((one,),) * number, ((other,),) * more))


def choice(kinds: tuple[Kind, ...]) -> Iterator[Order]:
    """Yield "soy|green + red + garden" and the like."""
    for pair in combinations(kinds, 2):
        rest = [kind for kind in kinds if kind not in pair]
        for number in (1, 2, 3):
            for beans in combinations_with_replacement(rest, number):
                yield Order(((pair, *((kind,) for kind in beans)),))


def several(kinds: tuple[Kind, ...]) -> Iterator[Order]:
    """Yield "soy|green + 2 of garden|red", "blue + 3 of soy|green" and the like."""
    for pair in combinations(kinds, 2):
        rest = [kind for kind in kinds if kind not in pair]
        first = [(kind,) for kind in rest] + list(combinations(rest, 2))
        for number in (2, 3):
            for slot in first:
                yield Order(((slot, *(pair,) * number),))


def candidates(dice: Edition) -> Candidates:
    """Return the orders there are to choose from, by the four kinds of the rule book."""
    first_roll = Rolls(dice.dice, dice.kinds)

    def weighed(orders: Iterator[Order]) -> list[Candidate]:
        met = ((order, first_roll.meeting(order)) for order in orders if all_matter(order, first_roll))
        return [Candidate(order, rolls, percent(first_roll.weight(rolls))) for order, rolls in met]

    return {kind.__name__: weighed(kind(dice.kinds)) for kind in (plain, either, choice, several)}


def all_matter(order: Order, first_roll: Rolls) -> bool:
    """Return whether each alternative of `order` brings at least an eighth of its chance."""
    chance = first_roll.chance(order)
    return all(8 * first_roll.chance(Order((alternative,))) >= chance > 0 for alternative in order.alternatives)


def make_deck(plan: Plan) -> list[list[Candidate]]:
    """Return the cards of `plan`, each from bottom to top."""
    found = candidates(edition(plan.edition))
    banded: list[Candidates] = [
        {kind: [one for one in some if least <= one.percent <= most] for kind, some in found.items()}
        for least, most in plan.bands
    ]
    used = Counter[Order]()
    deck: list[list[Candidate]] = []
    for number in range(1, plan.cards + 1):
        luck = Luck(plan.seed, f"card {number}")
        card = None
        while card is None:
            card = make_card(plan, banded, used, luck)
        used.update(one.order for one in card)
        deck.append(card)
    return deck


def make_card(plan: Plan, banded: list[Candidates], used: Counter[Order], luck: Luck) -> list[Candidate] | None:
    """Return a card, or None if no order fits on top of those already drawn."""
    card: list[Candidate] = []
    for band in banded:
        for _ in range(TRIES):
            some = band[SHARES[luck.below(len(SHARES))]]
            one = some[luck.below(len(some))] if some else None
            if one and used[one.order] < plan.copies and fits(one, card, plan.never_together):
                card.append(one)
                break
        else:
            return None
    return card


def fits(one: Candidate, card: list[Candidate], never_together: int) -> bool:
    """Return whether `one` may lie on top of the orders of `card`: it is harder, and is not met together with them."""
    if card and one.percent >= card[-1].percent:
        return False
    if not never_together or len(card) < never_together - 1:
        return True
    together = one.rolls
    for below in card[-(never_together - 1) :]:
        together &= below.rolls
    return not together


def deck_text(plan: Plan, deck: list[list[Candidate]]) -> str:
    """Return `deck` as a TOML file."""
    lines = [
        f"# Harvest cards for `{plan.ruleset}`: {plan.cards} cards of {len(plan.bands)} orders.",
        "# The printed cards are not public: this deck is our own, made from the faces of the dice by",
        "# tools/make_dice_deck.py.",
        "# orders: from bottom to top. percent: the chance of each on a first roll of all dice, rounded.",
    ]
    for card in deck:
        orders = ", ".join(f'"{one.order}"' for one in card)
        lines += ["", "[[cards]]", f"orders = [{orders}]", f"percent = [{', '.join(str(one.percent) for one in card)}]"]
    return "\n".join(lines) + "\n"


def main(folder: Path) -> None:
    """Write the decks to `folder`."""
    for plan in PLANS:
        (folder / f"dice_{plan.edition}.toml").write_text(deck_text(plan, make_deck(plan)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
