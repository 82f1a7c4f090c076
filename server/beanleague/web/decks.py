"""What a game is played with, for its page: cards, dice and orders of the standard decks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from beanleague.games import Kind, UnknownRulesetError, new_game
from beanleague.games.bohnanza import CardRules
from beanleague.games.core.kinds import KindRule
from beanleague.games.dice import DiceRules
from beanleague.games.duel import DuelRules

_DOLLARS = 4  # that a beanometer may have
_SEED = bytes(16)  # of a game that nobody plays, set up for its rules


@dataclass(frozen=True, slots=True)
class KindCard:
    """A kind of the card games."""

    name: Kind
    """The kind."""
    cards: int
    """How many cards there are."""
    needs: Sequence[int]
    """Cards that earn 1, 2, ... dollars; 0 where that many cannot be earned."""


@dataclass(frozen=True, slots=True)
class Bohnus:
    """A bo(h)nus card, and how many there are of it."""

    sequence: Sequence[int]
    """Run lengths, in planting order."""
    cents: int
    """Cents that it is worth, with its dollar."""
    number: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class Die:
    """Dice with the same faces."""

    faces: Sequence[Kind]
    """The faces."""
    number: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class ShownHarvest:
    """A harvest card."""

    orders: Sequence[tuple[str, int]]
    """From top to bottom: the order, and the chance in percent that a first roll meets it."""


@dataclass(frozen=True, slots=True)
class ShownDeck:
    """What a game is played with."""

    kinds: Sequence[KindCard] = ()
    """The cards, rarest first."""
    facts: Sequence[tuple[str, str]] = ()
    """What else differs between table sizes, as labels and values."""
    bohnus: Sequence[Bohnus] = ()
    """Bo(h)nus cards."""
    dice: Sequence[Die] = ()
    """The dice."""
    harvest: Sequence[ShownHarvest] = ()
    """Harvest cards."""

    @property
    def cards(self) -> int:
        """How many bean cards there are."""
        return sum(kind.cards for kind in self.kinds)


@cache
def deck(ruleset: str, seats: int) -> ShownDeck | None:
    """Return what a game is played with; None if this program does not know the game."""
    try:
        rules = new_game(ruleset, seats=seats, seed=_SEED).view(0).rules
    except UnknownRulesetError:
        return None
    if isinstance(rules, CardRules):
        return ShownDeck(_kinds(rules.kinds), _facts(rules))
    if isinstance(rules, DuelRules):
        return ShownDeck(_kinds(rules.kinds), (("Fields", str(rules.fields)),), _bohnus(rules))
    if isinstance(rules, DiceRules):
        return _dice(rules)
    return None


def _kinds(kinds: Sequence[KindRule]) -> list[KindCard]:
    return [KindCard(kind.name, kind.cards, (*kind.beanometer, *(0,) * _DOLLARS)[:_DOLLARS]) for kind in kinds]


def _facts(rules: CardRules) -> tuple[tuple[str, str], ...]:
    hands = sorted(set(rules.start_hands))
    price = (("A further field", f"${rules.field_price}"),) if rules.field_price else ()
    return (
        ("Fields", str(rules.fields)),
        ("First hand", " to ".join(str(hand) for hand in (hands if len(hands) == 1 else (hands[0], hands[-1])))),
        ("Turned over", str(rules.turned)),
        ("Drawn", f"{rules.draws}, by {'everybody' if rules.all_draw else 'the active player'}"),
        ("Last run-out of the pile", str(rules.run_outs)),
        *price,
    )


def _bohnus(rules: DuelRules) -> list[Bohnus]:
    every = [(card.sequence, card.worth) for card in rules.bohnus]
    return [Bohnus(*card, every.count(card)) for card in dict.fromkeys(every)]


def _dice(rules: DiceRules) -> ShownDeck:
    return ShownDeck(
        facts=(("Dollars that end the game", str(rules.target)),),
        dice=[Die(faces, rules.dice.count(faces)) for faces in dict.fromkeys(rules.dice)],
        harvest=[
            ShownHarvest([(str(order), chance) for order, chance in zip(card.orders, card.percent, strict=True)][::-1])
            for card in rules.cards
        ],
    )
