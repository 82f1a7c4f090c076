"""Results of deals that nobody has played, as a node says them."""

from __future__ import annotations

import zlib

from beanleague.model import PlayedDeal, PlayedMatch, SeatResult
from beanleague.referee.messages import DealTask

RECORD = zlib.compress(b"")


def over(task: DealTask) -> PlayedDeal:
    """Return the result of a deal in which all seats tie."""
    matches = (
        PlayedMatch(rotation, RECORD, tuple(SeatResult(bot, 0, 1, 0, 0, forfeited=False) for bot in match.bots))
        for rotation, match in enumerate(task.matches)
    )
    return PlayedDeal(task.number, b"", tuple(matches))
