"""The values of the domain, each declared once. Times are seconds since 1970 (UTC)."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by
from beanleague.games.records.faults import Fault, FaultKind
from beanleague.games.records.trade_flow import TradeFlow

if TYPE_CHECKING:
    from beanleague.model.bots import BotVersion, Log, Manifest, Token
    from beanleague.model.leagues import (
        COMPARISON,
        GAUNTLET,
        LEAGUE,
        MAX_SECRET_BYTES,
        MIN_SECRET_BYTES,
        THIEF,
        Change,
        ChangeKind,
        Entrant,
        Forfeits,
        League,
        LeagueRequest,
        LeagueSettings,
        NewLeague,
        Run,
        Suspension,
        Totals,
    )
    from beanleague.model.matches import (
        WIN,
        CompactDeals,
        Deal,
        FaultCount,
        Match,
        MatchFilter,
        PairDeal,
        PairMatch,
        PlayedDeal,
        PlayedMatch,
        SeatResult,
        ThinkingTime,
        Void,
    )
    from beanleague.model.nodes import Node, NodeTotals
    from beanleague.model.ratings import Rating, SeatEffect, Snapshot
else:
    __getattr__ = exported_by(__name__, "nodes", "bots", "leagues", "matches", "ratings")

__all__ = [
    "COMPARISON",
    "GAUNTLET",
    "LEAGUE",
    "MAX_SECRET_BYTES",
    "MIN_SECRET_BYTES",
    "THIEF",
    "WIN",
    "BotVersion",
    "Change",
    "ChangeKind",
    "CompactDeals",
    "Deal",
    "Entrant",
    "Fault",
    "FaultCount",
    "FaultKind",
    "Forfeits",
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
]
