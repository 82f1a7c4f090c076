"""The rules of the dice games as data, decks of harvest cards, and the hidden part of their states.

A deck is TOML text: a list of `[[cards]]`, each with its `orders` from bottom to top and optionally `percent`, the
chance of each on a first roll; see `docs/decks.md`.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from beanleague.games.core.game import Hidden, Kind, Option, SetupError, brief
from beanleague.games.core.kinds import data_table, data_text, read_cards
from beanleague.games.core.values import dataclass, field
from beanleague.games.dice.orders import Order, Rolls, parse_order, percent, rolls

MAX_CARDS = 200


@dataclass(frozen=True, slots=True)
class Edition:
    """The dice of an edition."""

    name: str
    """"2012" or "2022"."""
    dice: tuple[tuple[Kind, ...], ...]
    """`dice[die]`: the six faces of a die."""
    kinds: tuple[Kind, ...]
    """All kinds on the dice."""


@dataclass(frozen=True, slots=True)
class HarvestCard:
    """A harvest card."""

    orders: tuple[Order, ...]
    """The orders, from bottom to top."""
    percent: tuple[int, ...]
    """The chance of each order on a first roll, in percent, as printed."""


@lru_cache
def edition(name: str) -> Edition:
    """Return the edition "2012" or "2022", from `data/dice.toml`."""
    table = data_table("dice.toml")[name]
    dice = tuple(tuple(sort["faces"]) for sort in table.values() for _ in range(sort["dice"]))
    return Edition(name, dice, tuple(dict.fromkeys(kind for faces in dice for kind in faces)))


@lru_cache(maxsize=16)
def standard_deck(name: str, orders: int) -> tuple[HarvestCard, ...]:
    """Return the standard deck of the edition `name`, whose cards have `orders` orders."""
    return read_deck(data_text(f"dice_{name}.toml"), edition(name), orders)


@lru_cache(maxsize=16)
def read_deck(text: str, dice: Edition, orders: int) -> tuple[HarvestCard, ...]:
    """Return the deck in the TOML text `text`, whose cards must have `orders` orders for the dice `dice`.

    Raises:
        SetupError: if the deck cannot be played; the message names the card and the order (from the bottom), from 1.
    """
    cards = read_cards(text, "orders = [...], from bottom to top")
    if len(cards) > MAX_CARDS:
        raise SetupError(f"deck: has {len(cards)} cards; the maximum is {MAX_CARDS}")
    first_roll = rolls(dice.dice, dice.kinds)
    return tuple(_card(card, f"deck: card {i}", dice, orders, first_roll) for i, card in enumerate(cards, 1))


def check_size(cards: Sequence[HarvestCard], seats: int, holders: int) -> None:
    """Check that there are enough cards for `seats` seats and `holders` owners of dollars (players and the Thief).

    When all cards but two per seat are dollars, one holder must have five single dollars to exchange for a new deck.

    Raises:
        SetupError: if there are too few cards.
    """
    least = 2 * seats + 4 * holders
    if len(cards) < least:
        raise SetupError(f"deck: has {len(cards)} cards; a table of {seats} needs at least {least}")


def _card(data: object, place: str, dice: Edition, orders: int, first_roll: Rolls) -> HarvestCard:
    if not isinstance(data, dict):
        raise SetupError(f"{place}: must be a table with orders, not {brief(data)}")
    for key in data:
        if key not in ("orders", "percent"):
            raise SetupError(f"{place}: unknown entry {brief(key)}; a card has orders and percent")
    texts = data.get("orders")
    if not isinstance(texts, list) or len(texts) != orders:
        raise SetupError(f"{place}: orders must be a list of {orders} strings, from bottom to top, not {brief(texts)}")
    read = tuple(_order(text, f"{place}, order {i}", dice, first_roll) for i, text in enumerate(texts, 1))
    printed = data.get("percent")
    if printed is None:
        return HarvestCard(read, tuple(percent(first_roll.chance(order)) for order in read))
    if not isinstance(printed, list) or len(printed) != orders:
        raise SetupError(f"{place}: percent must be a list of {orders} whole numbers, not {brief(printed)}")
    for i, number in enumerate(printed, 1):
        if type(number) is not int or not 0 <= number <= 100:
            raise SetupError(f"{place}, order {i}: percent must be a whole number from 0 to 100, not {brief(number)}")
    return HarvestCard(read, tuple(printed))


def _order(text: object, place: str, dice: Edition, first_roll: Rolls) -> Order:
    if not isinstance(text, str):
        raise SetupError(f"{place}: must be a string like '2 blue + soy', not {brief(text)}")
    try:
        order = parse_order(text, dice.kinds, len(dice.dice))
    except ValueError as problem:
        raise SetupError(f"{place}: {problem}") from None
    if not first_roll.meeting(order):
        raise SetupError(f"{place}: {brief(text)} can never be met with these dice")
    return order


@dataclass(frozen=True, slots=True)
class ThiefRules:
    """Behaviour of the Bean Thief."""

    idle_steals: bool
    """Whether the Thief also tries a super-steal after a turn without progress."""
    both_cards: bool
    """Whether the Thief's roll counts for both cards if the player could have harvested."""
    takes_idle: bool
    """Whether the Thief takes the top card first after a turn without progress."""


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
    """`dollars[completed]`: dollars for harvesting a card with this many completed orders; 0 if that is not
    possible."""
    target: int
    """Dollars that end the game."""
    piece: bool
    """Whether the game has a bean piece, which allows a reroll."""
    most_turns: int
    """Maximum number of turns, after which the game ends."""
    thief: ThiefRules | None
    """Behaviour of the Thief; None in games without it."""


@dataclass(frozen=True, slots=True)
class DiceRuleset:
    """A ruleset of the dice games."""

    id: str
    """Id of the ruleset."""
    edition: str
    """Edition of the dice: "2012" or "2022"."""
    least_seats: int
    """Minimum number of players."""
    most_seats: int
    """Maximum number of players."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    orders: int
    """Number of orders on each card."""
    target: int
    """Dollars that end the game."""
    piece: bool
    """Whether the game has a bean piece, which allows a reroll."""
    most_turns: int
    """Maximum number of turns, after which the game ends."""
    thief: ThiefRules | None = None
    """Behaviour of the Thief; None in games without it."""

    def rules(self, seats: int, deck: str | None = None) -> DiceRules:
        """Return the rules for `seats` players with the deck in the TOML text `deck`, by default the standard deck.

        Raises:
            SetupError: if the ruleset is not for this number of players, or the deck cannot be played.
        """
        if type(seats) is not int or not self.least_seats <= seats <= self.most_seats:
            many = f"{self.least_seats} to {self.most_seats} seats" if self.most_seats > 1 else "1 seat"
            raise SetupError(f"{self.id} is for {many}, not {brief(seats)}")
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


@cache
def dice_rulesets() -> Mapping[str, DiceRuleset]:
    """Return the rulesets of the dice games by their ids, from `data/dice_games.toml`."""
    return {
        name: DiceRuleset(name, **{**row, "thief": ThiefRules(**row["thief"]) if "thief" in row else None})
        for name, row in data_table("dice_games.toml").items()
    }


@dataclass(frozen=True, slots=True)
class DiceHidden(Hidden):
    """Hidden part of a dice game; cards not named are in the deck."""

    singles: tuple[tuple[int, ...], ...]
    """Per seat, and last for the Thief if there is one: the cards that count as a single dollar, in the order
    gained."""
    declined: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Seats that declined to harvest in this turn: completed orders of the seat's card, and the dollars of all seats at
    that time."""
    progress: bool = False
    """In games against the Thief: whether an order was completed in this turn."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """The options of the game."""
