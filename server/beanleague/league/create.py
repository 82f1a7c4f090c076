"""Setting up a league: everything is checked before anything is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import comb

from beanleague.games import GameError, Ruleset, new_game, ruleset
from beanleague.league.bots.house_bots import house_names
from beanleague.league.bots.manifest import NAME, NAME_RULE
from beanleague.league.errors import RequestError
from beanleague.league.schedule import seeds
from beanleague.league.schedule.schedule import MAX_CYCLE
from beanleague.league.schedule.solo import MOST_BOTS
from beanleague.model import GAUNTLET, LEAGUE, BotVersion, League, NewLeague
from beanleague.referee.messages import Limits
from beanleague.store.store import Store

MOST_DEALS = 1_000_000

_RANGES = {
    "move_ms": (1, 3_600_000),
    "bank_ms": (0, 86_400_000),
    "strikes": (0, 10_000),
    "connect_ms": (1, 600_000),
    "memory_bytes": (64 * 2**20, 2**40),  # a Python bot with gRPC takes 40 MiB
    "processes": (16, 10_000),  # of which gRPC's threads are some
    "scratch_bytes": (2**12, 2**34),
    "stderr_bytes": (0, 2**30),
    "message_bytes": (2**10, 2**26),
}
_ALL_SEATINGS_AT = 3  # two seats have no other seatings than rotations; at four a deal would have 24 matches


@dataclass(frozen=True, slots=True)
class Wish:
    """A league somebody wants.

    `seats`: 0 for as many as there are bots, up to the most the game takes. `bots`: "name" or "name@version"; none for
    the newest version of every bot that plays the game. `deals`: how many; or `repeats`: every table so many times;
    with neither, every table once. `limits`: those that are not the default. `secret`: b"" for a random one.
    `gauntlet`: a bot that sits at every table; "" for a league of all against all. `anchor`: the bot whose rating is
    fixed; "" for the mean of the house bots, if any play, else of all. `all_seatings`: play a deal in all six orders
    of three bots.
    """

    name: str
    ruleset: str
    seats: int = 0
    bots: tuple[str, ...] = ()
    deals: int = 0
    repeats: int = 0
    options: Mapping[str, int | str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    secret: bytes = b""
    show_names: bool = False
    gauntlet: str = ""
    anchor: str = ""
    all_seatings: bool = False


def found(store: Store, wish: Wish) -> League:
    """Make a league.

    Raises:
        RequestError: it cannot be made as wished; the message says what to change.
        MissingError: there is no such bot.
        TakenError: there is a league of that name.
    """
    if not NAME.fullmatch(wish.name):
        raise RequestError(f"a league cannot be called {wish.name!r:.60}: {NAME_RULE}")
    try:
        game = ruleset(wish.ruleset)
    except GameError as unknown:
        raise RequestError(str(unknown)) from None
    versions = _entrants(store, wish, game)
    seats = wish.seats or min(len(versions), game.most_seats)
    _check_seats(game, wish.seats, seats, len(versions))
    _check_options(game, seats, wish.options)
    if wish.all_seatings and seats != _ALL_SEATINGS_AT:
        raise RequestError(f"deals are played in all seatings at tables of {_ALL_SEATINGS_AT}, not of {seats}")
    limits = league_limits(wish.limits)
    deals = _deals(wish, len(versions), seats)
    if wish.secret and not seeds.LEAST_BYTES <= len(wish.secret) <= seeds.MOST_BYTES:
        allowed = f"{seeds.LEAST_BYTES} to {seeds.MOST_BYTES}"
        raise RequestError(f"the master secret has {len(wish.secret)} bytes; it must have {allowed}")
    return store.leagues.create(
        NewLeague(
            name=wish.name,
            ruleset=game.id,
            seats=seats,
            options=wish.options,
            limits=limits,
            secret=wish.secret or seeds.new_secret(),
            deals=deals,
            show_names=wish.show_names,
            versions=tuple(version.id for version in versions),
            format=GAUNTLET if wish.gauntlet else LEAGUE,
            hero=_number(wish.gauntlet, versions) if wish.gauntlet else None,
            all_seatings=wish.all_seatings,
            anchor=(_number(wish.anchor, versions),) if wish.anchor else _house(versions),
        )
    )


def _number(bot: str, versions: Sequence[BotVersion]) -> int:
    """Return which entrant a bot is."""
    name, number = parse_bot(bot)
    for entrant in reversed(range(len(versions))):
        if versions[entrant].bot == name and number in {None, versions[entrant].number}:
            return entrant
    raise RequestError(f"{bot} is not among the bots of the league; name it with the others")


def _house(versions: Sequence[BotVersion]) -> tuple[int, ...]:
    """Return which entrants are house bots."""
    house = house_names()
    return tuple(entrant for entrant, version in enumerate(versions) if version.bot in house)


def parse_bot(text: str) -> tuple[str, int | None]:
    """Return the name and the version of "name" (version None: the newest) or "name@version".

    Raises:
        RequestError: it is neither.
    """
    name, at, version = text.partition("@")
    if not NAME.fullmatch(name) or (at and not (version.isascii() and version.isdecimal() and 0 < len(version) < 10)):
        raise RequestError(f'{text!r:.80} is not a bot; write it as "name" or "name@version", e.g. trader@2')
    return name, int(version) if at else None


def _entrants(store: Store, wish: Wish, game: Ruleset) -> tuple[BotVersion, ...]:
    if not wish.bots:
        return tuple(version for version in store.bots.newest() if game.id in version.manifest.games)
    versions: dict[int, BotVersion] = {}
    for text in dict.fromkeys((*wish.bots, *filter(None, [wish.gauntlet]))) if wish.gauntlet else wish.bots:
        version = store.bots.version(*parse_bot(text))
        told = f"{version.bot}@{version.number}"
        if game.id not in version.manifest.games:
            raise RequestError(
                f"{told} does not play {game.id}; by its bot.toml it plays {', '.join(version.manifest.games)}"
            )
        if version.id in versions:
            raise RequestError(f"{told} is entered twice; a version has one place in a league")
        versions[version.id] = version
    return tuple(versions.values())


def _check_seats(game: Ruleset, wished: int, seats: int, bots: int) -> None:
    if wished and not game.least_seats <= wished <= game.most_seats:
        allowed = " to ".join(map(str, sorted({game.least_seats, game.most_seats})))
        seat = "seat" if game.most_seats == 1 else "seats"
        raise RequestError(f"{game.id} is for {allowed} {seat}, not {wished}")
    if game.most_seats == 1 and bots > MOST_BOTS:
        raise RequestError(f"a league of {game.id} is for at most {MOST_BOTS} bots, and there are {bots}; name some")
    least = max(seats, game.least_seats)
    if bots < least:
        need = f"{least} seats need at least {least} bots" if least > 1 else "a league needs at least 1 bot"
        raise RequestError(f"{need} that play{'s' * (least == 1)} {game.id}, and there are {bots}; submit or name more")


def _check_options(game: Ruleset, seats: int, options: Mapping[str, int | str]) -> None:
    for name in options:
        if name not in game.options:
            known = ", ".join(sorted(game.options)) or "none"
            raise RequestError(f"{game.id} has no option {name!r}; there are: {known}")
    try:
        new_game(game.id, seats=seats, seed=b"options", options=options)
    except GameError as bad:
        raise RequestError(str(bad)) from None


def league_limits(wished: Mapping[str, int]) -> dict[str, int]:
    """Return every limit a league sets, `wished` or usual.

    Raises:
        RequestError: one is out of its range.
    """
    usual = asdict(Limits())
    limits = {name: wished.get(name, usual[name]) for name in _RANGES}
    for name, (least, most) in _RANGES.items():
        if not least <= limits[name] <= most:
            raise RequestError(f"the limit {name} must be {least} to {most}, not {limits[name]}")
    return limits


def _deals(wish: Wish, bots: int, seats: int) -> int:
    tables = comb(bots, seats) if seats > 1 else 1  # in a solo league every bot plays every deal
    if wish.gauntlet:
        if seats == 1:
            raise RequestError(f"{wish.ruleset} is for one seat: its leagues have no tables for a gauntlet")
        tables = comb(bots - 1, seats - 1)
    if not wish.deals and tables > MAX_CYCLE:
        raise RequestError(f"{bots} bots make {tables} tables of {seats}, too many to play all; say how many deals")
    deals = wish.deals or tables * (wish.repeats or 1)
    if deals > MOST_DEALS:
        raise RequestError(f"{deals} deals are too many; a league has at most {MOST_DEALS}")
    return deals
