"""Shell completion of games, leagues, bots and matches: fast, read-only, silent on errors."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

import click
from click.shell_completion import CompletionItem

from beanleague.cli.connection.session import Session
from beanleague.games.families import FAMILIES
from beanleague.house_folder import house_folders
from beanleague.names import MAX_DEAL, NAME, NameFormatError, parse_match
from beanproto.v1.league_pb2 import ListBotsRequest, ListLeaguesRequest, ListMatchesRequest

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_TIMEOUT_S = 2.0  # timeout of each call to a server
_MAX_VERSIONS = 10_000
_MAX_MATCHES = 100


def games(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of games."""
    return _begin(incomplete, (name for family in FAMILIES for name in family.ruleset_ids))


def leagues(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of leagues."""
    return _begin(incomplete, _names_and_versions(ctx)[0])


def bots(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of bots; after an @, their versions."""
    return _begin(incomplete, _bots(ctx, incomplete))


def opponents(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the last name of a comma-separated list of submitted or house bots."""
    before, comma, last = incomplete.rpartition(",")
    names = _begin(last, sorted({*_bots(ctx, last), *(folder.name for folder in house_folders())}))
    return [f"{before}{comma}{name}" for name in names]


def match_ids(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete ids of matches: of the deal typed, else of the league's newest ones; before a "/", names of leagues."""
    league, slash, place = incomplete.partition("/")
    try:
        with _asking(ctx) as stub:
            if not slash:
                names = _begin(league, _league_names(stub))
                if len(names) != 1:
                    return [f"{name}/" for name in names]
                (league,) = names
            return _begin(incomplete, _ids_in(stub, league, place.partition(".")[0]))
    except click.ClickException:
        return []


def sources(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete ids of matches; if none fits, the shell completes files and folders."""
    found = match_ids(ctx, param, incomplete)
    return [CompletionItem(match) for match in found] or [CompletionItem(incomplete, type="file")]


def bundles(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the names of house bots; if none fits, the shell completes files and folders."""
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
    """Return leagues and bot versions from the database or server given on the command line."""
    try:
        with _asking(ctx) as stub:
            leagues = _league_names(stub)
            bots = stub.ListBots(ListBotsRequest(), timeout=_TIMEOUT_S).bots
    except click.ClickException:
        return (), ()
    versions = ((bot.name, number) for bot in bots if NAME.fullmatch(bot.name) for number in range(1, bot.version + 1))
    return leagues, tuple(islice(versions, _MAX_VERSIONS))


@contextmanager
def _asking(ctx: click.Context) -> "Iterator[LeagueStub]":
    """Connect to the command line's database or server. Names from an untrusted server are not passed to the shell.

    Raises:
        click.ClickException: there is no database, or a call fails.
    """
    session: Session = ctx.obj
    url = "" if session.server else session.store_url(create=False)
    file = url.removeprefix("sqlite:///")
    if file != url and not Path(os.fsdecode(unquote_to_bytes(file))).is_file():
        raise click.ClickException("there is no database")  # opening a missing database would create it
    with session.league() as stub:
        yield stub


def _league_names(stub: "LeagueStub") -> list[str]:
    found = stub.ListLeagues(ListLeaguesRequest(), timeout=_TIMEOUT_S).leagues
    return [league.name for league in found if NAME.fullmatch(league.name)]


def _ids_in(stub: "LeagueStub", league: str, deal: str) -> Iterator[str]:
    """Yield ids of a league's matches, newest first. `deal`: digits typed of a deal's number."""
    number = int(deal) if deal.isascii() and deal.isdecimal() else 0
    if number > MAX_DEAL:
        return
    asked = ListMatchesRequest(league=league, deal=number, newest_first=not number, limit=_MAX_MATCHES)
    for found in stub.ListMatches(asked, timeout=_TIMEOUT_S).matches:
        with suppress(NameFormatError):
            parse_match(found.match)
            yield found.match
