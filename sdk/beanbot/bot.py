"""What every bot is: one object per match, asked for one decision at a time."""

from __future__ import annotations

from random import Random
from typing import ClassVar, Generic, TypeVar

from beanleague.games import Action, View

ViewT = TypeVar("ViewT", bound=View)


class Bot(Generic[ViewT]):
    """A player of one match; a new object is made for each. The class must be callable without arguments.

    Set by the author, on the class:
        `games`: the rulesets it plays; empty for whatever it is given.
        `interludes`: whether to be asked, between turns, to harvest.
        `news`: whether `view.news` is wanted; without it, messages are smaller.

    Set before `match_started`:
        `seat`: its seat, 0 .. `seats` - 1; seat 0 starts. `ruleset`: the ruleset's id.
        `names`: who plays, per seat; empty when the opponents are anonymous.
        `random`: its own luck. It is the same when a match is repeated, so a bot that draws from
        nothing else plays a repeated match alike.
    """

    games: ClassVar[tuple[str, ...]] = ()
    interludes: ClassVar[bool] = False
    news: ClassVar[bool] = True

    seat: int
    seats: int
    ruleset: str
    names: tuple[str, ...]
    random: Random

    def match_started(self) -> None:
        """Get ready; called once, before the first decision."""

    def decide(self, view: ViewT) -> Action:
        """Return what to do. An exception costs the decision (the default action is played), not the process."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to decide")

    def match_over(self, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
        """Learn how the match ended. Per seat: `scores` in dollars (in `duel` cents), and `places`, 1 the best."""


def seat_bot(
    bot_class: type[Bot[ViewT]], *, ruleset: str, seat: int, seats: int, luck: bytes, names: tuple[str, ...] = ()
) -> Bot[ViewT]:
    """Return a new bot that is ready for its first decision. What the author's code raises is passed on."""
    bot = bot_class()
    bot.seat = seat
    bot.seats = seats
    bot.ruleset = ruleset
    bot.names = names
    bot.random = Random(luck)
    bot.match_started()
    return bot
