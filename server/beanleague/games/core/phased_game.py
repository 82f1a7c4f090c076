"""A game as a state machine: the seats asked, their decision, and all events so far.

Between turns there may be interludes: seats that requested them may take free actions.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cache
from typing import Any, ClassVar, Self, TypeAlias

from beanleague.games.core import game
from beanleague.games.core.chance import check_seed
from beanleague.games.core.moves import Pass, TurnStarted

Step: TypeAlias = Callable[[Any, int, Any], None]
"""Method of a game that carries out a seat's action. It raises IllegalActionError before any change."""


class AskingGame(game.Game):
    """Base of games that ask seats for decisions.

    A subclass adds its phases. `_PHASES`: for each decision the method that carries out an answer. `_FREE`: the method
    for each action that is allowed before any decision except the decisions in `_NOT_FREE`. `_WAIT`: the decision of a
    seat that is not asked. `_TRADES`: the decisions about trades. `_HIDDEN`: the events that some seats do not see in
    full. `_NESTED`: the slots that `copy` must copy one level deeper.
    """

    __slots__ = (
        "_active",
        "_asked",
        "_decision",
        "_events",
        "_moment",
        "_outcome",
        "_past",
        "_past_events",
        "_queue",
        "_seen",
        "_turn",
        "options",
        "ruleset",
        "seats",
        "seed",
    )

    _PHASES: ClassVar[Mapping[Any, Step]]
    _FREE: ClassVar[Mapping[type[game.Action], Step]]
    _NOT_FREE: ClassVar[frozenset[IntEnum]] = frozenset()
    _WAIT: ClassVar[IntEnum]
    _TRADES: ClassVar[frozenset[IntEnum]] = frozenset()
    _HIDDEN: ClassVar[frozenset[type[game.Event]]]
    _NESTED: ClassVar[tuple[str, ...]] = ()

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, game.Option]) -> None:
        """Start with no seat asked. `options`: checked and complete."""
        self.ruleset = ruleset
        self.seats = seats
        self.seed = seed
        self.options = options
        self._turn = 0
        self._active = -1
        self._asked: tuple[int, ...] = ()
        self._moment = 0
        self._decision: Any = self._WAIT  # a member of the game's own enum
        self._queue: list[int] = []  # seats still to be asked in turn
        self._outcome: game.Outcome | None = None
        # for a copy: the events of the original, and how many of them the copy shares
        self._past: tuple[tuple[list[game.Event], int], ...] = ()
        self._past_events = 0  # number of events in `_past`
        self._events: list[game.Event] = []  # events after `_past`; append-only, so that copies can share it
        self._seen = [0] * seats  # per seat: number of events when it last answered

    @classmethod
    def from_view(cls, view: Any, hidden: Any, seed: bytes) -> Self:  # noqa: ANN401 - each family has its own
        resumed = cls.__new__(cls)
        resumed._resume(view, hidden, check_seed(seed))
        return resumed

    def _resume(self, view: Any, hidden: Any, seed: bytes) -> None:  # noqa: ANN401 - each family has its own
        """Restore the state from `view` and `hidden`; subclasses extend this."""
        if view.decision is self._WAIT:
            raise game.SetupError(
                f"seat {view.seat} has no decision to make in this view; pass the view of a seat that has one"
            )
        AskingGame.__init__(self, view.rules.ruleset, view.rules.seats, seed, hidden.options)
        self._turn = view.turn
        self._active = view.active
        self._events = list(view.news)
        self._seen = [len(self._events)] * self.seats
        self._seen[view.seat] = 0
        self._ask(view.decision, view.seat)

    @property
    def over(self) -> bool:
        return self._outcome is not None

    @property
    def outcome(self) -> game.Outcome | None:
        return self._outcome

    @property
    def events(self) -> Sequence[game.Event]:
        if self._past:
            self._events, self._past, self._past_events = self._events_from(0), (), 0
        return self._events

    @property
    def moment(self) -> int:
        return self._moment

    def to_act(self) -> tuple[int, ...]:
        return self._asked

    @property
    def decision(self) -> game.NamedDecision:
        decision: game.NamedDecision = self._decision
        return decision

    @property
    def trading(self) -> bool:
        return self._decision in self._TRADES

    def apply(self, seat: int, action: game.Action, *, asked: bool = True) -> None:
        if seat not in self._asked:
            raise game.IllegalActionError(
                f"seat {seat} has no decision to make now; to decide: {self._asked or 'nobody, the game is over'}"
            )
        seen = self._past_events + len(self._events)
        step = self._FREE.get(type(action))
        if step is None or self._decision in self._NOT_FREE:
            self._PHASES[self._decision](self, seat, action)
        else:
            step(self, seat, action)
            self._after_free_step(seat)
        if asked:
            self._seen[seat] = seen

    def copy(self, seed: bytes | None = None) -> Self:
        new = type(self).__new__(type(self))
        for name, nested in _slots(type(self)):
            value = getattr(self, name)
            if nested:
                value = _copied(value)
            elif type(value) is list:
                value = value[:]
            setattr(new, name, value)
        new._events = []
        if self._events:
            new._past = (*self._past, (self._events, len(self._events)))
            new._past_events += len(self._events)
        if seed is not None:
            new._reseed(check_seed(seed))
        return new

    def _reseed(self, seed: bytes) -> None:
        """Use `seed` for all later chance; subclasses reseed their piles."""
        self.seed = seed

    def _after_free_step(self, seat: int) -> None:
        """Ask again, or go on if `seat` has no choice left."""

    def _begin_turn(self) -> None:
        """Make the next seat the active one."""
        self._turn += 1
        self._active = (self._turn - 1) % self.seats
        self._events.append(TurnStarted(self._turn, self._active))

    def _ask(self, decision: IntEnum, *seats: int) -> None:
        """Ask `seats`, ascending, for a `decision`; several are asked simultaneously."""
        self._decision = decision
        self._asked = seats
        self._moment += 1

    def _await_others(self, seat: int) -> bool:
        """Record the answer of `seat`, one of several asked at once; return whether answers are still missing."""
        self._asked = tuple([other for other in self._asked if other != seat])
        return bool(self._asked)

    def _end(self, outcome: game.Outcome, event: game.Event) -> None:
        self._outcome = outcome
        self._events.append(event)
        self._decision = self._WAIT
        self._asked = ()

    def _clockwise_from(self, first: int) -> list[int]:
        return [(first + i) % self.seats for i in range(self.seats)]

    def _from(self, first: int, active: int) -> list[int]:
        """Return the seats from `first` clockwise to the last one before `active`; all seats if `first` is `active`."""
        return self._clockwise_from(first)[: (active - first - 1) % self.seats + 1]

    def _news(self, seat: int) -> tuple[game.Event, ...]:
        since = self._events_from(self._seen[seat])
        return tuple([event.seen_by(seat) if type(event) in self._HIDDEN else event for event in since])

    def _events_from(self, first: int) -> list[game.Event]:
        """Return the events from index `first` on."""
        begin = self._past_events
        found = self._events[max(first - begin, 0) :]
        for events, count in reversed(self._past):
            if first >= begin:
                break
            begin -= count
            found = events[max(first - begin, 0) : count] + found
        return found


@cache
def _slots(cls: type[AskingGame]) -> tuple[tuple[str, bool], ...]:
    """Return the slots to copy, each with whether to copy one level deeper."""
    names = [name for each in cls.__mro__ for name in getattr(each, "__slots__", ())]
    return tuple((name, name in cls._NESTED) for name in names if name != "_events")


def _copied(value: Any) -> Any:  # noqa: ANN401 - lists of any one type
    if type(value) is not list:
        return value.copy()
    if not value or type(value[0]) is not list:
        return value[:]
    return [_copied(each) if each and type(each[0]) is list else each[:] for each in value]


def wrong_action(action: game.Action, allowed: str) -> game.IllegalActionError:
    """Return the error for an action of a wrong type. `allowed`: the allowed actions, in words."""
    return game.IllegalActionError(f"{type(action).__name__} is not an answer to what is asked: {allowed}")


class InterludeGame(AskingGame):
    """Base of games with interludes. `_INTERLUDE`: its decision, asked of a seat only while it has a choice."""

    __slots__ = ()

    _INTERLUDE: ClassVar[IntEnum]

    @abstractmethod
    def _has_free_step(self, seat: int) -> bool:
        """Return whether `seat` could do anything in an interlude."""

    @abstractmethod
    def _start_turn(self) -> None:
        """Begin the next turn."""

    def _start_interlude(self) -> None:
        self._queue = self._asking_for_interludes(self._clockwise_from(self._active + 1))
        self._next_interlude()

    def _interludes_from(self, seat: int) -> list[int]:
        """Return the seats still to be asked in an interlude that has reached `seat`."""
        return [seat, *self._asking_for_interludes(self._from(seat, self._active + 1)[1:])]

    def _asking_for_interludes(self, seats: list[int]) -> list[int]:
        asked_for = self.options["interludes"]
        assert isinstance(asked_for, tuple)
        return [seat for seat in seats if seat in asked_for]

    def _next_interlude(self) -> None:
        while self._queue and not self._has_free_step(self._queue[0]):
            self._queue.pop(0)
        if self._queue:
            self._ask(self._INTERLUDE, self._queue[0])
        else:
            self._start_turn()

    def _pass_interlude(self, seat: int, action: game.Action) -> None:
        del seat
        if type(action) is not Pass:
            raise wrong_action(action, "pass, or do what is allowed at any time")
        self._queue.pop(0)
        self._next_interlude()

    def _after_free_step(self, seat: int) -> None:
        super()._after_free_step(seat)
        if self._decision is self._INTERLUDE:
            self._next_interlude()


def interludes_option(options: Mapping[str, game.Option], seats: int) -> tuple[int, ...]:
    """Return the option `interludes`: the seats that requested them, ascending (default none).

    Raises:
        SetupError: if the value is anything else.
    """
    value = options.get("interludes", ())
    whole = isinstance(value, tuple) and all(type(seat) is int for seat in value)
    if not isinstance(value, tuple) or not whole or value != tuple(seat for seat in range(seats) if seat in value):
        raise game.SetupError(f"interludes must be ascending seats from 0 to {seats - 1}, not {game.brief(value)}")
    return value
