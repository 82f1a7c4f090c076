"""Standings of a league: ratings, and totals of the matches.

Ratings are derived from the stored matches; their snapshots only save time. Totals are updated in the store with each
deal, so that standings cost the same after a million matches as after one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from beanleague.games.families import points_per_dollar
from beanleague.league.errors import RequestError
from beanleague.league.ratings.scores import BASE
from beanleague.model import WIN, Entrant, League, Rating, Snapshot, Totals, members
from beanleague.store import Store


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the standings."""

    rank: int
    """Rank, 1 for the best; equal ratings share it. 0 before the first match, and outside of a ladder's field."""
    entrant: Entrant
    """The bot and its version."""
    rating: Rating
    """Rating; before the first match the base value without an interval."""
    totals: Totals
    """Totals of the entrant's matches."""
    dollar: int = 1
    """Points of score per dollar; see `Family`."""
    moved: float | None = None
    """Change of the rating on a ladder since the end of the last day; None if it had no interval then."""

    @property
    def mean_score(self) -> float:
        """Mean dollars per match."""
        return self._per_match(self.totals.score / self.dollar)

    @property
    def wins(self) -> float:
        """Number of matches won; a first place shared by n counts 1 / n."""
        return self.totals.wins / WIN

    @property
    def win_share(self) -> float | None:
        """Share of matches won, 0 to 1; None before the first match."""
        return self._per_match(self.wins) if self.totals.matches else None

    @property
    def fault_share(self) -> float:
        """Share of matches in which the bot made a fault, 0 to 1."""
        return self._per_match(self.totals.faulted)

    def _per_match(self, total: float) -> float:
        return total / self.totals.matches if self.totals.matches else 0.0


def with_ratings(league: League) -> League:
    """Return `league` if it has ratings.

    Raises:
        RequestError: if the league is a comparison.
    """
    if not league.traits.has_standings:
        raise RequestError(
            f"{league.name} is a comparison of two bots and has no standings; 'compare' runs and shows it"
        )
    return league


def standings(store: Store, league: League, *, running: bool) -> tuple[Standing, ...]:
    """Return the standings of a league, best first.

    `running`: whether the league is being run. A run stores ratings about every second, so the stored ratings are used.
    Otherwise ratings are recomputed if matches were played since.
    """
    ratings = snapshot(store, store.leagues.get(league.name), running=running).ratings
    return rated_standings(store, league, ratings)


def snapshot(store: Store, league: League, *, running: bool) -> Snapshot:
    """Return the latest ratings of a league; `running` as in `standings`."""
    latest = store.ratings.latest(league.id)
    if latest and (running or (latest.deals == league.deals_done and _is_of(store, latest, league))):
        return latest
    from beanleague.league.counting import count, keep

    return keep(store, league, count(store, league))


def _is_of(store: Store, latest: Snapshot, league: League) -> bool:
    """Return whether ratings belong to the current entrants; on a ladder, to its current field."""
    if len(latest.ratings) != league.entrants:
        return False
    entrants = store.leagues.entrants(league.id) if league.traits.endless else ()
    return not entrants or {each.entrant for each in latest.ratings if each.best_rank} == {*members(entrants)}


def rated_standings(store: Store, league: League, ratings: Iterable[Rating]) -> tuple[Standing, ...]:
    """Return the standings of a league with these ratings, best first; bots without matches come last."""
    entrants, totals = store.leagues.entrants(league.id), store.leagues.totals(league.id)
    found = rank(entrants, totals, ratings, points_per_dollar(league.ruleset))
    last = store.ladders.checkpoints(league.id, last=1)
    then = store.ratings.history(league.id, of=[last[0].position]) if last else ()
    known = {past.entrant: past.rating for snapshot in then for past in snapshot.ratings if past.interval is not None}
    return tuple(
        replace(each, moved=each.rating.rating - known[each.entrant.number])
        if each.rank and each.entrant.number in known
        else each
        for each in found
    )


def rank(
    entrants: Sequence[Entrant], totals: Sequence[Totals], ratings: Iterable[Rating], dollar: int = 1
) -> tuple[Standing, ...]:
    """Return the standings, best first; entrants without matches come last. `dollar`: see `Family`."""
    rating_of = {rating.entrant: rating for rating in ratings}
    found: list[Standing] = []  # standings without ranks
    for entrant in entrants:
        rating, total = rating_of.get(entrant.number), totals[entrant.number]
        if rating is None or not total.matches:
            rating = Rating(entrant.number, BASE, None, 0, 0, provisional=True)
        found.append(Standing(0, entrant, rating, total, dollar))
    found.sort(key=lambda each: (not _ranks(each), not each.totals.matches, -each.rating.rating, each.entrant.number))
    return tuple(_with_ranks(found))


def _ranks(standing: Standing) -> bool:
    """Return whether an entrant has a rank: it has played and, on a ladder, is in the field."""
    return bool(standing.totals.matches and standing.rating.best_rank)


def _with_ranks(found: Sequence[Standing]) -> Iterable[Standing]:
    """Yield standings with ranks assigned."""
    rank, above = 0, None
    for number, standing in enumerate(found, 1):
        if not _ranks(standing):
            yield standing
            continue
        if standing.rating.rating != above:
            rank, above = number, standing.rating.rating
        yield replace(standing, rank=rank)
