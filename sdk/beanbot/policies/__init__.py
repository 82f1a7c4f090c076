"""Quick players of the trading games, in parts to build on and to use in play-outs.

Import each module by its name, so that a bot loads only the parts it uses:

- `worth` values fields and hands, in dollars
- `planting` predicts the fields after planting, and their value
- `scales` values trades for the bot and for other seats, by `worth` and `planting`
- `trading` answers offers and makes them, by any scales: `TradingBot`
- `trader`: `Trader`, which plants and trades by these three modules and decides in 0.1 to 0.4 ms
- `barter`: `Haggler` and `Merchant`, which trade one card for one
- `farmer`: `Farmer`, which plants and harvests well and never trades
- `mistakes`: `Mistaken`, which makes any bot play at random now and then

>>> from beanbot.policies.trader import Trader

They are bots: derive from one and override what should differ. The house bots of these names do nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from beanbot.bot import Bot, seat_bot
from beanleague.games import Action

__all__ = ["policy"]


def policy(
    bot_class: type[Bot[Any]],
    *,
    ruleset: str,
    seat: int,
    seats: int,
    luck: bytes = b"",
    settings: Mapping[str, Any] | None = None,
) -> Callable[[Any], Action]:
    """Return a bot as a policy for `beanbot.search.play_out`: a function from a view to an action.

    It plays one seat of one game: make a new one for each. If the bot returns a list of actions, the first is played
    and the bot is asked again. Views of play-outs have no news: a bot that reads `view.news` misses all events.

    Args:
        bot_class: Any class of bots, e.g. `beanbot.policies.trader.Trader`.
        ruleset: The id of the ruleset.
        seat: The seat that it plays, from 0.
        seats: The number of seats at the table.
        luck: Seeds its random generator.
        settings: Values for the [settings] of its `bot.toml`.
    """
    bot = seat_bot(bot_class, ruleset=ruleset, seat=seat, seats=seats, luck=luck, settings=settings)

    def decide(view: Any) -> Action:  # noqa: ANN401 - of any family
        choice = bot.decide(view)
        return choice if isinstance(choice, Action) else choice[0]

    return decide
