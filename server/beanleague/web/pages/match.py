"""A match: its replay, its record, whether the rules reproduce it, and what a server can say of its moves."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from beanleague.games import action_to_json
from beanleague.names import NameFormatError, format_bot, format_match, parse_match
from beanleague.safe_text import replace_controls
from beanleague.web.reader import TIMEOUT_S
from beanleague.web.replays import Replay
from beanleague.web.site import Site
from beanproto.v1.league_pb2 import (
    LEAGUE_FORMAT_COMPARISON,
    BotLogsRequest,
    ListMatchesRequest,
    MatchInfo,
    SeatResult,
    ShowLeagueRequest,
    Standing,
    StandingsRequest,
)

_MAX_LEGAL = 60  # actions that are listed
_MAX_NAME = 60  # characters
_MAX_ROTATIONS = 130  # a solo deal has a match for each bot
_MAX_LINES, _MAX_LINE = 400, 2000  # of a log, for one moment
_FRESH_S = 5.0
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Around:
    """The matches around a match, by their ids; "" before the first deal and after the last."""

    rotations: tuple[str, ...]
    """All matches of its deal."""
    previous: str
    """The first match of the deal before."""
    following: str
    """The first match of the deal after."""


def match(request: Request) -> Response:
    """Show a match."""
    site, match_id = Site.of(request), _match_id(request)
    answer = site.replays.match(match_id)
    info, record = answer.info, answer.record
    standings = _standings(site, info.league)
    tag = ""
    verified: bool | None = None  # not checked, if others keep the server busy
    by_move = False
    try:
        with site.replays.replay(match_id) as replay:
            tag, problem, by_move = replay.tag, replay.problem, bool(replay.verdict.asked)
        verified = not problem
    except HTTPException as refused:
        problem = refused.detail
        if refused.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
            verified = False
    home = f"/matches/{info.match}"
    options: dict[str, object] = {
        "names": [_name(seat) for seat in info.seats[: record.seats]],
        "places": [seat.place for seat in info.seats[: record.seats]],
        "ratings": [_rating(standings, seat) for seat in info.seats[: record.seats]],
        "legalUrl": f"{home}/legal?move={{move}}",
    }
    if any(site.may_read_log(request, _owner(standings, seat)) for seat in info.seats if seat.version):
        options["logUrl"] = f"{home}/log?move={{move}}"
    return site.page(
        request,
        "match.html",
        title=info.match,
        info=info,
        record=record,
        ratings=[_rating(standings, seat) for seat in info.seats],
        seed=record.seed.hex(),
        digest=answer.seed_digest.hex(),
        comparison=not standings,
        around=_around(site, info),
        home=home,
        tag=tag,
        verified=verified,
        by_move=by_move,
        problem=problem,
        options=options,
    )


def record(request: Request) -> Response:
    """Send the record, as `beanleague match export` writes it. With its tag in the address it never changes."""
    site = Site.of(request)
    with site.replays.replay(_match_id(request)) as replay:
        packed, tag = replay.packed, replay.tag
    name = f"{request.path_params['league']}-{request.path_params['number']}.json"
    return _json(request, packed, tag, {"content-disposition": f'inline; filename="{name}"'})


def replay(request: Request) -> Response:
    """Send the record as the viewer reads it. With its tag in the address it never changes."""
    with Site.of(request).replays.replay(_match_id(request)) as replay:
        packed, tag = replay.for_viewer, replay.tag
    return _json(request, packed, tag, {})


def _json(request: Request, packed: bytes, tag: str, headers: Mapping[str, str]) -> Response:
    """Send JSON that is packed by gzip, to a browser that has it with this tag only that it has not changed."""
    headers = {
        **headers,
        "etag": f'"{tag}"',
        "cache-control": _FOR_EVER if request.query_params.get("v") == tag else "no-cache",
        "vary": "accept-encoding",
    }
    if headers["etag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), media_type="application/json", headers=headers)
    return Response(packed, media_type="application/json", headers={**headers, "content-encoding": "gzip"})


def legal(request: Request) -> Response:
    """Send the legal actions of the decision with which a move was made."""
    site, move = Site.of(request), _move(request)
    with site.replays.replay(_match_id(request)) as replay:
        asked = replay.asked(move)
    actions = [action_to_json(action) for action in asked.legal[:_MAX_LEGAL]]
    return JSONResponse(
        {
            "seat": asked.seat,
            "decision": asked.decision,
            "legal": actions,
            "more": len(asked.legal) - len(actions),
            "default": action_to_json(asked.default),
        }
    )


def log(request: Request) -> Response:
    """Send what the bot wrote while it made a move, to those who may read it."""
    site, match_id, move = Site.of(request), _match_id(request), _move(request)
    info = site.replays.match(match_id).info
    with site.replays.replay(match_id) as replay:
        seat, moves = _decision(replay, info, move)
    bot = info.seats[seat]
    asked = BotLogsRequest(name=bot.bot, version=bot.version, match=info.match)
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


def _decision(replay: Replay, info: MatchInfo, move: int) -> tuple[int, range]:
    """Return the seat of a move, and the moves of its decision up to it."""
    moves = replay.record.moves
    if move >= len(moves):
        raise HTTPException(404, f"there is no move {move}; this match has {len(moves)}")
    seat = moves[move].seat
    if seat >= len(info.seats):
        raise HTTPException(409, f"move {move} was made by seat {seat}, which this match does not have")
    return seat, replay.decision(move)


def _match_id(request: Request) -> str:
    """Return the id of the match in an address."""
    try:
        return format_match(*parse_match(f"{request.path_params['league']}/{request.path_params['number']}"))
    except NameFormatError as error:
        raise HTTPException(404, str(error)) from None


def _move(request: Request) -> int:
    text = request.query_params.get("move", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise HTTPException(400, f"{text!r:.40} is not the number of a move")
    return int(text)


def _around(site: Site, info: MatchInfo) -> Around:
    def first(request: ListMatchesRequest) -> str:
        found = site.reader.get(site.stub.ListMatches, request, fresh=_FRESH_S).matches
        return format_match(info.league, found[0].deal, 0) if found else ""

    of_deal = ListMatchesRequest(league=info.league, deal=info.deal, limit=_MAX_ROTATIONS)
    rotations = [found.match for found in site.reader.get(site.stub.ListMatches, of_deal, fresh=_FRESH_S).matches]
    least, most = (format_match(info.league, info.deal, rotation) for rotation in (0, 99))
    return Around(
        rotations=tuple(rotations),
        previous=first(ListMatchesRequest(league=info.league, after=least, newest_first=True, limit=1)),
        following=first(ListMatchesRequest(league=info.league, after=most, limit=1)),
    )


def _standings(site: Site, league: str) -> Mapping[tuple[str, int], Standing]:
    """Return the standings of a league by bot and version; none of a comparison."""
    info = site.reader.get(site.stub.ShowLeague, ShowLeagueRequest(name=league), fresh=_FRESH_S)
    if info.format == LEAGUE_FORMAT_COMPARISON:
        return {}
    answer = site.reader.get(site.stub.Standings, StandingsRequest(league=league), fresh=_FRESH_S)
    return {(standing.bot, standing.version): standing for standing in answer.standings}


def _rating(standings: Mapping[tuple[str, int], Standing], seat: SeatResult) -> int | None:
    standing = standings.get((seat.bot, seat.version))
    return round(standing.rating) if standing and standing.HasField("interval") else None


def _owner(standings: Mapping[tuple[str, int], Standing], seat: SeatResult) -> str:
    standing = standings.get((seat.bot, seat.version))
    return standing.owner if standing else ""


def _name(seat: SeatResult) -> str:
    return replace_controls(format_bot(seat.bot, seat.version))[:_MAX_NAME]


routes = [
    Route("/matches/{league}/{number}.json", record),
    Route("/matches/{league}/{number}", match),
    Route("/matches/{league}/{number}/replay.json", replay),
    Route("/matches/{league}/{number}/legal", legal),
    Route("/matches/{league}/{number}/log", log),
]
