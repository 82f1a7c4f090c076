"""The standings of a league: ratings, and the totals of the matches.

Ratings are derived from the stored matches; snapshots of them only save time. Everything else is counted up in the
store with each deal, so that standings cost the same after a million matches as after one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from beanleague.games.rulesets import points_per_dollar
from beanleague.league.ratings.elo import BASE
from beanleague.model import WIN, Entrant, League, Rating, Snapshot, Totals
from beanleague.store.store import Store


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings."""

    rank: int
    """1 is best, equal ratings share it; 0 before the first match."""
    entrant: Entrant
    """The bot and its version."""
    rating: float
    """On the Elo scale; see `Rating`."""
    interval: float | None
    """Half the width of the rating's 95 % interval; None if it has none, as before the first match."""
    deals: int
    """Deals it played in."""
    matches: int
    """Matches it played."""
    mean_score: float
    """Mean dollars per match."""
    wins: float
    """Matches won; a first place shared by n counts 1 / n."""
    faults: int
    """Number of all its faults."""
    fault_share: float
    """Share of its matches with a fault of its own, 0 to 1."""
    forfeits: int
    """Matches it forfeited."""
    provisional: bool
    """Whether the rating is not reliable yet; see `Rating`."""
    best_rank: int
    """See `Rating`."""
    worst_rank: int
    """See `Rating`."""
    least: float | None = None
    """See `Rating`."""
    most: float | None = None
    """See `Rating`."""
    anchor: bool = False
    """See `Rating`."""
    suspended: str = ""
    """Why it is no longer seated, "" if it is not suspended."""


def standings(store: Store, league: League, *, running: bool) -> tuple[Standing, ...]:
    """Return the standings of a league, best first.

    `running`: a run stores new ratings about every second, so the stored ones are used. Otherwise they are computed
    again if matches were played since.
    """
    ratings = snapshot(store, store.leagues.get(league.name), running=running).ratings
    return combined(store, league, ratings)


def snapshot(store: Store, league: League, *, running: bool) -> Snapshot:
    """Return the newest ratings of a league; `running` as in `standings`."""
    latest = store.ratings.latest(league.id)
    if latest and (running or (latest.deals == league.deals_done and len(latest.ratings) == league.entrants)):
        return latest
    from beanleague.league.counting import count, keep

    return keep(store, league, count(store, league))


def combined(store: Store, league: League, ratings: Iterable[Rating]) -> tuple[Standing, ...]:
    """Return the standings of a league by these ratings, best first; bots that have not played come last."""
    return ranked(
        store.leagues.entrants(league.id), store.leagues.totals(league.id), ratings, points_per_dollar(league.ruleset)
    )


def ranked(
    entrants: Sequence[Entrant], totals: Sequence[Totals], ratings: Iterable[Rating], dollar: int = 1
) -> tuple[Standing, ...]:
    """Return the standings, best first; those that have not played come last. `dollar`: see `Family`."""
    rating_of = {rating.entrant: rating for rating in ratings}
    found = [_standing(entrant, totals[entrant.number], rating_of.get(entrant.number), dollar) for entrant in entrants]
    found.sort(key=lambda standing: (not standing.matches, -standing.rating, standing.entrant.number))
    return tuple(_ranked(found))


def _standing(entrant: Entrant, totals: Totals, rating: Rating | None, dollar: int) -> Standing:
    matches = totals.matches
    if rating is None or not matches:
        rating = Rating(entrant.number, BASE, None, 0, 0, provisional=True)
    return Standing(
        rank=0,
        entrant=entrant,
        rating=rating.rating,
        interval=rating.interval,
        deals=totals.deals,
        matches=matches,
        mean_score=totals.score / dollar / matches if matches else 0.0,
        wins=totals.wins / WIN,
        faults=totals.faults,
        fault_share=totals.faulted / matches if matches else 0.0,
        forfeits=totals.forfeits,
        provisional=rating.provisional,
        best_rank=rating.best_rank,
        worst_rank=rating.worst_rank,
        least=rating.least,
        most=rating.most,
        anchor=rating.anchor,
        suspended=entrant.suspended,
    )


def _ranked(found: Sequence[Standing]) -> Iterable[Standing]:
    """Give each its rank."""
    rank, above = 0, None
    for number, standing in enumerate(found, 1):
        if not standing.matches:
            yield standing
            continue
        if standing.rating != above:
            rank, above = number, standing.rating
        yield replace(standing, rank=rank)
