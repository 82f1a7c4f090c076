"""The interface of a game: its values, its errors, and fast construction of values."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import islice
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

from beanleague.games.core.values import dataclass, field, types_of


class GameError(Exception):
    """Base of all errors that `beanleague.games` raises deliberately."""


class IllegalActionError(GameError):
    """Raised for an action that the rules do not allow now. The game is unchanged.

    The message says in one sentence what was wrong and what is allowed, for the bot's author.
    """


class UnknownRulesetError(GameError):
    """Raised for a ruleset id that is not in `rulesets()`."""


class SetupError(GameError):
    """Raised when a game cannot be set up: wrong number of seats, bad seed, or unknown or bad option."""


class RulesVersionError(GameError):
    """Raised for a match or league with another rules version than this program's."""


class RecordError(GameError):
    """Raised when a record is malformed; the message begins with the place, e.g. "moves[12].field: ..."."""


def brief(value: object) -> str:
    """Return `value` as short text for an error message; never fails."""
    try:
        return f"{value!r:.80}"
    except Exception as problem:  # noqa: BLE001 - a bot's value may fail in any way
        return f"{type(value).__name__} ({type(problem).__name__} in repr)"


_MAX_LISTED = 12
_MAX_COMPARED = 1000  # maximum length of a name to compare, since names come from strangers: bounds the time


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown `name`: the most similar of `known`, or a list of them."""
    from difflib import get_close_matches  # imported late, since bots without mistakes do not need it

    names = list(islice(known, _MAX_COMPARED))
    similar = get_close_matches(str(name), names, n=1)
    if similar:
        return f"did you mean {similar[0]!r}?"
    more = ", ..." if len(names) > _MAX_LISTED else ""
    return f"there are: {', '.join(names[:_MAX_LISTED]) or 'none'}{more}"


def check_option_names(options: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Check that every option is one of `known`.

    Raises:
        SetupError: if one is not.
    """
    for name in options:
        if name not in known:
            raise SetupError(f"unknown option {brief(name)}; {suggestion(name, known)}")


class NamedDecision(IntEnum):
    """Base of each family's decisions: numbers in messages, names in texts for people."""

    def __str__(self) -> str:
        """Return the name, e.g. "TRADE"."""
        return self.name

    def __format__(self, spec: str) -> str:
        """Return the name in f-strings, too."""
        return format(self.name, spec)


Kind: TypeAlias = Literal[
    "cocoa", "garden", "red", "black_eyed", "soy", "green", "stink", "chili", "blue", "wax", "coffee", "china"
]
"""Name of a bean kind, rarest first; "china" is on dice only. Type checkers reject all other strings."""


@dataclass(frozen=True, slots=True)
class KindRule:
    """A kind of bean in a card game."""

    name: Kind
    """The kind."""
    cards: int
    """Number of cards of the kind in the game."""
    beanometer: tuple[int, ...]
    """Entry i: the number of cards for i + 1 dollars; 0 if no number earns that many."""

    def dollars(self, cards: int) -> int:
        """Return the dollars for a field of `cards` cards of this kind."""
        return max((i + 1 for i, least in enumerate(self.beanometer) if 0 < least <= cards), default=0)

    def steps(self, more_than: int = 0) -> tuple[tuple[int, int], ...]:
        """Return the numbers of cards at which a field earns more, each with its dollars.

        `more_than`: skip steps already reached with this many cards.
        """
        return tuple((least, i + 1) for i, least in enumerate(self.beanometer) if least > more_than)


Option: TypeAlias = int | str | tuple[int, ...]
"""Value of a game option, as passed to `new_game(..., options={name: value})`."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a seat. Each kind of action is a frozen dataclass."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a game. All events of a game, in order, suffice to recompute everything in it."""

    reveals: ClassVar[bool] = True
    """Whether the event can be news to the acting seat; False if the seat knows all of it from its own decision."""

    def seen_by(self, seat: int) -> "Event":
        """Return this event as visible to `seat`, without the parts hidden from it."""
        del seat
        return self


@dataclass(frozen=True, slots=True)
class SeatEvent(Event):
    """An event that concerns one seat: its action, or something that happened to it."""

    seat: int
    """The seat concerned. In the dice game against the Thief, 1 is the Thief."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game."""

    scores: tuple[int, ...]
    """Scores, per seat, in the unit of the game: dollars, or cents in the duel."""
    places: tuple[int, ...]
    """Places, per seat; 1 is best, and ties share a place. In solo games: 1 if the player beat the rival, else 2."""
    rival: int | None = None
    """In a solo game, the score of the opponent without a seat; None in games with several seats."""


class Rules(Protocol):
    """Rules of a match: a frozen dataclass, which families may share."""

    @property
    def ruleset(self) -> str:
        """The id of the ruleset."""

    @property
    def seats(self) -> int:
        """The number of seats."""


@dataclass(frozen=True, slots=True)
class View(ABC):
    """Everything that a seat may know, and nothing more. Each family has its own frozen dataclass."""

    rules: Rules
    """The rules in force."""
    seat: int
    """The viewing seat."""
    decision: NamedDecision
    """Decision asked of the seat, a member of the family's enum; 0 if it need not act now."""
    turn: int
    """The number of the turn, from 1."""
    active: int
    """The seat whose turn it is."""

    @property
    @abstractmethod
    def news(self) -> Sequence[Event]:
        """The events this seat could see since it was last asked."""

    def __str__(self) -> str:
        """Return the table as text, with a row for each seat."""
        from beanleague.games.core.text import view_text  # imported late, since few bots print views

        return view_text(self)

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """Return the legal actions of this seat; see `Game.legal`."""

    @abstractmethod
    def default(self) -> Action:
        """Return the default action of this seat; see `Game.default`."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Part of a game that a view does not show. Subclasses are frozen dataclasses, which families may share."""


class Game(ABC):
    """A game in progress. Seats are 0 to `seats` - 1; seat 0 starts.

    Only `apply` changes the state. A game uses no clock and no random generator: the same ruleset, seats, seed, options
    and actions give the same events on every Python version.
    """

    __slots__ = ()

    ruleset: str
    """The id of the ruleset."""
    seats: int
    """The number of seats."""
    seed: bytes
    """The seed: 1 to 64 bytes that decide all chance."""
    options: Mapping[str, Option]
    """Every option of the game, with defaults filled in."""

    @classmethod
    @abstractmethod
    def from_view(cls, view: Any, hidden: Any, seed: bytes) -> Self:  # noqa: ANN401 - each family has its own
        """Return a game consistent with `view`, whose seat must be asked, and with the hidden part `hidden`.

        Other seats asked at the same moment have not answered yet. The events begin with the news of the view. `seed`
        determines later draws and throws.

        Raises:
            SetupError: if the seat is not asked, `seed` is bad, or `hidden` does not fit the view.
        """

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Scores and places once the game is over, else None."""

    @property
    @abstractmethod
    def events(self) -> Sequence[Event]:
        """All events so far, complete and in order."""

    @property
    @abstractmethod
    def moment(self) -> int:
        """Number of the question being asked of the seats in `to_act`; it rises with every question.

        Seats asked at once share it until the last of them has answered: their answers are simultaneous, whichever is
        applied first.
        """

    @abstractmethod
    def to_act(self) -> tuple[int, ...]:
        """Return the seats asked to act now, ascending; several only while answers to an offer are collected."""

    @property
    @abstractmethod
    def decision(self) -> NamedDecision:
        """The decision asked of the seats in `to_act`."""

    @property
    @abstractmethod
    def trading(self) -> bool:
        """Whether the seats in `to_act` are asked to propose a trade, or to answer a proposal."""

    @abstractmethod
    def view(self, seat: int, *, news: bool = True) -> View:
        """Return everything that `seat` may know now. `news`: whether to include news, since not all bots read it."""

    @abstractmethod
    def apply(self, seat: int, action: Action, *, asked: bool = True) -> None:
        """Play `action` for `seat`.

        `asked`: whether the seat saw a view before this action; if not, events stay in the news of its next view.

        Raises:
            IllegalActionError: if the seat is not asked, or the rules do not allow the action. The state is unchanged.
        """

    @abstractmethod
    def copy(self, seed: bytes | None = None) -> "Game":
        """Return an independent copy, e.g. for search; the same actions give the same events in both.

        With a `seed`, later draws and throws in the copy are determined by it.

        Raises:
            SetupError: if `seed` is bad.
        """

    def __copy__(self) -> "Game":
        """Return `copy()`; a shallow copy would share the state."""
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> "Game":
        """Return `copy()`, in microseconds."""
        return self.copy()

    def legal(self, seat: int) -> tuple[Action, ...]:
        """Return the legal actions of `seat`; empty if it is not asked.

        The list is complete for every decision but offers and counters, where it is a useful selection. If the same
        kinds can be given from a hand in more than 1000 ways, it has the first 1000.
        """
        return self.view(seat, news=False).legal()

    def default(self, seat: int) -> Action:
        """Return the default action: the simple legal action that is played for a failing seat."""
        return self.view(seat, news=False).default()


T = TypeVar("T")

MAX_ACTIONS = 32
"""Maximum length of a list of actions; long enough to plant all cards set aside after a turn of trades."""


def nothing_new(events: Iterable[Event], seat: int) -> bool:
    """Return whether `events` are those of `seat` alone and reveal nothing, so that it has learnt nothing from them."""
    return not any(event.reveals or getattr(event, "seat", None) != seat for event in events)


def in_turn(game: Game, seat: int, actions: Iterable[T]) -> Iterator[T]:
    """Yield the `actions` that `seat` may play one after the other; apply each before taking the next.

    The first is always yielded. The next follows if only this seat is asked now, and all events since then are its own:
    then it has learnt nothing, and would decide the same if it were asked.
    """
    events = 0
    for number, action in enumerate(actions):
        if number and not (game.to_act() == (seat,) and nothing_new(game.events[events:], seat)):
            return
        events = len(game.events)
        yield action


NewGame: TypeAlias = Callable[[int, bytes, Mapping[str, Option]], Game]
"""Function that sets up and deals a game, from seats, seed and options; raises SetupError."""


FromView: TypeAlias = Callable[[View, Hidden, bytes], Game]
"""`Game.from_view` of a game's class."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A playable game: its id, numbers of seats, options and constructors."""

    id: str
    """Id of the ruleset, as typed by users, e.g. "bohnanza-two"."""
    least_seats: int
    """Minimum number of seats."""
    most_seats: int
    """Maximum number of seats."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    new: NewGame = field(repr=False, compare=False)
    """Function that sets up a game; see `new_game`."""
    from_view: FromView = field(repr=False, compare=False)
    """Function that makes a game consistent with a view; see `game_from_view`."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Names and descriptions of the options of the game."""
    interludes: bool = False
    """Whether bots may ask to act between turns. The referee sets the option of this name; users cannot."""

    @classmethod
    def of(cls, data: Any, new: NewGame, from_view: FromView, **more: Any) -> Self:  # noqa: ANN401 - data of any family
        """Return the ruleset that `data` of a family describes. `more`: options, interludes."""
        return cls(data.id, data.least_seats, data.most_seats, data.source, data.summary, new, from_view, **more)


def quick(cls: type[T]) -> Callable[..., T]:
    """Return a constructor of `cls`, a frozen dataclass with slots, several times as fast as `cls(...)`.

    It requires the values of all fields, without defaults. A frozen dataclass sets each field by a call of
    `object.__setattr__`; here the object belongs to an unfrozen class until all fields are set.
    """
    names, known = types_of(cls), {"_cls": cls}
    lines = [f"self.{name} = {name}" for name in names]
    exec(f"def set_all(self, {', '.join(names)}):\n " + "\n ".join([*lines, "self.__class__ = _cls"]), known)  # noqa: S102  # names of our own

    class _Unfrozen(cls):  # type: ignore[misc, valid-type]  # any class
        __slots__ = ()
        __setattr__ = object.__setattr__
        __delattr__ = object.__delattr__  # both must be overridden, or CPython sets fields by a slow path
        __init__ = known["set_all"]

    make: Callable[..., T] = _Unfrozen
    return make
