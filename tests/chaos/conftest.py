"""Leagues as those of tests/league."""

from tests.league.conftest import make_league

__all__ = ["make_league"]
