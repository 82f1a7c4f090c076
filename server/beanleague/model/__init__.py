"""The values of the domain, each declared once. Times are seconds since 1970 (UTC)."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by
from beanleague.games.records.faults import Fault, FaultKind
from beanleague.games.records.trade_flow import TradeFlow

if TYPE_CHECKING:
    from beanleague.model.bots import *
    from beanleague.model.ladders import *
    from beanleague.model.leagues import *
    from beanleague.model.matches import *
else:
    __getattr__ = exported_by(__name__, "bots", "ladders", "leagues", "matches")

__all__ = [
    "COMPARISON",
    "GAUNTLET",
    "LADDER",
    "LEAGUE",
    "MAX_SECRET_BYTES",
    "MIN_SECRET_BYTES",
    "THIEF",
    "WIN",
    "BotVersion",
    "Certainty",
    "Change",
    "ChangeKind",
    "CompactDeals",
    "Deal",
    "Entrant",
    "EntryDeal",
    "EntryState",
    "Fault",
    "FaultCount",
    "FaultKind",
    "Forecast",
    "Forfeits",
    "Ladder",
    "LadderDay",
    "LadderEpoch",
    "LadderState",
    "League",
    "LeagueRequest",
    "LeagueSettings",
    "Log",
    "Manifest",
    "Match",
    "MatchFilter",
    "NewLeague",
    "Node",
    "NodeTotals",
    "PairDeal",
    "PairMatch",
    "PlayedDeal",
    "PlayedMatch",
    "Rating",
    "Run",
    "SeatEffect",
    "SeatResult",
    "Snapshot",
    "Suspension",
    "ThinkingTime",
    "Token",
    "Totals",
    "TradeFlow",
    "Void",
    "entry_states",
]
