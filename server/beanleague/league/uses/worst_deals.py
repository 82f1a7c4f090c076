"""Worst deals of bots: matches for a server to analyse in advance."""

from collections.abc import Collection, Iterator, Sequence
from statistics import fmean

from beanleague.house_folder import HOUSE_BOTS, TRADING
from beanleague.league.uses.programs import analysis_version
from beanleague.model import Entrant, League, Match, MatchFilter
from beanleague.names import format_match
from beanleague.store import Store

_LATEST = 200  # number of newest matches of a league whose bots are considered
_WORST = 3  # number of deals per bot


def worst_matches(store: Store, tried: Collection[str]) -> Iterator[str]:
    """Yield one match name for each author's bot in trading games, most recently played bot first.

    The match is from one of the bot's worst deals: the one in which the bot earned least compared with others in its
    seat. Skips matches in `tried` and matches that this version has analysed; `tried` may grow during the iteration.
    """
    for league, entrant in _bots(store):
        for worst in store.matches.worst_deals(league.id, entrant, _WORST):
            lost = lost_most(store.matches.list(league.id, MatchFilter(deal=worst.deal)), entrant)
            kept = store.analyses.get(league.id, lost.deal, lost.rotation)
            name = format_match(league.name, lost.deal, lost.rotation)
            if name not in tried and (kept is None or kept[0] != analysis_version()):
                yield name
                break


def lost_most(matches: Sequence[Match], entrant: int) -> Match:
    """Return the match of a deal in which an entrant earned least, compared with the mean of others in its seat."""

    def loss(match: Match) -> float:
        at = next(place for place, seat in enumerate(match.seats) if seat.entrant == entrant)
        others = [each.seats[at].score for each in matches if each.seats[at].entrant != entrant]
        return fmean(others) - match.seats[at].score

    return max(matches, key=loss)


def _bots(store: Store) -> Iterator[tuple[League, int]]:
    """Yield league and entrant of each author's bot in the latest matches, most recent first."""
    leagues = [league for league in store.leagues.list() if league.traits.has_standings and league.ruleset in TRADING]
    by_id = {league.id: league for league in leagues}
    seats = sorted((seat for league in leagues for seat in _latest_seats(store, league)), reverse=True)
    for league_id, entrant in dict.fromkeys(seat[1:] for seat in seats):
        yield by_id[league_id], entrant


def _latest_seats(store: Store, league: League) -> Iterator[tuple[float, int, int]]:
    """Yield time, league and entrant of each seat of an author's bot in a league's latest matches."""
    latest = store.matches.list(league.id, MatchFilter(newest_first=True, limit=_LATEST))
    entrants = store.leagues.entrants(league.id)  # read last: another bot may join and play in the meantime
    for match in latest:
        bots = (entrants[seat.entrant] for seat in match.seats)
        yield from ((match.played, league.id, bot.number) for bot in bots if _of_an_author(bot))


def _of_an_author(bot: Entrant) -> bool:
    return bool(bot.owner) or bot.bot not in HOUSE_BOTS
