"""Where a match to show comes from: a file with its record, or a league."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError
from beanleague.games import Record, RecordError, record_from_json
from beanleague.games.records.record import MAX_BYTES
from beanleague.wire import WireError, record_from_pb
from beanproto.v1.league_pb2 import GetMatchRequest, MatchInfo

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


@dataclass(frozen=True, slots=True)
class Match:
    """A match to show."""

    title: str
    """Its id, or the path of its file."""
    record: Record
    """The whole match."""
    info: MatchInfo | None = None
    """What its league says of it; None if it comes from a file."""
    seed_digest: bytes = b""
    """The digest of the seed that its league published; empty if it comes from a file."""


def find(session: Session, source: str) -> Match:
    """Return the match in the file `source` if that exists, else the match with that id.

    Raises:
        CliError: if neither exists, or the file is not a record.
    """
    path = Path(source)
    if path.is_file():
        return _read(path)
    if "/" not in source.strip("./") or path.suffix == ".json":
        raise CliError(f"there is no file {source}; give a record's file, or a match as LEAGUE/DEAL.ROTATION")
    with session.league() as stub:
        return fetch(stub, source)


def fetch(stub: LeagueStub, match_id: str) -> Match:
    """Return a match of a league.

    Raises:
        CliError: if its record cannot be read.
    """
    found = stub.GetMatch(GetMatchRequest(match=match_id))
    try:
        record = record_from_pb(found.record)
    except WireError as error:
        raise CliError(f"the record of {match_id} cannot be read: {error}") from None
    return Match(found.info.match, record, found.info, found.seed_digest)


def _read(path: Path) -> Match:
    try:
        with path.open("rb") as file:
            return Match(str(path), record_from_json(file.read(MAX_BYTES + 1)))
    except OSError as error:
        raise CliError(f"cannot read {path}: {error.strerror}") from None
    except RecordError as error:
        raise CliError(f"{path} is not a match record: {error}") from None
