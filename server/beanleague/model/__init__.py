"""Value classes of bots, leagues, ladders and matches. Times are seconds since 1970 (UTC)."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by
from beanleague.games.records.faults import Fault as Fault, FaultKind as FaultKind
from beanleague.games.records.trade_flow import TradeFlow as TradeFlow

if TYPE_CHECKING:
    from beanleague.model.bots import *
    from beanleague.model.ladders import *
    from beanleague.model.leagues import *
    from beanleague.model.matches import *
else:
    __getattr__ = exported_by(__name__, "bots", "ladders", "leagues", "matches")
