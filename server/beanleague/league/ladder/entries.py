"""Changes of a ladder's entries: when they become rated, settled, paused or replaced."""

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from math import fsum
from statistics import median

from beanleague.league.ladder.inputs import Known
from beanleague.league.schedule.plans import MAX_PLACING, RATED_ELO, SETTLED_ELO
from beanleague.model import ChangeKind, Entrant, EntryDecision, EntryState, Forecast, League, state_after, states_of
from beanleague.store import Store

MIN_DEALS = 10
"""Minimum number of effective deals of a rated entry."""
PLACING_LIMITS = 120, 240
"""Minimum and maximum of `placing_limit`."""
UNSETTLED_ELO = 20
"""Half-width above which a settled entry becomes unsettled; larger than `SETTLED_ELO`, so that the state does not flip
back and forth."""
PLACING_DEALS = 30
"""Expected number of deals until an entry is rated, used until the ladder has its own data; see docs/ladder.md."""

_PLACING_PATIENCE = 3  # maximum placement as a multiple of `deals_needed`; a field's best and worst entries need more
_LIKE_NEW = 5  # number of latest entries whose placements predict how many deals the next ones need
_PLACING_SHARE = 0.5  # share of tables for entries in placement; see `plans`
_DEALS = 60  # number of newest deals from whose times the pace is computed
_OUTDATED_S = 600.0  # seconds since the last deal after which the ladder counts as resting or not running


class _Decisions:
    """Decisions about entries. `now`: states by number, with the decisions applied."""

    def __init__(self, entrants: Sequence[Entrant]) -> None:
        self.entrants = entrants
        self.now = states_of(entrants)
        self.found: list[EntryDecision] = []

    def decide(self, entrant: Entrant, kind: ChangeKind, reason: str, *because: Entrant) -> None:
        self.found.append(EntryDecision(entrant, kind, reason, because))
        self.now[entrant.number] = state_after(kind)

    def rate(self, known: Sequence[Known], deals: Sequence[int]) -> None:
        """Mark entries as rated or settled. `known`: certainty of ratings; `deals`: deals played; both by number."""
        limit = placing_limit(
            (played, each.half_width) for each, played in zip(known, deals, strict=True) if each.deals
        )
        for entrant, each, played in zip(self.entrants, known, deals, strict=False):
            state, width = self.now[entrant.number], each.half_width
            if state is EntryState.PLACING:
                self._end_placing(entrant, each, played, limit)
            elif state is EntryState.RATED and width <= SETTLED_ELO:
                self.decide(entrant, ChangeKind.SETTLED, f"known to {width} Elo after {played} deals")
            elif state is EntryState.SETTLED and width > UNSETTLED_ELO:
                self.decide(entrant, ChangeKind.RATED, f"known to {width} Elo only")

    def _end_placing(self, entrant: Entrant, known: Known, played: int, limit: int) -> None:
        """End the placement of an entry if its rating is certain enough, or after `limit` deals."""
        width = known.half_width
        if width <= RATED_ELO and known.deals >= MIN_DEALS:
            self.decide(entrant, ChangeKind.RATED, f"known to {width} Elo after {played} deals")
        elif played >= limit:
            self.decide(entrant, ChangeKind.RATED, f"after {played} deals, known to {width} Elo")

    def rest(self, tired: Collection[str]) -> None:
        """Rest the bots of the owners in `tired`, and resume resting bots of other owners."""
        for entrant in self.entrants:
            if entrant.last.kind == ChangeKind.RESTED and entrant.owner not in tired:
                self.decide(entrant, ChangeKind.RESUMED, "a new day has begun")
            elif entrant.owner in tired and self.now[entrant.number].seated:
                why = f"the bots of {entrant.owner} have thought for as long as they may in a day; it goes on tomorrow"
                self.decide(entrant, ChangeKind.RESTED, why)

    def make_room(self, per_owner: int) -> None:
        """Retire versions whose successors are rated, and pause all but the newest `per_owner` bots of each owner."""
        newest: dict[str, Entrant] = {}
        of_owner = defaultdict[str, list[Entrant]](list)
        for entrant in reversed(self.entrants):
            owner = entrant.owner
            if not self.now[entrant.number].placed:
                continue
            successor = newest.setdefault(entrant.bot, entrant)
            if successor is not entrant:
                self.decide(entrant, ChangeKind.REPLACED, f"{successor.label} is rated", successor)
            elif owner and len(of_owner[owner]) == per_owner:  # organisers may have any number of entries
                why = f"the newest {per_owner} bots of {owner} play"
                self.decide(entrant, ChangeKind.PAUSED, why, *of_owner[owner])
            else:
                of_owner[owner].append(entrant)


def changes(
    entrants: Sequence[Entrant],
    known: Sequence[Known],
    deals: Sequence[int],
    per_owner: int,
    tired: Collection[str] = (),
) -> list[EntryDecision]:
    """Return the changes of entries that follow from the current estimates. `known`, `deals`: by entrant number.

    The newest entrants may be missing from both. `tired`: owners whose bots have used their CPU hours of the day.
    """
    decisions = _Decisions(entrants)
    decisions.rate(known, deals)
    decisions.rest(tired)
    decisions.make_room(per_owner)
    return decisions.found


def forecasts(
    store: Store,
    league: League,
    entrants: Sequence[Entrant],
    states: Mapping[int, EntryState],
    *,
    deals: Sequence[int],
    known: Mapping[int, Known],
    now: float,
) -> dict[int, Forecast]:
    """Return the forecasts of the entries in placement, by number.

    `deals`: deals played by each entry. `known`: recent estimates of the entries of the field.
    """
    order = _in_turn((each for each in entrants if states[each.number] is EntryState.PLACING), deals)
    found = {}
    ends: list[int] = []  # number of deals after which each entry is rated
    field = sorted(known.items())
    # Use effective deals: as the field changes, the deals that an old entry played lose their weight.
    needed = deals_needed((each.deals, each.half_width) for _, each in field)
    limit = placing_limit((deals[number], each.half_width) for number, each in field)
    at_once = max(min(MAX_PLACING, len(order)), 1)
    there = sum(state.placed for state in states.values()) + sum(deals[entrant.number] > 0 for entrant in order)
    # Entries in placement are seeds of half of the tables, and companions at others.
    opponents = (league.seats - 1) / max(there, league.seats)
    pace = _pace(store, league, now)
    pace = min(pace, pace * (_PLACING_SHARE / at_once + opponents))  # deals per second of one entry in placement
    for place, entrant in enumerate(order):
        played, all_deals = deals[entrant.number], needed
        waits = 0 if played else max(place - MAX_PLACING + 1, 0)
        if played >= MIN_DEALS and entrant.number in known:
            all_deals = min(round(_deals_needed(played, known[entrant.number].half_width)), limit)
        left = max(all_deals - played, 1)
        begins = ends[-MAX_PLACING] if waits else 0
        insort(ends, begins + left)
        first = (begins + 1) / pace if pace and not played else 0.0
        rated_seconds = first + left / pace if pace else 0.0
        found[entrant.number] = Forecast(left, before=waits, first_seconds=first, rated_seconds=rated_seconds)
    return found


def _in_turn(placing: Iterable[Entrant], deals: Sequence[int]) -> list[Entrant]:
    """Return the entries in placement: first the seated ones, which have deals, then the others in turns of owners."""
    playing, turns = list[Entrant](), list[tuple[int, int, Entrant]]()
    before = Counter[str]()
    for entrant in placing:
        if deals[entrant.number]:
            playing.append(entrant)
        else:
            owner = entrant.owner or entrant.label
            turns.append((before[owner], entrant.number, entrant))
            before[owner] += 1
    return [*playing, *(entrant for *_, entrant in sorted(turns, key=lambda turn: turn[:2]))]


def deals_needed(known: Iterable[tuple[int, int]]) -> int:
    """Estimate the number of deals that a newcomer needs until it is rated, from earlier newcomers.

    The scatter of deals differs from field to field. Therefore the estimate uses the latest entries with
    `PLACING_DEALS` deals or more. `known`: deals and half-widths in Elo, in order of entry.
    """
    newest = [each for each in known if each[0] >= PLACING_DEALS][-_LIKE_NEW:]
    needed = median(_deals_needed(*each) for each in newest) if newest else PLACING_DEALS
    return min(round(needed), PLACING_LIMITS[1])


def placing_limit(known: Iterable[tuple[int, int]]) -> int:
    """Return the number of deals after which an entry is rated whatever its half-width, which may never get narrow.

    `known`: see `deals_needed`, which determines the limit.
    """
    least, most = PLACING_LIMITS
    return min(max(_PLACING_PATIENCE * deals_needed(known), least), most)


def _deals_needed(deals: int, half_width: int) -> float:
    """Estimate the deals needed for the half-width `RATED_ELO`, as half-widths shrink with the root of the number."""
    return deals * half_width**2 / RATED_ELO**2


def _pace(store: Store, league: League, now: float) -> float:
    """Return the number of deals played per second; 0 if unknown."""
    return deals_a_second(store.deals.latest(league.id, _DEALS), now) if league.id in store.runs.running() else 0.0


def deals_a_second(times: Iterable[float], now: float) -> float:
    """Return deals per second from the times (seconds) of deals; 0 if the times are too old.

    The longest pause does not count: the ladder may have been paused, or its server down.
    """
    played = sorted(times)
    pauses = sorted(after - before for before, after in pairwise(played))[:-1]
    return len(pauses) / fsum(pauses) if any(pauses) and now - played[-1] <= _OUTDATED_S else 0.0
