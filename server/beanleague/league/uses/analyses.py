"""Analyses of matches, stored for reuse, and questions to bots about a decision of a match."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from beanleague.games import Record, RecordError, record_to_json
from beanleague.games.records.record import check_record
from beanleague.house_folder import HOUSE_BOTS, house_folder, playing
from beanleague.league.bots.entries import File
from beanleague.league.bots.reading import read_folder, read_zip
from beanleague.league.errors import RequestError
from beanleague.league.uses.matches import WholeMatch, kept_analysis, whole_match
from beanleague.league.uses.programs import AnalysisProgress, Program, ProgramBounds, Runner, analysis_version
from beanleague.store import Store
from beanleague.wire import WireError, record_from_bytes

BOUNDS = ProgramBounds(timeout_s=600.0, share_s=120.0)
"""Bounds for analyses of league matches, which are kept, and for reports; a match takes some seconds."""
SENT_BOUNDS = ProgramBounds(timeout_s=60.0, share_s=10.0)
"""Bounds for analyses of records sent by callers, who can make them arbitrarily expensive and alone benefit from
them."""

_MAX_HOUSE, _MAX_OWN = 4, 2  # bots asked, at most: the strongest house bots for the game, and the author's newest
_MATCH = "match.json"


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """Request to analyse a match, or to ask bots about one of its decisions."""

    match: str = ""
    """Name of a league's match; "" to analyse `record` instead."""
    record: Record | None = None
    """Record of a match outside of leagues."""
    move: int | None = None
    """Index of the move that answered the decision; None to analyse the whole match."""
    owner: str | None = None
    """Owner whose newest bots are asked in addition to house bots; None to ask house bots alone."""
    trust_bots: bool = False
    """Whether bots of authors may run without a sandbox if none works here."""


def analyse(store: Store, request: AnalysisRequest, run: Runner) -> Iterator[AnalysisProgress]:
    """Analyse a match, or ask bots about one of its decisions; yield the progress, and the result last.

    The analysis of a league's match is stored, unless the database is read-only, and is not repeated.

    Raises:
        RequestError: if the record is invalid, or does not have the move.
        MissingError, DatabaseError, RulesVersionError: see `whole_match`.
        LeagueError, SandboxError: see `output_of`; also any error of `run`.
    """
    stored = whole_match(store, request.match) if request.match else None
    if stored and request.move is None and (kept := kept_analysis(store, stored)):
        yield AnalysisProgress(found=kept)
        return
    record = _record(request, stored)
    bounds = BOUNDS if stored else SENT_BOUNDS
    if request.move is not None:
        yield from run(lambda: _question(store, request, record), bounds)
    elif stored is None or store.database.obstacle:
        yield from run(lambda: _analysis(record, ()), bounds)
    else:
        ratings = newest_ratings(store, stored)
        for progress in run(lambda: _analysis(record, ratings), bounds):
            if progress.found:
                _keep(store, stored, progress.found)
            yield progress


def newest_ratings(store: Store, match: WholeMatch) -> Sequence[float]:
    """Return the newest ratings of the seats of a match; () if any of them has none."""
    newest = store.ratings.latest(match.league.id)
    rated = {each.entrant: each.rating for each in newest.ratings if each.interval is not None} if newest else {}
    seats = [seat.entrant for seat in match.match.seats]
    return [rated[seat] for seat in seats] if rated.keys() >= set(seats) else ()


def _record(request: AnalysisRequest, stored: WholeMatch | None) -> Record:
    record = _stored_record(stored) if stored else request.record
    if record is None:
        raise RequestError("name a match, or send its record")
    if request.move is not None and request.move >= len(record.moves):
        raise RequestError(f"the match has no move {request.move}; its moves are 0 to {len(record.moves) - 1}")
    return record


def _stored_record(match: WholeMatch) -> Record:
    try:
        record = record_from_bytes(match.record)
        check_record(record)
    except (WireError, RecordError) as error:
        raise RequestError(f"this is not a record of a match: {error}") from None
    return record


def _analysis(record: Record, ratings: Sequence[float]) -> Program:
    """Return the program that analyses a match. `ratings`: rating of each seat, () if unknown."""
    program = Program(["analyse", _MATCH], {_MATCH: record_to_json(record).encode()})
    if not ratings or len(ratings) != len(record.players):  # ratings have no entry for the Bean Thief of solo games
        return program
    return replace(program, words=[*program.words, f"--ratings={','.join(map(str, ratings))}"])


def _question(store: Store, request: AnalysisRequest, record: Record) -> Program:
    """Return the program that asks bots about a decision of a match."""
    own = _own_bots(store, request.owner, record.ruleset)
    folders = [folder for name in playing(record.ruleset) if (folder := house_folder(name))][:_MAX_HOUSE]
    bots = {**{folder.name: read_folder(folder) for folder in folders}, **own}
    words = ["practice", *(f"./{name}" for name in bots), f"--at={_MATCH}:{request.move}"]
    of_bots = {f"{name}/{path}": file.content for name, files in bots.items() for path, file in files.items()}
    files = {_MATCH: record_to_json(record).encode(), **of_bots}
    return Program(words, files, trusted=not own or request.trust_bots)


def _own_bots(store: Store, owner: str | None, game: str) -> Mapping[str, Mapping[str, File]]:
    """Return the files of an owner's newest bots that play a game, by name of the bot."""
    if owner is None:
        return {}
    own = [
        version
        for version in store.bots.newest()
        if version.owner == owner and version.bot not in HOUSE_BOTS and game in version.manifest.games
    ]
    newest = sorted(own, key=lambda version: -version.submitted)[:_MAX_OWN]
    return {version.bot: read_zip(store.bots.bundle(version.digest)) for version in newest}


def _keep(store: Store, match: WholeMatch, found: str) -> None:
    key = match.league.id, match.match.deal, match.match.rotation
    store.analyses.keep(*key, sha256(match.record).digest(), analysis_version(), zlib.compress(found.encode()))
