"""Nightly upkeep of ladders: check pairs of bots for collusion, and pack old records."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf

from beanleague.games import RULES_VERSION, RecordError
from beanleague.games.records.record import MAX_BYTES
from beanleague.games.records.verify import with_events
from beanleague.league.errors import RequestError
from beanleague.league.integrity import PairFlow, integrity
from beanleague.model import League, NightlyCheck, RecordBlock
from beanleague.store import ConflictError, Store
from beanleague.store.archive import Key, block_digest
from beanleague.wire import WireError, block_of, record_from_bytes, record_to_pb, unpacked

BLOCK_MATCHES = 300
"""Approximate number of matches in a block."""

_MAX_OLD_BYTES = MAX_BYTES // BLOCK_MATCHES  # maximum size of a record without events, so that every block can be read
_DAY_S = 86_400.0
_NIGHTLY_DEALS = 20_000  # number of newest deals examined at the beginning of a day


def look_after(
    store: Store, league: League, keep_days: int, now: float, wanted: Callable[[], bool] = lambda: True
) -> None:
    """Do the upkeep that is due. `keep_days`: age at which records are packed, 0 for never. `wanted`: see `pack_old`.

    Safe with several servers on one database: finished work is not repeated.
    """
    check_by_night(store, league, now)
    if keep_days and league.rules == RULES_VERSION:
        with suppress(ConflictError):
            pack_old(store, league, now - keep_days * _DAY_S, wanted)


def check_by_night(store: Store, league: League, now: float) -> None:
    """Check the newest deals of a ladder for collusion once per day, and store the pairs found."""
    day, last = store.ladders.day(league.id), store.ladders.checks(league.id, limit=1)
    if day is None or (last and last[0].day >= day.number):
        return
    deals, found = 0, list[PairFlow]()
    with suppress(RequestError):  # raised if there were no trades
        compared = integrity(store, league, _NIGHTLY_DEALS)
        deals, found = compared.deals, [pair for pair, *_ in compared.pairs if pair.found]
    check = NightlyCheck(
        day=day.number,
        made=now,
        deals=deals,
        givers=tuple(pair.giver for pair in found),
        receivers=tuple(pair.receiver for pair in found),
        cents=tuple(round(100 * pair.excess) for pair in found),
    )
    store.ladders.keep_check(league.id, check)


def pack_old(store: Store, league: League, before: float, wanted: Callable[[], bool] = lambda: True) -> None:
    """Pack the oldest whole records of a ladder into a block if all its deals were played before `before`.

    A record stays whole if it is pinned, or cannot be reproduced exactly. The process may be killed at any moment
    without loss. `wanted`: called before each match; packing ends when it returns False.

    Raises:
        ConflictError: if another server packs this block.
    """
    last = store.archive.blocks(league.id, last=1)
    number, first, digest = (last[0].number + 1, last[0].last + 1, last[0].digest) if last else (1, 1, b"")
    size = max(BLOCK_MATCHES // league.matches_a_deal, 1)
    deals = store.deals.list(league.id, after=first - 1, limit=size)
    if len(deals) < size or any((deal.played or deal.dropped or inf) >= before for deal in deals):
        return
    pinned, kept = store.archive.pinned_matches(league.id), dict[Key, bytes]()
    for deal in deals:
        for rotation in range(league.matches_a_deal) if deal.played else ():
            if not wanted():
                return
            key = deal.number, rotation
            if key not in pinned and (record := _reproduce(store.matches.get(league.id, *key)[1])):
                kept[key] = record
    data = block_of(kept)
    until = deals[-1].number
    digest = block_digest(digest, first, until, data)
    block = RecordBlock(number=number, first=first, last=until, matches=len(kept), digest=digest)
    store.archive.keep(league.id, block, data, kept.keys())


def _reproduce(packed: bytes) -> bytes | None:
    """Return a record without its events, serialised; None if it cannot be reproduced, is damaged or is too large."""
    try:
        record = record_from_bytes(unpacked(packed))
        short = replace(record, events=())
        data = record_to_pb(short).SerializeToString()
        return data if len(data) <= _MAX_OLD_BYTES and with_events(short) == record else None
    except (WireError, RecordError):
        return None
