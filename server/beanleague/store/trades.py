"""What the bots of a league gave each other, deal by deal."""

from __future__ import annotations

from itertools import groupby

from sqlalchemy import select

from beanleague.model import TradeFlow
from beanleague.store.columns import TRADE
from beanleague.store.database import Database
from beanleague.store.mapping import Mapper

TRADE_FLOW = Mapper(TradeFlow, TRADE)

_CHUNKS = {"yield_per": 10_000}  # rows read at once


class Trades:
    """The trades of a database, added up by deal and by giver and receiver."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def by_deal(self, league_id: int) -> dict[int, tuple[TradeFlow, ...]]:
        """Return by deal what each bot gave to each; deals without trades, and those of early versions, are missing."""
        row = TRADE.c
        query = select(row.deal, *TRADE_FLOW.columns()).where(row.league_id == league_id).order_by(row.deal)
        with self._database.read() as connection:
            rows = connection.execute(query, execution_options=_CHUNKS)
            return {
                deal: tuple(TradeFlow(*flow) for _, *flow in flows) for deal, flows in groupby(rows, lambda row: row[0])
            }
