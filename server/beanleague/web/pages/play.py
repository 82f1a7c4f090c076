"""Playing oneself: choosing a table, the table, and the match when it is over."""

from __future__ import annotations

import json
import random

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from beanleague.games import Option, Record, RecordError, record_to_json
from beanleague.games.records.record import action_from_json
from beanleague.web.play_tables import CannotPlayError, PlayTable, PlayTables
from beanleague.web.security import visitor
from beanleague.web.site import Site
from beanleague.web.viewer_records import viewer_json
from beanproto.v1.league_pb2 import ListBotsRequest, ListRulesetsRequest, RulesetInfo

_TRADING = ("bohnanza", "bohnanza-extended", "bohnanza-classic")
_OTHERS = ("bohnanza-two", "duel", "dice", "dice-2012")
HOUSE_BOTS = {
    "trader": _TRADING,
    "grandmaster": (*_TRADING, "duel"),
    "merchant": _TRADING,
    "haggler": _TRADING,
    "farmer": _TRADING,
    "beginner": _TRADING,
    "gardener": ("bohnanza-two",),
    "duelist": ("duel",),
    "surveyor": ("duel",),
    "dicer": ("dice", "dice-2012"),
    "journeyman": _OTHERS,
    "apprentice": _OTHERS,
    "pupil": ("duel", "dice", "dice-2012"),
    "novice": _OTHERS,
    "random": (*_TRADING, *_OTHERS),
}
"""The house bots, best first, and what they play with others: they need not have been submitted."""

_OPPONENT = "opponent"
_MAX_FIELDS = 16


def choose(request: Request) -> Response:
    """Show the games, or with `?game=` the form for a table of one."""
    return _form(request)


async def sit(request: Request) -> Response:
    """Take a seat."""
    async with request.form(max_files=0, max_fields=_MAX_FIELDS) as fields:
        words = {name: str(value) for name, value in fields.items()}
    return await to_thread.run_sync(_sit, request, words)


def _sit(request: Request, words: dict[str, str]) -> Response:
    site, tables = Site.of(request), _tables(request)
    game = _game(site, words.get("game", ""))
    opponents = [words[name] for name in sorted(words) if name.startswith(_OPPONENT)]
    place = words.get("seat", "")
    seat = int(place) if place.isdecimal() and int(place) <= len(opponents) else random.randint(0, len(opponents))  # noqa: S311 - a seat
    options: dict[str, Option] = {}
    if words.get("max_rounds", "").isdecimal():
        options["max_rounds"] = int(words["max_rounds"])
    seats = [*opponents[:seat], "", *opponents[seat:]]
    try:
        table = tables.sit(
            site.caller(request),
            visitor(request.scope, request.headers, site.settings),
            game.id,
            seats,
            options,
            interludes="interludes" in words,
        )
    except CannotPlayError as problem:
        raise HTTPException(409, f"{problem}.") from None
    return RedirectResponse(f"/play/{table.id}", 303)


def play(request: Request) -> Response:
    """Show a table."""
    table = _table(request)
    return Site.of(request).page(request, "play/table.html", title="Play", table=table)


async def events(request: Request) -> Response:
    """Send what happens at a table, as it happens."""
    table = await to_thread.run_sync(_table, request)
    last = request.headers.get("last-event-id", "")
    stream = table.watch(int(last) if last.isdecimal() and len(last) < 9 else 0)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})


async def move(request: Request) -> Response:
    """Play a move: `{"decision": number, "action": as in a record}`."""
    table = await to_thread.run_sync(_table, request)
    try:
        sent = json.loads(await request.body())
        decision, action = int(sent["decision"]), action_from_json(sent["action"])
        table.play(decision, action)
    except (CannotPlayError, RecordError) as problem:
        return JSONResponse({"error": f"{problem}."}, 409)
    except (ValueError, TypeError, LookupError, RecursionError):
        return JSONResponse({"error": "This is not a move."}, 400)
    return JSONResponse({})


def leave(request: Request) -> Response:
    """Get up, which ends the match."""
    table = _table(request)
    if table.seat and not table.over:
        table.seat.leave()
    return RedirectResponse("/play", 303)


def record(request: Request) -> Response:
    """Send the record of a match that is over."""
    headers = {"content-disposition": 'attachment; filename="friendly.json"'}
    return Response(record_to_json(_finished(request)[1]), media_type="application/json", headers=headers)


def viewed(request: Request) -> Response:
    """Send the record of a match that is over as the viewer reads it."""
    return Response(viewer_json(_finished(request)[1]), media_type="application/json")


def replay(request: Request) -> Response:
    """Show a match that is over."""
    table, _ = _finished(request)
    return Site.of(request).page(request, "play/replay.html", title="Replay", table=table)


def _form(request: Request) -> Response:
    site = Site.of(request)
    chosen = request.query_params.get("game", "")
    if not chosen:
        games = site.reader.get(site.stub.ListRulesets, ListRulesetsRequest(), fresh=60).rulesets
        return site.page(request, "play/games.html", title="Play", games=games, open=site.play is not None)
    game = _game(site, chosen)
    wanted = request.query_params.get("seats", "")
    seats = int(wanted) if wanted.isdecimal() and len(wanted) < 3 else game.least_seats
    return site.page(
        request,
        "play/form.html",
        title=f"Play {game.id}",
        game=game,
        seats=min(max(seats, game.least_seats), game.most_seats),
        bots=_bots(site, game.id),
        rounds=any(option.name == "max_rounds" for option in game.options),
    )


def _game(site: Site, name: str) -> RulesetInfo:
    games = site.reader.get(site.stub.ListRulesets, ListRulesetsRequest(), fresh=60).rulesets
    found = next((game for game in games if game.id == name), None)
    if found is None:
        raise HTTPException(404, "There is no such game. Choose one from the list.")
    return found


def _bots(site: Site, game: str) -> list[str]:
    """Return the bots that play a game: the house bots, then the others by name."""
    house = [name for name, games in HOUSE_BOTS.items() if game in games]
    stored = site.reader.get(site.stub.ListBots, ListBotsRequest()).bots
    return [*house, *(bot.name for bot in stored if game in bot.games and bot.name not in house)]


def _tables(request: Request) -> PlayTables:
    site = Site.of(request)
    if site.play is None:
        raise HTTPException(404, "Nobody can play on this site.")
    if not site.caller(request).may_submit:
        raise HTTPException(403, "Only authors may play; sign in with a token first.")
    return site.play


def _table(request: Request) -> PlayTable:
    table = _tables(request).find(request.path_params["number"], Site.of(request).caller(request))
    if table is None:
        raise HTTPException(404, "There is no such table any more. Choose a game, and sit down at another.")
    return table


def _finished(request: Request) -> tuple[PlayTable, Record]:
    """Return a table whose match is over, and its record."""
    table = _table(request)
    if table.record is None:
        raise HTTPException(404, "This match has no record yet.")
    return table, table.record


routes = [
    Route("/play", choose),
    Route("/play", sit, methods=["POST"]),
    Route("/play/{number}", play),
    Route("/play/{number}/events", events),
    Route("/play/{number}/move.json", move, methods=["POST"]),
    Route("/play/{number}/leave", leave, methods=["POST"]),
    Route("/play/{number}/record.json", record),
    Route("/play/{number}/replay", replay),
    Route("/play/{number}/replay.json", viewed),
]
