"""What bots write to stderr, the newest part of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from sqlalchemy import select

from beanleague.model import Log
from beanleague.safe_text import storable
from beanleague.store.columns import LEAGUE, LOG
from beanleague.store.database import Database
from beanleague.store.mapping import Mapper

MAX_BYTES = 512 * 1024  # kept for each version and league

_LOG = Mapper(Log, LOG, apart=("league",))


class Logs:
    """The logs of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, league_id: int, texts: Mapping[int, str]) -> None:
        """Add what versions (by `BotVersion.id`) wrote; the oldest lines beyond `MAX_BYTES` are dropped."""
        if texts:
            self._database.repeat(partial(self._append, league_id, texts, time.time()))

    def _append(self, league_id: int, texts: Mapping[int, str], now: float, again: bool) -> None:  # noqa: FBT001  # as `repeat`
        from beanleague.store.tables import LogRow

        with self._database.write(durable=False) as session:
            for version_id, text in texts.items():
                row = session.get(LogRow, (version_id, league_id))
                if again and row is not None and row.updated == now:
                    return
                if row is None:
                    row = LogRow(version_id=version_id, league_id=league_id, text="", truncated=False, updated=0.0)
                    session.add(row)
                row.text, cut = newest(row.text + storable(text), MAX_BYTES)
                row.truncated = row.truncated or cut
                row.updated = now

    def get(self, version_id: int, league_id: int | None = None) -> tuple[Log, ...]:
        """Return what a version wrote in its leagues, or in one of them, by the league's name."""
        query = (
            select(*_LOG.columns(), LEAGUE.c.name.label("league"))
            .join_from(LOG, LEAGUE, LEAGUE.c.id == LOG.c.league_id)
            .where(LOG.c.version_id == version_id)
            .order_by(LEAGUE.c.name)
        )
        if league_id is not None:
            query = query.where(LOG.c.league_id == league_id)
        with self._database.read() as connection:
            return tuple(_LOG.from_row(row, league=row.league) for row in connection.execute(query))


def newest(text: str, limit: int) -> tuple[str, bool]:
    """Return the last whole lines of `text` within `limit` bytes of UTF-8, and whether anything was dropped."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode(), False
    tail = data[-limit:]
    _, end, lines = tail.partition(b"\n")
    return (lines if end and lines else tail).decode("utf-8", "ignore"), True
