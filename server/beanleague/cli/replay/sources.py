"""Sources of a match to show, a file with a record or a league, and the match as an HTML page."""

import json
import os
import tempfile
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from beanleague.cli.connection.session import Session
from beanleague.cli.params import CliError, failing
from beanleague.files import FileError, is_there, named, read
from beanleague.games import Record, RecordError, RulesVersionError, check_rules_version, record_from_json
from beanleague.games.records.record import MAX_BYTES
from beanleague.wire import WireError, record_from_pb
from beanproto.v1.league_pb2 import GetMatchRequest, MatchInfo, StandingsRequest

if TYPE_CHECKING:
    from beanleague.web.viewer import Json
    from beanproto.v1.league_pb2_grpc import LeagueStub


_NAMED = b'{"match"'  # start of a line in an exported file
_MANY = (
    "contains many records, one per line, but only one can be read: 'beanleague match export --league NAME -o "
    "FOLDER' writes a file for each, and 'beanleague league verify NAME' checks a whole league"
)


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """Match to show, with its source."""

    title: str
    """Match id, or path of the file."""
    record: Record
    """Record of the whole match."""
    info: MatchInfo | None = None
    """League data of the match; None for a file."""
    seed_digest: bytes = b""
    """Seed digest published by the league; empty for a file."""
    analysis: str = ""
    """Analysis of the match as JSON, if the server has one."""


def find(session: Session, source: str) -> ShownMatch:
    """Return the match in the file `source` if it exists ("-": standard input), else the match with that id.

    Raises:
        CliError: if neither exists, the file is not a record, or the match was played under other rules.
    """
    name = named(source)
    if is_there(source):
        try:
            found = ShownMatch(name, _record(read(source, MAX_BYTES)))
        except OSError as error:
            raise CliError(f"cannot read {name}: {error.strerror}") from None
        except FileError as error:
            many = source.removesuffix(".gz").endswith(".jsonl")
            raise CliError(f"{name} {_MANY if many else error}") from None
        except RecordError as error:
            raise CliError(f"{name} is not a match record: {error}") from None
    elif Path(source).is_dir():
        raise CliError(f"{source} is a folder; give the file of one record in it")
    elif "/" not in source.strip("./") or source.endswith((".json", ".gz")):
        raise CliError(f"there is no file {source}; give a record's file, or a match as LEAGUE/DEAL.ROTATION")
    else:
        with session.league() as stub:
            found = fetch(stub, source)
    with failing(RulesVersionError):
        check_rules_version(found.record.rules, found.title)
    return found


def _record(data: bytes) -> Record:
    """Return the record in a file, which may be an export with a single line.

    Raises:
        RecordError: the text is not a record.
        FileError: the file is empty, or has several records.
    """
    if not data.strip():
        raise FileError("is empty")
    first, _, rest = data.partition(b"\n")
    if first.startswith(b"{") and rest.startswith(b"{"):
        raise FileError(_MANY)
    if not (first.startswith(_NAMED) and not rest.strip()):
        return record_from_json(data)
    try:
        fields = json.loads(first)
    except ValueError:
        return record_from_json(data)  # raises an error that says where the record is wrong
    return record_from_json(json.dumps({name: value for name, value in fields.items() if name not in {"match", "for"}}))


def fetch(stub: "LeagueStub", match_id: str) -> ShownMatch:
    """Fetch a match of a league.

    Raises:
        CliError: if its record cannot be read.
    """
    found = stub.GetMatch(GetMatchRequest(match=match_id))
    try:
        record = record_from_pb(found.record)
    except WireError as error:
        raise CliError(f"the record of {match_id} cannot be read: {error}") from None
    return ShownMatch(found.info.match, record, found.info, found.seed_digest, found.analysis)


def page_of(session: Session, found: ShownMatch, seat: int | None, course: str) -> str:
    """Return the HTML page of a match, initially seen from `seat`, with the current ratings of its bots.

    `course`: the JSON of its course from `beanbot.analyse`; "null" to leave it out.
    """
    from beanleague.web.viewer import single_file  # imported late: it reads the viewer's files

    options: dict[str, Json] = {"course": json.loads(course)} | ({} if seat is None else {"seat": seat})
    if found.info is not None:
        options |= {"places": [result.place for result in found.info.seats], "ratings": _ratings(session, found)}
    return single_file(found.record, found.title if found.info else Path(found.title).name, options)


def _ratings(session: Session, found: ShownMatch) -> "list[Json]":
    assert found.info is not None
    with session.league() as stub:
        standings = stub.Standings(StandingsRequest(league=found.info.league)).standings
    rated = {(row.bot, row.version): round(row.rating) for row in standings if row.HasField("interval")}
    return [rated.get((result.bot, result.version)) for result in found.info.seats]


def open_in_browser(page: str) -> tuple[Path, bool]:
    """Write the page to a new temporary file and open it; return the file, and whether a browser opened.

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
    """Return whether the default browser is graphical, since a text browser cannot show a replay."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    # a generic browser is a text browser, unless the user chose it by BROWSER
    return type(found) is not webbrowser.GenericBrowser or "BROWSER" in os.environ
