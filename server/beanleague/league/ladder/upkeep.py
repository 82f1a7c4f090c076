"""What is done for ladders beside playing them: pairs of bots are compared by night, and old records get shorter."""

import zlib
from contextlib import suppress
from dataclasses import replace
from math import inf

from beanleague.games import RULES_VERSION, RecordError
from beanleague.games.records.verify import with_events
from beanleague.league.errors import RequestError
from beanleague.league.integrity import PairFlow, integrity
from beanleague.model import League, NightlyCheck
from beanleague.store import Store
from beanleague.wire import WireError, record_from_bytes, record_to_pb, unpacked

PORTION_DEALS = 25
"""Deals whose records are shortened in one transaction: half a second to a second of CPU."""

_DAY_S = 86_400.0
_NIGHTLY_DEALS = 20_000  # the newest, which are compared when a day begins


def look_after(store: Store, league: League, keep_days: int, now: float) -> None:
    """Do what is due for a ladder, for a second or two. `keep_days`: after these records lose their events; 0: never.

    Several servers may do so over one database: what one has done the others find done.
    """
    check_by_night(store, league, now)
    if keep_days and league.rules == RULES_VERSION:
        shorten_old(store, league, now - keep_days * _DAY_S)


def check_by_night(store: Store, league: League, now: float) -> None:
    """Keep which pairs of a ladder are found among its newest deals, once for each day, when that has begun."""
    day, last = store.ladders.day(league.id), store.ladders.checks(league.id, limit=1)
    if day is None or (last and last[0].day >= day.number):
        return
    deals, found = 0, list[PairFlow]()
    with suppress(RequestError):  # nothing was traded
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


def shorten_old(store: Store, league: League, before: float) -> None:
    """Take the events out of the records of the next deals of a ladder, if all were played before that time.

    A record stays as it is if playing it again does not give its very events. Killed at any moment, nothing is lost or
    done twice.
    """
    deals = store.deals.list(league.id, after=store.ladders.get(league.id).shortened, limit=PORTION_DEALS)
    if len(deals) == PORTION_DEALS and all((deal.played or deal.dropped or inf) < before for deal in deals):
        played = (deal.number for deal in deals if deal.played is not None)
        keys = [(deal, rotation) for deal in played for rotation in range(league.matches_a_deal)]
        records = {key: _shortened(store.matches.get(league.id, *key)[1]) for key in keys}
        store.ladders.shorten(league.id, deals[-1].number, records)


def _shortened(packed: bytes) -> bytes:
    """Return a record without its events, but as it is if they do not follow from the rest of it."""
    try:
        record = record_from_bytes(unpacked(packed))
        short = replace(record, events=())
        if with_events(short) != record:
            return packed
    except (WireError, RecordError):
        return packed
    return zlib.compress(record_to_pb(short).SerializeToString(deterministic=True), 9)
