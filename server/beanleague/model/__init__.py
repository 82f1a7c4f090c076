"""The values of the domain, each declared once. Times are seconds since 1970 (UTC)."""

from beanleague.games.records.faults import Fault, FaultKind
from beanleague.games.records.trade_flow import TradeFlow
from beanleague.model.bots import BotVersion, Log, Manifest, Token
from beanleague.model.leagues import (
    COMPARISON,
    GAUNTLET,
    LEAGUE,
    MAX_SECRET_BYTES,
    MIN_SECRET_BYTES,
    THIEF,
    Entrant,
    Forfeits,
    League,
    LeagueRequest,
    LeagueSettings,
    NewLeague,
    Totals,
)
from beanleague.model.matches import (
    WIN,
    CompactDeals,
    Deal,
    FaultCount,
    Match,
    MatchFilter,
    PlayedDeal,
    PlayedMatch,
    SeatResult,
    Void,
)
from beanleague.model.ratings import Rating, SeatEffect, Snapshot

__all__ = [
    "COMPARISON",
    "GAUNTLET",
    "LEAGUE",
    "MAX_SECRET_BYTES",
    "MIN_SECRET_BYTES",
    "THIEF",
    "WIN",
    "BotVersion",
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
    "PlayedDeal",
    "PlayedMatch",
    "Rating",
    "SeatEffect",
    "SeatResult",
    "Snapshot",
    "Token",
    "Totals",
    "TradeFlow",
    "Void",
]
