"""A deal: its seed, digest and table, its matches, and what is stored of them beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from beanleague.games.records.trade_flow import added_up, of_entrants, trade_flows
from beanleague.league.schedule.formats import seatings
from beanleague.league.schedule.seeds import deal_seed, seed_digest
from beanleague.league.verify.findings import Finding, differs, unreadable
from beanleague.league.verify.records import Frame, check_match, replayed
from beanleague.model import Deal, StoredDeal, TradeFlow


def check_deal(frame: Frame, stored: StoredDeal) -> list[Finding]:
    """Return what is wrong with a deal."""
    where = f"{frame.league.name}/{stored.number}"
    if stored.deal is None:
        return [Finding(where, "deal", "the row is missing, but others name the deal")]
    try:
        return [*_check(frame, where, stored.deal, stored)]
    except Exception as error:  # noqa: BLE001  # whatever somebody wrote into the rows
        return [unreadable(where, "deal", error)]


def _check(frame: Frame, where: str, deal: Deal, stored: StoredDeal) -> Iterator[Finding]:
    league = frame.league
    seed = deal_seed(league.secret, deal.number)  # secret until the deal is played
    if deal.seed_digest != seed_digest(seed):
        yield Finding(where, "deal.seed_digest", "does not follow from the league's master secret")
    if (deal.position is None) != (deal.played is None):
        yield Finding(where, "deal.position", f"is {deal.position}, but the deal was played at {deal.played}")
    yield from differs(where, "deal.voids", deal.voids, len(stored.voids), "the number of its rows in void is")
    numbers = list(range(1, len(stored.voids) + 1))
    yield from differs(where, "void.number", list(stored.voids), numbers, "the numbers should be")
    if deal.played is None:
        yield from _check_unplayed(where, deal, stored)
        return
    if deal.seed is None or seed_digest(deal.seed) != deal.seed_digest:
        yield Finding(where, "deal.seed", "its SHA-256 is not the digest that was published")
    expected = seatings(league, deal.table)
    rotations = [match.rotation for match in stored.matches]
    yield from differs(where, "match.rotation", rotations, list(range(len(expected))), "its table gives the rotations")
    places = None if league.solo else bytes(seat.place for match in stored.matches for _, seat in match.seats)
    if stored.results != places:
        yield Finding(where, "deal.results", "the places differ from those of the seats of its matches")
    flows: list[TradeFlow] = []
    reproduced = True
    for match in stored.matches:
        if not 0 <= match.rotation < len(expected):
            continue
        seating = expected[match.rotation]
        record, verdict = replayed(match.record)
        yield from check_match(frame, deal, seating, match, record, verdict)
        reproduced = reproduced and verdict.reproduced
        if record is not None and verdict.reproduced:
            flows += of_entrants(seating, trade_flows(record.seats, record.events))
    if reproduced:
        yield from _check_flows(where, stored.flows, added_up(flows))


def _check_flows(where: str, stored: Sequence[TradeFlow], derived: Sequence[TradeFlow]) -> Iterator[Finding]:
    pairs = [(flow.giver, flow.receiver) for flow in stored]
    should = [(flow.giver, flow.receiver) for flow in derived]
    yield from differs(where, "trade_flow", pairs, should, "its matches have trades of the pairs")
    for old, new in zip(stored, derived, strict=False):
        for column in ("trades", "cards", "gifts", "cents") if pairs == should else ():
            amounts = getattr(old, column), getattr(new, column)
            about = f"{new.giver} to {new.receiver}:"
            yield from differs(where, f"trade_flow.{column}", *amounts, "its matches give", about)


def _check_unplayed(where: str, deal: Deal, stored: StoredDeal) -> Iterator[Finding]:
    if stored.matches or stored.flows:
        yield Finding(where, "deal.played", "it is stored as not played, but has matches")
    for column, value in (("seed", deal.seed), ("results", stored.results)):
        if value is not None:
            yield Finding(where, f"deal.{column}", "it is set, but the deal is not played")
