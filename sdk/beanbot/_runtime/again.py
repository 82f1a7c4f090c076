"""A bot that is asked again for the decisions of a recorded match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from beanbot._runtime.asking import Failure, ask
from beanbot.bot import Bot
from beanleague.games import Action, Game, IllegalActionError, PlayedMove, View
from beanleague.games.core.game import in_turn


class AtError(Exception):
    """Raised when a bot cannot be put before a decision; the message says why."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A decision of the match that the bot was asked for again."""

    move: int
    """Index of the move in the match."""
    view: View
    """What the bot was shown."""
    played: PlayedMove
    """What was played."""
    action: Action | None
    """What the bot would play now; None if it fails."""

    @property
    def otherwise(self) -> bool:
        """Whether the bot decides otherwise than in the match; what was played by default does not count."""
        return self.action != self.played.action and not self.played.by_default


def asked_again(moves: Sequence[PlayedMove], game: Game, bot: Bot[Any]) -> list[AskedAgain]:
    """Play `moves`, and ask the bot whenever a league would; return its decisions.

    Raises:
        AtError: if the moves cannot be played.
    """
    made: list[AskedAgain] = []
    plan: Iterator[Action] = iter(())
    for index, played in enumerate(moves):
        asked = True
        if played.seat == bot.seat:
            action = next(plan, None)
            if action is not None and (played.by_default or action == played.action):
                asked = False  # it follows in the list that the bot decided before, or failed in it
            elif game.trading and not bot.trades:
                asked = False
            else:
                view = game.view(bot.seat, news=bot.news)
                plan = _decided(game, bot, view)
                action = next(plan, None)
                made.append(AskedAgain(index, view, played, action))
            if action != played.action:
                plan = iter(())
        try:
            game.apply(played.seat, played.action, asked=asked)
        except IllegalActionError as error:
            raise AtError(f"the record cannot be played again: {error}; `beanleague match verify` says more") from None
    return made


def _decided(game: Game, bot: Bot[Any], view: View) -> Iterator[Action]:
    """Yield what the bot decides now, and then what of its list would follow."""
    actions = ask(bot, view)
    return iter(()) if isinstance(actions, Failure) else in_turn(game, bot.seat, actions)
