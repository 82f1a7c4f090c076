"""Playing as a visitor: choosing a table, tables in progress, and finished matches."""

import asyncio
import json
import random
import secrets
import threading
import time
from collections import Counter as Multiset
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import grpc
from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from beanleague import games
from beanleague.answers import tie_note
from beanleague.games.bohnanza import Accept, Counter, Offer, Pick
from beanleague.games.core.words import GameWords
from beanleague.games.families import words_of
from beanleague.games.records.record import action_from_json, action_to_json, event_to_json
from beanleague.games.records.replay import set_up
from beanleague.house_folder import playing
from beanleague.seat import Began, Faulted, GuestAsked, GuestSeat, Over, check_action
from beanleague.service.room import SharedRoom
from beanleague.web.pages.match import analysing, start_analysis
from beanleague.web.reading import refused
from beanleague.web.security import Visitor, visitor
from beanleague.web.site import Site, event_stream, number_of
from beanleague.web.viewer import ToldRecord, parts_json
from beanleague.wire import WireError, record_to_pb
from beanproto.v1.league_pb2 import AnalyseMatchRequest, ListBotsRequest, MatchInfo, RulesetInfo, SeatResult

MAX_TABLES = 2
"""Maximum number of tables per visitor at once."""

AWAY_S = 60.0
"""Seconds that a table waits for a closed page, which may only be reloading."""

_MAX_KEPT = 100  # finished tables kept
_MAX_KEPT_OF_VISITOR = 10
_MAX_WAYS = {Accept: 12, Pick: 60}  # options listed for giving the same kinds
_KEEPALIVE_S = 15.0

_POLL_INTERVAL_S = 0.02  # shorter than the reaction time of people
_OPPONENT = "opponent"
_FORM = ("game", "seat", "max_rounds", "interludes")
_MAX_FIELDS = 16
_MAX_ROUNDS = 50  # maximum number of trade rounds in the form

Message = dict[str, object]
"""Message to a table's page."""


@dataclass(slots=True)
class PlayTable:
    """Table at which a visitor plays."""

    caller: Visitor
    """Visitor who plays; others cannot see the table."""
    visitor: str
    """Network address of the visitor."""
    form: Mapping[str, str]
    """Values of the form: game, opponents, seat and options."""
    options: Mapping[str, games.Option]
    """Options of the game."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    """Id of the table in URLs."""
    messages: list[Message] = field(default_factory=list)
    """Messages to the page, in order."""
    record: games.Record | None = None
    """Record of the finished match; None before its end."""
    over: bool = False
    """Whether all messages have been sent."""
    seen: float = field(default_factory=time.monotonic)
    """Time of the latest request from the page."""
    seat: GuestSeat | None = None
    """Seat of the visitor at the service; None before it is taken."""
    place: int = 0
    """Seat number, known once the match has begun."""
    words: GameWords | None = None
    """Wording of the match's sentences; None before the first decision."""
    told: int = 0
    """Number of events already sent to the page."""
    asked: GuestAsked | None = None
    """Decision that the visitor is asked for; None if there is none."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Lock that guards `asked`."""

    @property
    def opponents(self) -> list[str]:
        """Bots at the table, by seat."""
        return [self.form[name] for name in sorted(self.form) if name.startswith(_OPPONENT)]

    def play(self, decision: object, action: games.Action) -> None:
        """Answer decision number `decision` with an action; other values match no decision.

        Raises:
            HTTPException: if that decision is not pending, or the action is not allowed.
        """
        with self.lock:
            if not self.seat or not self.asked or self.asked.decision != decision:
                raise HTTPException(409, "this is not asked any more")
            try:
                check_action(self.asked.view, action)
            except games.IllegalActionError as problem:
                raise HTTPException(409, str(problem)) from None
            self.asked = None
            self.seat.play(action)

    async def watch(self, after: int) -> AsyncIterator[bytes]:
        """Yield the messages after number `after` as server-sent events, up to the last one."""
        silent = 0.0
        while True:
            self.seen = time.monotonic()
            while after < len(self.messages):  # more messages may arrive while one is sent
                message = self.messages[after]
                after += 1
                yield f"id: {after}\ndata: {json.dumps(message)}\n\n".encode()
                silent = 0.0
            if self.over and after >= len(self.messages):
                return
            await asyncio.sleep(_POLL_INTERVAL_S)
            silent += _POLL_INTERVAL_S
            if silent >= _KEEPALIVE_S:
                silent = 0.0
                yield b": still here\n\n"  # detects a closed page


class PlayTables:
    """All tables of visitors. `channel`: connection to the service."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._tables: dict[str, PlayTable] = {}
        self._over: SharedRoom[str] = SharedRoom(_MAX_KEPT, _MAX_KEPT_OF_VISITOR)

    def sit(
        self,
        caller: Visitor,
        visitor: str,
        form: Mapping[str, str],
        seats: Sequence[str],
        options: Mapping[str, games.Option],
    ) -> PlayTable | None:
        """Take a seat at a new table and return it; None if the visitor already has `MAX_TABLES`."""
        table = PlayTable(caller, visitor, form, options)
        with self._lock:
            if sum(not each.over and each.visitor == visitor for each in self._tables.values()) >= MAX_TABLES:
                return None
            self._tables[table.id] = table
        try:
            table.seat = GuestSeat(
                self._channel,
                form["game"],
                seats,
                options=options,
                interludes="interludes" in form,
                metadata=caller.metadata,
            )
            threading.Thread(target=self._follow, args=(table, table.seat), name="seat", daemon=True).start()
            threading.Thread(target=self._wait_for_page, args=(table, table.seat), name="page", daemon=True).start()
        except BaseException:  # after any error, a table that never began must not count
            self._end(table)
            if table.seat:
                table.seat.leave()
            raise
        return table

    def find(self, number: str, caller: Visitor) -> PlayTable | None:
        """Return a table of the caller; None if there is none with this id."""
        table = self._tables.get(number)
        return table if table and table.caller == caller else None

    def of(self, caller: Visitor) -> list[PlayTable]:
        """Return the tables of the caller."""
        with self._lock:
            return [table for table in self._tables.values() if table.caller == caller and not table.over]

    def _follow(self, table: PlayTable, seat: GuestSeat) -> None:
        """Convert the referee's messages to messages for the page, until the match is over."""
        try:
            for heard in seat:
                if isinstance(heard, Over):
                    table.record = heard.record
                    table.messages += [_last(table, heard.record), {"type": "over"}]
                    continue
                message = _message(heard, table)
                if isinstance(heard, GuestAsked):
                    with table.lock:
                        table.asked = heard
                table.messages.append(message)
        except grpc.RpcError as error:
            left = isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.CANCELLED
            why = "The table has ended, since nobody was there." if left else refused(error, posted=True)[1]
            table.messages.append({"type": "closed", "why": why})
        except WireError as error:
            table.messages.append({"type": "closed", "why": str(error)})
        finally:
            self._end(table)

    def _end(self, table: PlayTable) -> None:
        """Keep a finished table for a while."""
        with self._lock:
            if not table.over:
                table.over = True
                self._tables.pop(self._over.put(table.visitor, table.id) or "", None)

    def _wait_for_page(self, table: PlayTable, seat: GuestSeat) -> None:
        """Leave the seat if the page has been away for `AWAY_S`."""
        while not table.over:
            if time.monotonic() - table.seen > AWAY_S:
                seat.leave()
                return
            time.sleep(min(1.0, AWAY_S / 4))


def _last(table: PlayTable, record: games.Record) -> Message:
    """Return the last message: events not yet sent, as the seat sees them, and the result."""
    if table.words is None:
        game = set_up(record)
        table.words = words_of(game.view(table.place).rules, player=True)
    events = [event.seen_by(table.place) for event in record.events[table.told :]]
    seats = [SeatResult(score=score, place=place) for score, place in zip(record.scores, record.places, strict=True)]
    result: Message = {"type": "ended", "scores": record.scores, "places": record.places}
    result |= {"note": tie_note([MatchInfo(ruleset=record.ruleset, seats=seats)])}
    return result | _events_message(events, table.words)


def _events_message(events: Sequence[games.Event], words: GameWords) -> Message:
    return {"events": list(map(event_to_json, events)), "lines": [parts_json(words.line(event)) for event in events]}


def _message(heard: Began | GuestAsked | Faulted, table: PlayTable) -> Message:
    match heard:
        case Began():
            table.place = heard.seat
            record = {"ruleset": heard.ruleset, "seats": len(heard.names), "options": dict(table.options)}
            return {"type": "began", "seat": heard.seat, "names": heard.names, "record": record}
        case GuestAsked():
            view = heard.view
            words = table.words = table.words or words_of(view.rules, player=True)
            actions = _listed_actions(view)
            table.told += len(view.news)
            return {
                "type": "asked",
                "decision": heard.decision,
                "question": view.decision.name.lower(),
                "asks": parts_json(words.ask(view)),
                **_events_message(view.news, words),
                "legal": list(map(action_to_json, actions)),
                "words": [parts_json(words.choice(action, view)) for action in actions],
            }
        case Faulted():
            return {"type": "fault", "reason": heard.reason, "forfeited": heard.forfeited}


def _listed_actions(view: games.View) -> list[games.Action]:
    """Return the actions that the page lists; offers and counters are composed on the page."""
    actions: list[games.Action] = []
    ways = Multiset[type[games.Action]]()
    for action in view.legal():
        ways[type(action)] += 1
        if not isinstance(action, Offer | Counter) and ways[type(action)] <= _MAX_WAYS.get(type(action), 1000):
            actions.append(action)
    return actions


async def sit(request: Request) -> Response:
    """Seat the visitor at a new table."""
    async with request.form(max_files=0, max_fields=_MAX_FIELDS) as fields:
        words = {name: str(value) for name, value in fields.items()}
    return await to_thread.run_sync(_sit, request, words)


def _sit(request: Request, words: dict[str, str]) -> Response:
    site, tables = Site.of(request), _tables(request)
    _game(site, words.get("game", ""))
    opponents = [words[name] for name in sorted(words) if name.startswith(_OPPONENT)]
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
        {name: value for name, value in words.items() if name.startswith(_OPPONENT) or name in _FORM},
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
    """Play a move: `{"decision": number, "action": as in a record}`."""
    table = await to_thread.run_sync(_table, request)
    try:
        sent = json.loads(await request.body())
        decision, action = sent["decision"], action_from_json(sent["action"])
    except games.RecordError as problem:
        raise HTTPException(409, str(problem)) from None
    except (ValueError, TypeError, LookupError, RecursionError):
        raise HTTPException(400, "this is not a move") from None
    table.play(decision, action)
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
        full=MAX_TABLES if full else None,
    )


def _game(site: Site, name: str) -> RulesetInfo:
    found = next((game for game in site.rulesets() if game.id == name), None)
    if found is None:
        raise HTTPException(404, "There is no such game. Choose one from the list.")
    return found


def _bots(site: Site, game: str) -> list[str]:
    """Return the bots that play a game: house bots first, then others by name."""
    house = playing(game)
    stored = site.reader.get(site.stub.ListBots, ListBotsRequest()).bots
    return [*house, *(bot.name for bot in stored if game in bot.games and bot.name not in house)]


def _tables(request: Request) -> PlayTables:
    site = Site.of(request)
    tables: PlayTables | None = request.app.state.tables
    if tables is None:
        raise HTTPException(404, "Nobody can play on this site.")
    if not site.caller(request).may_submit:
        raise HTTPException(403, "Only authors may play; sign in with a token first.")
    return tables


def _table(request: Request) -> PlayTable:
    table = _tables(request).find(request.path_params["number"], Site.of(request).caller(request))
    if table is None:
        raise HTTPException(404, "There is no such table any more. Choose a game, and sit down at another.")
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
    "POST /play/{number}/leave": leave,
    "GET /play/{number}/record.json": record,
    "GET /play/{number}/replay": replay,
    "GET /play/{number}/replay.json": viewed,
    "POST /play/{number}/analysis": analysis,
}
