"""Replay of a recorded match that asks a bot for its decisions again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from beanbot._runtime.asking import Failure, ask
from beanbot.bot import Bot
from beanleague.games import Action, Game, IllegalActionError, PlayedMove, View
from beanleague.games.core.game import in_turn


class AtError(Exception):
    """Raised when a bot cannot be asked for a decision of a recorded match; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A decision of a recorded match for which a bot was asked again."""

    move: int
    """Index of the move in the match."""
    view: View
    """View that the bot is shown."""
    played: PlayedMove
    """The recorded move."""
    action: Action | None
    """Action that the bot chooses now; None if it fails."""

    @property
    def otherwise(self) -> bool:
        """Whether the bot now decides differently; recorded default actions do not count."""
        return self.action != self.played.action and not self.played.by_default


def asked_again(moves: Sequence[PlayedMove], game: Game, bot: Bot[Any]) -> list[AskedAgain]:
    """Replay `moves`, asking the bot whenever a league would; return its decisions.

    Raises:
        AtError: if the moves cannot be replayed.
    """
    made: list[AskedAgain] = []
    plan: Iterator[Action] = iter(())
    for index, played in enumerate(moves):
        asked = True
        if played.seat == bot.seat:
            action = next(plan, None)
            if action is not None and (played.by_default or action == played.action):
                asked = False  # the move comes from the bot's earlier list, or failed in it
            elif game.trading and not bot.trades:
                asked = False
            else:
                view = game.view(bot.seat, news=bot.news)
                plan = _decisions(game, bot, view)
                action = next(plan, None)
                made.append(AskedAgain(index, view, played, action))
            if action != played.action:
                plan = iter(())
        try:
            game.apply(played.seat, played.action, asked=asked)
        except IllegalActionError as error:
            raise AtError(f"the record cannot be replayed: {error}; see `beanleague match verify`") from None
    return made


def _decisions(game: Game, bot: Bot[Any], view: View) -> Iterator[Action]:
    """Yield the bot's action, and then the further actions of its list that would be played."""
    actions = ask(bot, view)
    return iter(()) if isinstance(actions, Failure) else in_turn(game, bot.seat, actions)
