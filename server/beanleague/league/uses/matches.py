"""Matches of leagues: lists, a single match with its record, and ladder records that are kept whole."""

import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from beanleague.games.core.game import suggestion
from beanleague.league.errors import RequestError
from beanleague.model import Entrant, League, Match, MatchFilter
from beanleague.names import format_match, parse_bot, parse_match
from beanleague.store import DatabaseError, MissingError, Store


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """Query for a page of a league's matches."""

    league: str
    """Name of the league."""
    limit: int
    """Maximum number of matches."""
    bot: str = ""
    """Only matches of this bot, "name" or "name@version"."""
    deal: int | None = None
    """Only matches of this deal."""
    with_faults: bool = False
    """Only matches with a fault (of `bot`, if given)."""
    after: str = ""
    """Name of the match before the first one wanted; "" to begin with the first."""
    newest_first: bool = False
    """Whether the last match comes first."""


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match of a league, without its record."""

    league: League
    """Its league."""
    match: Match
    """Its result."""
    entrants: Sequence[Entrant]
    """The entrants of the league, by number."""
    pinned: bool
    """Whether its record is kept whole at any age."""

    @property
    def name(self) -> str:
        """Name of the match, such as "spring/12.0"."""
        return format_match(self.league.name, self.match.deal, self.match.rotation)


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Page of a league's matches, and the start of the next page."""

    matches: Sequence[LeagueMatch]
    """The matches, in the order of the query."""
    next_after: str
    """The `after` of the next page; "" if this is the last."""


@dataclass(frozen=True, slots=True)
class WholeMatch(LeagueMatch):
    """A match with its record."""

    record: bytes
    """The serialised message of the record, with its events."""
    seed_digest: bytes
    """Digest of the seed, published before play."""


def entrants_called(bot: str, league: League, entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Return the numbers of the entrants called "name" (any version) or "name@version".

    Raises:
        MissingError: if no entrant has this name.
        NameFormatError: if `bot` is written differently.
    """
    name, _ = parse_bot(bot)
    numbers = tuple(entrant.number for entrant in entrants if entrant.is_meant_by(bot))
    if not numbers:
        there = suggestion(name, dict.fromkeys(entrant.bot for entrant in entrants))
        raise MissingError(f"{bot} does not play in the league {league.name}; {there}")
    return numbers


def page_of_matches(store: Store, query: MatchQuery) -> MatchPage:
    """Return a page of the matches of a league.

    Raises:
        MissingError: if the league does not exist, or the bot does not play in it.
        RequestError: if the page would begin after a match of another league.
        NameFormatError: if the name of the bot or the match is malformed.
    """
    league = store.leagues.get(query.league)
    wanted = MatchFilter(
        entrants=entrants_called(query.bot, league, store.leagues.entrants(league.id)) if query.bot else None,
        deal=query.deal,
        with_faults=query.with_faults,
        after=_start(query.after, league),
        newest_first=query.newest_first,
        limit=query.limit + 1,
    )
    pinned, listed = _pins(store, league), store.matches.list(league.id, wanted)
    entrants = store.leagues.entrants(league.id)  # read last: another bot may join and play in the meantime
    matches = [LeagueMatch(league, match, entrants, (match.deal, match.rotation) in pinned) for match in listed]
    page = matches[: query.limit]
    return MatchPage(page, page[-1].name if len(matches) > query.limit else "")


def _start(after: str, league: League) -> tuple[int, int] | None:
    """Return deal and rotation of the match that precedes a page."""
    if not after:
        return None
    name, deal, rotation = parse_match(after)
    if name != league.name:
        raise RequestError(f"the page cannot start after {after}, which is a match of another league")
    return deal, rotation


def newest_matches(store: Store, league: str, bot: str, limit: int) -> Iterator[str]:
    """Yield the names of the newest matches of a bot in a league.

    Raises:
        MissingError, NameFormatError: see `page_of_matches`.
    """
    page = page_of_matches(store, MatchQuery(league, limit, bot, newest_first=True))
    return (match.name for match in page.matches)


def whole_match(store: Store, name: str) -> WholeMatch:
    """Return a finished match, with all events of its record.

    Raises:
        MissingError: if the match does not exist, or its deal is not finished.
        DatabaseError: if its record is damaged.
        RulesVersionError: if it has no stored events, and was played by a different version of the rules.
    """
    from beanleague.wire import WireError, with_all_events  # imported late: it loads the games, which lists do not need

    league_name, deal, rotation = parse_match(name)
    league = store.leagues.get(league_name)
    match, packed = store.matches.get(league.id, deal, rotation)
    try:
        record = with_all_events(packed)
    except WireError:
        raise DatabaseError(f"the record of {name} in {store.database.name} is damaged") from None
    return WholeMatch(
        league=league,
        match=match,
        entrants=store.leagues.entrants(league.id),
        pinned=(deal, rotation) in _pins(store, league),
        record=record,
        seed_digest=store.deals.seed_digest(league.id, deal),
    )


def kept_analysis(store: Store, match: WholeMatch) -> str:
    """Return the stored analysis of a match; "" if there is none for these moves and this version of the analysis."""
    from beanleague.wire import unpacked

    kept = store.analyses.get(match.league.id, match.match.deal, match.match.rotation)
    if kept is None or kept[1] != sha256(match.record).digest():
        return ""
    from beanleague.league.uses.programs import analysis_version  # imported late: it loads the sandbox

    return unpacked(kept[2]).decode() if kept[0] == analysis_version() else ""


def pin(store: Store, name: str, *, pinned: bool) -> None:
    """Pin or unpin a ladder's match: a pinned record is kept whole at any age.

    Raises:
        RequestError: if the match is not of a ladder.
        MissingError, DatabaseError, RulesVersionError: see `whole_match`.
    """
    league_name, deal, rotation = parse_match(name)
    league = store.leagues.get(league_name)
    if not league.traits.endless:
        raise RequestError(f"{league_name} is a league: the records of its matches are kept whole anyway")
    if pinned:
        store.archive.pin(league.id, (deal, rotation), zlib.compress(whole_match(store, name).record))
    else:
        store.archive.unpin(league.id, (deal, rotation))


def _pins(store: Store, league: League) -> Collection[tuple[int, int]]:
    """Return deal and rotation of a league's pinned matches; only ladders have any."""
    return store.archive.pinned_matches(league.id) if league.traits.endless else ()
