"""Played matches: lists, records, trades, results for ratings, and all rows of a league for verification."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import sqrt
from typing import Any

import sqlalchemy as sa

from beanleague import model
from beanleague.store import MissingError, columns, database
from beanleague.store.archive import with_archived
from beanleague.store.tables import ANALYSIS, DEAL, ENTRANT, FAULT, MATCH, RATING, SEAT, SNAPSHOT, TRADE, VOID
from beanleague.store.tables.matches import FaultRow, SeatRow, TradeRow

SEAT_RESULT = columns.Mapper(model.SeatResult, SeatRow)
FAULT_VALUE = columns.Mapper(model.Fault, FaultRow)
TRADE_FLOW = columns.Mapper(model.TradeFlow, TradeRow)

_CHUNKS = {"yield_per": 10_000}  # number of rows read at once
_NEWEST_DEALS = 300  # number of newest deals searched for the worst deals
_RESULTS = sa.select(SEAT.c.deal, SEAT.c.rotation, *SEAT_RESULT.columns).order_by(
    SEAT.c.deal, SEAT.c.rotation, SEAT.c.seat
)
_SEATS = sa.select(SEAT, DEAL.c.played, DEAL.c.layer).join_from(
    SEAT, DEAL, (DEAL.c.league_id == SEAT.c.league_id) & (DEAL.c.number == SEAT.c.deal)
)


class Matches(database.Queries):
    """Queries on matches."""

    def list(self, league_id: int, wanted: model.MatchFilter) -> tuple[model.Match, ...]:
        """Return the matches that pass the filter `wanted`, by deal and rotation."""
        direction = sa.desc if wanted.newest_first else sa.asc
        order = direction(SEAT.c.deal), direction(SEAT.c.rotation)
        with self._database.read() as connection:
            wanted_keys = {(deal, rotation) for deal, rotation in connection.execute(_keys(league_id, wanted))}
            query = _SEATS.where(SEAT.c.league_id == league_id, SEAT.c.deal.in_({deal for deal, _ in wanted_keys}))
            rows = connection.execute(query.order_by(*order, SEAT.c.seat)).all() if wanted_keys else []
            return tuple(
                _match(*key, list(seats))
                for key, seats in groupby(rows, lambda row: (row.deal, row.rotation))
                if key in wanted_keys
            )

    def get(self, league_id: int, deal: int, rotation: int) -> tuple[model.Match, bytes]:
        """Return a match and its record, a zlib-compressed `beanproto.v1.Record`; old records have no events.

        Raises:
            MissingError: if the match does not exist or has not been played.
        """
        rotations = MATCH.c.league_id == league_id, MATCH.c.deal == deal
        with self._database.read() as connection:
            found = sa.select(MATCH.c.record).where(*rotations, MATCH.c.rotation == rotation)
            record: bytes | None = connection.scalar(found)
            if record is None:
                played = sa.select(DEAL.c.played).where(DEAL.c.league_id == league_id, DEAL.c.number == deal)
                state = connection.execute(played).one_or_none()
                if state is None:
                    raise MissingError(f"deal {deal} does not exist in this league, or is not scheduled yet")
                if state.played is None:
                    raise MissingError(f"deal {deal} is not played yet")
                last = connection.scalar(sa.select(sa.func.max(MATCH.c.rotation)).where(*rotations))
                raise MissingError(f"deal {deal} has no rotation {rotation}; its rotations are 0 to {last}")
            key = deal, rotation
            record = with_archived(connection, league_id, {key: record})[key]
            query = _SEATS.where(SEAT.c.league_id == league_id, SEAT.c.deal == deal, SEAT.c.rotation == rotation)
            return _match(deal, rotation, list(connection.execute(query.order_by(SEAT.c.seat)))), record

    def deals_of(self, league_id: int, entrant: int, limit: int, *, newest: bool) -> tuple[model.EntryDeal, ...]:
        """Return up to `limit` deals of an entrant: the newest in descending order, or the first in ascending order."""
        seat, index = SEAT.c, SEAT.alias().c
        order = index.deal.desc() if newest else index.deal.asc()
        own = index.league_id == league_id, index.entrant == entrant
        # Select the deals first, since the index suffices for that: SQLite would otherwise read the seats of the whole
        # league.
        numbers = sa.select(index.deal).where(*own).distinct().order_by(order).limit(limit)
        values = (sa.func.avg(seat.place), sa.func.sum(seat.score), sa.func.count(), sa.func.sum(seat.faults))
        query = (
            sa.select(seat.deal, DEAL.c.position, *values)
            .join_from(SEAT, DEAL, (DEAL.c.league_id == seat.league_id) & (DEAL.c.number == seat.deal))
            .where(seat.league_id == league_id, seat.entrant == entrant, seat.deal.in_(numbers))
            .group_by(seat.deal, DEAL.c.position)
            .order_by(seat.deal.desc() if newest else seat.deal.asc())
        )
        with self._database.read() as connection:
            return tuple(
                model.EntryDeal(deal, position, float(place), int(score), matches, int(faults))
                for deal, position, place, score, matches, faults in connection.execute(query)
            )

    def worst_deals(self, league_id: int, entrant: int, limit: int) -> tuple[model.EntryDeal, ...]:
        """Return the worst of an entrant's newest deals, by mean place."""
        deals = self.deals_of(league_id, entrant, _NEWEST_DEALS, newest=True)
        return tuple(sorted(deals, key=lambda deal: (-deal.mean_place, deal.score))[:limit])

    def newest_records(self, league_id: int, entrant: int, limit: int) -> tuple[tuple[int, int, bytes], ...]:
        """Return seat, number of decisions and record of an entrant's last matches."""
        seat, match = SEAT.c, MATCH.c
        same = (match.league_id == seat.league_id) & (match.deal == seat.deal) & (match.rotation == seat.rotation)
        query = (
            sa.select(seat.seat, seat.decisions, match.record, match.deal, match.rotation)
            .join_from(SEAT, MATCH, same)
            .where(seat.league_id == league_id, seat.entrant == entrant)
            .order_by(seat.deal.desc(), seat.rotation.desc(), seat.seat.desc())
            .limit(limit)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            records = with_archived(connection, league_id, {(row.deal, row.rotation): row.record for row in rows})
            return tuple((row.seat, row.decisions, records[row.deal, row.rotation]) for row in rows)

    def by_deal(self, league_id: int) -> Iterator[Sequence[Sequence[model.SeatResult]]]:
        """Yield the deals of a league, each as the seats of its matches."""
        query = _RESULTS.where(SEAT.c.league_id == league_id)
        with self._database.read() as connection, connection.execute(query, execution_options=_CHUNKS) as rows:
            yield from (deal for _, deal in _results(rows))

    def totals(self, league_id: int) -> dict[int, model.Totals]:
        """Return the totals of each entrant with matches, summed from the matches."""
        seat, of = SEAT.c, SEAT.c.league_id == league_id
        winners = sa.func.count().filter(seat.place == 1).over(partition_by=(seat.deal, seat.rotation))
        seats = sa.select(*seat, winners.label("winners")).where(of).subquery().c
        added_up = {
            "score": seats.score,
            "wins": sa.case((seats.place == 1, model.WIN // seats.winners), else_=0),
            "decisions": seats.decisions,
            "faults": seats.faults,
            "faulted": seats.faults > 0,
            "forfeits": seats.forfeited,
        }
        sums = (sa.func.sum(sa.cast(what, sa.Integer)) for what in added_up.values())
        deals = sa.select(seat.entrant, sa.func.count(seat.deal.distinct())).where(of).group_by(seat.entrant)
        with self._database.read() as connection:
            deals_of = dict(map(tuple, connection.execute(deals)))
            rows = connection.execute(sa.select(seats.entrant, sa.func.count(), *sums).group_by(seats.entrant))
            return {
                entrant: model.Totals(deals_of[entrant], matches, **dict(zip(added_up, more, strict=True)))
                for entrant, matches, *more in rows
            }

    def spread(self, league_id: int, after: int = 0) -> float:
        """Return the standard deviation of the scores in deals with numbers above `after`, in points."""
        score = sa.cast(SEAT.c.score, sa.Float)
        query = sa.select(sa.func.avg(score), sa.func.avg(score * score))
        ((mean, mean_square),) = self._all(query.where(SEAT.c.league_id == league_id, SEAT.c.deal > after), tuple)
        return sqrt(max(mean_square - mean**2, 0.0)) if mean is not None else 0.0

    def count(self, league_id: int) -> int:
        return self._value(sa.select(sa.func.count()).select_from(MATCH).where(MATCH.c.league_id == league_id))

    def compact(self, league_id: int, *, after: int = 0) -> Iterator[model.CompactDeals]:
        """Yield in chunks the places in all matches of deals with numbers above `after`; none for solo leagues."""
        query = (
            sa.select(DEAL.c.number, columns.as_text(DEAL.c.entrants), DEAL.c.results)
            .where(DEAL.c.league_id == league_id, DEAL.c.number > after, DEAL.c.results.is_not(None))
            .order_by(DEAL.c.number)
        )
        with self._database.read() as connection, connection.execute(query, execution_options=_CHUNKS) as rows:
            for chunk in rows.partitions():
                numbers, tables, places = zip(*chunk, strict=True)
                yield model.CompactDeals(numbers, columns.lists(tables), places)

    def faults(self, league_id: int, entrant: int) -> tuple[model.FaultCount, ...]:
        """Count the faults of an entrant by kind, most frequent first, each with its last occurrence."""
        fault, times = FAULT.c, sa.func.count()
        mine = (fault.league_id == league_id, fault.entrant == entrant)
        counts = sa.select(fault.kind, times).where(*mine).group_by(fault.kind).order_by(times.desc(), fault.kind)
        newest = fault.deal.desc(), fault.rotation.desc(), fault.number.desc()
        with self._database.read() as connection:
            found = []
            for kind, count in connection.execute(counts).all():
                query = sa.select(FAULT).where(*mine, fault.kind == kind).order_by(*newest)
                last = connection.execute(query.limit(1)).one()
                found.append(model.FaultCount(kind, count, last.reason, last.deal, last.rotation))
            return tuple(found)


def _keys(league_id: int, wanted: model.MatchFilter) -> sa.Select[int, int]:
    """Return the query for deal and rotation of the matches that pass a filter, sorted and limited."""
    row = FAULT.c if wanted.with_faults else SEAT.c
    key, direction = (row.deal, row.rotation), sa.desc if wanted.newest_first else sa.asc
    keys = sa.select(*key).where(row.league_id == league_id).distinct()
    if wanted.entrants is not None:
        keys = keys.where(row.entrant.in_(wanted.entrants))
    if wanted.deal is not None:
        keys = keys.where(row.deal == wanted.deal)
    if wanted.after is not None:
        here, after = sa.tuple_(*key), sa.tuple_(*wanted.after)
        keys = keys.where(here < after if wanted.newest_first else here > after)
    return keys.order_by(*map(direction, key)).limit(wanted.limit)


class Analyses(database.Queries):
    """Queries and updates of match analyses: the newest per match, with its version and the digest of the match."""

    def get(self, league_id: int, deal: int, rotation: int) -> tuple[int, bytes, bytes] | None:
        """Return version, match digest and findings of a match's analysis; None if there is none."""
        row = ANALYSIS.c
        of = row.league_id == league_id, row.deal == deal, row.rotation == rotation
        return self._first(sa.select(row.version, row.digest, row.found).where(*of), tuple)

    def keep(self, league_id: int, deal: int, rotation: int, digest: bytes, version: int, found: bytes) -> None:
        """Store the findings of an analysis, replacing earlier findings."""
        key = {"league_id": league_id, "deal": deal, "rotation": rotation}
        with self._database.write(durable=False) as connection:
            connection.execute(sa.delete(ANALYSIS).filter_by(**key))
            connection.execute(sa.insert(ANALYSIS).values(**key, digest=digest, version=version, found=found))


class Trades(database.Queries):
    """Queries on trade flows, summed by deal, giver and receiver."""

    def by_deal(self, league_id: int, after: int = 0) -> dict[int, tuple[model.TradeFlow, ...]]:
        """Return the trade flows by deal. Skips deals without trades; early versions stored none.

        `after`: only deals with larger numbers.
        """
        row = TRADE.c
        wanted = row.league_id == league_id, row.deal > after
        query = sa.select(row.deal, *TRADE_FLOW.columns).where(*wanted).order_by(row.deal)
        with self._database.read() as connection:
            rows = connection.execute(query, execution_options=_CHUNKS)
            as_flow = TRADE_FLOW.from_values
            return {
                deal: tuple(as_flow(flow) for _, *flow in flows) for deal, flows in groupby(rows, lambda row: row[0])
            }


def _results(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[list[model.SeatResult]]]]:
    """Yield the deals in rows of `_RESULTS`, each with the seats of its matches."""
    result = SEAT_RESULT.from_values
    for number, deal in groupby(rows, lambda row: row[0]):
        yield number, [[result(row[2:]) for row in match] for _, match in groupby(deal, lambda row: row[1])]


def _match(deal: int, rotation: int, rows: list[sa.Row[*tuple[Any, ...]]]) -> model.Match:
    return model.Match(deal, rotation, tuple(map(SEAT_RESULT.from_row, rows)), rows[0].played, rows[0].layer)


_LOWEST, _HIGHEST = -(2**63), 2**63 - 1  # range of integers in a database
_CHUNK_DEALS = 500

TableRow = dict[str, Any]
"""A row as values by column name."""
Rows = dict[str, list[TableRow]]
"""Rows by table."""

_OF_A_DEAL = (
    (DEAL, "number"),
    (VOID, "deal number"),
    (MATCH, "deal rotation"),
    (SEAT, "deal rotation seat"),
    (FAULT, "deal rotation number"),
    (TRADE, "deal giver receiver"),
)
"""Tables with rows of a deal, and the columns that identify a row within a league."""


class Audit(database.Queries):
    """Queries for verification."""

    def positions(
        self, league_id: int, least: int = _LOWEST, most: int = _HIGHEST
    ) -> tuple[tuple[int, int | None], ...]:
        """Return number and position of every deal from number `least` to `most`, by number."""
        deal = DEAL.c
        query = sa.select(deal.number, deal.position).where(_between(deal.number, least, most))
        return self._all(query.where(deal.league_id == league_id).order_by(deal.number), tuple)

    def deals(
        self, league_id: int, size: int, least: int = _LOWEST, most: int = _HIGHEST
    ) -> Iterator[list[tuple[int, Rows]]]:
        """Yield deals `least` to `most` in groups of about `size`, each with all rows that refer to it."""
        numbers = [number for number, _ in self.positions(league_id, least, most)]
        starts = [least, *numbers[size::size]]
        for first, after in zip(starts, [*starts[1:], most + 1], strict=True):
            with self._database.read() as connection:
                yield _deals(connection, league_id, first, after - 1)

    def results(self, league_id: int, numbers: Sequence[int]) -> Iterator[tuple[int, list[list[model.SeatResult]]]]:
        """Yield each of these deals, in this order, with the seats of its matches."""
        for start in range(0, len(numbers), _CHUNK_DEALS):
            chunk = numbers[start : start + _CHUNK_DEALS]
            query = _RESULTS.where(SEAT.c.league_id == league_id, SEAT.c.deal.in_(chunk))
            with self._database.read() as connection:
                rows = connection.execute(query).all()
            found = dict(_results(rows))
            yield from ((number, found.get(number, [])) for number in chunk)

    def cleared_counts(self, league_id: int) -> tuple[tuple[int, int], ...]:
        """Return by entrant the matches and forfeits that were cleared when a suspension was lifted."""
        row = ENTRANT.c
        query = sa.select(row.cleared_matches, row.cleared_forfeits).where(row.league_id == league_id)
        return self._all(query.order_by(row.number), tuple)

    def kept_snapshots(self, league_id: int) -> dict[int, bool]:
        """Return whether each rating snapshot is kept for the history, by its number of deals."""
        query = sa.select(SNAPSHOT.c.deals, SNAPSHOT.c.kept).where(SNAPSHOT.c.league_id == league_id)
        return dict(self._all(query, tuple))

    def ratings(self, league_id: int) -> int:
        """Count the ratings of all snapshots."""
        return self._value(sa.select(sa.func.count()).select_from(RATING).where(RATING.c.league_id == league_id))


def _deals(connection: sa.Connection, league_id: int, first: int, last: int) -> list[tuple[int, Rows]]:
    found: dict[int, Rows] = defaultdict(lambda: {table.name: [] for table, _ in _OF_A_DEAL})
    for table, key in _OF_A_DEAL:
        keys = [table.c[name] for name in key.split()]
        query = sa.select(table).where(table.c.league_id == league_id, _between(keys[0], first, last)).order_by(*keys)
        for row in connection.execute(query).mappings():
            found[row[keys[0].name]][table.name].append(dict(row))
    matches = {(row["deal"], row["rotation"]): row for rows in found.values() for row in rows[MATCH.name]}
    whole = with_archived(connection, league_id, {key: row["record"] for key, row in matches.items()})
    for which, match in matches.items():
        match["record"] = whole[which]
    return sorted(found.items(), key=lambda deal: deal[0])


def _between(number: Any, first: int, last: int) -> sa.ColumnElement[bool]:  # noqa: ANN401 - any column expression
    """Return the condition for numbers from `first` to `last`, which may exceed the range of the column."""
    condition: sa.ColumnElement[bool] = number.between(*(sa.literal(end, sa.BigInteger) for end in (first, last)))
    return condition
