"""Export of the whole site as files for any static host, and of a history picture as a file."""

import asyncio
import fcntl
import hashlib
import html
import json
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.types import Message

from beanleague.answers import matches
from beanleague.names import DEVICES, below
from beanleague.web.app import make_app
from beanleague.web.charts import history_chart
from beanleague.web.pages.match import match_summary
from beanleague.web.settings import SiteSettings
from beanleague.web.site import Site, Templates
from beanleague.web.viewer import FORMAT, STATIC, bundled, inline
from beanleague.wire import WireError, record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub

# first parts of addresses that are exported as files
_WRITTEN = ("leagues", "bots", "games", "guide", "matches", "static")
_FILES = (".csv", ".json", ".zip")  # endings of addresses that are not pages
# pattern of allowed names, since a server could send any
_SAFE = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
_MODULE = '<script type="module" '
_LINK = re.compile(r'\s(href|src|action|data-record)="(/[^"]*)"')
_PART = ".part"  # suffix of a file being written; renamed when complete
_RECORD = "@record@"  # placeholder of the record while links are rewritten
_CONTENTS = "site.json"  # leagues with stored matches, and a digest of their contents
_FORMAT = "beanleague site"
_NOW = b"<time>@written@</time>"  # placeholder of the time on the first page
_DATE = re.compile(rb"<time>\d{4}-\d\d-\d\d \d\d:\d\d</time>")
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")
_ON_WHITE = "svg { background: #fff; }\n"


def file_of(address: str) -> str | None:
    """Return the file for an address of the site, e.g. "leagues/spring.html"; None if it is not exported.

    A query becomes part of the file's name: "/bots/ann?after=20" is "bots/ann~after~20.html"; names have no "~".
    Reserved file names of Windows, which old bots and leagues may have, get a "~", too: "/bots/con" is
    "bots/con~.html".
    """
    parts = urlsplit(address)
    path = unquote(parts.path).strip("/")
    if not path:
        return None if parts.query else "index.html"
    names = path.split("/")
    asked = [part for pair in parse_qsl(parts.query) for part in pair]
    if path.split("/")[0] not in _WRITTEN or not all(_SAFE.fullmatch(name) for name in (*names, *asked)):
        return None
    names = [_allowed_name(name) for name in names]
    names[-1] = "~".join([names[-1], *asked])
    is_page = names[0] != "static" and not path.endswith(_FILES)
    return "/".join(names) + (".html" if is_page else "")


def _allowed_name(name: str) -> str:
    """Return `name`, with a "~" if Windows reserves it as the name of a device."""
    return f"{name}~" if name.partition(".")[0].lower() in DEVICES else name


def with_relative_links(page: str, file: str, found: Callable[[str], None] = lambda _: None) -> str:
    """Return the HTML of `page` for `file` with relative links; links to addresses that are not exported are removed.

    Script modules become plain scripts. `found` is called with each linked address.
    """

    def link(match: re.Match[str]) -> str:
        address = html.unescape(match[2])
        target = None if address.startswith("//") else file_of(address)
        if target is None:
            return ""
        parts = urlsplit(address)
        found(parts._replace(fragment="").geturl())
        relative = quote(posixpath.relpath(target, posixpath.dirname(file) or "."))
        return f' {match[1]}="{html.escape(f"{relative}#{parts.fragment}" if parts.fragment else relative)}"'

    return _LINK.sub(link, page).replace(_MODULE, "<script defer ")


class ExportError(Exception):
    """Raised when the site cannot be written; the message gives the reason and the remedy."""


class SiteFolder:
    """Writes files whose content differs, and counts them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.written = 0
        """Number of files written."""
        self.bytes = 0
        """Their size in bytes."""
        self._folders = set[Path]()
        self._kept = dict[str, tuple[str, bytes]]()  # files of this run by lower-case name: name and digest

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Lock the folder against other processes; yield False if another one holds the lock."""
        self.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            (self.root / _PART).unlink(missing_ok=True)  # a killed run may have left this file
            yield True
        finally:
            os.close(handle)

    def write(self, file: str, data: bytes) -> None:
        """Write a file unless it has this content already.

        Raises:
            ExportError: this run has already written other content to the file, or to a name that differs only in case
                and is the same file on some systems.
        """
        written = file, hashlib.sha256(data).digest()
        if self._kept.setdefault(file.casefold(), written) != written:
            raise ExportError(
                f"two pages would be written to the file {file}; please report this with the version of Beanleague"
            )
        self.update(file, data)

    def update(self, file: str, data: bytes) -> None:
        """Write a file unless it has this content; the content may change during the export."""
        try:
            same = below(self.root, file).read_bytes() == data
        except FileNotFoundError:
            same = False
        if not same:
            self.write_new(file, data)

    def write_new(self, file: str, data: bytes) -> None:
        """Write a file unconditionally."""
        path, part = below(self.root, file), self.root / _PART
        if path.parent not in self._folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(path.parent)
        part.write_bytes(data)
        part.replace(path)
        self.written += 1
        self.bytes += len(data)

    def remove(self, folder: str) -> None:
        """Remove the files in a folder."""
        for name in self.names(folder):
            below(self.root, f"{folder}/{name}").unlink()

    def names(self, folder: str) -> frozenset[str]:
        """Return the names of the files in a folder; none if it does not exist."""
        try:
            with os.scandir(below(self.root, folder)) as entries:
                return frozenset(entry.name for entry in entries)
        except FileNotFoundError:
            return frozenset()


class _Pages:
    """Pages of a service as seen by an anonymous visitor, without parts that need a server."""

    def __init__(self, stub: LeagueStub) -> None:
        self._app = make_app(stub, SiteSettings(static=True))

    async def get(self, address: str) -> tuple[bool, bytes]:
        """Return the content at an address, e.g. "/leagues/spring", and whether it is HTML.

        Raises:
            grpc.RpcError: a call of the service failed.
            HTTPException: the address does not exist.
        """
        parts = urlsplit(address)
        scope = {
            "type": "http",
            "method": "GET",
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": parts.query.encode(),
            "headers": [],
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 0),
            "app": self._app,
            "state": {},
        }
        start: Message = {}
        body = bytearray()

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                body.extend(message.get("body", b""))

        await self._app.router(scope, receive, send)  # the router only: the middleware guards against strangers
        return dict(start["headers"]).get(b"content-type", b"").startswith(b"text/html"), bytes(body)

    def part(self, template: str, /, **values: object) -> str:
        """Render a template that is not a page of the application."""
        site: Site = self._app.state.site
        return site.part(template, navigation=site.navigation, caller=None, **values)


class _MatchPages:
    """Writer of the pages of matches. Matches never change, so existing pages are skipped."""

    def __init__(self, stub: LeagueStub, pages: _Pages, folder: SiteFolder) -> None:
        self._stub = stub
        self._pages = pages
        self._folder = folder

    def looks(self, found: Callable[[str], None]) -> str:
        """Return a digest of the pages' appearance; when it changes, all pages are rewritten.

        `found`: called with the addresses that every page links to.
        """
        seat = pb.SeatResult(bot="bot", version=1, place=1)
        info = pb.MatchInfo(match="league/1.0", league="league", deal=1, ruleset="bohnanza", seats=[seat])
        page = self._around(info, found=found)
        return hashlib.sha256(f"{FORMAT} {page}".encode()).hexdigest()

    def missing(self, league: str) -> list[pb.MatchInfo]:
        """Return the matches of a league that have no page yet."""
        there = self._folder.names(_folder(league))
        every = matches(self._stub, pb.ListMatchesRequest(league=league))
        return [info for info in every if _file(info).rpartition("/")[2] not in there]

    def write(self, info: pb.MatchInfo) -> None:
        """Write the page of a match.

        Raises:
            grpc.RpcError: a call failed.
            WireError: the record cannot be read.
        """
        found = self._stub.GetMatch(pb.GetMatchRequest(match=info.match))
        try:
            record = record_from_pb(found.record)
        except WireError as error:
            raise WireError(f"the record of {found.info.match} cannot be read: {error}") from None
        self._folder.write_new(_file(info), self._around(found.info).replace(_RECORD, inline(record)).encode())

    def _around(self, info: pb.MatchInfo, found: Callable[[str], None] = lambda _: None) -> str:
        page = self._pages.part(
            "export/match.html",
            title=info.match,
            about=match_summary(info),
            info=info,
            record=_RECORD,
            path=f"/matches/{info.match}",
        )
        page = "\n".join(filter(None, map(str.strip, page.splitlines())))
        return with_relative_links(page, _file(info), found)


def _file(info: pb.MatchInfo) -> str:
    file = file_of(f"/matches/{info.match}")
    if file is None:
        raise WireError(f"{info.match!r} is not the name of a match")
    return file


def _folder(league: str) -> str:
    """Return the folder of the pages of a league's matches."""
    return _file(pb.MatchInfo(match=f"{league}/1.0")).rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of an export."""

    files: int
    """Number of new or changed files."""
    bytes: int
    """Size of these files in bytes."""
    matches: int
    """Number of match pages among the files."""
    dead: tuple[str, ...]
    """Linked addresses that do not exist on the service."""


def export(stub: LeagueStub, target: Path, progress: Callable[[int, int], None] = lambda _, __: None) -> Counts:
    """Write the site of a service into a folder, which may contain an earlier export.

    Every file is complete at any moment; existing content is not rewritten. The next call continues an interrupted one.
    `progress`: called with the numbers of matches written and to be written.

    Raises:
        ExportError: the folder has other files, or another process is writing it.
        OSError: a file cannot be written.
        grpc.RpcError: a call failed.
        WireError: a record cannot be read.
    """
    folder = SiteFolder(target)
    with folder.locked() as alone:
        if not alone:
            raise ExportError(f"{target} is being written by another process; wait for it to end")
        contents = _contents(target)
        _keep(folder, contents)  # stored first, since it marks the folder as an export
        pages = _Pages(stub)
        dead, linked = asyncio.run(_write_pages(pages, folder))
        writer = _MatchPages(stub, pages, folder)
        written = 0
        looks = writer.looks(linked.add)
        _write_static(folder, linked)
        leagues = stub.ListLeagues(pb.ListLeaguesRequest()).leagues
        _put_away(folder, contents, linked, {league.name for league in leagues})
        for league in leagues:
            # the check rejects names that lead elsewhere, which a hostile server may send
            if file_of(f"/matches/{league.name}") is None:
                raise ExportError(f"{league.name[:80]!r} is not the name of a league")
            made_from = f"{looks} {league.created.ToNanoseconds()}"
            if contents.get(league.name) != made_from:
                folder.remove(_folder(league.name))
                contents[league.name] = made_from
                _keep(folder, contents)
            missing = writer.missing(league.name)
            for number, info in enumerate(missing, 1):
                writer.write(info)
                progress(number, len(missing))
            written += len(missing)
        return Counts(folder.written, folder.bytes, written, dead)


def _write_static(folder: SiteFolder, linked: Collection[str]) -> None:
    """Write the linked styles, icons, and scripts with their imports, since browsers cannot load modules from disk."""
    for name in (address.removeprefix("/static/") for address in set(linked) if address.startswith("/static/")):
        data = bundled(STATIC / name).encode() if name.endswith(".js") else (STATIC / name).read_bytes()
        folder.write(f"static/{name}", data)


def _contents(target: Path) -> dict[str, str]:
    """Return the state of an earlier export: by league, a digest of the sources of its match pages.

    The sources are the league, since another one may have the same name, and the appearance of pages.
    """
    try:
        data = json.loads((target / _CONTENTS).read_bytes())
        return {str(name): str(made_from) for name, made_from in data[_FORMAT].items()}
    except FileNotFoundError:
        if any(target.iterdir()):
            raise ExportError(
                f"{target} contains files that do not belong to a site; choose an empty or a new folder"
            ) from None
        return {}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ExportError(f"{target / _CONTENTS} is damaged; choose a new folder") from None


def _put_away(folder: SiteFolder, contents: dict[str, str], linked: Iterable[str], shown: Collection[str]) -> None:
    """Remove exported pages that are no longer linked, and match pages of leagues not in `shown`."""
    pages = {file_of(address) for address in linked}
    for home in ("bots", "leagues"):
        for file in [file for file in (folder.root / home).rglob("*") if file.is_file()]:
            if file.relative_to(folder.root).as_posix() not in pages:
                file.unlink()
    for name in [name for name in contents if name not in shown and file_of(f"/matches/{name}")]:
        folder.remove(_folder(name))
        del contents[name]
        _keep(folder, contents)


def _keep(folder: SiteFolder, contents: Mapping[str, str]) -> None:
    folder.update(_CONTENTS, json.dumps({_FORMAT: contents}, sort_keys=True, indent=1).encode())


async def _write_pages(pages: _Pages, folder: SiteFolder) -> tuple[tuple[str, ...], set[str]]:
    """Write the first page and all pages reachable by links, except matches and files that are not pages.

    Returns the dead links and all links.
    """
    todo, known, dead, first = ["/"], {"/"}, [], b""

    def add(address: str) -> None:
        if address not in known:
            known.add(address)
            if not address.startswith(("/static/", "/matches/")):
                todo.append(address)

    while todo:
        address = todo.pop()
        file = file_of(address)
        assert file is not None
        try:
            is_page, body = await pages.get(address)
        except HTTPException:
            dead.append(address)
            continue
        if is_page:
            body = with_relative_links(body.decode(), file, add).encode()
        if address == "/":
            first = body
        else:
            folder.write(file, body)
    path = folder.root / "index.html"  # written last: it contains the time of the export
    before = _DATE.sub(_NOW, path.read_bytes(), 1) if path.exists() else b""
    if folder.written or before != first:
        now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M").encode()
        folder.write_new("index.html", first.replace(_NOW, b"<time>" + now + b"</time>", 1))
    return tuple(dead), known


def history_picture(rated: pb.RatingsResponse) -> str | None:
    """Return the page's history picture as a standalone SVG; None without a history."""
    chart = history_chart(rated.standings, rated.history)
    if chart is None:
        return None
    # The colours of the light theme replace the CSS variables, which few programs except browsers support.
    light, _, _ = (STATIC / "site.css").read_text("utf-8").partition("@media")
    values, css = dict(_VARIABLE.findall(light)), (STATIC / "history.css").read_text("utf-8")
    while _USE.search(css):
        css = _USE.sub(lambda use: values[use[1]], css)
    style = Markup(_ON_WHITE + css)  # noqa: S704 - ours
    return Templates().render("history.html", {"chart": chart, "style": style}).strip() + "\n"
