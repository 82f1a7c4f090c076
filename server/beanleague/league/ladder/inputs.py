"""What epochs of a ladder are planned from: what is known of each entry, and how that is kept."""

import zlib
from bisect import bisect_right
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.fit import fit
from beanleague.league.ratings.ratings import half_widths
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.league.schedule.plans import Candidate, Epoch
from beanleague.model import Certainty, LadderEpoch
from beanleague.store import DamagedError, Store
from beanleague.wire import WireError, unpacked as unzipped

_COLUMNS = 4
_MAX_OWN_DEALS = 300  # of an entry, after which it is told how well it was known


def known(counters: Counters, anchor: Collection[int]) -> list[tuple[int, int]]:
    """Return rating and half-width against its neighbours of each bot, rounded to 1 Elo."""
    found = fit(counters)
    fixed = [bot for bot in anchor if counters.deals_of[bot]] or slice(None)
    ratings = BASE + ELO * (found.strengths - found.strengths[fixed].mean())
    widths = half_widths(counters, found).tolist()
    return [(round(rating), round(width)) for rating, width in zip(ratings.tolist(), widths, strict=True)]


def packed(entries: Sequence[Candidate]) -> bytes:
    """Return entries as they are kept with an epoch. Their groups are not: they follow from the owners."""
    rows = [(entry.number, int(entry.placing), entry.rating, entry.half_width) for entry in entries]
    return zlib.compress(np.array(rows, "<i4").T.tobytes())


def unpacked(data: bytes, groups: Sequence[int]) -> tuple[Candidate, ...]:
    """Return the entries that were `packed`. `groups`: by number of the entrant, see `owners.groups_of`.

    Raises:
        DamagedError: if they are damaged.
    """
    try:
        return tuple(
            Candidate(number, groups[number], bool(placing), rating, half_width)
            for number, placing, rating, half_width in zip(*_columns(data).tolist(), strict=True)
        )
    except IndexError:
        raise DamagedError("an epoch of a ladder names entries that there are not") from None


def _columns(data: bytes) -> NDArray[np.int32]:
    try:
        return np.frombuffer(unzipped(data), "<i4").reshape(_COLUMNS, -1)
    except (WireError, ValueError) as error:
        raise DamagedError(f"the entries of an epoch of a ladder cannot be read: {error}") from None


def epoch_of(kept: LadderEpoch, seats: int, groups: Sequence[int]) -> Epoch:
    """Return an epoch as it was planned.

    Raises:
        DamagedError: if it is damaged.
    """
    return Epoch(seats, kept.tables, kept.background, unpacked(kept.entries, groups))


def certainty(store: Store, league_id: int, number: int, joined_at: int) -> tuple[Certainty, ...]:
    """Return what was known of an entry after each of its first deals. `joined_at`: deals planned before it joined.

    Raises:
        DamagedError: if an epoch is damaged.
    """
    own = sorted(deal.position for deal in store.matches.deals_of(league_id, number, _MAX_OWN_DEALS, newest=False))
    found = {}
    for epoch in store.ladders.epochs(league_id, after_deal=joined_at):
        numbers, _, ratings, half_widths = _columns(epoch.entries)
        deals = bisect_right(own, epoch.position)
        if deals and (places := np.flatnonzero(numbers == number)).size:
            found[deals] = Certainty(deals, int(ratings[places[0]]), int(half_widths[places[0]]))
    return tuple(found.values())
