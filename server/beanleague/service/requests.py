"""What requests may ask for."""

from __future__ import annotations

from beanleague.league.errors import RequestError
from beanleague.model import COMPARISON, League


def number(name: str, asked: int, default: int, limit: int) -> int:
    """Return the number of a request, or the default if it is 0.

    Raises:
        RequestError: if it is above `limit`.
    """
    if asked > limit:
        raise RequestError(f"{name} must be at most {limit}, not {asked}")
    return asked or default


def with_ratings(league: League) -> League:
    """Return `league` if it has ratings.

    Raises:
        RequestError: if it is a comparison.
    """
    if league.format == COMPARISON:
        raise RequestError(f"{league.name} is a comparison of two bots, with no standings; 'compare' runs and shows it")
    return league
