"""Shell completion of games, leagues and bots: fast, read-only, silent on errors."""

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import unquote_to_bytes

import click
from click.shell_completion import CompletionItem

from beanleague.cli.connection.session import Session
from beanleague.games.families import FAMILIES
from beanleague.house_folder import house_folders
from beanleague.names import NAME
from beanproto.v1.league_pb2 import ListBotsRequest, ListLeaguesRequest

_TIMEOUT_S = 2.0  # of each call to a server
_MAX_VERSIONS = 10_000


def games(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the games with this prefix."""
    return _begin(incomplete, (name for family in FAMILIES for name in family.ruleset_ids))


def leagues(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the leagues with this prefix."""
    return _begin(incomplete, _names_and_versions(ctx)[0])


def bots(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the bots with this prefix; after an @, their versions."""
    return _begin(incomplete, _bots(ctx, incomplete))


def opponents(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return submitted and house bots for the last name of a comma-separated list."""
    before, comma, last = incomplete.rpartition(",")
    names = _begin(last, sorted({*_bots(ctx, last), *(folder.name for folder in house_folders())}))
    return [f"{before}{comma}{name}" for name in names]


def bundles(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the house bots with this prefix; without any, the shell completes files and folders."""
    names = _begin(incomplete, (folder.name for folder in house_folders())) if incomplete else []
    return [CompletionItem(name) for name in names] or [CompletionItem(incomplete, type="file")]


def _begin(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _bots(ctx: click.Context, incomplete: str) -> Iterable[str]:
    versions = _names_and_versions(ctx)[1]
    if "@" in incomplete:
        return [f"{name}@{number}" for name, number in versions]
    return dict.fromkeys(name for name, _ in versions)


def _names_and_versions(ctx: click.Context) -> tuple[Sequence[str], Sequence[tuple[str, int]]]:
    """Return the leagues and bot versions of the command line's database or server."""
    session: Session = ctx.obj
    try:
        url = "" if session.server else session.store_url(create=False)
        file = url.removeprefix("sqlite:///")
        if file != url and not Path(os.fsdecode(unquote_to_bytes(file))).is_file():
            return (), ()  # opening a missing file would create it
        with session.league() as stub:
            leagues = [league.name for league in stub.ListLeagues(ListLeaguesRequest(), timeout=_TIMEOUT_S).leagues]
            bots = stub.ListBots(ListBotsRequest(), timeout=_TIMEOUT_S).bots
    except click.ClickException:
        return (), ()
    # Names from an untrusted server must not reach the shell.
    versions = ((bot.name, number) for bot in bots if NAME.fullmatch(bot.name) for number in range(1, bot.version + 1))
    return tuple(filter(NAME.fullmatch, leagues)), tuple(islice(versions, _MAX_VERSIONS))
