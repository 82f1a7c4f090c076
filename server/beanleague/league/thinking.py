"""How long bots think about their decisions, from the records of their matches."""

from __future__ import annotations

from math import floor

from beanleague.model import ThinkingTime
from beanleague.store.store import Store
from beanleague.wire import WireError, times_from_bytes, unpacked

MAX_MATCHES = 50
"""The newest matches of an entrant that are looked at: some thousand decisions, read in a tenth of a second."""

_SLOW = 0.05  # share of the decisions that took longer than `ThinkingTime.slow_ms`


def thinking_time(store: Store, league_id: int, entrant: int) -> ThinkingTime | None:
    """Return how long an entrant of a league thought in its newest matches; None if no record has times.

    A record has the time of each move. A decision that took less than half a millisecond looks like a move
    for which the bot was not asked; so decisions are counted by the results, and those without a time took none.
    """
    matches = decisions = 0
    times: list[int] = []
    for seat, asked, record in store.matches.newest_records(league_id, entrant, MAX_MATCHES):
        try:
            moves = times_from_bytes(unpacked(record))
        except WireError:
            continue  # it is for the check of the league to complain
        if moves and asked:
            matches += 1
            decisions += asked
            times += (ms for who, ms in moves if who == seat and ms)
    if not decisions:
        return None
    times.sort(reverse=True)
    slower = floor(_SLOW * decisions)
    return ThinkingTime(
        matches=matches,
        decisions=decisions,
        mean_ms=sum(times) / decisions,
        slow_ms=times[slower] if slower < len(times) else 0,
        most_ms=max(times, default=0),
    )
