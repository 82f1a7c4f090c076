"""What requests may ask for."""

from __future__ import annotations

from collections.abc import Sequence

from beanleague.games.core.errors import suggestion
from beanleague.league.errors import RequestError
from beanleague.model import COMPARISON, Entrant, League
from beanleague.names import parse_bot
from beanleague.store import MissingError


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


def seated(bot: str, league: League, entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Return the entrants that "name" (any version) or "name@version" means, by number.

    Raises:
        MissingError: if no entrant is meant.
        NameFormatError: if `bot` is written differently.
    """
    name, version = parse_bot(bot)
    numbers = tuple(
        entrant.number for entrant in entrants if entrant.bot == name and version in {None, entrant.version}
    )
    if not numbers:
        there = suggestion(name, dict.fromkeys(entrant.bot for entrant in entrants))
        raise MissingError(f"{bot} does not play in the league {league.name}; {there}")
    return numbers
