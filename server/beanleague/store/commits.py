"""Committing all results of deals in one transaction. Only runs of leagues import this: it loads the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Integer, bindparam, case
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select, update

from beanleague.model import WIN, ChangeKind, PlayedDeal, PlayedMatch, Suspension
from beanleague.store.changes import note
from beanleague.store.database import Database
from beanleague.store.errors import ConflictError
from beanleague.store.leagues import TOTALS
from beanleague.store.matches import FAULT_VALUE, SEAT_RESULT
from beanleague.store.nodes import node_ids
from beanleague.store.tables import DealRow, EntrantRow, FaultRow, LeagueRow, MatchRow, SeatRow, TradeRow, core
from beanleague.store.trades import TRADE_FLOW

_DEAL, _ENTRANT, _LEAGUE = core(DealRow), core(EntrantRow), core(LeagueRow)
_TOTALS = tuple(column.name for column in TOTALS.columns())

# The statements of a commit, made once: making them takes longer than running them.
_MARK_PLAYED = (
    update(_DEAL)
    .where(_DEAL.c.league_id == bindparam("league"), _DEAL.c.number == bindparam("deal"), _DEAL.c.played.is_(None))
    .values(
        seed=bindparam("its_seed"),
        played=bindparam("now"),
        results=bindparam("its_results"),
        layer=bindparam("its_layer"),
        position=bindparam("its_position"),
        node_id=bindparam("its_node"),
    )
)
_IN_A_ROW, _MAX_IN_A_ROW = _ENTRANT.c.forfeits_in_a_row, _ENTRANT.c.most_forfeits_in_a_row
_FIRST_RUN, _LONGEST_RUN = _IN_A_ROW + bindparam("first_forfeits"), bindparam("longest_forfeits", type_=Integer)
_ADD_TO_ENTRANT = (
    update(_ENTRANT)
    .where(_ENTRANT.c.league_id == bindparam("league"), _ENTRANT.c.number == bindparam("entrant"))
    .values({name: _ENTRANT.c[name] + bindparam(f"more_{name}") for name in _TOTALS})
    .values(
        forfeits_in_a_row=_IN_A_ROW * bindparam("all_forfeited") + bindparam("last_forfeits"),
        most_forfeits_in_a_row=case(
            ((_FIRST_RUN > _MAX_IN_A_ROW) & (_FIRST_RUN > _LONGEST_RUN), _FIRST_RUN),
            (_LONGEST_RUN > _MAX_IN_A_ROW, _LONGEST_RUN),
            else_=_MAX_IN_A_ROW,
        ),
    )
)
_SEATS_AND_DONE = select_columns(_LEAGUE.c.seats, _LEAGUE.c.deals_done, _LEAGUE.c.one_cpu, _LEAGUE.c.cpu).where(
    _LEAGUE.c.id == bindparam("league")
)
_SET_CPU = update(_LEAGUE).where(_LEAGUE.c.id == bindparam("league")).values(cpu=bindparam("its_cpu"))
_ADD_TO_LEAGUE = (
    update(_LEAGUE)
    .where(_LEAGUE.c.id == bindparam("league"))
    .values(
        deals_done=_LEAGUE.c.deals_done + bindparam("more_deals"),
        matches_done=_LEAGUE.c.matches_done + bindparam("more_matches"),
    )
)


def commit(
    database: Database,
    league_id: int,
    deals: Sequence[PlayedDeal],
    suspended: Sequence[Suspension],
    now: float,
    again: bool,  # noqa: FBT001  # as `repeat`
) -> None:
    """Commit deals as `Deals.commit` says. `again`: this may be done already."""
    with database.write(durable=False) as session:
        if again and _committed(session, league_id, deals[0], now):
            return
        seats, done, one_cpu, cpu = session.connection().execute(_SEATS_AND_DONE, {"league": league_id}).one()
        positions = {deal.number: position for position, deal in enumerate(deals, done + 1)}
        if one_cpu:
            _keep_cpu(session, league_id, deals, cpu)
        _mark_played(session, league_id, deals, positions, now, solo=seats == 1)
        _insert_matches(database, session, league_id, deals)
        _insert_trades(database, session, league_id, deals)
        _count(session, league_id, deals)
        for each in suspended:
            session.get_one(EntrantRow, (league_id, each.entrant)).suspended = each.why
            note(session, league_id, ChangeKind.SUSPENDED, entrant=each.entrant, position=positions[each.deal])


def _insert_matches(database: Database, session: Session, league_id: int, deals: Sequence[PlayedDeal]) -> None:
    matches: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    for deal in deals:
        for match in deal.matches:
            key = {"league_id": league_id, "deal": deal.number, "rotation": match.rotation}
            matches.append({**key, "record": match.record})
            seats += ({**key, "seat": seat, **SEAT_RESULT.to_row(result)} for seat, result in enumerate(match.seats))
            for number, fault in enumerate(match.faults):
                entrant = match.seats[fault.seat].entrant
                faults.append({**key, "number": number, "entrant": entrant, **FAULT_VALUE.to_row(fault)})
    for row, values in ((MatchRow, matches), (SeatRow, seats), (FaultRow, faults)):
        database.insert(session, row, values)


def _insert_trades(database: Database, session: Session, league_id: int, deals: Sequence[PlayedDeal]) -> None:
    rows = [
        {"league_id": league_id, "deal": deal.number, **TRADE_FLOW.to_row(flow)}
        for deal in deals
        for flow in deal.flows
    ]
    database.insert(session, TradeRow, rows)


def _committed(session: Session, league_id: int, deal: PlayedDeal, now: float) -> bool:
    """Return whether this very deal is committed, at this time: by this run, before it lost its connection."""
    row = session.get(DealRow, (league_id, deal.number))
    if row is None or row.played != now:
        return False
    match = deal.matches[0]
    return session.get_one(MatchRow, (league_id, deal.number, match.rotation)).record == match.record


def _keep_cpu(session: Session, league_id: int, deals: Sequence[PlayedDeal], cpu: str) -> None:
    """Check that the deals of a league that demands it were played on one model of CPU; the first deal decides."""
    models = [deal.node.cpu if deal.node else "an unknown CPU" for deal in deals]
    only = cpu or models[0]
    for deal, model in zip(deals, models, strict=True):
        if model != only:
            raise ConflictError(
                f"deal {deal.number} was played on {model}, but all deals of this league are played on {only}; "
                "nothing was stored"
            )
    if not cpu:
        session.connection().execute(_SET_CPU, {"league": league_id, "its_cpu": only})


def _mark_played(
    session: Session,
    league_id: int,
    deals: Sequence[PlayedDeal],
    positions: Mapping[int, int],
    now: float,
    *,
    solo: bool,
) -> None:
    nodes = node_ids(session, (deal.node for deal in deals))
    changed = session.connection().execute(
        _MARK_PLAYED,
        [
            {
                "league": league_id,
                "deal": deal.number,
                "its_seed": deal.seed,
                "its_results": None if solo else bytes(seat.place for match in deal.matches for seat in match.seats),
                "its_layer": deal.layer,
                "its_position": positions[deal.number],
                "its_node": nodes[deal.node],
                "now": now,
            }
            for deal in deals
        ],
    )
    if changed.rowcount != len(deals):
        raise ConflictError(
            f"deal {_refused(session, league_id, deals, now)} is already played, or was never scheduled; nothing was "
            "stored"
        )


def _refused(session: Session, league_id: int, deals: Sequence[PlayedDeal], now: float) -> int:
    """Return the first of the deals that was not marked as played, or is there twice."""
    numbers = [deal.number for deal in deals]
    query = select(DealRow.number).where(DealRow.league_id == league_id, DealRow.played == now)
    marked = Counter(session.exec(query.where(col(DealRow.number).in_(numbers))).all())
    return next(number for number, times in Counter(numbers).items() if times > marked[number])


@dataclass(slots=True)
class _ForfeitStreaks:
    """Streaks of forfeits in the matches of an entrant."""

    first: int = 0
    """Length of the streak that the matches begin with."""
    longest: int = 0
    """Length of the longest streak."""
    last: int = 0
    """Length of the streak that the matches end with."""
    all_forfeited: bool = True
    """Whether all matches were forfeited."""

    def add(self, *, forfeited: bool) -> None:
        self.last = self.last + 1 if forfeited else 0
        self.longest = max(self.longest, self.last)
        self.all_forfeited = self.all_forfeited and forfeited
        if self.all_forfeited:
            self.first = self.last


def _count(session: Session, league_id: int, deals: Sequence[PlayedDeal]) -> None:
    """Add the deals to the totals of the entrants and of the league."""
    gained: dict[int, Counter[str]] = {}
    runs: dict[int, _ForfeitStreaks] = {}
    for deal in deals:
        at_table = set()
        for match in deal.matches:
            for entrant, gain in _gains(match):
                gained.setdefault(entrant, Counter()).update(gain)
                runs.setdefault(entrant, _ForfeitStreaks()).add(forfeited=bool(gain["forfeits"]))
                at_table.add(entrant)
        for entrant in at_table:
            gained[entrant]["deals"] += 1
    connection = session.connection()
    connection.execute(
        _ADD_TO_ENTRANT,
        [
            {
                "league": league_id,
                "entrant": entrant,
                **{f"more_{name}": gain[name] for name in _TOTALS},
                "all_forfeited": int(runs[entrant].all_forfeited),
                "first_forfeits": runs[entrant].first,
                "longest_forfeits": runs[entrant].longest,
                "last_forfeits": runs[entrant].last,
            }
            for entrant, gain in sorted(gained.items())
        ],
    )
    matches = sum(len(deal.matches) for deal in deals)
    connection.execute(_ADD_TO_LEAGUE, {"league": league_id, "more_deals": len(deals), "more_matches": matches})


def _gains(match: PlayedMatch) -> Iterable[tuple[int, dict[str, int]]]:
    """Yield each entrant of a match, and what the match adds to its totals."""
    winners = sum(seat.place == 1 for seat in match.seats)
    for seat in match.seats:
        yield (
            seat.entrant,
            {
                "matches": 1,
                "score": seat.score,
                "wins": WIN // winners if seat.place == 1 else 0,
                "decisions": seat.decisions,
                "faults": seat.faults,
                "faulted": int(bool(seat.faults)),
                "forfeits": int(seat.forfeited),
            },
        )
