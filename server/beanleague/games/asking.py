"""A game as a state machine: who is asked what, and everything that happened."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, TypeAlias

from beanleague.games.errors import IllegalActionError
from beanleague.games.game import Action, Event, Game, Option, Outcome

Step: TypeAlias = Callable[[Any, int, Any], None]
"""A method of a game: what an action of a seat does, or why it is illegal, before anything is changed."""


class AskingGame(Game):
    """A game that asks its seats for decisions.

    A game adds its phases: `_PHASES` says for each decision what an answer does, `_FREE` for each action that may come
    before any decision what it does; the decisions in `_NOT_FREE` allow none. `_HIDDEN`: the events that not all see.
    """

    __slots__ = (
        "_active",
        "_asked",
        "_decision",
        "_events",
        "_outcome",
        "_seen",
        "_turn",
        "options",
        "ruleset",
        "seats",
        "seed",
    )

    _PHASES: ClassVar[Mapping[Any, Step]]
    _FREE: ClassVar[Mapping[type[Action], Step]]
    _NOT_FREE: ClassVar[frozenset[IntEnum]] = frozenset()
    _HIDDEN: ClassVar[frozenset[type[Event]]]

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, Option], wait: IntEnum) -> None:
        """Ask nobody yet. `options`: checked, with nothing left out. `wait`: the decision of who is not asked."""
        self.ruleset = ruleset
        self.seats = seats
        self.seed = seed
        self.options = options
        self._turn = 0
        self._active = -1
        self._asked: tuple[int, ...] = ()
        self._decision: IntEnum = wait
        self._outcome: Outcome | None = None
        self._events: list[Event] = []
        self._seen = [0] * seats  # per seat: events that were there when it last acted

    @property
    def over(self) -> bool:
        return self._outcome is not None

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def events(self) -> Sequence[Event]:
        return self._events

    def to_act(self) -> tuple[int, ...]:
        return self._asked

    def apply(self, seat: int, action: Action) -> None:
        if seat not in self._asked:
            raise IllegalActionError(
                f"seat {seat} is not asked now; asked: {self._asked or 'nobody, the game is over'}"
            )
        seen = len(self._events)
        step = self._FREE.get(type(action))
        if step is None or self._decision in self._NOT_FREE:
            step = self._PHASES[self._decision]
        step(self, seat, action)
        self._seen[seat] = seen

    @abstractmethod
    def copy(self) -> AskingGame: ...

    def _ask(self, decision: IntEnum, seat: int) -> None:
        self._decision = decision
        self._asked = (seat,)

    def _clockwise_from(self, first: int) -> list[int]:
        return [(first + i) % self.seats for i in range(self.seats)]

    def _news(self, seat: int) -> tuple[Event, ...]:
        since = self._events[self._seen[seat] :]
        return tuple([event.seen_by(seat) if type(event) in self._HIDDEN else event for event in since])


def wrong_action(action: Action, allowed: str) -> IllegalActionError:
    """Return the error for an action that does not answer the decision, which wants `allowed`."""
    return IllegalActionError(f"{type(action).__name__} is not an answer to what is asked: {allowed}")
