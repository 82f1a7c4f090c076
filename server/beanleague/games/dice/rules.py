"""The rulesets of the dice games as data (rulings, sections 6 and 7)."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.errors import SetupError, UnknownRulesetError, shown
from beanleague.games.core.kinds import Kind
from beanleague.games.dice.deck import HarvestCard, check_size, edition, own_deck, read_deck


@dataclass(frozen=True, slots=True)
class ThiefRules:
    """How the Bean Thief plays.

    `idle_steals`: it tries a super-steal after a turn without progress, too. `both_cards`: a roll counts for both cards
    if the player could have harvested. `takes_idle`: after a turn without progress it takes the top card first.
    """

    idle_steals: bool
    both_cards: bool
    takes_idle: bool


@dataclass(frozen=True, slots=True)
class DiceRules:
    """The rules of one ruleset at one table size.

    `dice[die]`: the six faces of a die. `kinds`: all kinds on the dice. `cards`: the deck; cards are known by their
    number in it. `dollars[completed]`: what a harvest earns with so many orders completed, 0 for no harvest.
    `target`: dollars that end the game. `piece`: whether there is a bean piece to repeat a roll with.
    `most_turns`: the game ends after so many. `thief`: the Thief one plays against, else None.
    """

    ruleset: str
    seats: int
    dice: tuple[tuple[Kind, ...], ...]
    kinds: tuple[Kind, ...]
    cards: tuple[HarvestCard, ...]
    dollars: tuple[int, ...]
    target: int
    piece: bool
    most_turns: int
    thief: ThiefRules | None


@dataclass(frozen=True, slots=True)
class DiceRuleset:
    """A ruleset: who can play it, with which dice, and what differs."""

    id: str
    edition: str
    least_seats: int
    most_seats: int
    source: str
    summary: str
    orders: int
    target: int
    piece: bool
    most_turns: int
    thief: ThiefRules | None = None

    def rules(self, seats: int, deck: str | None = None) -> DiceRules:
        """Return the rules for `seats` players with the deck that the TOML text `deck` tells, or with our own.

        Raises:
            SetupError: the ruleset is not for that many, or the deck cannot be played.
        """
        if type(seats) is not int or not self.least_seats <= seats <= self.most_seats:
            many = f"{self.least_seats} to {self.most_seats} seats" if self.most_seats > 1 else "1 seat"
            raise SetupError(f"{self.id} is for {many}, not {shown(seats)}")
        dice = edition(self.edition)
        cards = own_deck(self.edition, self.orders) if deck is None else read_deck(deck, dice, self.orders)
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
        UnknownRulesetError: there is no such dice ruleset.
    """
    try:
        return DICE_RULESETS[ruleset]
    except KeyError:
        raise UnknownRulesetError(f"unknown ruleset {shown(ruleset)}; there are: {', '.join(DICE_RULESETS)}") from None
