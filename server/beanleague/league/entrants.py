"""Adding bots to a league that may have begun, and lifting suspensions."""

from __future__ import annotations

from collections.abc import Sequence

from beanleague.league.create import MAX_DEALS
from beanleague.league.errors import RequestError
from beanleague.league.schedule.solo import MAX_BOTS
from beanleague.model import COMPARISON, League
from beanleague.names import parse_bot
from beanleague.store.store import Store


def join(store: Store, name: str, bots: Sequence[str], deals: int = 0) -> League:
    """Add bots to a league, and raise its number of deals to `deals`; 0 keeps the number.

    A newer version of a bot replaces the older one.

    Raises:
        RequestError: if they cannot join; the message says why.
        NameFormatError: if a bot is not written as "name" or "name@version".
        MissingError: if there is no such league or bot.
    """
    league = _idle(store, name)
    if league.format == COMPARISON:
        raise RequestError(f"{name} is a comparison, to which no bots can be added; start another comparison")
    entrants = store.leagues.entrants(league.id)
    there = {entrant.version_id: entrant for entrant in entrants}
    hero = entrants[league.hero].bot if league.hero is not None else None
    versions: list[int] = []
    joining: set[str] = set()
    for text in bots:
        version = store.bots.version(*parse_bot(text))
        if league.ruleset not in version.manifest.games:
            raise RequestError(f"{version.label} does not play {league.ruleset}; see bot show {version.bot}")
        if version.id in there or version.id in versions:
            raise RequestError(f"{version.label} plays in {name} already")
        if version.bot == hero:
            raise RequestError(
                f"{version.bot} sits at every table of the gauntlet {name}; create another gauntlet for its new version"
            )
        versions.append(version.id)
        joining.add(version.bot)
    others = sum(entrant.active and entrant.bot not in joining for entrant in entrants)
    _check_room(league, others, len(versions))
    if deals and deals < league.deals:
        raise RequestError(f"{name} has {league.deals} deals; this number can only be raised")
    if deals > MAX_DEALS:
        raise RequestError(f"{deals} deals are too many; a league has at most {MAX_DEALS}")
    store.leagues.add(league.id, versions, deals or league.deals)
    return store.leagues.get(name)


def lift_suspension(store: Store, name: str, bot: str) -> League:
    """Lift the suspension of a bot.

    Raises:
        RequestError: if it is not suspended, or there is no room for it.
        NameFormatError: if the bot is not written as "name" or "name@version".
        MissingError: if there is no such league.
    """
    league = _idle(store, name)
    wanted, version = parse_bot(bot)
    found = [
        entrant
        for entrant in store.leagues.entrants(league.id)
        if entrant.suspended and entrant.bot == wanted and version in {None, entrant.version}
    ]
    if not found:
        raise RequestError(f"{bot} is not suspended in {name}; 'league show {name}' lists who is")
    _check_room(league, league.seated, sum(not entrant.retired for entrant in found))
    for entrant in found:
        store.leagues.lift_suspension(league.id, entrant.number)
    return league


def _check_room(league: League, others: int, more: int) -> None:
    """Check that `more` bots can be seated beside `others`, of whom one is the Bean Thief in a solo league."""
    if league.solo and more and others - 1 + more > MAX_BOTS:
        there = f"{others - 1} others play in {league.name}"
        raise RequestError(f"a league of {league.ruleset} is for at most {MAX_BOTS} bots, and {there}")


def _idle(store: Store, name: str) -> League:
    league = store.leagues.get(name)
    if league.id in store.runs.running():
        raise RequestError(
            f"{name} is being run; stop the run (Ctrl-C), try again, and then continue it with 'league run {name}'"
        )
    return league
