"""The gRPC service people use (beanproto/v1/league.proto): on an address for many, or embedded in a process for one.

with embedded("sqlite:////home/me/leagues.db") as channel:
    LeagueStub(channel).ListLeagues(ListLeaguesRequest())
"""

from beanleague.service.backend import check_backup
from beanleague.service.errors import ServiceError
from beanleague.service.server import Serving, embedded, serve, served
from beanleague.service.tls import Certificate

__all__ = ["Certificate", "ServiceError", "Serving", "check_backup", "embedded", "serve", "served"]
