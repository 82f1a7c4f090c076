"""Deals: publishing them before play, committing results, and the nodes that played them."""

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import sqlalchemy as sa

from beanleague import model
from beanleague.games.records.trade_flow import added_up, of_entrants
from beanleague.store import ConflictError, columns, database
from beanleague.store.leagues import TOTALS, last_changes, note, seated
from beanleague.store.matches import FAULT_VALUE, SEAT_RESULT, TRADE_FLOW
from beanleague.store.tables import CHANGE, CHECKPOINT, DEAL, ENTRANT, FAULT, LEAGUE, MATCH, NODE, SEAT, TRADE, VOID
from beanleague.store.tables.matches import DealRow, NodeRow, VoidRow

_PLAN = columns.Mapper(model.Deal, DealRow, apart=("table", "node"))
_VOID = columns.Mapper(model.Void, VoidRow, apart=("node",))
_NODE = columns.Mapper(model.Node, NodeRow)
_FIND_NODE = sa.select(NODE.c.id).where(*(column == sa.bindparam(column.name) for column in _NODE.columns))
_NEAR = 4  # at least one in 4 of the latest deals has been played
_TOTALS = tuple(column.name for column in TOTALS.columns)

# Statements of a commit, built once: building them takes longer than running them.
_MARK_PLAYED = (
    sa.update(DEAL)
    .where(DEAL.c.league_id == sa.bindparam("league"), DEAL.c.number == sa.bindparam("deal"))
    .where(DEAL.c.played.is_(None), DEAL.c.dropped.is_(None))
    .values(
        seed=sa.bindparam("its_seed"),
        played=sa.bindparam("now"),
        results=sa.bindparam("its_results"),
        layer=sa.bindparam("its_layer"),
        position=sa.bindparam("its_position"),
        node_id=sa.bindparam("its_node"),
    )
)
_FORFEITS = sa.select(ENTRANT.c.number, ENTRANT.c.most_forfeits_in_a_row, ENTRANT.c.forfeits_in_a_row).where(
    ENTRANT.c.league_id == sa.bindparam("league"), ENTRANT.c.number.in_(sa.bindparam("entrants", expanding=True))
)
_ADD_TO_ENTRANT = (
    sa.update(ENTRANT)
    .where(ENTRANT.c.league_id == sa.bindparam("league"), ENTRANT.c.number == sa.bindparam("entrant"))
    .values({name: ENTRANT.c[name] + sa.bindparam(f"more_{name}") for name in _TOTALS})
    .values(forfeits_in_a_row=sa.bindparam("in_a_row"), most_forfeits_in_a_row=sa.bindparam("most_in_a_row"))
)
_SEATS_AND_DONE = sa.select(LEAGUE.c.seats, LEAGUE.c.deals_done, LEAGUE.c.one_cpu, LEAGUE.c.cpu).where(
    LEAGUE.c.id == sa.bindparam("league")
)
_SET_CPU = sa.update(LEAGUE).where(LEAGUE.c.id == sa.bindparam("league")).values(cpu=sa.bindparam("its_cpu"))
_ADD_TO_LEAGUE = (
    sa.update(LEAGUE)
    .where(LEAGUE.c.id == sa.bindparam("league"))
    .values(
        deals_done=LEAGUE.c.deals_done + sa.bindparam("more_deals"),
        matches_done=LEAGUE.c.matches_done + sa.bindparam("more_matches"),
    )
)


class Deals(database.Queries):
    """Queries and updates of deals."""

    def schedule(self, league_id: int, deals: Iterable[model.Deal], *, after: int | None = None) -> bool:
        """Publish tables and seed digests of new deals.

        `after`: number of the last change taken into account; after a later change nothing is published and False is
        returned.
        """
        rows = planned_rows(league_id, deals)

        def publish(again: bool) -> bool:  # noqa: FBT001  # signature of `repeat`
            first = {name: rows[0][name] for name in ("league_id", "number", "published")}
            with self._database.write(durable=False) as connection:
                if again and connection.execute(sa.select(DEAL).filter_by(**first)).first():
                    return True
                if _changed(connection, league_id, after):
                    return False
                connection.execute(sa.insert(DEAL), rows)
                return True

        return not rows or self._database.repeat(publish)

    def drop(
        self, league_id: int, numbers: Collection[int], last: model.Change, reason: str, *, fewer: bool = False
    ) -> bool:
        """Drop published deals that have not begun, because the change `last` ended an entrant's play.

        Returns False, and drops nothing, if the entrant has a later change. `fewer`: whether to lower the league's
        number of deals; otherwise new deals replace the dropped ones.

        Raises:
            ConflictError: if one of them was already played or dropped; no deal is dropped in that case.
        """
        assert last.entrant is not None
        with self._database.write() as connection:
            number, _ = last_changes(connection, league_id, [last.entrant])[last.entrant]
            if number != last.number:
                return False
            now = note(connection, league_id, model.ChangeKind.DROPPED, entrant=last.entrant, reason=reason)
            add_deals(connection, league_id, -len(numbers) if fewer else 0)
            for number in numbers:
                of = DEAL.c.league_id == league_id, DEAL.c.number == number
                waits = DEAL.c.played.is_(None), DEAL.c.dropped.is_(None)
                dropping = sa.update(DEAL).where(*of, *waits).values(dropped=now, voids=DEAL.c.voids + 1)
                voids = connection.scalar(dropping.returning(DEAL.c.voids))
                if voids is None:
                    raise ConflictError(f"deal {number} is already played or given up; nothing was stored")
                row = {"league_id": league_id, "deal": number, "number": voids, "reason": reason, "happened": now}
                connection.execute(sa.insert(VOID), row)
            return True

    @database.repeated
    def tables(self, league_id: int, *, after: int = 0) -> tuple[tuple[int, ...], ...]:
        """Return the table of every deal scheduled so far, by deal number from `after` + 1."""
        of = DEAL.c.league_id == league_id, DEAL.c.number > after
        query = sa.select(columns.as_text(DEAL.c.entrants)).where(*of).order_by(DEAL.c.number)
        with self._database.read() as connection:
            return tuple(map(tuple, columns.lists(connection.scalars(query).all())))

    def latest(self, league_id: int, limit: int) -> tuple[float, ...]:
        """Return the commit times of the last `limit` deals of a league."""
        number, of = DEAL.c.number, DEAL.c.league_id == league_id
        newest = sa.select(sa.func.max(number)).where(of).scalar_subquery()
        near = of, number > newest - _NEAR * limit, DEAL.c.played.is_not(None)
        query = sa.select(DEAL.c.played).where(*near).order_by(DEAL.c.played.desc()).limit(limit)
        return self._all(query, itemgetter(0))

    def drop_times(self, league_id: int, *, after: int = 0) -> dict[int, float]:
        """Return the dropped deals with numbers above `after`, each with the time at which it was dropped."""
        of = DEAL.c.league_id == league_id, DEAL.c.number > after
        query = sa.select(DEAL.c.number, DEAL.c.dropped).where(*of)
        return dict(self._all(query.where(DEAL.c.dropped.is_not(None)), tuple))

    def unplayed(self, league_id: int) -> tuple[model.Deal, ...]:
        """Return the scheduled deals that were neither played nor dropped, by number."""
        return self._all(sa.select(DEAL).where(*waiting_of(league_id)).order_by(DEAL.c.number), deal_of)

    def list(self, league_id: int, *, after: int = 0, limit: int | None = 100) -> tuple[model.Deal, ...]:
        """Return up to `limit` deals, or all, with numbers above `after`, by number."""
        wanted = DEAL.c.league_id == league_id, DEAL.c.number > after
        query = _with_nodes(DEAL).where(*wanted).order_by(DEAL.c.number).limit(limit)
        return self._all(query, lambda row: deal_of(row, _node(row)))

    def seed_digest(self, league_id: int, number: int) -> bytes:
        """Return the published seed digest of an existing deal."""
        query = sa.select(DEAL.c.seed_digest).where(DEAL.c.league_id == league_id, DEAL.c.number == number)
        digest: bytes = self._value(query)
        return digest

    def add_void(self, league_id: int, number: int, reason: str = "", node: model.Node | None = None) -> int:
        """Record a failed attempt at a deal, with reason and node; return its number of failed attempts."""
        deal = DEAL.c.league_id == league_id, DEAL.c.number == number
        void = {"league_id": league_id, "deal": number, "happened": time.time()}

        def count(again: bool) -> int:  # noqa: FBT001  # signature of `repeat`
            with self._database.write(durable=False) as connection:
                voids: int = connection.execute(sa.select(DEAL.c.voids).where(*deal)).scalar_one()
                if again and connection.execute(sa.select(VOID).filter_by(**void, number=voids)).first():
                    return voids
                connection.execute(sa.update(DEAL).where(*deal).values(voids=voids + 1))
                more = {"number": voids + 1, "reason": reason, "node_id": _node_ids(connection, [node])[node]}
                connection.execute(sa.insert(VOID), {**void, **more})
                return voids + 1

        return self._database.repeat(count)

    def voids(self, league_id: int, *, limit: int) -> tuple[model.Void, ...]:
        """Return the last `limit` failed attempts, newest first."""
        newest = VOID.c.happened.desc(), VOID.c.deal.desc(), VOID.c.number.desc()
        query = _with_nodes(VOID).where(VOID.c.league_id == league_id).order_by(*newest).limit(limit)
        return self._all(query, lambda row: _VOID.from_row(row, node=_node(row)))

    def blamed_entrants(self, league_id: int) -> frozenset[str]:
        """Return the labels of entrants that caused failed attempts at deals."""
        reason = VOID.c.reason
        of = VOID.c.league_id == league_id, reason.startswith(model.ON_ACCOUNT_OF, autoescape=True)
        reasons = self._all(sa.select(reason).where(*of).distinct(), itemgetter(0))
        return frozenset(why.removeprefix(model.ON_ACCOUNT_OF).partition(":")[0] for why in reasons)

    def commit(
        self,
        league_id: int,
        deals: Sequence[model.PlayedDeal],
        suspended: Iterable[model.Suspension] = (),
        *,
        after: int | None = None,
        now: float | None = None,
    ) -> bool:
        """Store the matches of `deals` in this order, update all totals, and suspend entrants, in one transaction.

        `after`: see `schedule`; suspensions depend on earlier changes. `now`: time to store, by which a repeated commit
            recognises its own rows.

        Raises:
            ConflictError: if a deal was already played, was never scheduled, or was played on the wrong CPU model;
                nothing is stored in that case.
            DatabaseError: if the database server stays unavailable.
        """
        moment, suspended = time.time() if now is None else now, tuple(suspended)

        def commit(again: bool) -> bool:  # noqa: FBT001  # signature of `repeat`
            with self._database.write(durable=False) as connection:
                if again and _committed(connection, league_id, deals[0], moment):
                    return True
                if _changed(connection, league_id, after):
                    return False
                seats, done, one_cpu, cpu = connection.execute(_SEATS_AND_DONE, {"league": league_id}).one()
                if one_cpu:
                    _keep_cpu(connection, league_id, deals, cpu)
                _mark_played(connection, league_id, deals, done, moment, solo=seats == 1)
                rows = [rows_of(league_id, deal) for deal in deals]
                for table in (MATCH, SEAT, FAULT, TRADE):
                    self._database.insert(connection, table, [row for of_deal in rows for row in of_deal[table.name]])
                _count(connection, league_id, deals)
                positions = {deal.number: position for position, deal in enumerate(deals, done + 1)}
                for each in suspended:
                    if seated(connection, league_id, [each.entrant]):  # another process may have suspended the entrant
                        kind, at = model.ChangeKind.SUSPENDED, positions[each.deal]
                        note(connection, league_id, kind, entrant=each.entrant, position=at, reason=each.why)
                return True

        return self._database.repeat(commit)


def add_deals(connection: sa.Connection, league_id: int, more: int) -> None:
    """Raise the number of deals of a league."""
    of = LEAGUE.c.id == league_id
    connection.execute(sa.update(LEAGUE).where(of).values(deals=LEAGUE.c.deals + more))


def waiting_of(league_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions for deals that are neither played nor dropped; on a ladder only after its checkpoint."""
    before = sa.select(sa.func.max(CHECKPOINT.c.deals)).where(CHECKPOINT.c.league_id == league_id).scalar_subquery()
    of = DEAL.c.league_id == league_id, DEAL.c.number > sa.func.coalesce(before, 0)
    return *of, DEAL.c.played.is_(None), DEAL.c.dropped.is_(None)


def planned_rows(league_id: int, deals: Iterable[model.Deal]) -> list[dict[str, Any]]:
    """Return the rows of planned deals."""
    more = {"league_id": league_id, "published": time.time(), "layer": ""}
    return [{**_PLAN.to_row(deal), "entrants": list(deal.table), **more} for deal in deals]


def deal_of(row: sa.Row[*tuple[Any, ...]], node: model.Node | None = None) -> model.Deal:
    """Return the deal in a row. `node`: node that played it."""
    return _PLAN.from_row(row, table=tuple(row.entrants), node=node)


def _with_nodes(table: sa.Table) -> sa.Select[*tuple[Any, ...]]:
    """Return a query for the rows of a table, each joined with its node."""
    return sa.select(table, *_NODE.columns).join_from(table, NODE, NODE.c.id == table.c.node_id, isouter=True)


def _node(row: sa.Row[*tuple[Any, ...]]) -> model.Node | None:
    """Return the node in a row of `_with_nodes`; None if there is none."""
    return None if row.name is None else _NODE.from_row(row)


class Nodes(database.Queries):
    """Queries on nodes."""

    def layers(self, league_id: int) -> tuple[str, ...]:
        """Return the sandbox layers used in a league's deals, by name, as far as known."""
        query = sa.select(DEAL.c.layer).where(DEAL.c.league_id == league_id, DEAL.c.layer != "").distinct()
        return tuple(sorted(self._all(query, itemgetter(0))))

    def totals(self, league_id: int) -> tuple[model.NodeTotals, ...]:
        """Return the totals of each node in a league, by name. Deals without a known node are left out."""
        deal, fault, node = DEAL.c, FAULT.c, NODE.c
        deals, voids = (
            sa.select(row.node_id, sa.func.count())
            .where(row.league_id == league_id, row.node_id.is_not(None), *more)
            .group_by(row.node_id)
            for row, *more in ((deal, deal.played.is_not(None)), (VOID.c,))
        )
        late = sa.func.sum(sa.case((fault.kind == model.FaultKind.TIMEOUT, 1), else_=0))
        faults = (
            sa.select(deal.node_id, sa.func.count(), late)
            .join_from(FAULT, DEAL, (deal.league_id == fault.league_id) & (deal.number == fault.deal))
            .where(fault.league_id == league_id, deal.node_id.is_not(None))
            .group_by(deal.node_id)
        )
        with self._database.read() as connection:
            played = Counter(dict(map(tuple, connection.execute(deals))))
            failed = Counter(dict(map(tuple, connection.execute(voids))))
            at_fault = {node: (count, late) for node, count, late in connection.execute(faults)}
            query = sa.select(NODE).where(node.id.in_({*played, *failed})).order_by(node.name, node.id)
            return tuple(
                model.NodeTotals(_NODE.from_row(row), played[row.id], failed[row.id], *at_fault.get(row.id, (0, 0)))
                for row in connection.execute(query)
            )


def _node_ids(connection: sa.Connection, nodes: Iterable[model.Node | None]) -> dict[model.Node | None, int | None]:
    """Return the key of each node, storing new nodes; None stays None."""
    ids: dict[model.Node | None, int | None] = {None: None}
    for node in nodes:
        if node is None or node in ids:
            continue
        row = _NODE.to_row(node)
        ids[node] = connection.execute(_FIND_NODE, row).scalar_one_or_none()
        if ids[node] is None:
            ids[node] = connection.execute(sa.insert(NODE).returning(NODE.c.id), row).scalar_one()
    return ids


def _changed(connection: sa.Connection, league_id: int, after: int | None) -> bool:
    """Return whether a league has changed since its change number `after`, if given."""
    last = sa.select(sa.func.max(CHANGE.c.number)).where(CHANGE.c.league_id == league_id)
    return after is not None and connection.scalar(last) != after


def rows_of(league_id: int, deal: model.PlayedDeal) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a deal's matches as dicts, by table."""
    matches: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    flows: list[model.TradeFlow] = []
    for rotation, match in enumerate(deal.matches):
        key = {"league_id": league_id, "deal": deal.number, "rotation": rotation}
        matches.append({**key, "record": match.record})
        seats += ({**key, "seat": number, **SEAT_RESULT.to_row(seat)} for number, seat in enumerate(match.seats))
        for number, fault in enumerate(sorted(match.faults, key=lambda fault: fault.seat)):
            entrant = match.seats[fault.seat].entrant
            faults.append({**key, "number": number, "entrant": entrant, **FAULT_VALUE.to_row(fault)})
        flows += of_entrants([seat.entrant for seat in match.seats], match.flows)
    key = {"league_id": league_id, "deal": deal.number}
    trades = [{**key, **TRADE_FLOW.to_row(flow)} for flow in added_up(flows)]
    return {MATCH.name: matches, SEAT.name: seats, FAULT.name: faults, TRADE.name: trades}


def places_of(deal: model.PlayedDeal) -> bytes:
    """Return the value of the column `results` for a deal: a byte for the place of each seat, rotation by rotation."""
    return bytes(seat.place for match in deal.matches for seat in match.seats)


def _committed(connection: sa.Connection, league_id: int, deal: model.PlayedDeal, now: float) -> bool:
    """Return whether this run already committed the deal at time `now`, before it lost its connection."""
    row = DEAL.c
    played = connection.scalar(sa.select(row.played).where(row.league_id == league_id, row.number == deal.number))
    if played != now:
        return False
    match = MATCH.c
    key = match.league_id == league_id, match.deal == deal.number, match.rotation == 0
    return bool(connection.scalar(sa.select(match.record).where(*key)) == deal.matches[0].record)


def _keep_cpu(connection: sa.Connection, league_id: int, deals: Sequence[model.PlayedDeal], cpu: str) -> None:
    """Check that deals were played on the league's CPU model, which its first deal decides."""
    models = [deal.node.cpu if deal.node else "an unknown CPU" for deal in deals]
    only = cpu or models[0]
    for deal, played_on in zip(deals, models, strict=True):
        if played_on != only:
            raise ConflictError(
                f"deal {deal.number} was played on {played_on}, but all deals of this league are played on {only}; "
                "nothing was stored"
            )
    if not cpu:
        connection.execute(_SET_CPU, {"league": league_id, "its_cpu": only})


def _mark_played(
    connection: sa.Connection, league_id: int, deals: Sequence[model.PlayedDeal], done: int, now: float, *, solo: bool
) -> None:
    """Mark deals as played, in this order, after the `done` deals played before."""
    nodes = _node_ids(connection, (deal.node for deal in deals))
    changed = connection.execute(
        _MARK_PLAYED,
        [
            {
                "league": league_id,
                "deal": deal.number,
                "its_seed": deal.seed,
                "its_results": None if solo else places_of(deal),
                "its_layer": deal.matches[0].layer,
                "its_position": position,
                "its_node": nodes[deal.node],
                "now": now,
            }
            for position, deal in enumerate(deals, done + 1)
        ],
    )
    if changed.rowcount != len(deals):
        raise ConflictError(
            f"deal {_conflict(connection, league_id, deals, now)} is already played, or was never scheduled; nothing "
            "was stored"
        )


def _conflict(connection: sa.Connection, league_id: int, deals: Sequence[model.PlayedDeal], now: float) -> int:
    """Return the number of the first deal that could not be marked as played, or occurs twice."""
    numbers = [deal.number for deal in deals]
    row = DEAL.c
    query = sa.select(row.number).where(row.league_id == league_id, row.played == now, row.number.in_(numbers))
    marked = Counter(connection.scalars(query).all())
    return next(number for number, times in Counter(numbers).items() if times > marked[number])


def _gains(deals: Sequence[model.PlayedDeal]) -> Mapping[int, Counter[str]]:
    """Return by entrant how much each total grows with `deals`."""
    gained: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for deal in deals:
        for entrant in {seat.entrant for match in deal.matches for seat in match.seats}:
            gained[entrant]["deals"] += 1
        for match in deal.matches:
            winners = sum(seat.place == 1 for seat in match.seats)
            for seat in match.seats:
                gain = gained[seat.entrant]
                gain.update(matches=1, score=seat.score, wins=model.WIN // winners if seat.place == 1 else 0)
                gain.update(decisions=seat.decisions, faults=seat.faults, faulted=seat.faults > 0)
                gain["forfeits"] += seat.forfeited
    return gained


def _count(connection: sa.Connection, league_id: int, deals: Sequence[model.PlayedDeal]) -> None:
    """Add deals to the totals of entrants and league."""
    gained = _gains(deals)
    rows = connection.execute(_FORFEITS, {"league": league_id, "entrants": list(gained)})
    forfeits = {entrant: model.Forfeits(0, 0, most, latest) for entrant, most, latest in rows}
    for seat in (seat for deal in deals for match in deal.matches for seat in match.seats):
        forfeits[seat.entrant] = forfeits[seat.entrant].after(forfeited=seat.forfeited)
    connection.execute(
        _ADD_TO_ENTRANT,
        [
            {
                "league": league_id,
                "entrant": entrant,
                **{f"more_{name}": gain[name] for name in _TOTALS},
                "in_a_row": forfeits[entrant].latest_in_a_row,
                "most_in_a_row": forfeits[entrant].in_a_row,
            }
            for entrant, gain in sorted(gained.items())
        ],
    )
    matches = sum(len(deal.matches) for deal in deals)
    connection.execute(_ADD_TO_LEAGUE, {"league": league_id, "more_deals": len(deals), "more_matches": matches})
