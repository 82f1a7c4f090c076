"""Creating, entering and leaving a ladder: everything is checked before anything is stored."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from beanleague import model
from beanleague.games import RULES_VERSION, Ruleset
from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.create import asked_game, check_plays, check_seats, house_anchor, league_limits
from beanleague.league.errors import RequestError
from beanleague.league.schedule import seeds
from beanleague.names import NAME_RULE, is_new_name, parse_bot
from beanleague.store import OwnerError, Store, TakenError

_DAY_S = 86_400.0
_MAX_SEATS = 4  # default maximum of seats
_MAX_NAME = 32
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRequest:
    """A request for a new ladder."""

    name: str
    """Name of the ladder."""
    ruleset: str
    """Id of the ruleset."""
    seats: int = 0
    """Number of bots at a table; 0 for four, or the game's maximum if that is less."""
    ladder: model.Ladder = field(default_factory=model.Ladder)
    """Settings that only ladders have."""
    isolate: bool = False
    """Whether to isolate the bots; see `model.LeagueSettings`."""
    one_cpu: bool = False
    """Whether bots run on one CPU; see `model.LeagueSettings`."""
    anchor: str = ""
    """Bot whose rating is fixed; "" for the first of `create.ANCHORS` that plays."""
    without_house_bots: bool = False
    """Whether the ladder begins without the house bots."""


def create_ladder(store: Store, request: LadderRequest) -> model.League:
    """Create a ladder, with the house bots of its game as its first entries.

    Raises:
        RequestError: if the request is invalid; the message says what to change.
        NameFormatError: if the anchor is not written as "name" or "name@version".
        MissingError: if the anchor does not exist.
        TakenError: if a league of this name exists.
    """
    if not is_new_name(request.name):
        raise RequestError(f"a ladder cannot be called {request.name!r:.60}: {NAME_RULE}")
    game = asked_game(request.ruleset)
    if game.most_seats == 1:
        raise RequestError(f"{game.id} has one seat; a ladder needs a game of two or more")
    seats = request.seats or min(max(_MAX_SEATS, game.least_seats), game.most_seats)
    check_seats(game, seats)
    _check_bounds(request.ladder)
    versions = [] if request.without_house_bots else _house_versions(store, game)
    anchor = _anchor(store, request, game, versions)
    return store.ladders.create(
        model.NewLeague(
            name=request.name,
            ruleset=game.id,
            seats=seats,
            limits=league_limits({}),
            secret=seeds.new_secret(),  # unused: each day has its own secret
            deals=0,
            isolate=request.isolate,
            one_cpu=request.one_cpu,
            versions=tuple(version.id for version in versions),
            format=model.LADDER,
            anchor=anchor,
        ),
        request.ladder,
    )


def _check_bounds(ladder: model.Ladder) -> None:
    for what in ("per_owner", "versions_a_day", "cpu_hours", "megabytes", "share"):
        if not 1 <= (number := getattr(ladder, what)) <= 1000:
            raise RequestError(f"--{what.replace('_', '-')} must be 1 to 1000, not {number}")


def _house_versions(store: Store, game: Ruleset) -> list[model.BotVersion]:
    """Return the versions of a game's house bots, submitting missing bots; skips names that authors have taken."""
    versions = []
    for folder in house_bots(game.id):
        made = read_bundle(pack(folder))
        try:
            versions.append(store.bots.add(made.manifest, made.digest, made.data)[0])
        except OwnerError:
            continue
    return [version for version in versions if not version.owner]


def _anchor(store: Store, request: LadderRequest, game: Ruleset, versions: list[model.BotVersion]) -> tuple[int, ...]:
    """Return the entry whose rating is fixed; an anchor named in the request is entered."""
    if not request.anchor:
        return house_anchor(versions)
    version = store.bots.version(*parse_bot(request.anchor))
    check_plays(version.label, version.manifest.games, game.id)
    if version not in versions:
        versions.append(version)
    return (versions.index(version),)


def ladder_of(store: Store, name: str) -> tuple[model.League, model.Ladder]:
    """Return a ladder.

    Raises:
        MissingError: if no league has this name.
        RequestError: if the league is not a ladder.
    """
    league = store.leagues.get(name)
    if not league.traits.has_entries:
        raise RequestError(f"{name} is a league, not a ladder; see 'ladder list'")
    return league, store.ladders.get(league.id)


def enter(store: Store, name: str, bot: str, author: str = "") -> model.Entrant:
    """Enter a bot into a ladder, for the first time or after a pause or withdrawal; return the entry.

    `author`: name of the caller, "" for an organiser.

    Raises:
        RequestError: if the bot cannot enter; the message gives the reason.
        NameFormatError: if the bot is not written as "name" or "name@version".
        MissingError: if the ladder or the bot does not exist.
        OwnerError: if the bot belongs to another author.
    """
    with store.alone():
        league, ladder = ladder_of(store, name)
        if ladder.state == model.LadderState.CLOSED:
            raise RequestError(f"the ladder {name} is closed: {ladder.reason}")
        version = store.bots.version(*parse_bot(bot))
        _check_owner(version, author)
        check_plays(version.label, version.manifest.games, league.ruleset)
        entrants = store.leagues.entrants(league.id)
        there = next((entrant for entrant in entrants if entrant.version_id == version.id), None)
        if there is not None:
            _check_may_return(there, name, author)
        if version.owner and author:
            more = 0 if there else version.bundle_bytes
            kept = store.ladders.bundle_bytes(league.id, version.owner) + more
            _check_quota(version, ladder, kept, entered_lately(store, league.id, entrants, version.owner), name)
        if there is None:
            number = store.ladders.enter(league.id, version.id)
            return store.leagues.entrants(league.id)[number]
        if there.suspended:
            store.leagues.lift_suspension(league.id, there.number)
        else:
            returns = model.EntryDecision(there, model.ChangeKind.RETURNED, "entered again")
            store.ladders.change(league.id, [returns])
        return there


def _check_may_return(there: model.Entrant, name: str, author: str) -> None:
    """Check that an existing entry of a ladder may be seated again."""
    state = model.state_after(there.last.kind)
    if state.seated:
        raise RequestError(f"{there.label} is already in {name}: it is {state}")
    if state is model.EntryState.REPLACED:
        raise RequestError(f"{there.label} was replaced in {name} by a newer version; enter that")
    if there.last.kind == model.ChangeKind.RESTED:
        raise RequestError(f"{there.label} rests in {name}: {there.last.reason}")
    if there.suspended and author:
        raise RequestError(f"{there.label} is suspended in {name} ({there.suspended}); enter a new version")


def entered_lately(store: Store, league_id: int, entrants: Sequence[model.Entrant], owner: str) -> int:
    """Return the number of versions that an owner entered within 24 hours, repeated entries included."""
    own = [entrant.number for entrant in entrants if entrant.owner == owner]
    return store.changes.count_entries(league_id, own, time.time() - _DAY_S)


def _check_quota(version: model.BotVersion, ladder: model.Ladder, kept: int, lately: int, name: str) -> None:
    if kept > ladder.megabytes * MEGABYTE:
        raise RequestError(
            f"with {version.label} the versions of {version.owner} in {name} would take {kept / MEGABYTE:,.1f} "
            f"MiB; the limit is {ladder.megabytes}"
        )
    if lately >= ladder.versions_a_day:
        raise RequestError(
            f"{version.owner} has entered {ladder.versions_a_day} versions into {name} within a day, which is the "
            "limit; try again tomorrow"
        )


def _check_owner(version: model.BotVersion, author: str) -> None:
    if author and version.owner != author:
        raise OwnerError(f"{version.bot} belongs to another author; only its owner or an organiser may do this")


def leave(store: Store, name: str, bot: str, author: str = "") -> model.Entrant:
    """Take a bot out of a ladder; its results stay. `author`: see `enter`.

    Raises:
        RequestError: if the bot is not in the ladder.
        NameFormatError: if the bot is not written as "name" or "name@version".
        MissingError: if the ladder does not exist.
        OwnerError: if the bot belongs to another author.
    """
    parse_bot(bot)  # the label may be written differently
    with store.alone():
        league, _ = ladder_of(store, name)
        for entrant in reversed(store.leagues.entrants(league.id)):
            state = model.state_after(entrant.last.kind)
            if entrant.is_meant_by(bot) and (state.seated or state is model.EntryState.PAUSED):
                _check_owner(store.bots.version(entrant.bot, entrant.version), author)
                by = f"{author} took it out" if author else "an organiser took it out"
                store.ladders.change(league.id, [model.EntryDecision(entrant, model.ChangeKind.LEFT, by)])
                return entrant
    raise RequestError(f"{bot} does not play in {name}; 'ladder show {name}' lists the bots that do")


def succeed(store: Store, league: model.League) -> str:
    """Replace a ladder that has outdated rules by a new one with the same entries; return its name.

    Closes the old ladder if its game rules or its way of choosing tables are outdated.
    """
    with store.alone():
        return _succeed(store, league)


def _why_closed(league: model.League) -> str:
    if league.rules == RULES_VERSION:
        return "tables are drawn now, since ratings need to know how probable they were"
    return f"the rules have changed from version {league.rules} to {RULES_VERSION}"


def _succeed(store: Store, league: model.League) -> str:
    ladder = store.ladders.get(league.id)
    going = [
        entrant
        for entrant in store.leagues.entrants(league.id)
        if entrant.version_id is not None and (entrant.active or entrant.number in league.anchor)
    ]
    numbers = {entrant.number: place for place, entrant in enumerate(going)}
    base, _, last = league.name.rpartition("-")
    base, number = (base, int(last) + 1) if base and last.isdecimal() else (league.name, 2)
    name = f"{base[: _MAX_NAME - len(str(number)) - 1]}-{number}"
    with suppress(TakenError):  # an interrupted attempt may have created it
        store.ladders.create(
            model.NewLeague(
                **{**league.settings(), "deals": 0, "secret": seeds.new_secret()},
                name=name,
                versions=tuple(entrant.version_id for entrant in going if entrant.version_id is not None),
                format=model.LADDER,
                anchor=tuple(numbers[entrant] for entrant in league.anchor),
            ),
            replace(ladder, state=model.LadderState.OPEN, reason=""),
        )
    reason = f"{_why_closed(league)}; {name} goes on with the same bots"
    store.ladders.set(league.id, state=str(model.LadderState.CLOSED), reason=reason)
    return name


def set_state(store: Store, name: str, state: model.LadderState, reason: str) -> None:
    """Pause, open or close a ladder.

    Raises:
        RequestError: if the ladder was closed already, which is final.
        MissingError: if the ladder does not exist.
    """
    with store.alone():
        league, ladder = ladder_of(store, name)
        if ladder.state == model.LadderState.CLOSED:
            raise RequestError(f"the ladder {name} is closed for good: {ladder.reason}")
        store.ladders.set(league.id, state=str(state), reason=reason)


def set_share(store: Store, name: str, share: int) -> None:
    """Set the share of a server's cores that a ladder gets, relative to other open ladders.

    Raises:
        RequestError: if the share is not 1 to 1000, or the league is not a ladder.
        MissingError: if the ladder does not exist.
    """
    league, ladder = ladder_of(store, name)
    _check_bounds(replace(ladder, share=share))
    store.ladders.set(league.id, share=share)
