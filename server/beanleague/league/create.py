"""Creation of leagues, and changes of their entrants: everything is checked before anything is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from beanleague import model
from beanleague.games import GameError, Option, Ruleset, new_game, ruleset
from beanleague.games.core.game import suggestion
from beanleague.league.errors import RequestError
from beanleague.league.schedule import owners, seeds
from beanleague.league.schedule.schedule import MAX_CYCLE, count_tables
from beanleague.league.schedule.tables import MAX_BOTS
from beanleague.names import NAME_RULE, is_new_name, parse_bot
from beanleague.referee.messages import Limits
from beanleague.store import Store

_MAX_REASON = 200  # maximum length of a reason in characters
MAX_DEALS = 1_000_000

_RANGES = {
    "move_ms": (1, 3_600_000),
    "bank_ms": (0, 86_400_000),
    "match_ms": (1, 86_400_000),
    "strikes": (0, 10_000),
    "connect_ms": (1, 600_000),
    "memory_bytes": (64 * 2**20, 2**40),  # a Python bot with gRPC takes 40 MiB
    "processes": (16, 10_000),  # threads count, too, and gRPC has some
    "scratch_bytes": (2**12, 2**34),
    "stderr_bytes": (0, 2**30),
    "message_bytes": (2**10, 2**26),
}
ANCHORS = ("trader", "duelist", "gardener", "dicer")
"""House bots that can be the anchor (the bot with a fixed rating), in order of preference: strong, but beatable."""
ALL_SEATINGS_AT = 3
"""Number of seats for which all seatings are played: with two seats rotations already cover them, with four a deal
would have 24 matches."""


def asked_game(name: str) -> Ruleset:
    """Return the game of a request.

    Raises:
        RequestError: if the name is unknown.
    """
    try:
        return ruleset(name)
    except GameError as unknown:
        raise RequestError(str(unknown)) from None


def check_plays(bot: str, games: Sequence[str], game: str) -> None:
    """Check that a bot plays a game, given the games of its manifest.

    Raises:
        RequestError: if the game is not listed.
    """
    if game not in games:
        raise RequestError(f"{bot} does not play {game}; its bot.toml lists {', '.join(games)}")


def house_anchor(versions: Sequence[model.BotVersion]) -> tuple[int, ...]:
    """Return the default anchor, the entrant with a fixed rating: the first of `ANCHORS` that plays."""
    entered = {version.bot: number for number, version in enumerate(versions)}
    return next(((entered[bot],) for bot in ANCHORS if bot in entered), ())


def create_league(store: Store, request: model.LeagueRequest) -> model.League:
    """Create a league.

    Raises:
        RequestError: if the request is invalid; the message says what to change.
        NameFormatError: if a bot is not written as "name" or "name@version".
        MissingError: if a bot does not exist.
        TakenError: if a league of this name exists.
    """
    if not is_new_name(request.name):
        raise RequestError(f"a league cannot be called {request.name!r:.60}: {NAME_RULE}")
    game = asked_game(request.ruleset)
    versions = _entrants(store, request, game)
    seats = request.seats or min(len(versions), game.most_seats)
    _check_seats(game, request.seats, seats, len(versions))
    check_options(game, seats, request.options)
    if request.all_seatings and seats != ALL_SEATINGS_AT:
        raise RequestError(f"all seatings can be played only with {ALL_SEATINGS_AT} seats, not with {seats}")
    limits = league_limits(request.limits)
    deals = _deals(request, versions, seats)
    secret = _master_secret(request.secret)
    named = request.anchor or request.gauntlet
    settings = {
        **request.settings(),
        "ruleset": game.id,
        "seats": seats,
        "limits": limits,
        "secret": secret,
        "deals": deals,
    }
    return store.leagues.create(
        model.NewLeague(
            name=request.name,
            versions=tuple(version.id for version in versions),
            format=model.GAUNTLET if request.gauntlet else model.LEAGUE,
            hero=_number(request.gauntlet, versions) if request.gauntlet else None,
            # in a gauntlet the other bots meet the hero most often, so intervals are narrowest with it as the anchor
            anchor=(_number(named, versions),) if named else house_anchor(versions),
            **settings,
        )
    )


def _number(bot: str, versions: Sequence[model.BotVersion]) -> int:
    """Return the entrant number of a bot."""
    name, number = parse_bot(bot)
    for entrant in reversed(range(len(versions))):
        if versions[entrant].bot == name and number in {None, versions[entrant].number}:
            return entrant
    raise RequestError(f"{bot} is not among the bots of the league; name it with the others")


def _entrants(store: Store, request: model.LeagueRequest, game: Ruleset) -> tuple[model.BotVersion, ...]:
    if not request.bots:
        return tuple(version for version in store.bots.newest() if game.id in version.manifest.games)
    versions: dict[int, model.BotVersion] = {}
    for text in dict.fromkeys((*request.bots, *filter(None, [request.gauntlet]))) if request.gauntlet else request.bots:
        version = store.bots.version(*parse_bot(text))
        check_plays(version.label, version.manifest.games, game.id)
        if version.id in versions:
            raise RequestError(f"{version.label} is named twice; a version can enter a league only once")
        versions[version.id] = version
    return tuple(versions.values())


def _check_seats(game: Ruleset, requested: int, seats: int, bots: int) -> None:
    if requested:
        check_seats(game, requested)
    if game.most_seats == 1 and bots > MAX_BOTS:
        raise RequestError(
            f"a league of {game.id} can have at most {MAX_BOTS} bots, not {bots}; name the bots that play"
        )
    least = max(seats, game.least_seats)
    if bots < least:
        need = f"{least} seats need at least {least} bots" if least > 1 else "a league needs at least 1 bot"
        raise RequestError(f"{need} that play{'s' * (least == 1)} {game.id}, but there are {bots}; submit or name more")


def check_seats(game: Ruleset, seats: int) -> None:
    """Check the number of seats of a game.

    Raises:
        RequestError: if the game does not allow it.
    """
    if not game.least_seats <= seats <= game.most_seats:
        allowed = " to ".join(map(str, sorted({game.least_seats, game.most_seats})))
        seat = "seat" if game.most_seats == 1 else "seats"
        raise RequestError(f"{game.id} is for {allowed} {seat}, not {seats}")


def check_options(game: Ruleset, seats: int, options: Mapping[str, Option]) -> None:
    """Check the options of a game.

    Raises:
        RequestError: if an option is unknown, or its value is invalid.
    """
    for name in options:
        if name not in game.options:
            raise RequestError(f"{game.id} has no option {name!r}; {suggestion(name, sorted(game.options))}")
    try:
        new_game(game.id, seats=seats, seed=b"options", options=options)
    except GameError as bad:
        raise RequestError(str(bad)) from None


def league_limits(requested: Mapping[str, int]) -> dict[str, int]:
    """Return all limits of a league: as `requested`, else the defaults.

    Raises:
        RequestError: if a limit is out of range.
    """
    defaults = asdict(Limits())
    limits = {name: requested.get(name, defaults[name]) for name in _RANGES}
    for name, (least, most) in _RANGES.items():
        if not least <= limits[name] <= most:
            raise RequestError(f"the limit {name} must be {least} to {most}, not {limits[name]}")
    return limits


def _master_secret(requested: bytes) -> bytes:
    """Return the master secret for a new league: the requested one, else a random one."""
    if not requested:
        return seeds.new_secret()
    if not model.MIN_SECRET_BYTES <= len(requested) <= model.MAX_SECRET_BYTES:
        allowed = f"{model.MIN_SECRET_BYTES} to {model.MAX_SECRET_BYTES}"
        raise RequestError(f"the master secret has {len(requested)} bytes; it must have {allowed}")
    return requested


def _different_tables(request: model.LeagueRequest, versions: Sequence[model.BotVersion], seats: int) -> int:
    """Return the number of different tables, which is the number of deals to play each table once."""
    groups = owners.groups_of(["" if request.mix_owners else version.owner for version in versions])
    if not request.gauntlet:
        return count_tables(groups, seats) if seats > 1 else 1  # in a solo league every bot plays every deal
    if seats == 1:
        raise RequestError(f"{request.ruleset} has one seat, so its leagues cannot be gauntlets")
    hero = _number(request.gauntlet, versions)
    others = [group for group in groups if group != groups[hero]]
    field = others if len(set(others)) >= seats - 1 else [*groups[:hero], *groups[hero + 1 :]]
    return count_tables(field, seats - 1)


def _deals(request: model.LeagueRequest, versions: Sequence[model.BotVersion], seats: int) -> int:
    """Return the number of deals: as requested, or enough to play each table `repeats` times, by default once."""
    tables = _different_tables(request, versions, seats)
    if not request.deals and tables > MAX_CYCLE:
        raise RequestError(
            f"{len(versions)} bots make {tables} tables of {seats}, too many to play all; set a number of deals"
        )
    deals = request.deals or tables * (request.repeats or 1)
    if deals > MAX_DEALS:
        raise RequestError(f"{deals} deals are too many; a league has at most {MAX_DEALS}")
    return deals


def join(store: Store, name: str, bots: Sequence[str], deals: int = 0) -> model.League:
    """Add bots to a league, also during a run, and raise its number of deals to `deals`; 0 keeps the number.

    A newer version of a bot replaces the older one. A bot that already plays may be named if deals are added.

    Raises:
        RequestError: if a bot cannot join; the message gives the reason.
        NameFormatError: if a bot is not written as "name" or "name@version".
        MissingError: if the league or a bot does not exist.
    """
    with store.alone():
        return _join(store, name, bots, deals)


def _join(store: Store, name: str, bots: Sequence[str], deals: int) -> model.League:
    league = store.leagues.get(name)
    if league.traits.compares:
        raise RequestError(f"{name} is a comparison, to which no bots can be added; start another comparison")
    if league.traits.has_entries:
        raise RequestError(f"{name} is a ladder; enter bots with 'ladder enter {name} BOT'")
    newcomers = _Newcomers(league, store.leagues.entrants(league.id))
    for text in bots:
        version = store.bots.version(*parse_bot(text))
        check_plays(version.label, version.manifest.games, league.ruleset)
        if not (deals > league.deals and newcomers.seated(version)):
            newcomers.add(version)
    _check_room(league, newcomers.others, len(newcomers.versions))
    if deals and deals < league.deals:
        raise RequestError(f"{name} has {league.deals} deals; this number can only be raised")
    if deals > MAX_DEALS:
        raise RequestError(f"{deals} deals are too many; a league has at most {MAX_DEALS}")
    store.leagues.add(league.id, newcomers.versions, deals or league.deals)
    return store.leagues.get(name)


class _Newcomers:
    """Versions that join a league together, each checked against the entrants."""

    def __init__(self, league: model.League, entrants: Sequence[model.Entrant]) -> None:
        self._league = league
        self._entrants = {entrant.version_id: entrant for entrant in entrants}
        self._hero = entrants[league.hero].bot if league.hero is not None else None
        self._bots: set[str] = set()
        self.versions: list[int] = []
        """`BotVersion.id` of each."""

    @property
    def others(self) -> int:
        """Number of seated entrants that the newcomers do not replace."""
        return sum(entrant.active and entrant.bot not in self._bots for entrant in self._entrants.values())

    def seated(self, version: model.BotVersion) -> bool:
        """Return whether a version plays in the league now."""
        return version.id in self._entrants and self._entrants[version.id].active

    def add(self, version: model.BotVersion) -> None:
        """Add a version.

        Raises:
            RequestError: if the version has joined before, or would replace the hero of a gauntlet.
        """
        name = self._league.name
        if version.id in self._entrants and not self.seated(version):
            raise RequestError(f"{version.label} is no longer seated in {name}; add a newer version")
        if version.id in self._entrants or version.id in self.versions:
            raise RequestError(f"{version.label} already plays in {name}; to add deals, use --deals")
        if version.bot == self._hero:
            raise RequestError(
                f"{version.bot} sits at every table of the gauntlet {name}; create another gauntlet for its new version"
            )
        self.versions.append(version.id)
        self._bots.add(version.bot)


def suspend(store: Store, name: str, bot: str, reason: str, *, for_good: bool = False) -> model.League:
    """Suspend a bot until the suspension is lifted. A run drops scheduled deals with it that have not begun.

    `for_good`: remove it from the league or ladder, where its results stay; a newer version may join.

    Raises:
        RequestError: if the bot is not seated or is the hero of a gauntlet, or the reason is invalid.
        NameFormatError: if the bot is not written as "name" or "name@version".
        MissingError: if the league does not exist.
    """
    if not 0 < len(reason.strip()) <= _MAX_REASON or not reason.isprintable():
        raise RequestError(f"a reason must have 1 to {_MAX_REASON} characters on one line")
    parse_bot(bot)  # raises an error if the name is malformed
    with store.alone():
        league = store.leagues.get(name)
        entrant = _seated(store, league, bot)
        if entrant.number == league.hero:
            raise RequestError(f"{bot} sits at every table of the gauntlet {name}; hide the league instead")
        if for_good:
            why = f"an organiser took it out ({reason.strip()})"
            store.ladders.change(league.id, [model.EntryDecision(entrant, model.ChangeKind.LEFT, why)])
        else:
            store.leagues.suspend(league.id, entrant.number, reason.strip())
        return store.leagues.get(name)


def _seated(store: Store, league: model.League, bot: str) -> model.Entrant:
    """Return the seated entrant called "name" or "name@version"."""
    for entrant in store.leagues.entrants(league.id):
        if entrant.active and entrant.version_id and entrant.is_meant_by(bot):
            return entrant
    raise RequestError(f"{bot} is not seated in {league.name}; 'standings {league.name}' lists the bots that are")


def lift_suspension(store: Store, name: str, bot: str) -> model.League:
    """Lift the suspension of a bot, also during a run.

    Raises:
        RequestError: if the bot is not suspended, or the league is full.
        NameFormatError: if the bot is not written as "name" or "name@version".
        MissingError: if the league does not exist.
    """
    parse_bot(bot)  # raises an error if the name is malformed
    with store.alone():
        league = store.leagues.get(name)
        suspended = (entrant for entrant in store.leagues.entrants(league.id) if entrant.suspended)
        lifted = [entrant for entrant in suspended if entrant.is_meant_by(bot)]
        if not lifted:
            raise RequestError(f"{bot} is not suspended in {name}; 'league show {name}' lists the bots that are")
        _check_room(league, league.seated, len(lifted))
        for entrant in lifted:
            store.leagues.lift_suspension(league.id, entrant.number)
        return store.leagues.get(name)


def _check_room(league: model.League, others: int, more: int) -> None:
    """Check that `more` bots can join `others` entrants, the Bean Thief of a solo league included."""
    if league.solo and more and others - 1 + more > MAX_BOTS:
        there = f"{others - 1} others play in {league.name}"
        raise RequestError(f"a league of {league.ruleset} can have at most {MAX_BOTS} bots, and {there}")
