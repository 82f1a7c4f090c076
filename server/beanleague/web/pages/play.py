"""Playing as a visitor: choosing a table, the page of a table, and finished matches."""

import json
import random

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from beanleague import games
from beanleague.games.records.record import action_from_json
from beanleague.house_folder import STRENGTH, playing
from beanleague.web import play_tables
from beanleague.web.pages.match import analysing, start_analysis
from beanleague.web.play_tables import OPPONENT, PlayTable, PlayTables
from beanleague.web.security import visitor
from beanleague.web.site import Site, event_stream, number_of
from beanleague.web.viewer import ToldRecord
from beanleague.wire import record_to_pb
from beanproto.v1.league_pb2 import AnalyseMatchRequest, ListBotsRequest, RulesetInfo

_FORM = ("game", "seat", "max_rounds", "interludes")
_MAX_FIELDS = 16
_MAX_ROUNDS = 50  # maximum number of trade rounds in the form


async def sit(request: Request) -> Response:
    """Seat the visitor at a new table."""
    async with request.form(max_files=0, max_fields=_MAX_FIELDS) as fields:
        words = {name: str(value) for name, value in fields.items()}
    return await to_thread.run_sync(_sit, request, words)


def _sit(request: Request, words: dict[str, str]) -> Response:
    site, tables = Site.of(request), _tables(request)
    _game(site, words.get("game", ""))
    opponents = [words[name] for name in sorted(words) if name.startswith(OPPONENT)]
    place, rounds = words.get("seat", ""), words.get("max_rounds", "")
    last = len(opponents)
    seat = number_of(place, "a seat of this table", last) if place else random.randint(0, last)  # noqa: S311 - a seat
    options: dict[str, games.Option] = {}
    if rounds:
        options["max_rounds"] = number_of(rounds, "a number of trade rounds", _MAX_ROUNDS)
    seats = [*opponents[:seat], "", *opponents[seat:]]
    table = tables.sit(
        site.caller(request),
        visitor(request.scope, request.headers, site.settings),
        {name: value for name, value in words.items() if name.startswith(OPPONENT) or name in _FORM},
        seats,
        options,
    )
    return RedirectResponse(f"/play/{table.id}", 303) if table else _games(request, full=True)


def play(request: Request) -> Response:
    """Show a table."""
    table = _table(request)
    return Site.of(request).page(request, "play/table.html", title="Play", table=table)


async def events(request: Request) -> Response:
    """Stream the events of a table."""
    table = await to_thread.run_sync(_table, request)
    stream = table.watch(number_of(request.headers.get("last-event-id", "") or "0", "the number of an event"))
    return event_stream(request, stream, {"cache-control": "no-store"})


async def move(request: Request) -> Response:
    """Play a move: `{"decision": number, "action": as in a record}`.

    With `"until_turn": true` a declined offer declines all others, too, until the visitor's turn. `"take_back": true`
    in place of an action takes back the last move.
    """
    table = await to_thread.run_sync(_table, request)
    try:
        sent = json.loads(await request.body())
        decision, back, until_turn = sent["decision"], sent.get("take_back") is True, sent.get("until_turn") is True
        action = None if back else action_from_json(sent["action"])
    except games.RecordError as problem:
        raise HTTPException(409, str(problem)) from None
    except (ValueError, TypeError, LookupError, RecursionError):
        raise HTTPException(400, "this is not a move") from None
    if action is None:
        table.take_back(decision)
    else:
        table.play(decision, action, until_turn=until_turn)
    return JSONResponse({})


async def habits(request: Request) -> Response:
    """Change what the table does by itself: `{"declines_unfit": whether to decline offers that cannot be accepted}`."""
    table = await to_thread.run_sync(_table, request)
    try:
        declines = json.loads(await request.body())["declines_unfit"]
    except (ValueError, TypeError, LookupError, RecursionError):
        raise HTTPException(400, "this is no habit") from None
    table.declines_unfit = declines is True
    return JSONResponse({})


def leave(request: Request) -> Response:
    """Leave the seat, which ends the match."""
    table = _table(request)
    if table.seat and not table.over:
        table.seat.leave()
    return RedirectResponse("/play", 303)


def record(request: Request) -> Response:
    """Send the record of a finished match."""
    headers = {"content-disposition": 'attachment; filename="friendly.json"'}
    return Response(games.record_to_json(_finished_match(request)[1]), media_type="application/json", headers=headers)


def viewed(request: Request) -> Response:
    """Send the record of a finished match for the viewer."""
    return Response(ToldRecord(_finished_match(request)[1]).json(), media_type="application/json")


def replay(request: Request) -> Response:
    """Show a finished match."""
    table, record = _finished_match(request)
    site = Site.of(request)
    options = analysing(site.address(f"/play/{table.id}/analysis"), record.ruleset, may=True)
    options |= {"match": "Friendly", "own": table.place}
    return site.page(request, "play/replay.html", title="Replay", table=table, options=options)


def analysis(request: Request) -> Response:
    """Start an analysis of a finished match, which is not stored."""
    return start_analysis(request, AnalyseMatchRequest(record=record_to_pb(_finished_match(request)[1])))


def _form(request: Request) -> Response:
    """Show the list of games, or with `?game=` the form for a table."""
    site = Site.of(request)
    chosen = request.query_params.get("game", "")
    if not chosen:
        return _games(request)
    game = _game(site, chosen)
    seats = number_of(request.query_params.get("seats", "") or "0", "a number of seats")
    return site.page(
        request,
        "play/form.html",
        title=f"Play {game.id}",
        game=game,
        seats=min(max(seats, game.least_seats), game.most_seats),
        bots=_bots(site, game.id),
        against=request.query_params.get("against", ""),
        rounds=any(option.name == "max_rounds" for option in game.options),
    )


def _games(request: Request, *, full: bool = False) -> Response:
    """Show the list of games and the caller's tables. `full`: whether the caller has reached the limit of tables."""
    site = Site.of(request)
    tables: PlayTables | None = request.app.state.tables
    return site.page(
        request,
        "play/games.html",
        409 if full else 200,
        title="Play",
        games=site.rulesets(),
        open=tables is not None,
        tables=tables.of(site.caller(request)) if tables else [],
        full=play_tables.MAX_TABLES if full else None,
    )


def _game(site: Site, name: str) -> RulesetInfo:
    found = next((game for game in site.rulesets() if game.id == name), None)
    if found is None:
        raise HTTPException(404, "There is no such game. Choose one from the list.")
    return found


def _bots(site: Site, game: str) -> dict[str, str]:
    """Return the bots that play a game, with a word on their strength or their author: house bots first."""
    house = {name: STRENGTH[name] for name in playing(game)}
    stored = site.reader.get(site.stub.ListBots, ListBotsRequest()).bots
    return house | {bot.name: f"by {bot.author}" for bot in stored if game in bot.games and bot.name not in house}


def _tables(request: Request) -> PlayTables:
    site = Site.of(request)
    tables: PlayTables | None = request.app.state.tables
    if tables is None:
        raise HTTPException(404, "Playing is not offered on this site.")
    if not site.caller(request).may_submit:
        raise HTTPException(403, "Only authors may play; sign in with a token first.")
    return tables


def _table(request: Request) -> PlayTable:
    table = _tables(request).find(request.path_params["number"], Site.of(request).caller(request))
    if table is None:
        raise HTTPException(404, "This table no longer exists. Choose a game to open another one.")
    return table


def _finished_match(request: Request) -> tuple[PlayTable, games.Record]:
    """Return a table with a finished match, and its record."""
    table = _table(request)
    if table.record is None:
        raise HTTPException(404, "This match has no record yet.")
    return table, table.record


routes = {
    "GET /play": _form,
    "POST /play": sit,
    "GET /play/{number}": play,
    "GET /play/{number}/events": events,
    "POST /play/{number}/move.json": move,
    "POST /play/{number}/habits.json": habits,
    "POST /play/{number}/leave": leave,
    "GET /play/{number}/record.json": record,
    "GET /play/{number}/replay": replay,
    "GET /play/{number}/replay.json": viewed,
    "POST /play/{number}/analysis": analysis,
}
