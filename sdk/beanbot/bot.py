"""Base class of all bots: one object per match, asked for one decision at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from beanleague.games import Action, View

ViewT = TypeVar("ViewT", bound=View)

Choice: TypeAlias = Action | Sequence[Action]
"""A bot's decision: an action or a list of actions. From a list the next action is played as long as the same seat is
asked next and has learnt nothing new. The rest of the list is dropped, as are actions after the 32nd, and the bot is
asked as usual."""


class Bot(Generic[ViewT]):
    """A player of one match; a new object is made for each. The class must be callable without arguments.

    `games`, `interludes`, `news` and `trades` are set on the class by the author. All other attributes are set before
    `match_started` is called, but not yet in `__init__`.
    """

    games: ClassVar[tuple[str, ...]] = ()
    """Ids of the rulesets that the bot plays; empty for all."""
    interludes: ClassVar[bool] = False
    """Whether the bot is asked between turns, when it may harvest."""
    news: ClassVar[bool] = True
    """Whether the bot reads `view.news`; if False, `view.news` is empty and messages are smaller."""
    trades: ClassVar[bool] = True
    """Whether the bot is asked to trade and to answer offers; if False, it stops and declines without being asked."""

    seat: int
    """Seat of the bot, 0 to `seats` - 1; seat 0 starts."""
    seats: int
    """The number of seats at the table."""
    ruleset: str
    """The id of the ruleset, e.g. "bohnanza"."""
    names: tuple[str, ...]
    """The names of the bots, per seat; empty when opponents are anonymous."""
    move_ms: int = 0
    """Milliseconds for each decision; 0 for no limit, as in practice."""
    bank_ms: int = 0
    """Extra milliseconds per match, used up by decisions longer than `move_ms`; 0 for none."""
    match_ms: int = 0
    """Milliseconds for all decisions of the match; a bot that takes longer forfeits. 0 for no limit."""
    random: Random
    """Random generator of the bot. Its seed is the same when a match is repeated, so that a bot without other sources
    of randomness plays it the same way."""

    __settings: Mapping[str, Any] = MappingProxyType({})

    @property
    def settings(self) -> Mapping[str, Any]:
        """The table `[settings]` of the bot's `bot.toml`; lists are tuples."""
        return MappingProxyType(self.__settings)

    @settings.setter
    def settings(self, values: Mapping[str, Any]) -> None:
        self.__settings = dict(values)  # a proxy could be neither pickled nor copied by `deepcopy`

    def match_started(self) -> None:
        """Prepare for the match; called once, before the first decision."""

    def decide(self, view: ViewT) -> Choice:
        """Return the action to play, or a list of actions, which are played one after the other; see `Choice`.

        If it raises an exception, the default action is played and a fault is counted; the process goes on.
        """
        raise NotImplementedError(f"{type(self).__name__} must override decide")

    def match_over(self, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
        """Called once after the match, with scores in dollars (`duel`: cents) and places (1 is best) by seat."""


class FamilyBot(Bot[ViewT]):
    """Base of the bots of a family of games: each decision calls the method of its name in lower case."""

    def decide(self, view: ViewT) -> Choice:
        """Call the method for `view.decision`; without one, play the default action."""
        # Not `name`: that property is slower, and a debugger would stop in its Python code first.
        method = getattr(self, view.decision._name_.lower(), None)
        if method is None:
            return view.default()
        choice: Choice = method(view)
        return choice


def seat_bot(
    bot_class: type[Bot[ViewT]],
    *,
    ruleset: str,
    seat: int,
    seats: int,
    luck: bytes,
    names: tuple[str, ...] = (),
    move_ms: int = 0,
    bank_ms: int = 0,
    match_ms: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> Bot[ViewT]:
    """Return a new bot that is ready for its first decision; exceptions of the author's code propagate.

    `luck`: seed of its random generator; the other arguments are attributes of the bot.
    """
    bot = bot_class()
    bot.seat = seat
    bot.seats = seats
    bot.ruleset = ruleset
    bot.names = names
    bot.move_ms = move_ms
    bot.bank_ms = bank_ms
    bot.match_ms = match_ms
    bot.settings = settings or {}
    bot.random = Random(luck)
    bot.match_started()
    return bot
