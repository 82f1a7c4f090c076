"""Ladders: settings, days, epochs, checkpoints, nightly checks, and changes of entries."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from beanleague import model
from beanleague.store import ConflictError, columns, database
from beanleague.store.deals import add_deals, planned_rows, waiting_of
from beanleague.store.leagues import Leagues, enter, last_changes, note, seated
from beanleague.store.tables import BOT, CHECK, CHECKPOINT, DAY, DEAL, ENTRANT, EPOCH, LADDER, SNAPSHOT, USAGE, VERSION
from beanleague.store.tables.ladders import CheckpointRow, CheckRow, DayRow, EpochRow, LadderRow

_LADDER = columns.Mapper(model.Ladder, LadderRow)
_DAY = columns.Mapper(model.LadderDay, DayRow)
_CHECKPOINT = columns.Mapper(model.LadderCheckpoint, CheckpointRow)
_CHECK = columns.Mapper(model.NightlyCheck, CheckRow)
_EPOCH = columns.Mapper(model.LadderEpoch, EpochRow)


class Ladders(database.Queries):
    """Queries and updates of data that only ladders have."""

    def create(self, new: model.NewLeague, ladder: model.Ladder) -> model.League:
        """Create a ladder.

        Raises:
            TakenError: if a league of this name exists.
        """

        def add(connection: sa.Connection, league_id: int) -> None:
            connection.execute(sa.insert(LADDER), {"league_id": league_id, **_LADDER.to_row(ladder)})

        return Leagues(self._database).create(new, add)

    def get(self, league_id: int) -> model.Ladder:
        """Return the settings that only ladders have."""
        return self._all(sa.select(LADDER).where(LADDER.c.league_id == league_id), _LADDER.from_row)[0]

    def set(self, league_id: int, **values: str | int) -> None:
        """Set settings of a ladder."""
        with self._database.write() as connection:
            connection.execute(sa.update(LADDER).where(LADDER.c.league_id == league_id).values(values))

    def enter(self, league_id: int, version_id: int) -> int:
        """Add a version as an entry in placement; return its number."""
        with self._database.write() as connection:
            return enter(connection, league_id, [version_id])

    def change(self, league_id: int, decisions: Sequence[model.EntryDecision]) -> None:
        """Store decisions about entries, except decisions based on entries that have changed since they were read."""
        with self._database.write() as connection:
            read = {each.number: each.last.number for one in decisions for each in (one.entrant, *one.because)}
            last = last_changes(connection, league_id, read)
            changed = {entrant for entrant, number in read.items() if last[entrant][0] != number}
            for one in decisions:
                if changed.isdisjoint(each.number for each in (one.entrant, *one.because)):
                    note(connection, league_id, one.kind, entrant=one.entrant.number, reason=one.reason)

    def bundle_bytes(self, league_id: int, owner: str) -> int:
        """Return the total size of an owner's bundles in a ladder, in bytes."""
        query = (
            sa.select(sa.func.coalesce(sa.func.sum(VERSION.c.bundle_bytes), 0))
            .join_from(ENTRANT, VERSION, VERSION.c.id == ENTRANT.c.version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .where(ENTRANT.c.league_id == league_id, BOT.c.owner == owner)
        )
        return int(self._value(query))

    def days(self, league_id: int) -> tuple[model.LadderDay, ...]:
        """Return the days of a ladder, in order; the last one is the current day."""
        query = sa.select(DAY).where(DAY.c.league_id == league_id).order_by(DAY.c.number)
        return self._all(query, _DAY.from_row)

    def day(self, league_id: int) -> model.LadderDay | None:
        """Return the current day of a ladder; None before the first."""
        query = sa.select(DAY).where(DAY.c.league_id == league_id, DAY.c.ended.is_(None))
        return self._first(query, _DAY.from_row)

    def begin_day(self, league_id: int, day: model.LadderDay, *before: tuple[model.LadderCheckpoint, bytes]) -> None:
        """Begin a day and end the previous day, dropping its unplayed deals.

        `before`: checkpoint at the end of the day before, and its data. The ratings at that time stay in the history.

        Raises:
            ConflictError: if the day does not follow the last one.
        """
        of = DAY.c.league_id == league_id

        def begin(again: bool) -> None:  # noqa: FBT001  # signature of `repeat`
            with self._database.write() as connection:
                last = connection.execute(sa.select(DAY).where(of).order_by(DAY.c.number.desc()).limit(1)).one_or_none()
                if again and last is not None and last.digest == day.digest:
                    return
                if day.number != (0 if last is None else last.number) + 1:
                    raise ConflictError(f"day {day.number} does not follow the last day of this ladder")
                connection.execute(sa.update(DAY).where(of, DAY.c.ended.is_(None)).values(ended=day.began))
                waiting = sa.update(DEAL).where(*waiting_of(league_id))
                dropped = connection.execute(waiting.values(dropped=day.began)).rowcount
                add_deals(connection, league_id, -dropped)
                for checkpoint, data in before:
                    row = {"league_id": league_id, **_CHECKPOINT.to_row(checkpoint), "data": data}
                    connection.execute(sa.insert(CHECKPOINT), row)
                    rated = SNAPSHOT.c.league_id == league_id, SNAPSHOT.c.deals == checkpoint.position
                    connection.execute(sa.update(SNAPSHOT).where(*rated).values(kept=True))
                connection.execute(sa.insert(DAY), {"league_id": league_id, **_DAY.to_row(day)})

        self._database.repeat(begin)

    def checkpoints(self, league_id: int, *, last: int | None = None) -> tuple[model.LadderCheckpoint, ...]:
        """Return the checkpoints of a ladder, by day; only the `last` checkpoints if given."""
        query = sa.select(*_CHECKPOINT.columns).where(CHECKPOINT.c.league_id == league_id)
        return self._all(query.order_by(CHECKPOINT.c.day.desc()).limit(last), _CHECKPOINT.from_row)[::-1]

    def checkpoint_data(self, league_id: int, day: int) -> bytes:
        """Return the data of an existing checkpoint; see `league.ladder.checkpoints`."""
        query = sa.select(CHECKPOINT.c.data).where(CHECKPOINT.c.league_id == league_id, CHECKPOINT.c.day == day)
        data: bytes = self._value(query)
        return data

    def keep_check(self, league_id: int, check: model.NightlyCheck) -> None:
        """Store the nightly check of a day, unless another server was first."""
        with self._database.write() as connection:
            of = CHECK.c.league_id == league_id, CHECK.c.day == check.day
            if connection.execute(sa.select(CHECK.c.day).where(*of)).first() is None:
                connection.execute(sa.insert(CHECK), {"league_id": league_id, **_CHECK.to_row(check)})

    def checks(self, league_id: int, limit: int) -> tuple[model.NightlyCheck, ...]:
        """Return the nightly checks, newest first."""
        query = sa.select(CHECK).where(CHECK.c.league_id == league_id).order_by(CHECK.c.day.desc()).limit(limit)
        return self._all(query, _CHECK.from_row)

    def usage(self, league_id: int, day: int) -> dict[str, int]:
        """Return the thinking time of each owner's bots on a day, in milliseconds."""
        of = USAGE.c.league_id == league_id, USAGE.c.day == day
        return dict(self._all(sa.select(USAGE.c.owner, USAGE.c.ms).where(*of), tuple))

    def plan(
        self, league_id: int, epoch: model.LadderEpoch, deals: Sequence[model.Deal], usage: Mapping[str, int]
    ) -> frozenset[int]:
        """Store an epoch, and publish the tables and seed digests of its deals.

        Returns the entries in it that are no longer seated; if there are any, nothing is stored. `usage`: thinking time
        of each owner's bots on that day, in milliseconds.
        """
        rows = planned_rows(league_id, deals)
        entries = frozenset(entry for deal in deals for entry in deal.table)
        key = EPOCH.c.league_id == league_id, EPOCH.c.number == epoch.number
        today = {"league_id": league_id, "day": epoch.day}

        def keep(again: bool) -> frozenset[int]:  # noqa: FBT001  # signature of `repeat`
            with self._database.write(durable=False) as connection:
                if again and connection.scalar(sa.select(EPOCH.c.made).where(*key)) == epoch.made:
                    return frozenset()
                if gone := entries - seated(connection, league_id, entries):
                    return gone
                connection.execute(sa.insert(EPOCH), {"league_id": league_id, **_EPOCH.to_row(epoch)})
                connection.execute(sa.insert(DEAL), rows)
                add_deals(connection, league_id, len(rows))
                if usage:
                    connection.execute(sa.delete(USAGE).filter_by(**today).where(USAGE.c.owner.in_(usage)))
                    used = [{**today, "owner": who, "ms": ms} for who, ms in usage.items()]
                    connection.execute(sa.insert(USAGE), used)
                return frozenset()

        return self._database.repeat(keep)

    def epochs(self, league_id: int, *, after_deal: int = 0, limit: int | None = 1000) -> tuple[model.LadderEpoch, ...]:
        """Return epochs whose first deals have numbers above `after_deal`, in order, at most `limit` (None: all)."""
        of = EPOCH.c.league_id == league_id, EPOCH.c.first > after_deal
        return self._all(sa.select(EPOCH).where(*of).order_by(EPOCH.c.number).limit(limit), _EPOCH.from_row)

    def last_epochs(self, league_id: int, limit: int) -> tuple[model.LadderEpoch, ...]:
        """Return the last `limit` epochs, newest first."""
        query = sa.select(EPOCH).where(EPOCH.c.league_id == league_id).order_by(EPOCH.c.number.desc()).limit(limit)
        return self._all(query, _EPOCH.from_row)
