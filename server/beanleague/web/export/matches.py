"""The pages of matches: small ones, each with its record, which the shared viewer shows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from beanleague.games import Record
from beanleague.web.export.addresses import file_of, with_relative_links
from beanleague.web.export.folder import SiteFolder
from beanleague.web.export.pages import Pages
from beanleague.web.viewer_records import FORMAT, inline
from beanleague.wire import WireError, record_from_pb
from beanproto.v1.league_pb2 import GetMatchRequest, GetMatchResponse, ListMatchesRequest, MatchInfo, SeatResult
from beanproto.v1.league_pb2_grpc import LeagueStub

_PAGE_MATCHES = 1000  # listed by a call
_RECORD = "@record@"  # stands for the record while links are made


class MatchPages:
    """Writes the pages of matches. A match never changes, so a page that is there is left alone."""

    def __init__(self, stub: LeagueStub, pages: Pages, folder: SiteFolder) -> None:
        self._stub = stub
        self._pages = pages
        self._folder = folder

    def looks(self, found: Callable[[str], None]) -> str:
        """Return a digest of how pages look: all are written again when it changes.

        `found` is called with the addresses that every page links.
        """
        seat = SeatResult(bot="bot", version=1, place=1)
        info = MatchInfo(match="league/1.0", league="league", deal=1, ruleset="bohnanza", seats=[seat])
        page = self._around(info, found=found)
        return hashlib.sha256(f"{FORMAT} {page}".encode()).hexdigest()

    def missing(self, league: str) -> list[MatchInfo]:
        """Return the matches of a league without a page."""
        there = self._folder.names(f"matches/{league}")
        return [info for info in self._all(league) if _file(info).rpartition("/")[2] not in there]

    def write(self, info: MatchInfo) -> None:
        """Write the page of a match.

        Raises:
            grpc.RpcError: a call failed.
            WireError: the record cannot be read.
        """
        found = self._stub.GetMatch(GetMatchRequest(match=info.match))
        self._folder.write_new(_file(info), self._page(found).encode())

    def _all(self, league: str) -> Iterator[MatchInfo]:
        after = ""
        while True:
            answer = self._stub.ListMatches(ListMatchesRequest(league=league, after=after, limit=_PAGE_MATCHES))
            yield from answer.matches
            after = answer.next_after
            if not after:
                return

    def _page(self, found: GetMatchResponse) -> str:
        try:
            record: Record = record_from_pb(found.record)
        except WireError as error:
            raise WireError(f"the record of {found.info.match} cannot be read: {error}") from None
        return self._around(found.info).replace(_RECORD, inline(record))

    def _around(self, info: MatchInfo, found: Callable[[str], None] = lambda _: None) -> str:
        page = self._pages.part(
            "export/match.html",
            title=info.match,
            info=info,
            record=_RECORD,
            path=f"/matches/{info.match}",
        )
        page = "\n".join(filter(None, map(str.strip, page.splitlines())))
        return with_relative_links(page, _file(info), found)


def _file(info: MatchInfo) -> str:
    file = file_of(f"/matches/{info.match}")
    if file is None:
        raise WireError(f"{info.match!r} is not the name of a match")
    return file
