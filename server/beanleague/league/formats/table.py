"""The table of formats: all against all, gauntlets, comparisons and ladders.

Runs, verifications and keepers of ladders look up the format of a league here, once, and hand its parts down. No other
code asks which format a league has: layers below `formats` and clients of the service decide by `model.Traits`.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from beanleague.league.compare import LiveComparison
from beanleague.league.errors import LeagueError, RequestError
from beanleague.league.ladder.inputs import is_drawn
from beanleague.league.run.committing import LadderRatings, LiveRatings
from beanleague.league.run.deals import Dealer
from beanleague.league.run.epochs import EpochDealer
from beanleague.league.run.source import Clocks, LeaguePlay, Playing, Roster, add_bots
from beanleague.league.schedule.tables import Tables, tables_of_comparison, tables_of_everybody, tables_of_gauntlet
from beanleague.league.verify.checks import Checks, History, check_comparison, check_gauntlet
from beanleague.league.verify.deals import Finding
from beanleague.league.verify.derived import check_schedule
from beanleague.league.verify.ladders import check_ladder, secrets_of
from beanleague.model import COMPARISON, GAUNTLET, LADDER, LEAGUE, Entrant, League
from beanleague.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Strategies of a league format. `model.Traits` has the facts that lower layers need."""

    playing: Playing
    """Strategy for runs."""
    checks: Checks
    """Strategy for verification."""


def scheduled(tables: Tables) -> Format:
    """Return the format of rated leagues whose tables follow from the entrants and the earlier tables."""
    return Format(
        playing=Playing(begin=partial(_begin_rated, tables)), checks=Checks(history=partial(check_schedule, tables))
    )


def _begin_rated(tables: Tables, store: Store, league: League, clocks: Clocks) -> LeaguePlay:
    return LeaguePlay(LiveRatings(store, league, clocks.seconds), partial(dealer, tables, store, league, clocks))


def dealer(tables: Tables, store: Store, league: League, clocks: Clocks, roster: Roster) -> Dealer:
    """Return the source of deals at `tables`."""
    return Dealer(store, league, tables, batch=roster.batch, joined=roster.joined, clock=clocks.seconds)


def _gauntlet() -> Format:
    plain = scheduled(tables_of_gauntlet)
    return Format(
        playing=replace(plain.playing, advice=_advice_in_a_gauntlet),
        checks=replace(plain.checks, settings=check_gauntlet),
    )


def _advice_in_a_gauntlet(league: League, suspended: Collection[int]) -> str:
    return "create a gauntlet of another bot" if league.hero in suspended else add_bots(league, suspended)


def _comparison() -> Format:
    checks = Checks(history=partial(check_schedule, tables_of_comparison), settings=check_comparison)
    playing = Playing(
        begin=_begin_comparison,
        copies=lambda league: league.seats,
        ends_early=True,
        advice=lambda *_: "compare other bots",
    )
    return Format(playing=playing, checks=checks)


def _begin_comparison(store: Store, league: League, clocks: Clocks) -> LeaguePlay:
    return LeaguePlay(LiveComparison(store, league), partial(dealer, tables_of_comparison, store, league, clocks))


def _ladder() -> Format:
    return Format(
        playing=Playing(begin=_begin_ladder, given=_active_or_planned, tries_newcomers=False),
        checks=Checks(history=_check_ladder, require=_require_drawn, secrets=secrets_of, has_days=True),
    )


def _begin_ladder(store: Store, league: League, clocks: Clocks) -> LeaguePlay:
    ratings = LadderRatings(store, league, clocks.seconds)
    return LeaguePlay(ratings, partial(_epoch_dealer, store, league, ratings, clocks))


def _epoch_dealer(store: Store, league: League, ratings: LadderRatings, clocks: Clocks, roster: Roster) -> EpochDealer:
    return EpochDealer(
        store,
        league,
        ratings,
        tables=roster.tables,
        joined=roster.joined,
        in_pool=roster.has,
        stale=lambda: roster.stale,
        now=clocks.now,
    )


def _active_or_planned(store: Store, league: League, entrants: Sequence[Entrant]) -> Sequence[Entrant]:
    """Return the active entrants and all entrants with planned deals; most old entries of a ladder are neither."""
    planned = {entrant for deal in store.deals.unplayed(league.id) for entrant in deal.table}
    return [entrant for entrant in entrants if entrant.active or entrant.number in planned]


def _require_drawn(store: Store, league: League) -> None:
    """Check that the tables of a ladder were drawn.

    Raises:
        RequestError: if an earlier version chose them.
    """
    if not is_drawn(store, league):
        raise RequestError(
            f"the tables of {league.name} were chosen by an earlier version of Beanleague; verify it with that version"
        )


def _check_ladder(history: History) -> Iterator[Finding]:
    return check_ladder(history.store, history.league, history.entrants, history.changes)


FORMATS = {
    LEAGUE: scheduled(tables_of_everybody),
    GAUNTLET: _gauntlet(),
    COMPARISON: _comparison(),
    LADDER: _ladder(),
}
"""All league formats by name."""


def format_of(league: League) -> Format:
    """Return the format of a league.

    Raises:
        LeagueError: if this version does not have it.
    """
    found = FORMATS.get(league.format)
    if found is None:
        raise LeagueError(
            f"{league.name} has the format {league.format!r}, which this version of Beanleague does not support"
        )
    return found
