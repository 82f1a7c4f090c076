"""A match as a page of its own, written to a file or opened in a browser."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from pathlib import Path

from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError
from beanleague.cli.replay.sources import ShownMatch
from beanleague.web.viewer import Json, single_file
from beanproto.v1.league_pb2 import StandingsRequest


def page_of(session: Session, found: ShownMatch, seat: int | None) -> str:
    """Return the page of a match, seen from `seat` at first, with the ratings that its bots have now."""
    options: dict[str, Json] = {} if seat is None else {"seat": seat}
    if found.info is not None:
        options |= {"places": [result.place for result in found.info.seats], "ratings": _ratings(session, found)}
    return single_file(found.record, found.title if found.info else Path(found.title).name, options)


def _ratings(session: Session, found: ShownMatch) -> list[Json]:
    assert found.info is not None
    with session.league() as stub:
        standings = stub.Standings(StandingsRequest(league=found.info.league)).standings
    rated = {(row.bot, row.version): round(row.rating) for row in standings if row.HasField("interval")}
    return [rated.get((result.bot, result.version)) for result in found.info.seats]


def open_in_browser(page: str) -> tuple[Path, bool]:
    """Write the page to a new temporary file and open it; return the file, and whether there is a browser.

    Raises:
        CliError: the file cannot be written.
    """
    try:
        file = Path(tempfile.mkdtemp(prefix="beanleague-")) / "replay.html"
        file.write_text(page, "utf-8")
    except OSError as error:
        raise CliError(f"cannot write a temporary file: {error.strerror}") from None
    return file, _can_show() and webbrowser.open(file.as_uri())


def _can_show() -> bool:
    """Return whether the default browser has windows: one in a terminal cannot show a replay."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    in_terminal = type(found) is webbrowser.GenericBrowser
    return not in_terminal or "BROWSER" in os.environ
