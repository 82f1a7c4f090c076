"""When a bot is suspended: a broken one should not spoil the league for the others."""

from __future__ import annotations

from collections.abc import Iterable

from beanleague.model import League, PlayedDeal
from beanleague.store.store import Store

MAX_IN_A_ROW = 5
"""Consecutive forfeits that suspend a bot."""

MAX_SHARE = 0.1
MIN_MATCHES = 20
"""A bot with at least `MIN_MATCHES` matches is also suspended if it forfeited more than `MAX_SHARE` of them."""


def suspend_unfit(store: Store, league: League, deals: Iterable[PlayedDeal]) -> list[int]:
    """Suspend the entrants that forfeited too often; return their numbers.

    `deals`: those just committed.
    """
    forfeited = {seat.entrant for deal in deals for match in deal.matches for seat in match.seats if seat.forfeited}
    if not forfeited:
        return []
    suspended = []
    for entrant in store.leagues.entrants(league.id):
        if entrant.number in forfeited and entrant.active:
            why = _unfit(store, league, entrant.number)
            if why:
                store.leagues.suspend(league.id, entrant.number, why)
                suspended.append(entrant.number)
    return suspended


def _unfit(store: Store, league: League, entrant: int) -> str:
    found = store.leagues.forfeits(league.id, entrant)
    if found.in_a_row >= MAX_IN_A_ROW:
        return f"{found.in_a_row} forfeits in a row"
    if found.matches >= MIN_MATCHES and found.forfeits > MAX_SHARE * found.matches:
        return f"{found.forfeits} forfeits in {found.matches} matches"
    return ""
