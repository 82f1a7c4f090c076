"""The gRPC service people use (beanproto/v1/league.proto): on an address for many, or embedded in a process for one.

from beanleague.service.server import embedded      # imports the store, which takes 0.2 s

with embedded("sqlite:////home/me/leagues.db") as channel:
    LeagueStub(channel).ListLeagues(ListLeaguesRequest())
"""
