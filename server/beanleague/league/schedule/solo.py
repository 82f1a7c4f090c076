"""Solo leagues: every bot plays each deal alone, with the same luck; all are ranked together with the Bean Thief."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from beanleague.model import SeatResult

MAX_BOTS = 127
"""Maximum number of bots in a solo league; with the Thief, these are `counters.MAX_SOLO` players."""


def ranking(matches: Iterable[Sequence[SeatResult]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return who played a deal, the Thief last, and their places.

    `matches`: of one deal; of each the seats, the bot's and the Thief's. Those that won are before the Thief, those
    that lost behind it, and behind these those that forfeited. Among themselves the larger lead over the Thief is
    better, and equal ones share a place.
    """
    played = [(bot, thief) for bot, thief in matches]
    standing = {bot.entrant: _standing(bot, thief) for bot, thief in played}
    standing[played[0][1].entrant] = (1, 0)
    return tuple(standing), tuple(1 + sum(other > own for other in standing.values()) for own in standing.values())


def _standing(bot: SeatResult, thief: SeatResult) -> tuple[int, int]:
    if bot.forfeited:
        return -1, 0
    return (2 if bot.place == 1 else 0), bot.score - thief.score
