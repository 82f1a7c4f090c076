"""The rulesets of the dice games as data."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.errors import SetupError, UnknownRulesetError, shown, suggestion
from beanleague.games.core.kinds import Kind
from beanleague.games.dice.deck import HarvestCard, check_size, edition, read_deck, standard_deck


@dataclass(frozen=True, slots=True)
class ThiefRules:
    """How the Bean Thief plays."""

    idle_steals: bool
    """Whether it tries a super-steal also after a turn without progress."""
    both_cards: bool
    """Whether its roll counts for both cards if the player could have harvested."""
    takes_idle: bool
    """Whether it takes the top card first after a turn without progress."""


@dataclass(frozen=True, slots=True)
class DiceRules:
    """The rules of one ruleset at one table size."""

    ruleset: str
    """The id of the ruleset."""
    seats: int
    """The number of seats."""
    dice: tuple[tuple[Kind, ...], ...]
    """`dice[die]`: the six faces of a die."""
    kinds: tuple[Kind, ...]
    """All kinds on the dice."""
    cards: tuple[HarvestCard, ...]
    """The deck. Everywhere else, a card is given by its index here."""
    dollars: tuple[int, ...]
    """`dollars[completed]`: what a harvest earns with this many completed orders; 0 if none is possible."""
    target: int
    """Dollars that end the game."""
    piece: bool
    """Whether there is a bean piece to repeat a roll with."""
    most_turns: int
    """The game ends after this many turns."""
    thief: ThiefRules | None
    """How the Thief plays; None in games without it."""


@dataclass(frozen=True, slots=True)
class DiceRuleset:
    """A ruleset of the dice games."""

    id: str
    """Its id."""
    edition: str
    """The edition of its dice: "2012" or "2022"."""
    least_seats: int
    """The smallest number of players."""
    most_seats: int
    """The largest number of players."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    orders: int
    """Orders on each card."""
    target: int
    """Dollars that end the game."""
    piece: bool
    """Whether there is a bean piece to repeat a roll with."""
    most_turns: int
    """The game ends after this many turns."""
    thief: ThiefRules | None = None
    """How the Thief plays; None in games without it."""

    def rules(self, seats: int, deck: str | None = None) -> DiceRules:
        """Return the rules for `seats` players with the deck in the TOML text `deck`, by default the standard deck.

        Raises:
            SetupError: if the ruleset is not for this number of players, or the deck cannot be played.
        """
        if type(seats) is not int or not self.least_seats <= seats <= self.most_seats:
            many = f"{self.least_seats} to {self.most_seats} seats" if self.most_seats > 1 else "1 seat"
            raise SetupError(f"{self.id} is for {many}, not {shown(seats)}")
        dice = edition(self.edition)
        cards = standard_deck(self.edition, self.orders) if deck is None else read_deck(deck, dice, self.orders)
        check_size(cards, seats, holders=seats + (self.thief is not None))
        return DiceRules(
            ruleset=self.id,
            seats=seats,
            dice=dice.dice,
            kinds=dice.kinds,
            cards=cards,
            dollars=tuple(max(0, completed - 2) for completed in range(self.orders + 1)),
            target=self.target,
            piece=self.piece,
            most_turns=self.most_turns,
            thief=self.thief,
        )


DICE = DiceRuleset(
    id="dice",
    edition="2022",
    least_seats=2,
    most_seats=5,
    source="Bohnanza: Das Würfelspiel (Amigo, 2022)",
    summary="5 dice, 5 orders a card, 10 dollars",
    orders=5,
    target=10,
    piece=True,
    most_turns=500,
)

DICE_2012 = DiceRuleset(
    id="dice-2012",
    edition="2012",
    least_seats=2,
    most_seats=5,
    source="Würfel Bohnanza (Amigo, 2012)",
    summary="7 dice, 6 orders a card, 13 dollars",
    orders=6,
    target=13,
    piece=False,
    most_turns=500,
)


def _bean_thief(level: str, thief: ThiefRules) -> DiceRuleset:
    return DiceRuleset(
        id=f"bean-thief-{level}",
        edition="2012",
        least_seats=1,
        most_seats=1,
        source="The Bean Thief (Adam Sequoyah, 2020)",
        summary=f"the dice game of 2012 for one against the Thief, {level.replace('-', ' ')}",
        orders=6,
        target=13,
        piece=False,
        most_turns=200,
        thief=thief,
    )


DICE_RULESETS = {
    ruleset.id: ruleset
    for ruleset in (
        DICE,
        DICE_2012,
        _bean_thief("easy", ThiefRules(idle_steals=False, both_cards=False, takes_idle=False)),
        _bean_thief("normal", ThiefRules(idle_steals=True, both_cards=False, takes_idle=False)),
        _bean_thief("hard", ThiefRules(idle_steals=True, both_cards=True, takes_idle=False)),
        _bean_thief("very-hard", ThiefRules(idle_steals=True, both_cards=True, takes_idle=True)),
    )
}


def dice_ruleset(ruleset: str) -> DiceRuleset:
    """Return the ruleset called `ruleset`.

    Raises:
        UnknownRulesetError: if there is no such dice ruleset.
    """
    try:
        return DICE_RULESETS[ruleset]
    except KeyError:
        raise UnknownRulesetError(f"unknown ruleset {shown(ruleset)}; {suggestion(ruleset, DICE_RULESETS)}") from None
