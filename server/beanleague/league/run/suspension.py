"""When a bot is suspended: a broken one should not spoil the league for the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from beanleague.model import Forfeits, SeatResult, Suspension

MAX_IN_A_ROW = 5
"""Consecutive forfeits that suspend a bot."""

MAX_SHARE = 0.1
MIN_MATCHES = 20
"""A bot with at least `MIN_MATCHES` matches is also suspended if it forfeited more than `MAX_SHARE` of them."""


class Suspensions:
    """Counts forfeits deal by deal, in the order in which the deals are committed, and decides who is suspended.

    `forfeits`: those so far, by entrant. `active`: entrants that are neither retired nor suspended.
    """

    def __init__(self, forfeits: Sequence[Forfeits], active: Iterable[int]) -> None:
        self.forfeits = list(forfeits)
        self.active = set(active)

    def add(self, deal: int, matches: Iterable[Sequence[SeatResult]]) -> list[Suspension]:
        """Count a deal, given as the seats of its matches; return who is suspended with it."""
        forfeited = set()
        for seats in matches:
            for seat in seats:
                self.forfeits[seat.entrant] = self.forfeits[seat.entrant].after(forfeited=seat.forfeited)
                if seat.forfeited:
                    forfeited.add(seat.entrant)
        unfit = ((entrant, _unfit(self.forfeits[entrant])) for entrant in sorted(forfeited & self.active))
        suspended = [Suspension(entrant, deal, why) for entrant, why in unfit if why]
        self.active.difference_update(each.entrant for each in suspended)
        return suspended


def _unfit(found: Forfeits) -> str:
    if found.in_a_row >= MAX_IN_A_ROW:
        return f"{found.in_a_row} forfeits in a row"
    if found.matches >= MIN_MATCHES and found.forfeits > MAX_SHARE * found.matches:
        return f"{found.forfeits} forfeits in {found.matches} matches"
    return ""
