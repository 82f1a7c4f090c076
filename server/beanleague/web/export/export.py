"""The whole site as files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException

from beanleague.web.app import STATIC
from beanleague.web.bundle import bundled
from beanleague.web.export.addresses import file_of, with_relative_links
from beanleague.web.export.folder import SiteFolder
from beanleague.web.export.matches import MatchPages
from beanleague.web.export.pages import Pages
from beanproto.v1.league_pb2 import ListLeaguesRequest
from beanproto.v1.league_pb2_grpc import LeagueStub

_CONTENTS = "site.json"  # which leagues' matches were written, and how they look
_FORMAT = "beanleague site"


class ExportError(Exception):
    """The site cannot be written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was written."""

    files: int
    """Files that are new or changed."""
    bytes: int
    """Their size."""
    matches: int
    """Pages of matches among them."""
    dead: tuple[str, ...]
    """Addresses that are linked, but where the service has nothing."""


def export(stub: LeagueStub, target: Path, progress: Callable[[int, int], None] = lambda _, __: None) -> Counts:
    """Write the site of a service into a folder, which may hold an earlier state of it.

    Each file is whole at every moment; what is there already is not written again. If it is interrupted, the next call
    continues. `progress` is called with the number of matches written and of all that are to be written.

    Raises:
        ExportError: the folder has other files, or somebody else is writing it.
        OSError: a file cannot be written.
        grpc.RpcError: a call failed.
        WireError: a record cannot be read.
    """
    folder = SiteFolder(target)
    with folder.locked() as alone:
        if not alone:
            raise ExportError(f"{target} is being written by another process; wait for it to end")
        contents = _contents(target)
        _keep(folder, contents)  # first: it says that the folder is a site's
        pages = Pages(stub)
        dead, linked = asyncio.run(_write_pages(pages, folder))
        writer = MatchPages(stub, pages, folder)
        matches = 0
        looks = writer.looks(linked.add)
        _write_static(folder, {address for address in linked if address.startswith("/static/")})
        leagues = stub.ListLeagues(ListLeaguesRequest()).leagues
        _put_away(folder, contents, linked, {league.name for league in leagues})
        for league in leagues:
            if file_of(f"/matches/{league.name}") is None:  # never a folder elsewhere, whatever a server says
                raise ExportError(f"{league.name[:80]!r} is not the name of a league")
            made_from = f"{looks} {league.created.ToNanoseconds()}"
            if contents.get(league.name) != made_from:
                folder.remove(f"matches/{league.name}")
                contents[league.name] = made_from
                _keep(folder, contents)
            missing = writer.missing(league.name)
            for number, info in enumerate(missing, 1):
                writer.write(info)
                progress(number, len(missing))
            matches += len(missing)
        return Counts(folder.written, folder.bytes, matches, dead)


def _contents(target: Path) -> dict[str, str]:
    """Return what an earlier call has left: by league, what the pages of its matches were made from.

    A league's pages are made from the league, which may be another one of the same name, and from the looks of pages.
    """
    try:
        data = json.loads((target / _CONTENTS).read_bytes())
        return {str(name): str(made_from) for name, made_from in data[_FORMAT].items()}
    except FileNotFoundError:
        if any(target.iterdir()):
            raise ExportError(f"{target} has files that are not of a site; choose an empty or a new folder") from None
        return {}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ExportError(f"{target / _CONTENTS} is damaged; choose a new folder") from None


def _put_away(folder: SiteFolder, contents: dict[str, str], linked: Iterable[str], shown: Collection[str]) -> None:
    """Remove what was written earlier and is hidden now: pages without a link, and matches of leagues not `shown`."""
    pages = {file_of(address) for address in linked}
    for home in ("bots", "leagues"):
        for file in [file for file in (folder.root / home).rglob("*") if file.is_file()]:
            if file.relative_to(folder.root).as_posix() not in pages:
                file.unlink()
    for name in [name for name in contents if name not in shown and file_of(f"/matches/{name}")]:
        folder.remove(f"matches/{name}")
        del contents[name]
        _keep(folder, contents)


def _keep(folder: SiteFolder, contents: Mapping[str, str]) -> None:
    folder.write(_CONTENTS, json.dumps({_FORMAT: contents}, sort_keys=True, indent=1).encode())


def _write_static(folder: SiteFolder, linked: Iterable[str]) -> None:
    """Write styles, icons and scripts, each with the modules that it imports: browsers load no modules from a disk."""
    for address in linked:
        name = address.removeprefix("/static/")
        data = bundled(STATIC / name).encode() if name.endswith(".js") else (STATIC / name).read_bytes()
        folder.write(f"static/{name}", data)


async def _write_pages(pages: Pages, folder: SiteFolder) -> tuple[tuple[str, ...], set[str]]:
    """Write the first page and all to which links lead, but those of matches and what is not a page.

    Returns the links that lead nowhere, and all links.
    """
    todo, known, dead = ["/"], {"/"}, []

    def found(address: str) -> None:
        if address not in known:
            known.add(address)
            if not address.startswith(("/static/", "/matches/")):
                todo.append(address)

    while todo:
        address = todo.pop()
        file = file_of(address)
        assert file is not None
        try:
            answer = await pages.get(address)
        except HTTPException:
            dead.append(address)
            continue
        body = answer.body
        if answer.kind.startswith("text/html"):
            body = with_relative_links(body.decode(), file, found).encode()
        folder.write(file, body)
    return tuple(dead), known
