"""When an entry of a ladder will be rated, by how fast the ladder was played lately."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beanleague.league.ladder.entries import MAX_PLACING_DEALS, MIN_DEALS
from beanleague.league.schedule.plans import MAX_PLACING, RATED_ELO
from beanleague.model import Entrant, EntryState, League
from beanleague.store import Store

PLACING_DEALS = 30
"""Deals for its own sake that an entry needs until it is rated: see docs/ladder.md."""
_PLACING_SHARE = 0.5  # of the tables: see `plans`
_DEALS = 60  # the newest, from whose times the pace is told
_OUTDATED_S = 600.0  # since the last deal, after which the ladder rests or is not played


@dataclass(frozen=True, slots=True)
class Forecast:
    """When an entry that is placing will be rated."""

    deals: int
    """About how many deals it still needs."""
    before: int
    """How many entries are placed before it."""
    first_seconds: float
    """Until its first result; 0 if that is not known."""
    rated_seconds: float
    """Until it is rated; 0 if that is not known."""


def forecasts(
    store: Store,
    league: League,
    entrants: Sequence[Entrant],
    states: Mapping[int, EntryState],
    deals: Sequence[int],
    half_widths: Mapping[int, int],
    now: float,
) -> dict[int, Forecast]:
    """Return the forecast of each entry that is placing, by number.

    `deals`: that each has played. `half_widths`: against its neighbours, in Elo, of those that had one lately.
    """
    placing = [entrant for entrant in entrants if states[entrant.number] is EntryState.PLACING]
    pace = _pace(store, league, now)
    # Those that play are placed now; the others by turns of their owners.
    playing = [entrant for entrant in placing if deals[entrant.number]]
    before: dict[str, int] = {}
    turns = []
    for entrant in placing:
        if not deals[entrant.number]:
            owner = entrant.owner or entrant.label
            turns.append((before.setdefault(owner, 0), entrant.number, entrant))
            before[owner] += 1
    order = [*playing, *(entrant for *_, entrant in sorted(turns, key=lambda turn: turn[:2]))]
    found = {}
    at_once = max(min(MAX_PLACING, len(order)), 1)
    rated = sum(state.seated and state is not EntryState.PLACING for state in states.values())
    # Half of the tables are for those being placed; where rated ones are too few, they are opponents, too.
    opponents = (league.seats - 1) / max(rated + len(playing), league.seats) if rated < league.seats else 0.0
    pace = min(pace, pace * (_PLACING_SHARE / at_once + opponents))  # of one of them
    for place, entrant in enumerate(order):
        waits = max(place - MAX_PLACING + 1, 0)
        left = _deals_left(deals[entrant.number], half_widths.get(entrant.number))
        first = (waits * PLACING_DEALS / at_once + 1) / pace if pace else 0.0
        found[entrant.number] = Forecast(
            deals=left,
            before=waits,
            first_seconds=0.0 if deals[entrant.number] else first,
            rated_seconds=(0.0 if deals[entrant.number] else first) + left / pace if pace else 0.0,
        )
    return found


def _deals_left(deals: int, half_width: int | None) -> int:
    """Return about how many deals it takes until a half-width is `RATED_ELO`: it shrinks with the root of them."""
    if half_width is None or deals < MIN_DEALS:
        return max(PLACING_DEALS - deals, 1)
    left = deals * (half_width**2 / RATED_ELO**2 - 1)
    return max(min(round(left), MAX_PLACING_DEALS - deals), 1)


def _pace(store: Store, league: League, now: float) -> float:
    """Return how many deals are played in a second; 0 if that is not known."""
    if league.id not in store.runs.running():
        return 0.0
    times = sorted(store.deals.latest(league.id, _DEALS))
    if len(times) < 2 or now - times[-1] > _OUTDATED_S or times[-1] <= times[0]:
        return 0.0
    return (len(times) - 1) / (times[-1] - times[0])
