"""The rules of the duel as data, its fields and bo(h)nus cards, and the hidden part of its state."""

from collections import Counter as Multiset
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from beanleague.games.core.game import Hidden, Kind, KindRule, Option, SetupError, brief, check_option_names
from beanleague.games.core.kinds import KindsInPlay, all_kinds, data_text, read_cards
from beanleague.games.core.phased_game import interludes_option
from beanleague.games.core.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """The cards of a field.

    Kinds in a column have ascending numbers, so each run is of a different kind.
    """

    cards: tuple[Kind, ...] = ()
    """The cards, first planted first."""
    runs: tuple[int, ...] = ()
    """Lengths of the runs of equal cards, first planted first."""

    @property
    def last(self) -> Kind | None:
        """The kind planted last, or None if the field is empty."""
        return self.cards[-1] if self.cards else None

    def grown(self, kind: Kind) -> "Column":
        """Return the column with one more bean of `kind`."""
        if self.cards and self.cards[-1] == kind:
            return Column((*self.cards, kind), (*self.runs[:-1], self.runs[-1] + 1))
        return Column((*self.cards, kind), (*self.runs, 1))

    def ends_with(self, sequence: tuple[int, ...]) -> bool:
        """Return whether the field ends with runs of the lengths `sequence`; the first run may be longer."""
        tail = self.runs[-len(sequence) :]
        return len(tail) == len(sequence) and tail[0] >= sequence[0] and tail[1:] == sequence[1:]


EMPTY = Column()

DOLLAR = 100  # cents in a dollar
MAX_SYMBOLS = 4
MAX_CENTS = 10 * DOLLAR
MIN_CARDS = 6  # minimum deck size: three cards for each player
MAX_CARDS = 1000


@dataclass(frozen=True, slots=True)
class BohnusCard:
    """A bo(h)nus card."""

    sequence: tuple[int, ...]
    """Run lengths in planting order: (2, 1) means two beans of a kind, then one of another."""
    cents: int
    """Cents printed on the card; it is worth a dollar more."""

    @property
    def worth(self) -> int:
        """Worth of the fulfilled card in cents: one dollar plus `cents`."""
        return DOLLAR + self.cents


@cache
def standard_deck() -> str:
    """Return the text of the standard deck."""
    return data_text("bohnus.toml")


def read_deck(text: str, kinds: tuple[KindRule, ...]) -> tuple[BohnusCard, ...]:
    """Return the cards of the deck `text` for a game with `kinds`.

    `text` is TOML with a table `[[cards]]` per card, e.g. with `sequence = "2-1"` and `cents = 10`. An entry `seen`,
    the expected frequency of the sequence, is allowed and ignored.

    Raises:
        SetupError: if the deck cannot be played; the message names the card, counted from 1.
    """
    cards = read_cards(text, 'a sequence and cents, as in sequence = "2-1" and cents = 10')
    if not MIN_CARDS <= len(cards) <= MAX_CARDS:
        raise SetupError(f"deck: must have {MIN_CARDS} to {MAX_CARDS} cards, not {len(cards)}")
    return tuple(_read_card(card, f"deck: card {number}", kinds) for number, card in enumerate(cards, 1))


def _read_card(data: object, place: str, kinds: Sequence[KindRule]) -> BohnusCard:
    if not isinstance(data, dict):
        raise SetupError(f"{place}: must be a table with a sequence and cents, not {brief(data)}")
    for key in ("sequence", "cents"):
        if key not in data:
            raise SetupError(f"{place}: {key} is missing")
    for key in data:
        if key not in ("sequence", "cents", "seen"):
            raise SetupError(f"{place}: unknown entry {brief(key)}; a card has a sequence and cents")
    cents = data["cents"]
    if type(cents) is not int or not 0 <= cents <= MAX_CENTS:
        raise SetupError(f"{place}: cents must be a whole number from 0 to {MAX_CENTS}, not {brief(cents)}")
    return BohnusCard(_read_sequence(data["sequence"], place, kinds), cents)


def _read_sequence(value: object, place: str, kinds: Sequence[KindRule]) -> tuple[int, ...]:
    runs = value.split("-") if isinstance(value, str) else []
    if not runs or not all(run.isascii() and run.isdigit() and len(run) < 3 and int(run) for run in runs):
        raise SetupError(f'{place}: sequence must be numbers of beans like "2-1", not {brief(value)}')
    if len(runs) > MAX_SYMBOLS:
        raise SetupError(f"{place}: sequence {brief(value)} has {len(runs)} symbols; the maximum is {MAX_SYMBOLS}")
    sequence = tuple(map(int, runs))
    starts = range(len(kinds) - len(sequence) + 1)
    if not any(all(run <= kind.cards for run, kind in zip(sequence, kinds[at:], strict=False)) for at in starts):
        raise SetupError(f"{place}: sequence {brief(value)} can never be planted: there are not enough beans of a kind")
    return sequence


DUEL = "duel"
SEATS = 2
_NOT_IN_PLAY = frozenset({"cocoa", "wax", "coffee"})


@dataclass(frozen=True, slots=True)
class DuelRules(KindsInPlay):
    """Rules of the duel."""

    kinds: tuple[KindRule, ...]
    """The kinds in play, lowest number first."""
    bohnus: tuple[BohnusCard, ...]
    """The bo(h)nus cards, given by their index here everywhere else."""
    ruleset: str = DUEL
    """The id of the ruleset."""
    seats: int = SEATS
    """The number of seats."""
    fields: int = 3
    """Fields per player."""
    start_dollars: int = 3
    """Bean cards dealt to each player as first dollars."""
    start_hand: int = 5
    """Bean cards dealt to each player's hand."""
    start_bohnus: int = 3
    """Bo(h)nus cards dealt to each player; in phase 4 each draws up to this number."""
    turned: int = 3
    """Cards turned over in phase 2."""
    draws: int = 2
    """Beans drawn in phase 4."""
    number: Mapping[Kind, int] = field(init=False, compare=False, repr=False)
    """Number printed on the cards of each kind, which is also how many there are."""
    deck: tuple[Kind, ...] = field(init=False, compare=False, repr=False)
    """The kind of every bean card."""
    _met: dict[tuple[int, ...], frozenset[int]] = field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", {kind.name: kind.cards for kind in self.kinds})
        object.__setattr__(self, "deck", tuple(kind.name for kind in self.kinds for _ in range(kind.cards)))

    def may_follow(self, kind: Kind, last: Kind | None) -> bool:
        """Return whether `kind` may be planted on top of `last`: the same number or the next higher one."""
        return last is None or 0 <= self.number[kind] - self.number[last] <= 2

    def met_by(self, column: Column) -> frozenset[int]:
        """Return the numbers of the bo(h)nus cards that the field `column` fulfils."""
        tail = column.runs[-MAX_SYMBOLS:]
        met = self._met.get(tail)
        if met is None:
            met = frozenset(i for i, card in enumerate(self.bohnus) if column.ends_with(card.sequence))
            self._met[tail] = met
        return met

    def dollars(self, last: Kind, cards: int) -> int:
        """Return the dollars for a field of `cards` beans whose last bean is of kind `last`."""
        return self.kind(last).dollars(cards)


def duel_options(options: Mapping[str, Option]) -> dict[str, Option]:
    """Return the options of a duel.

    `deck`: the text of a deck of bo(h)nus cards (default: the standard deck). `interludes`: the seats asked between
    turns (default: none).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    check_option_names(options, ("deck", "interludes"))
    if not isinstance(options.get("deck", ""), str):
        raise SetupError(f"deck must be the text of a deck in TOML, not {brief(options['deck'])}")
    return {**options, "interludes": interludes_option(options, SEATS)}


def duel_rules(options: Mapping[str, Option], seats: int) -> DuelRules:
    """Return the rules of a duel with checked `options`.

    Raises:
        SetupError: if the deck is bad or `seats` is not 2.
    """
    if type(seats) is not int or seats != SEATS:
        raise SetupError(f"{DUEL} is for {SEATS} seats, not {brief(seats)}")
    return _rules(str(options["deck"]) if "deck" in options else standard_deck())


@lru_cache(maxsize=16)
def _rules(deck: str) -> DuelRules:
    kinds = tuple(kind for kind in all_kinds() if kind.name not in _NOT_IN_PLAY)
    return DuelRules(kinds, read_deck(deck, kinds))


@dataclass(frozen=True, slots=True)
class DuelHidden(Hidden):
    """Hidden part of a duel; cards not named are in the piles."""

    hand: tuple[Kind, ...]
    """The other seat's hand, the first card planted first."""
    dollars: tuple[Kind, ...]
    """Kinds of all beans kept as dollars, of both seats."""
    bohnus: tuple[int, ...]
    """The other seat's bo(h)nus cards."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """The options of the game."""


def left_of(deck: Sequence[Kind], gone: Iterable[Kind], count: int) -> bytearray:
    """Return a byte for each card of `deck`: 1 if it remains after removing cards of the kinds `gone`.

    Raises:
        SetupError: if the deck lacks some of them, or the number of remaining cards is not `count`.
    """
    taken = Multiset(gone)
    left = bytearray(len(deck))
    for card, kind in enumerate(deck):
        if taken[kind]:
            taken[kind] -= 1
        else:
            left[card] = 1
    if taken.total() or left.count(1) != count:
        raise SetupError(f"the view and the hidden cards leave {left.count(1)} cards for the pile, which has {count}")
    return left
