"""The gRPC service of leagues (beanproto/v1/league.proto), listening at an address or embedded in a process.

from beanleague.service.server import embedded      # imports the store, which takes 0.2 s

with embedded("sqlite:////home/me/leagues.db") as channel:
    LeagueStub(channel).ListLeagues(ListLeaguesRequest())
"""
