"""What becomes of the entries of a ladder: who is rated, settled or replaced by what is known of them, and when."""

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
"""Effective deals without which nobody is rated."""
PLACING_LIMITS = 120, 240
"""Least and most of `placing_limit`."""
UNSETTLED_ELO = 20
"""Half-width above which an entry is not settled any more: more than `SETTLED_ELO`, so that it does not flicker."""
PLACING_DEALS = 30
"""Deals that an entry needs until it is rated, while its ladder has not shown another number: see docs/ladder.md."""

_PLACING_PATIENCE = 3  # how many times the deals that others needed: at the ends of a field it takes that many
_LIKE_NEW = 5  # entries that came last, which tell how many deals the next ones need
_PLACING_SHARE = 0.5  # of the tables: see `plans`
_DEALS = 60  # the newest, from whose times the pace is told
_OUTDATED_S = 600.0  # since the last deal, after which the ladder rests or is not played


class _Decisions:
    """Decides what happens to entries. `now`: their states by number, with what was decided."""

    def __init__(self, entrants: Sequence[Entrant]) -> None:
        self.entrants = entrants
        self.now = states_of(entrants)
        self.found: list[EntryDecision] = []

    def decide(self, entrant: Entrant, kind: ChangeKind, reason: str, *because: Entrant) -> None:
        self.found.append(EntryDecision(entrant, kind, reason, because))
        self.now[entrant.number] = state_after(kind)

    def rate(self, known: Sequence[Known], deals: Sequence[int]) -> None:
        """Rate and settle entries by what is known of them, and the deals that they played, both by number."""
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
        """Rate an entry being placed if enough is known of it, or after `limit` deals."""
        width = known.half_width
        if width <= RATED_ELO and known.deals >= MIN_DEALS:
            self.decide(entrant, ChangeKind.RATED, f"known to {width} Elo after {played} deals")
        elif played >= limit:
            self.decide(entrant, ChangeKind.RATED, f"after {played} deals, known to {width} Elo")

    def rest(self, tired: Collection[str]) -> None:
        """Let the bots of some owners rest, and those of others that rested play again."""
        for entrant in self.entrants:
            if entrant.last.kind == ChangeKind.RESTED and entrant.owner not in tired:
                self.decide(entrant, ChangeKind.RESUMED, "a new day has begun")
            elif entrant.owner in tired and self.now[entrant.number].seated:
                why = f"the bots of {entrant.owner} have thought for as long as they may in a day; it goes on tomorrow"
                self.decide(entrant, ChangeKind.RESTED, why)

    def make_room(self, per_owner: int) -> None:
        """Take out versions whose successors are rated, and all but the newest `per_owner` bots of each owner."""
        newest: dict[str, Entrant] = {}
        of_owner = defaultdict[str, list[Entrant]](list)
        for entrant in reversed(self.entrants):
            owner = entrant.owner
            if not self.now[entrant.number].placed:
                continue
            successor = newest.setdefault(entrant.bot, entrant)
            if successor is not entrant:
                self.decide(entrant, ChangeKind.REPLACED, f"{successor.label} is rated", successor)
            elif owner and len(of_owner[owner]) == per_owner:  # organisers may have any number
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
    """Return what changes, by what is known now, and the deals that entries played, by number of the entrant.

    Of the last entrants these may not be known yet. `tired`: owners whose bots have thought enough for today.
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
    before = Counter[str]()
    turns = []
    for entrant in placing:
        if not deals[entrant.number]:
            owner = entrant.owner or entrant.label
            turns.append((before[owner], entrant.number, entrant))
            before[owner] += 1
    order = [*playing, *(entrant for *_, entrant in sorted(turns, key=lambda turn: turn[:2]))]
    found = {}
    ends: list[int] = []  # after how many deals of each of them it is rated
    shown = [(deals[number], width) for number, width in sorted(half_widths.items())]
    needed, limit = deals_needed(shown), placing_limit(shown)
    at_once = max(min(MAX_PLACING, len(order)), 1)
    rated = sum(state.placed for state in states.values())
    # Half of the tables are for those being placed, who are companions at the others, too.
    opponents = (league.seats - 1) / max(rated + len(playing), league.seats)
    pace = min(pace, pace * (_PLACING_SHARE / at_once + opponents))  # of one of them
    for place, entrant in enumerate(order):
        played, all_deals = deals[entrant.number], needed
        waits = 0 if played else max(place - MAX_PLACING + 1, 0)
        if played >= MIN_DEALS and entrant.number in half_widths:
            all_deals = min(round(_needed(played, half_widths[entrant.number])), limit)
        left = max(all_deals - played, 1)
        begins = ends[-MAX_PLACING] if waits else 0
        insort(ends, begins + left)
        first = (begins + 1) / pace if pace and not played else 0.0
        rated_seconds = first + left / pace if pace else 0.0
        found[entrant.number] = Forecast(left, before=waits, first_seconds=first, rated_seconds=rated_seconds)
    return found


def deals_needed(known: Iterable[tuple[int, int]]) -> int:
    """Return about how many deals a newcomer needs until it is rated, by how well others are known after theirs.

    The scatter of deals differs from field to field. So the number follows from the entries that came last, of those
    with `PLACING_DEALS` or more. `known`: deals and half-widths in Elo, in the order in which entries came.
    """
    newest = [each for each in known if each[0] >= PLACING_DEALS][-_LIKE_NEW:]
    needed = median(_needed(*each) for each in newest) if newest else PLACING_DEALS
    return min(round(needed), PLACING_LIMITS[1])


def placing_limit(known: Iterable[tuple[int, int]]) -> int:
    """Return after how many deals an entry counts as rated, whatever its half-width: some never have a narrow one.

    `known`: as for `deals_needed`, from which it follows.
    """
    least, most = PLACING_LIMITS
    return min(max(_PLACING_PATIENCE * deals_needed(known), least), most)


def _needed(deals: int, half_width: int) -> float:
    """Return about how many deals it takes until a half-width is `RATED_ELO`: it shrinks with the root of them."""
    return deals * half_width**2 / RATED_ELO**2


def _pace(store: Store, league: League, now: float) -> float:
    """Return how many deals are played in a second; 0 if that is not known."""
    return deals_a_second(store.deals.latest(league.id, _DEALS), now) if league.id in store.runs.running() else 0.0


def deals_a_second(times: Iterable[float], now: float) -> float:
    """Return the pace of the deals that were played at these times, in s; 0 if they say nothing about now.

    The longest pause does not count: the ladder may have been paused, or its server away.
    """
    played = sorted(times)
    pauses = sorted(after - before for before, after in pairwise(played))[:-1]
    return len(pauses) / fsum(pauses) if any(pauses) and now - played[-1] <= _OUTDATED_S else 0.0
