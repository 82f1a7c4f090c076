"""Friendly matches: a request becomes a checked task for the referee. Nothing is stored."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from beanleague.games import Option, Ruleset
from beanleague.games.core.game import suggestion
from beanleague.house_folder import house_folder, house_folders
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.manifest import MANIFEST, parse_manifest
from beanleague.league.bots.reading import read_folder
from beanleague.league.create import asked_game, check_options, check_plays, check_seats
from beanleague.league.errors import RequestError
from beanleague.names import parse_bot
from beanleague.referee.messages import GUEST, BotSpec, MatchTask
from beanleague.store import MissingError, Store

GUEST_NAME = "guest"
"""Name of the guest in records."""

_MAX_SEED_BYTES = 64
_LUCK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Friendly:
    """Request for a friendly match."""

    ruleset: str
    """Id of the ruleset."""
    seats: tuple[str, ...]
    """Per seat, a bot as "name" or "name@version"; "" once, for the guest."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Options of the game."""
    seed: bytes = b""
    """Seed of all chance; empty for a random seed."""


def set_table(store: Store, cache: BundleCache, friendly: Friendly) -> tuple[tuple[BotSpec, ...], MatchTask]:
    """Return the bots and the task of a friendly match. House bots need not have been submitted.

    Raises:
        RequestError: if the request is invalid; the message says what to change.
        NameFormatError: if a bot is not written as "name" or "name@version".
        MissingError: if a bot does not exist.
        LeagueError: if a bot cannot be unpacked.
    """
    game = asked_game(friendly.ruleset)
    check_seats(game, len(friendly.seats))
    check_options(game, len(friendly.seats), friendly.options)
    if friendly.seats.count("") != 1:
        raise RequestError(f"exactly one seat must be the guest's, not {friendly.seats.count('')}")
    if len(friendly.seed) > _MAX_SEED_BYTES:
        raise RequestError(f"the seed has {len(friendly.seed)} bytes; it may have {_MAX_SEED_BYTES}")
    named = sorted(set(friendly.seats) - {""})
    bots = {name: _bot(store, cache, game, name, number) for number, name in enumerate(named)}
    numbers = {"": GUEST} | {name: bot.number for name, bot in bots.items()}
    names = {"": GUEST_NAME} | {name: bot.name for name, bot in bots.items()}
    task = MatchTask(
        id=0,
        ruleset=game.id,
        seed=friendly.seed or secrets.token_bytes(32),
        bots=tuple(numbers[seat] for seat in friendly.seats),
        luck=tuple(secrets.token_bytes(_LUCK_BYTES) for _ in friendly.seats),
        lane=0,
        options=friendly.options,
        names=tuple(names[seat] for seat in friendly.seats),
        label="friendly",
    )
    return tuple(bots.values()), task


def _bot(store: Store, cache: BundleCache, game: Ruleset, text: str, number: int) -> BotSpec:
    name, version_number = parse_bot(text)
    try:
        version = store.bots.version(name, version_number)
    except MissingError:
        if version_number is None and (house := _house_bot(name, game, number)):
            return house
        known = {version.bot for version in store.bots.newest(hidden=True)}
        if name in known:  # the bot exists, but not in this version
            raise
        there = suggestion(name, sorted(known | {folder.name for folder in house_folders()}))
        raise MissingError(f"there is no bot {name!r}; {there}") from None
    check_plays(version.label, version.manifest.games, game.id)
    return cache.bot(number, version, store.bots.bundle)


def _house_bot(name: str, game: Ruleset, number: int) -> BotSpec | None:
    """Return the installed house bot of this name; None if there is none."""
    folder = house_folder(name)
    if folder is None:
        return None
    manifest = parse_manifest((folder / MANIFEST).read_bytes(), read_folder(folder).keys())
    check_plays(name, manifest.games, game.id)
    return BotSpec(number, name, str(folder), manifest.command)
