"""Deals: publishing them before play, and committing all results of a deal in one transaction."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Integer, bindparam, case
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, insert, select, update

from beanleague.model import (
    WIN,
    ChangeKind,
    Deal,
    Fault,
    Node,
    PlayedDeal,
    PlayedMatch,
    SeatResult,
    Suspension,
    Void,
)
from beanleague.store.changes import note
from beanleague.store.database import Database, repeated
from beanleague.store.errors import ConflictError
from beanleague.store.leagues import TOTALS
from beanleague.store.mapping import Mapper, as_text, lists
from beanleague.store.nodes import NODE, node_ids
from beanleague.store.tables import (
    DealRow,
    EntrantRow,
    FaultRow,
    LeagueRow,
    MatchRow,
    NodeRow,
    SeatRow,
    TradeRow,
    VoidRow,
    core,
)
from beanleague.store.trades import TRADE_FLOW

SEAT_RESULT = Mapper(SeatResult, SeatRow)
FAULT = Mapper(Fault, FaultRow)
_PLAN = Mapper(Deal, DealRow, apart=("table", "node"))
_VOID = Mapper(Void, VoidRow, apart=("node",))

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


class Deals:
    """The deals of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def schedule(self, league_id: int, deals: Iterable[Deal]) -> None:
        """Publish deals that will be played: their tables and the digests of their seeds."""
        now = {"published": time.time()}
        rows = [{"league_id": league_id, "entrants": list(deal.table), **_PLAN.to_row(deal), **now} for deal in deals]
        if rows:
            self._database.repeat(partial(self._schedule, rows))

    def _schedule(self, rows: Sequence[dict[str, Any]], again: bool) -> None:  # noqa: FBT001  # as `repeat`
        with self._database.write(durable=False) as session:
            first = session.get(DealRow, (rows[0]["league_id"], rows[0]["number"])) if again else None
            if first is None or first.published != rows[0]["published"]:
                session.connection().execute(insert(core(DealRow)), rows)

    @repeated
    def tables(self, league_id: int) -> tuple[tuple[int, ...], ...]:
        """Return the table of every deal scheduled so far, by deal number from 1."""
        query = select(as_text(DealRow.entrants)).where(DealRow.league_id == league_id).order_by(col(DealRow.number))
        with self._database.read() as session:
            return tuple(map(tuple, lists(session.connection().execute(query).scalars().all())))

    @repeated
    def unplayed(self, league_id: int) -> tuple[Deal, ...]:
        """Return the deals that are scheduled but not played, by number."""
        query = (
            select(DealRow)
            .where(DealRow.league_id == league_id, col(DealRow.played).is_(None))
            .order_by(col(DealRow.number))
        )
        with self._database.read() as session:
            return tuple(deal_of(row) for row in session.exec(query))

    def list(self, league_id: int, *, after: int = 0, limit: int = 100) -> tuple[Deal, ...]:
        """Return up to `limit` deals with numbers above `after`, by number."""
        query = (
            select(DealRow, NodeRow)
            .join(NodeRow, col(NodeRow.id) == DealRow.node_id, isouter=True)
            .where(DealRow.league_id == league_id, DealRow.number > after)
            .order_by(col(DealRow.number))
            .limit(limit)
        )
        with self._database.read() as session:
            return tuple(deal_of(row, node) for row, node in session.exec(query))

    def seed_digest(self, league_id: int, number: int) -> bytes:
        """Return the published digest of the seed of a deal that exists."""
        query = select(DealRow.seed_digest).where(DealRow.league_id == league_id, DealRow.number == number)
        with self._database.read() as session:
            return session.exec(query).one()

    def voided(self, league_id: int, number: int, reason: str = "", node: Node | None = None) -> int:
        """Store that a deal has to be played again, why, and where that was; return how often it has happened to it."""
        return self._database.repeat(partial(self._void, league_id, number, reason, node, time.time()))

    def _void(self, league_id: int, number: int, reason: str, node: Node | None, now: float, again: bool) -> int:  # noqa: FBT001
        with self._database.write(durable=False) as session:
            row = session.get_one(DealRow, (league_id, number))
            last = session.get(VoidRow, (league_id, number, row.voids)) if again else None
            if last is None or last.happened != now:
                row.voids += 1
                session.add(
                    VoidRow(
                        league_id=league_id,
                        deal=number,
                        number=row.voids,
                        reason=reason,
                        happened=now,
                        node_id=node_ids(session, [node])[node],
                    )
                )
            return row.voids

    def voids(self, league_id: int, *, limit: int) -> tuple[Void, ...]:
        """Return the last `limit` times that a deal had to be played again, newest first."""
        query = (
            select(VoidRow, NodeRow)
            .join(NodeRow, col(NodeRow.id) == VoidRow.node_id, isouter=True)
            .where(VoidRow.league_id == league_id)
            .order_by(col(VoidRow.happened).desc(), col(VoidRow.deal).desc(), col(VoidRow.number).desc())
            .limit(limit)
        )
        with self._database.read() as session:
            return tuple(_VOID.from_row(row, node=_node(node)) for row, node in session.exec(query))

    def commit(self, league_id: int, deals: Sequence[PlayedDeal], suspended: Iterable[Suspension] = ()) -> None:
        """Store the matches of `deals` in this order, update all totals, and suspend entrants, in one transaction.

        Raises:
            ConflictError: if one of them is already played, or was never scheduled, or was played on another model of
                CPU than the league demands; then nothing is stored.
            DatabaseError: if the server of the database stays away.
        """
        self._database.repeat(partial(self._commit, league_id, deals, tuple(suspended), time.time()))

    def _commit(
        self,
        league_id: int,
        deals: Sequence[PlayedDeal],
        suspended: Sequence[Suspension],
        now: float,
        again: bool,  # noqa: FBT001  # as `repeat`
    ) -> None:
        with self._database.write(durable=False) as session:
            if again and _committed(session, league_id, deals[0], now):
                return
            seats, done, one_cpu, cpu = session.connection().execute(_SEATS_AND_DONE, {"league": league_id}).one()
            positions = {deal.number: position for position, deal in enumerate(deals, done + 1)}
            if one_cpu:
                _keep_cpu(session, league_id, deals, cpu)
            _mark_played(session, league_id, deals, positions, now, solo=seats == 1)
            self._insert_matches(session, league_id, deals)
            self._insert_trades(session, league_id, deals)
            _count(session, league_id, deals)
            for each in suspended:
                session.get_one(EntrantRow, (league_id, each.entrant)).suspended = each.why
                note(session, league_id, ChangeKind.SUSPENDED, entrant=each.entrant, position=positions[each.deal])

    def _insert_matches(self, session: Session, league_id: int, deals: Sequence[PlayedDeal]) -> None:
        matches: list[dict[str, Any]] = []
        seats: list[dict[str, Any]] = []
        faults: list[dict[str, Any]] = []
        for deal in deals:
            for match in deal.matches:
                key = {"league_id": league_id, "deal": deal.number, "rotation": match.rotation}
                matches.append({**key, "record": match.record})
                seats += (
                    {**key, "seat": seat, **SEAT_RESULT.to_row(result)} for seat, result in enumerate(match.seats)
                )
                for number, fault in enumerate(match.faults):
                    entrant = match.seats[fault.seat].entrant
                    faults.append({**key, "number": number, "entrant": entrant, **FAULT.to_row(fault)})
        for row, values in ((MatchRow, matches), (SeatRow, seats), (FaultRow, faults)):
            self._database.insert(session, row, values)

    def _insert_trades(self, session: Session, league_id: int, deals: Sequence[PlayedDeal]) -> None:
        rows = [
            {"league_id": league_id, "deal": deal.number, **TRADE_FLOW.to_row(flow)}
            for deal in deals
            for flow in deal.flows
        ]
        self._database.insert(session, TradeRow, rows)


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


def deal_of(row: DealRow, node: NodeRow | None = None) -> Deal:
    """Return the deal in a row, and in another who played it."""
    return _PLAN.from_row(row, table=tuple(row.entrants), node=_node(node))


def _node(row: NodeRow | None) -> Node | None:
    return NODE.from_row(row) if row else None
