"""The interface of a game: what it hands out, the errors it raises, and how it makes values quickly."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import islice
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

from beanleague.games.core.values import dataclass, field, types_of


class GameError(Exception):
    """Base of every error that `beanleague.games` raises on purpose."""


class IllegalActionError(GameError):
    """Raised for an action that the rules do not allow now. The game is unchanged.

    The message says in one sentence what was wrong and what is allowed, for the bot's author.
    """


class UnknownRulesetError(GameError):
    """Raised for a ruleset id that is not one of `rulesets()`."""


class SetupError(GameError):
    """Raised when a game cannot be set up: wrong number of seats, bad seed, or unknown or bad option."""


class RulesVersionError(GameError):
    """Raised for a match or league that needs other rules than this program plays."""


class RecordError(GameError):
    """Raised when a record is malformed; the message begins with the place, e.g. "moves[12].field: ..."."""


def shown(value: object) -> str:
    """Return `value` as short text for an error message; never fails."""
    try:
        return f"{value!r:.80}"
    except Exception as problem:  # noqa: BLE001 - a bot's value may fail in any way
        return f"{type(value).__name__} ({type(problem).__name__} in repr)"


_MAX_LISTED = 12
_MAX_COMPARED = 1000  # strangers may ask for names that do not exist as often as they like


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about a `name` that is none of `known`: the one it is like, or which there are."""
    from difflib import get_close_matches  # bots that make no mistake need not load it

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
            raise SetupError(f"unknown option {shown(name)}; {suggestion(name, known)}")


class NamedDecision(IntEnum):
    """The base of the decisions of each family: numbers in messages, names in what people read."""

    def __str__(self) -> str:
        """Return its name, e.g. "TRADE"."""
        return self.name

    def __format__(self, spec: str) -> str:
        """Return its name in f-strings too."""
        return format(self.name, spec)


_TEXT_WIDTH = 110
_IN_THE_FIRST_LINE = frozenset({"rules", "seat", "decision", "turn", "active", "news"})

Kind: TypeAlias = Literal[
    "cocoa", "garden", "red", "black_eyed", "soy", "green", "stink", "chili", "blue", "wax", "coffee", "china"
]
"""A kind of bean by name, rarest first; "china" is on dice only. Type checkers refuse all other texts."""


@dataclass(frozen=True, slots=True)
class KindRule:
    """A kind of bean in a card game."""

    name: Kind
    """The kind."""
    cards: int
    """How many cards of it are in the game."""
    beanometer: tuple[int, ...]
    """Entry i: the number of cards that earns i + 1 dollars; 0 if that many dollars cannot be earned."""

    def dollars(self, cards: int) -> int:
        """Return the dollars that a field of `cards` cards of this kind earns."""
        return max((i + 1 for i, least in enumerate(self.beanometer) if 0 < least <= cards), default=0)

    def steps(self, more_than: int = 0) -> tuple[tuple[int, int], ...]:
        """Return the numbers of cards that earn more than one card less does, each with its dollars.

        `more_than`: leave out those that so many cards have reached.
        """
        return tuple((least, i + 1) for i, least in enumerate(self.beanometer) if least > more_than)


Option: TypeAlias = int | str | tuple[int, ...]
"""The value of a game option, as `new_game(..., options={name: value})` takes it."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a seat does. Each kind of action is a frozen dataclass."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. All events of a game, in order, suffice to recompute everything in it."""

    reveals: ClassVar[bool] = True
    """Whether it may tell its own seat something new. False if it is no more than what that seat has just decided."""

    def seen_by(self, seat: int) -> "Event":
        """Return this event as `seat` sees it: without what is hidden from it."""
        del seat
        return self


@dataclass(frozen=True, slots=True)
class SeatEvent(Event):
    """Something that a seat did, or that happened to it."""

    seat: int
    """The seat. In the dice game against the Thief, 1 is the Thief."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game."""

    scores: tuple[int, ...]
    """Scores, per seat, in the unit of the game: dollars, or cents in the duel."""
    places: tuple[int, ...]
    """Places, per seat; 1 is best, and ties share a place. A single seat is 1 if it beat its rival, else 2."""
    rival: int | None = None
    """The score of the opponent without a seat that a single seat plays against; None in games with several seats."""


class Rules(Protocol):
    """The rules that a match is played by. Each game has a frozen dataclass of its own."""

    @property
    def ruleset(self) -> str:
        """The id of the ruleset."""

    @property
    def seats(self) -> int:
        """The number of seats."""


@dataclass(frozen=True, slots=True)
class View(ABC):
    """Everything a seat may know, and nothing more. Each family has its own frozen dataclass."""

    rules: Rules
    """The rules in force."""
    seat: int
    """The seat that sees this."""
    decision: NamedDecision
    """What the seat is asked: a member of the game's own enum, the one numbered 0 if the seat is not asked."""
    turn: int
    """The number of the turn, from 1."""
    active: int
    """The seat whose turn it is."""

    @property
    @abstractmethod
    def news(self) -> Sequence[Event]:
        """The events this seat could see since it was last asked."""

    def __str__(self) -> str:
        """Return the table in a few lines."""
        return view_text(self)

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """Return the legal actions of this seat; see `Game.legal`."""

    @abstractmethod
    def default(self) -> Action:
        """Return the default action of this seat; see `Game.default`."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a view does not show of a game. Each family has a frozen dataclass of its own."""


class Game(ABC):
    """A game in progress. Seats are 0 to `seats` - 1; seat 0 starts.

    Only `apply` changes the state. A game reads no clock and no random generator: the same ruleset, seats, seed,
    options and actions give the same events on every Python version.
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
        """Return a game that looks like `view` to its seat, which must be asked, with all else as in `hidden`.

        Seats that answer at the same moment have not answered yet. The events begin with the news of the view. `seed`
        decides what is drawn and thrown from now on.

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
        """Everything that happened so far, with nothing hidden, in order."""

    @property
    @abstractmethod
    def moment(self) -> int:
        """When the seats that `to_act` returns were asked: a number that rises with every question.

        Seats that are asked at once share it, until the last of them has answered: of their answers none is earlier,
        in whatever order they are applied.
        """

    @abstractmethod
    def to_act(self) -> tuple[int, ...]:
        """Return the seats asked to act now, ascending; several only while answers to an offer are collected."""

    @property
    @abstractmethod
    def decision(self) -> NamedDecision:
        """What the seats that `to_act` returns are asked: the `decision` of their views."""

    @property
    @abstractmethod
    def trading(self) -> bool:
        """Whether the seats that `to_act` returns are asked to propose a trade, or to answer a proposal."""

    @abstractmethod
    def view(self, seat: int, *, news: bool = True) -> View:
        """Return everything that `seat` may know now; if not `news`, with no news, for a seat that reads none."""

    @abstractmethod
    def apply(self, seat: int, action: Action, *, asked: bool = True) -> None:
        """Play `action` for `seat`.

        `asked`: whether the seat was shown what came before it; if not, that stays in the news of its next view.

        Raises:
            IllegalActionError: if the seat is not asked, or the rules do not allow the action. The state is unchanged.
        """

    @abstractmethod
    def copy(self, seed: bytes | None = None) -> "Game":
        """Return an independent copy, e.g. for search; the same actions give the same events in both.

        With a `seed`, the copy has luck of its own: this decides what is drawn and thrown in it from now on.

        Raises:
            SetupError: if `seed` is bad.
        """

    def legal(self, seat: int) -> tuple[Action, ...]:
        """Return the legal actions of `seat`; empty if it is not asked.

        The list is complete for every decision but offers and counters, where it is a useful selection. If the same
        kinds can be given from a hand in more than 1000 ways, it has the first 1000.
        """
        return self.view(seat, news=False).legal()

    def default(self, seat: int) -> Action:
        """Return the default action: the simple legal action that is played for a seat that fails."""
        return self.view(seat, news=False).default()


def view_text(view: View, said: Callable[[Event], str] | None = None) -> str:
    """Return who is asked what, then all that is on the table and not empty, by the names of the view's fields.

    `said` returns an event, such as an offer, in words; without it, an event is shown as any value.
    """
    import textwrap  # few print views

    values: Any = view  # of a family's own class, with its own fields
    shown = {name: getattr(values, name) for name in types_of(type(values))}
    parts = (
        f"{name}: {_text(value, said)}" for name, value in shown.items() if name not in _IN_THE_FIRST_LINE and value
    )
    first = f"seat {view.seat} is asked {view.decision}; turn {view.turn}, of seat {view.active}"
    rest = textwrap.wrap(
        "; ".join(parts), _TEXT_WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return "\n".join((first, *rest))


def _text(value: object, said: Callable[[Event], str] | None) -> str:
    """Return a value without the names of classes; parts of parts are in brackets."""
    if said and isinstance(value, Event):
        return said(value)
    if isinstance(value, tuple | list):
        return _texts(value, said) or "-"
    if _has_fields(value):
        return _texts([getattr(value, name) for name in types_of(type(value))], said)
    return "-" if value is None else str(value)


def _texts(values: Iterable[object], said: Callable[[Event], str] | None) -> str:
    return " ".join(
        f"[{_text(value, said)}]" if isinstance(value, tuple | list) or _has_fields(value) else _text(value, said)
        for value in values
    )


def _has_fields(value: object) -> bool:
    return hasattr(type(value), "__match_args__")


T = TypeVar("T")

MAX_ACTIONS = 32
"""How many actions a list may have. Planting all that lies aside after a turn of trades takes fewer."""


def in_turn(game: Game, seat: int, actions: Iterable[T]) -> Iterator[T]:
    """Yield those of `actions` that `seat` may play one after the other; apply each before taking the next.

    The first is always one of them. The next follows if only this seat is asked now, and all that happened since is
    what it did itself: then it has learnt nothing, and would decide the same if it were asked.
    """
    events = 0
    for number, action in enumerate(actions):
        if number:
            news = (event.reveals or getattr(event, "seat", None) != seat for event in game.events[events:])
            if game.to_act() != (seat,) or any(news):
                return
        events = len(game.events)
        yield action


NewGame: TypeAlias = Callable[[int, bytes, Mapping[str, Option]], Game]
"""Sets up a game and deals, given seats, seed and options; raises SetupError."""


FromView: TypeAlias = Callable[[View, Hidden, bytes], Game]
"""`Game.from_view` of the game's class."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game that can be played."""

    id: str
    """Its id, as users type it, such as "bohnanza-two"."""
    least_seats: int
    """The smallest number of seats."""
    most_seats: int
    """The largest number of seats."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    new: NewGame = field(repr=False, compare=False)
    """Sets up a game; see `new_game`."""
    from_view: FromView = field(repr=False, compare=False)
    """Makes a game that looks like a view; see `game_from_view`."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Its options: names and descriptions."""
    interludes: bool = False
    """Whether bots may ask to act between turns. The referee sets the option of this name; users cannot."""

    @classmethod
    def of(cls, data: Any, new: NewGame, from_view: FromView, **more: Any) -> Self:  # noqa: ANN401 - of each family
        """Return the game that a family's `data` of a ruleset describes. `more`: options, and whether interludes."""
        return cls(data.id, data.least_seats, data.most_seats, data.source, data.summary, new, from_view, **more)


def quick(cls: type[T]) -> Callable[..., T]:
    """Return a function that makes a `cls`, a frozen dataclass with slots, several times as fast as `cls(...)` does.

    It takes the values of all fields and knows no defaults. A frozen dataclass sets each field by a call of
    `object.__setattr__`; here the object is of a class that is not frozen until all are set.
    """
    names, known = types_of(cls), {"_cls": cls}
    lines = [f"self.{name} = {name}" for name in names]
    exec(f"def set_all(self, {', '.join(names)}):\n " + "\n ".join([*lines, "self.__class__ = _cls"]), known)  # noqa: S102  # names of our own

    class _Unfrozen(cls):  # type: ignore[misc, valid-type]  # any class
        __slots__ = ()
        __setattr__ = object.__setattr__
        __delattr__ = object.__delattr__  # both, or fields are set by a slow way
        __init__ = known["set_all"]

    make: Callable[..., T] = _Unfrozen
    return make
