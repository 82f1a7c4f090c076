"""When a bot is suspended: a broken one should not spoil the league for the others."""

from __future__ import annotations

from collections.abc import Iterable

from beanleague.store.store import Store
from beanleague.store.values import COMPARISON, League, PlayedDeal

IN_A_ROW = 5
"""Consecutive forfeits that suspend a bot."""

SHARE = 0.1
ENOUGH = 20
"""More than this share of forfeits, in so many matches or more, suspends it too."""


def suspend_unfit(store: Store, league: League, deals: Iterable[PlayedDeal]) -> list[int]:
    """Suspend the entrants that forfeited too often; return their numbers.

    `deals`: those just committed. Nobody is suspended in comparisons and solo leagues, where all are at every deal.
    """
    if league.format == COMPARISON or league.solo:
        return []
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
    matches, forfeits = store.leagues.forfeits(league.id, entrant)
    if matches >= IN_A_ROW and all(store.matches.last_forfeits(league.id, entrant, IN_A_ROW)):
        return f"{IN_A_ROW} forfeits in a row"
    if matches >= ENOUGH and forfeits > SHARE * matches:
        return f"{forfeits} forfeits in {matches} matches"
    return ""
