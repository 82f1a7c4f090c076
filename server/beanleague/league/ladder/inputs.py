"""Inputs of a ladder's epochs: estimates of the entries of the field, and their storage."""

import zlib
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.fit import Fit, fit
from beanleague.league.ratings.ratings import half_widths
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.league.schedule.plans import Candidate, Epoch
from beanleague.league.schedule.schedule import Table
from beanleague.model import Certainty, LadderEpoch, League
from beanleague.store import DamagedError, Store
from beanleague.wire import WireError, unpacked as unzipped

_MARK = -1
"""First number in the stored entries of an epoch with drawn companions; earlier epochs begin with an entrant."""
_COLUMNS, _EARLIER_COLUMNS = 5, 4
# states of an entry in an epoch; an absent one is in the field but not seated
_RATED, _PLACING, _WAITING, _AWAY = range(4)
_MAX_OWN_DEALS = 300  # maximum recent deals of an entry that determine how certain its rating was


class Known(NamedTuple):
    """Estimate of an entry from its deals, in whole numbers."""

    rating: int
    """Rating in Elo."""
    half_width: int
    """Half-width of the entry's difference from its neighbours, in Elo."""
    deals: int
    """Number of effective deals."""


def estimates(counters: Counters, anchor: Collection[int], found: Fit | None = None) -> list[Known]:
    """Return the estimates of all entries. `found`: a fit of these counters."""
    found = found or fit(counters)
    deals, rated = counters.deals_of, counters.rated
    fixed = [bot for bot in anchor if rated[bot] and deals[bot]] or np.flatnonzero(rated & (deals > 0))
    mean = found.strengths[fixed].mean() if len(fixed) else 0.0
    ratings = np.where(deals > 0, BASE + ELO * (found.strengths - mean), BASE)
    columns = ratings, half_widths(counters, found), deals
    return [Known(*row) for row in zip(*(column.round().astype(int).tolist() for column in columns), strict=True)]


def field_to_bytes(entries: Sequence[Candidate], away: Mapping[int, Known] | None = None) -> bytes:
    """Encode the field, for storage with an epoch. `away`: members of the field that are not seated.

    Groups are not stored, since they follow from the owners.
    """
    rows = [
        (each.number, _WAITING if each.waiting else int(each.placing), each.rating, each.half_width, each.deals)
        for each in entries
    ]
    rows += [(number, _AWAY, *each) for number, each in (away or {}).items()]
    columns = np.array(sorted(rows), "<i4").reshape(-1, _COLUMNS).T
    return zlib.compress(np.append(np.array([_MARK], "<i4"), columns).tobytes())


def field_of(data: bytes) -> dict[int, Known]:
    """Decode the estimates of a field from which an epoch was planned.

    Raises:
        DamagedError: if the entries are damaged.
    """
    return {number: Known(*row) for number, _, *row in zip(*_columns(data).tolist(), strict=True)}


def field_from_bytes(data: bytes, groups: Sequence[int]) -> tuple[Candidate, ...]:
    """Decode the seated entries of data from `field_to_bytes`. `groups`: by entrant, see `owners.groups_of`.

    Raises:
        DamagedError: if the data are damaged.
    """
    try:
        return tuple(
            Candidate(number, groups[number], state != _RATED, rating, half_width, deals, waiting=state == _WAITING)
            for number, state, rating, half_width, deals in zip(*_columns(data).tolist(), strict=True)
            if state != _AWAY
        )
    except IndexError:
        raise DamagedError("an epoch of a ladder names unknown entries") from None


def _columns(data: bytes) -> NDArray[np.int32]:
    try:
        numbers = np.frombuffer(unzipped(data), "<i4")
        if len(numbers) and numbers[0] == _MARK:
            return numbers[1:].reshape(_COLUMNS, -1)
        earlier = numbers.reshape(_EARLIER_COLUMNS, -1)
        return np.concatenate([earlier, np.zeros_like(earlier[:1])])
    except (WireError, ValueError) as error:
        raise DamagedError(f"the entries of an epoch of a ladder cannot be read: {error}") from None


def is_drawn(store: Store, league: League) -> bool:
    """Return whether the companions of a ladder are drawn; earlier versions chose them with unknown probabilities."""
    last = next(iter(store.ladders.last_epochs(league.id, 1)), None)
    return last is None or unzipped(last.entries)[:4] == np.array([_MARK], "<i4").tobytes()


def epoch_of(kept: LadderEpoch, seats: int, groups: Sequence[int]) -> Epoch:
    """Restore a stored epoch as it was planned.

    Raises:
        DamagedError: if its data are damaged.
    """
    return Epoch(seats, kept.tables, kept.background, field_from_bytes(kept.entries, groups))


def add_plans(
    deals: LadderDeals, epochs: Iterable[LadderEpoch], tables: Sequence[Table], after: int, groups: Sequence[int]
) -> None:
    """Add epochs to the deals of a ladder.

    `tables`: tables of all deals numbered above `after`. `groups`: see `field_from_bytes`.

    Raises:
        DamagedError: if the entries of an epoch are damaged.
    """
    for epoch in epochs:
        start = max(epoch.first - after - 1, 0)
        own = tables[start : start + max(epoch.count, 0)]
        deals.plan(epoch.number, epoch.first, epoch_of(epoch, deals.seats, groups).field, own)


def certainty(store: Store, league_id: int, number: int, joined_at: int) -> tuple[Certainty, ...]:
    """Return the certainty of an entry's rating after each of its first deals. `joined_at`: deals planned before.

    Raises:
        DamagedError: if an epoch is damaged.
    """
    own = sorted(deal.position for deal in store.matches.deals_of(league_id, number, _MAX_OWN_DEALS, newest=False))
    found = {}
    for epoch in store.ladders.epochs(league_id, after_deal=joined_at):
        numbers, _, ratings, half_widths, _ = _columns(epoch.entries)
        deals = bisect_right(own, epoch.position)
        if deals and (places := np.flatnonzero(numbers == number)).size:
            found[deals] = Certainty(deals, int(ratings[places[0]]), int(half_widths[places[0]]))
    return tuple(found.values())
