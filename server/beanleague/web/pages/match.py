"""Match pages: replay, record, verification, and the server's analysis of moves."""

import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus

import grpc
from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from beanleague import games
from beanleague.answers import amount
from beanleague.games.families import words_of
from beanleague.games.records.replay import replayed, set_up
from beanleague.house_folder import playing
from beanleague.names import NameFormatError, format_match, parse_match, replace_controls
from beanleague.service.gate import VISITOR
from beanleague.web.reading import TIMEOUT_S, Reader, refused
from beanleague.web.security import visitor
from beanleague.web.site import Site, Turns, number_of, seat_name
from beanleague.web.viewer import ToldRecord, parts_json
from beanleague.wire import WireError, record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub

_MATCH_FRESH_S = 60.0  # cached for long, since matches do not change
_MAX_KEPT = 16  # cached records; a long one takes some MiB
_MAX_LEGAL = 60  # maximum actions listed
_MAX_ROTATIONS = 130  # maximum matches of a deal: a solo deal has one for each bot
_MAX_LINES, _MAX_LINE = 400, 2000  # maximum lines of a log and their length, for one move
_FRESH_S = 5.0
_ANALYSIS_TIMEOUT_S = 900.0
_FOR_EVER = "public, max-age=31536000, immutable"


class Replay:
    """A match's record, and a game that follows it. Used by one thread at a time."""

    def __init__(self, record: games.Record, tag: str, seed_digest: bytes) -> None:
        self.record = record
        self.tag = tag
        """Tag that differs for different records."""
        self._seed_digest = seed_digest
        self._game: games.Game | None = None
        self._moves: Iterator[tuple[int, games.PlayedMove]] = iter(())
        self._before = -1  # index of the move that the game is about to play

    @cached_property
    def packed(self) -> bytes:
        """JSON of the record as `beanleague match export` writes it, gzipped."""
        return gzip.compress(games.record_to_json(self.record).encode(), 6, mtime=0)

    @cached_property
    def for_viewer(self) -> bytes:
        """JSON of the record for the viewer, gzipped."""
        return gzip.compress(self.replay_data.json().encode(), 6, mtime=0)

    @cached_property
    def replay_data(self) -> ToldRecord:
        """Record with the results of its replay."""
        return ToldRecord(self.record)

    @cached_property
    def problem(self) -> str:
        """Reason why the rules do not reproduce the match; "" if they do."""
        problem = self.replay_data.verdict.problem
        if not problem and hashlib.sha256(self.record.seed).digest() != self._seed_digest:
            return f"its seed does not match the digest {self._seed_digest.hex()} that was published before play"
        return problem

    def asked(self, move: int) -> games.View:
        """Return the view of the seat that made `moves[move]`, before that move.

        Raises:
            HTTPException: if there is no such move, or the record cannot be replayed up to it.
        """
        if not 0 <= move < len(self.record.moves):
            raise HTTPException(404, f"there is no move {move}; this match has {len(self.record.moves)}")
        return self._at(move).view(self.record.moves[move].seat, news=False)

    def _at(self, move: int) -> games.Game:
        """Return the game before a move, continuing from its last position if possible."""
        game, self._game = self._game, None  # the game is unusable unless all moves succeed
        record = self.record
        try:
            if game is None or self._before > move:
                games.check_rules_version(record.rules, "this match")
                game = set_up(record)
                self._before, self._moves = -1, replayed(record, game)
            while self._before < move:
                self._before, _ = next(self._moves)
            if record.moves[move].seat not in game.to_act():
                raise games.IllegalActionError(f"seat {record.moves[move].seat} has no decision to make here")
        except (games.GameError, games.RulesVersionError) as error:
            raise HTTPException(409, f"the record cannot be replayed up to move {move}: {error}") from None
        self._game = game
        return game

    def decision(self, move: int) -> range:
        """Return the moves that may belong to the same answer as `move`, up to this move.

        Consecutive moves may come from one list of actions, of which only the first took time; but separate decisions
        may also be too fast to measure.
        """
        moves, ms = self.record.moves, self.record.ms
        first = move
        while first and moves[first - 1].seat == moves[move].seat and not (ms and ms[first]):
            first -= 1
        return range(first, move + 1)


@dataclass(slots=True)
class Replays:
    """Cache of a site's replays. One thread at a time replays.

    Replaying takes CPU time from the pages of all visitors.
    """

    stub: LeagueStub
    """Calls of the service."""
    reader: Reader
    """Cached reader of matches."""
    _turns: Turns = field(default_factory=lambda: Turns("too many records are being replayed at the moment; try again"))
    _kept: OrderedDict[str, Replay] = field(default_factory=OrderedDict)

    @staticmethod
    def of(request: Request) -> "Replays":
        """Return the replays of the site that received a request."""
        replays: Replays = request.app.state.replays
        return replays

    def match(self, match_id: str) -> pb.GetMatchResponse:
        """Return a match with its record, as a message.

        Raises:
            grpc.RpcError: if no match has this id, or the call failed.
        """
        return self.reader.get(self.stub.GetMatch, pb.GetMatchRequest(match=match_id), fresh=_MATCH_FRESH_S)

    @contextmanager
    def replay(self, match_id: str) -> Iterator[Replay]:
        """Yield the replay of a match, locked for this thread.

        Raises:
            grpc.RpcError: if there is no such match, or the call failed.
            HTTPException: if its record cannot be read, or too many requests are waiting.
        """
        found = self.match(match_id)
        with self._turns.turn():
            yield self._replay(found)

    def _replay(self, found: pb.GetMatchResponse) -> Replay:
        tag = hashlib.sha256(found.seed_digest + found.record.SerializeToString(deterministic=True)).hexdigest()[:20]
        if tag in self._kept:
            self._kept.move_to_end(tag)
            return self._kept[tag]
        try:
            record = record_from_pb(found.record)
        except WireError as error:
            raise HTTPException(502, f"the record of {found.info.match} cannot be read: {error}") from None
        replay = self._kept[tag] = Replay(record, tag, found.seed_digest)
        if len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return replay


def match_summary(info: pb.MatchInfo) -> str:
    """Return a sentence for previews of links: the game, and each seat's place, name and money."""
    seats = sorted(info.seats, key=lambda seat: seat.place)
    results = (f"{seat.place}. {seat_name(seat)} ${amount(seat.score, info.ruleset)}" for seat in seats)
    return f"{info.ruleset}: {', '.join(results)}"


def match(request: Request) -> Response:
    """Show a match."""
    site, match_id = Site.of(request), _match_id(request)
    answer = Replays.of(request).match(match_id)
    info, record = answer.info, answer.record
    standings = _standings(site, info.league)
    verification = _verification(request, match_id)
    home = site.address(f"/matches/{info.match}")
    ranked = [standings.get((seat.bot, seat.version), pb.Standing()) for seat in info.seats]
    ratings = [round(each.rating) if each.HasField("interval") else None for each in ranked]
    seats = info.seats[: record.seats]
    options: dict[str, object] = {
        "names": [seat_name(seat) for seat in seats],
        "places": [seat.place for seat in seats],
        "ratings": ratings[: record.seats],
        "legalUrl": f"{home}/legal?move={{move}}",
    }
    if not site.settings.static:
        options |= analysing(f"{home}/analysis", info.ruleset, may=site.caller(request).may_submit)
        options["course"] = json.loads(answer.analysis or "null")
    if _may_read_logs(site, request, info, ranked):
        options["logUrl"] = f"{home}/log?move={{move}}"
    return site.page(
        request,
        "match.html",
        title=info.match,
        about=match_summary(info),
        info=info,
        record=record,
        ratings=ratings,
        seed=record.seed.hex(),
        digest=answer.seed_digest.hex(),
        comparison=not standings,
        around=_around(site, info),
        home=home,
        tag=verification.tag,
        verified=verification.verified,
        by_move=verification.by_move,
        problem=verification.problem,
        options=options,
    )


@dataclass(frozen=True, slots=True)
class _Verification:
    """Result of verifying a record, for its page."""

    tag: str
    """Tag of the record; "" if it could not be replayed."""
    verified: bool | None
    """Whether the record is right; None if the server is too busy with other replays."""
    by_move: bool
    """Whether the decision before each move is known, so that faults can link to moves."""
    problem: str
    """Reason why verification failed; "" if it succeeded."""


def _verification(request: Request, match_id: str) -> _Verification:
    try:
        with Replays.of(request).replay(match_id) as replay:
            return _Verification(replay.tag, not replay.problem, bool(replay.replay_data.verdict.asked), replay.problem)
    except HTTPException as refused:
        busy = refused.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        return _Verification("", None if busy else False, by_move=False, problem=refused.detail)


def _may_read_logs(site: Site, request: Request, info: pb.MatchInfo, ranked: Sequence[pb.Standing]) -> bool:
    """Return whether the visitor may read the log of any bot in the match. `ranked`: standing of each seat."""
    rows = zip(ranked, info.seats, strict=True)
    return any(site.may_read_log(request, standing.owner) for standing, seat in rows if seat.version)


def deal(request: Request) -> Response:
    """Show all matches of a deal; a script shows the two named in the query side by side."""
    site, league = Site.of(request), request.path_params["league"]
    number = number_of(request.path_params["number"], "the number of a deal")
    rotations = _rotations(site, league, number)
    if not rotations:
        raise HTTPException(404, f"no match of deal {number} of {league} has been played")
    seats = [
        {"match": info.match, "seat": at, "player": seat_name(seat), "score": seat.score}
        for info in rotations
        for at, seat in enumerate(info.seats)
    ]
    return site.page(
        request,
        "deal.html",
        title=f"Deal {number} of {league}",
        league=league,
        number=number,
        rotations=rotations,
        seats=seats,
    )


def record(request: Request) -> Response:
    """Send the record as `beanleague match export` writes it. The response is immutable if the address has its tag."""
    with Replays.of(request).replay(_match_id(request)) as replay:
        packed, tag = replay.packed, replay.tag
    name = f"{request.path_params['league']}-{request.path_params['number']}.json"
    return _json(request, packed, tag, {"content-disposition": f'inline; filename="{name}"'})


def replay(request: Request) -> Response:
    """Send the record for the viewer. The response is immutable if the address has its tag."""
    with Replays.of(request).replay(_match_id(request)) as replay:
        packed, tag = replay.for_viewer, replay.tag
    return _json(request, packed, tag, {})


def _json(request: Request, packed: bytes, tag: str, headers: Mapping[str, str]) -> Response:
    """Send compressed JSON, or "not modified" if the browser has the version with this tag."""
    headers = {
        **headers,
        **Site.of(request).for_any_site,
        "etag": f'"{tag}"',
        "cache-control": _FOR_EVER if request.query_params.get("v") == tag else "no-cache",
        "vary": "accept-encoding",
    }
    if headers["etag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        plain = gzip.decompress(packed)  # noqa: TID251  # we packed it
        return Response(plain, media_type="application/json", headers=headers)
    return Response(packed, media_type="application/json", headers={**headers, "content-encoding": "gzip"})


def legal(request: Request) -> Response:
    """Send the legal actions of the decision at a move."""
    move = _move(request)
    with Replays.of(request).replay(_match_id(request)) as replay:
        asked = replay.asked(move)
        legal, words = asked.legal(), words_of(asked.rules, player=True)
    actions = legal[:_MAX_LEGAL]
    return JSONResponse(
        {
            "seat": asked.seat,
            "decision": asked.decision.name.lower(),
            "legal": [games.action_to_json(action) for action in actions],
            "words": [parts_json(words.choice(action, asked)) for action in actions],
            "more": len(legal) - len(actions),
            "default": games.action_to_json(asked.default()),
        }
    )


def log(request: Request) -> Response:
    """Send the bot's log lines about a move, to visitors who may read them."""
    site, match_id, move = Site.of(request), _match_id(request), _move(request)
    info = Replays.of(request).match(match_id).info
    with Replays.of(request).replay(match_id) as replay:
        seat, moves = _decision(replay, info, move)
    bot = info.seats[seat]
    asked = pb.BotLogsRequest(name=bot.bot, version=bot.version, match=info.match)
    try:
        answer = site.stub.BotLogs(asked, metadata=site.caller(request).metadata, timeout=TIMEOUT_S)
    except grpc.RpcError as error:
        if isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.PERMISSION_DENIED:
            return JSONResponse({"lines": [f"({error.details()})"]})
        raise
    starts = tuple(f"[{info.match}, move {number}] " for number in moves)
    lines = [line for log in answer.logs for line in log.text.split("\n") if line.startswith(starts)]
    shown = [replace_controls(line[:_MAX_LINE]) for line in lines[:_MAX_LINES]]
    return JSONResponse({"lines": shown})


def _decision(replay: Replay, info: pb.MatchInfo, move: int) -> tuple[int, range]:
    """Return the seat of a move, and the moves of its decision up to it."""
    moves = replay.record.moves
    if move >= len(moves):
        raise HTTPException(404, f"there is no move {move}; this match has {len(moves)}")
    seat = moves[move].seat
    if seat >= len(info.seats):
        raise HTTPException(409, f"move {move} was made by seat {seat}, which this match does not have")
    return seat, replay.decision(move)


def analysis(request: Request) -> Response:
    """Start an analysis of the match, or ask bots about a decision; see `start_analysis`."""
    return start_analysis(request, pb.AnalyseMatchRequest(match=_match_id(request)))


def analysing(address: str, game: str, *, may: bool) -> dict[str, object]:
    """Return the viewer's options for analyses at `address`. `may`: whether the visitor may request them."""
    options: dict[str, object] = {"analysisUrl": address, "mayAnalyse": may}
    if may and playing(game):
        options["askUrl"] = f"{address}?move={{move}}"
    return options


def start_analysis(request: Request, asked: pb.AnalyseMatchRequest) -> Response:
    """Start an analysis, or ask bots about the decision at `?move=`; see `worked_on`."""
    if "move" in request.query_params:
        asked.move = _move(request)
    return worked_on(request, lambda **how: Site.of(request).stub.AnalyseMatch(asked, **how))


def worked_on(request: Request, call: "Callable[..., grpc.CallIterator[pb.AnalysisProgress]]") -> Response:
    """Start an analysis on the service, and stream its progress.

    Each line is JSON: `{"ahead": place in the queue, "done": finished matches or decisions, "total": their number}`,
    finally `{"found": ...}` or `{"problem": text}`.
    """
    site = Site.of(request)
    metadata = (*site.caller(request).metadata, (VISITOR, visitor(request.scope, request.headers, site.settings)))
    answers = call(metadata=metadata, timeout=_ANALYSIS_TIMEOUT_S)
    return StreamingResponse(_lines(answers), media_type="application/x-ndjson")


async def _lines(answers: "grpc.CallIterator[pb.AnalysisProgress]") -> AsyncIterator[str]:
    """Yield the lines of an answer; cancel the call if the browser disconnects."""
    thread = CapacityLimiter(1)  # separate from the threads that render pages, which must not wait for it
    following = iter(answers)
    try:
        while known := await to_thread.run_sync(lambda: next(following, None), limiter=thread, abandon_on_cancel=True):
            so_far = f'{{"ahead":{known.ahead},"done":{known.done},"total":{known.total}}}\n'
            yield f'{{"found":{known.found}}}\n' if known.found else so_far
    except grpc.RpcError as error:
        yield json.dumps({"problem": refused(error, posted=True)[1]})
    finally:
        answers.cancel()  # type: ignore[no-untyped-call]  # grpc has no types for it


def _match_id(request: Request) -> str:
    """Return the id of the match in the address."""
    try:
        return format_match(*parse_match(f"{request.path_params['league']}/{request.path_params['number']}"))
    except NameFormatError as error:
        raise HTTPException(404, str(error)) from None


def _move(request: Request) -> int:
    return number_of(request.query_params.get("move", ""), "the number of a move")


def _rotations(site: Site, league: str, deal: int) -> Sequence[pb.MatchInfo]:
    asked = pb.ListMatchesRequest(league=league, deal=deal, limit=_MAX_ROTATIONS)
    return site.reader.get(site.stub.ListMatches, asked, fresh=_FRESH_S).matches


def _around(site: Site, info: pb.MatchInfo) -> Mapping[str, object]:
    """Return all matches of a deal, and the ids of the previous and next deal's first match; "" if there is none."""

    def first(request: pb.ListMatchesRequest) -> str:
        found = site.reader.get(site.stub.ListMatches, request, fresh=_FRESH_S).matches
        return format_match(info.league, found[0].deal, 0) if found else ""

    least, most = (format_match(info.league, info.deal, rotation) for rotation in (0, 99))
    return {
        "rotations": _rotations(site, info.league, info.deal),
        "previous": first(pb.ListMatchesRequest(league=info.league, after=least, newest_first=True, limit=1)),
        "following": first(pb.ListMatchesRequest(league=info.league, after=most, limit=1)),
    }


def _standings(site: Site, league: str) -> Mapping[tuple[str, int], pb.Standing]:
    """Return the standings of a league by bot and version; empty for comparisons."""
    info = site.reader.get(site.stub.ShowLeague, pb.ShowLeagueRequest(name=league), fresh=_FRESH_S)
    if not info.has_standings:
        return {}
    return {(standing.bot, standing.version): standing for standing in site.read_standings(league).standings}


routes = {
    "GET /deals/{league}/{number}": deal,
    "POST /matches/{league}/{number}/analysis": analysis,
    "GET /matches/{league}/{number}.json": record,
    "GET /matches/{league}/{number}": match,
    "GET /matches/{league}/{number}/replay.json": replay,
    "GET /matches/{league}/{number}/legal": legal,
    "GET /matches/{league}/{number}/log": log,
}
