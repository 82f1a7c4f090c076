"""Tables at which visitors play: their seats, and the messages to their pages."""

import asyncio
import json
import secrets
import threading
import time
from collections import Counter as Multiset
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import grpc
from starlette.exceptions import HTTPException

from beanleague import games
from beanleague.answers import tie_note
from beanleague.games.bohnanza import Accept, BohnanzaView, Counter, Decision, Decline, Offer, Pick
from beanleague.games.core import TurnStarted
from beanleague.games.core.words import GameWords
from beanleague.games.families import words_of
from beanleague.games.records.record import action_to_json, event_to_json
from beanleague.games.records.replay import set_up
from beanleague.seat import Began, Faulted, GuestAsked, GuestSeat, Over, check_action
from beanleague.service.room import SharedRoom
from beanleague.web.reading import refused
from beanleague.web.security import Visitor
from beanleague.web.viewer import parts_json
from beanleague.wire import WireError
from beanproto.v1.league_pb2 import MatchInfo, SeatResult

MAX_TABLES = 2
"""Maximum number of tables per visitor at once."""

AWAY_S = 60.0
"""Seconds that a table waits for a closed page, which may only be reloading."""

_MAX_KEPT = 100  # finished tables kept
_MAX_KEPT_OF_VISITOR = 10
_MAX_WAYS = {Accept: 12, Pick: 60}  # options listed for giving the same kinds
_KEEPALIVE_S = 15.0

_POLL_INTERVAL_S = 0.02  # shorter than the reaction time of people
OPPONENT = "opponent"
"""Start of the names of the fields of a form that name opponents."""

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
    asked_at: list[int] = field(default_factory=list)
    """Value of `told` at each decision of the visitor so far, without decisions taken back."""
    taking_back: bool = False
    """Whether the visitor has taken back a move, and is asked again next."""
    asked: GuestAsked | None = None
    """Decision that the visitor is asked for; None if there is none."""
    declines_unfit: bool = True
    """Whether offers that the visitor's hand cannot fulfil are declined without asking."""
    declines_all: bool = False
    """Whether all offers are declined without asking, up to the visitor's next turn."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Lock that guards `asked`."""

    @property
    def opponents(self) -> list[str]:
        """Bots at the table, by seat."""
        return [self.form[name] for name in sorted(self.form) if name.startswith(OPPONENT)]

    def declines(self, view: games.View) -> bool:
        """Return whether `view` asks about an offer that is declined without asking the visitor."""
        if any(isinstance(event, TurnStarted) and event.seat == view.seat for event in view.news):
            self.declines_all = False
        if not isinstance(view, BohnanzaView) or view.decision is not Decision.ANSWER or view.offer is None:
            return False
        return self.declines_all or (self.declines_unfit and bool(Multiset(view.offer.wants) - Multiset(view.hand)))

    def play(self, decision: object, action: games.Action, *, until_turn: bool = False) -> None:
        """Answer decision number `decision` with an action; other values match no decision.

        `until_turn`: after a declined offer decline all others, too, until the visitor's turn.

        Raises:
            HTTPException: if that decision is not pending, or the action is not allowed.
        """
        with self.lock:
            seat, asked = self._pending(decision)
            try:
                check_action(asked.view, action)
            except games.IllegalActionError as problem:
                raise HTTPException(409, str(problem)) from None
            self.asked = None
            self.declines_all = until_turn and isinstance(action, Decline)
            seat.play(action)

    def take_back(self, decision: object) -> None:
        """Take back the visitor's last move instead of answering decision number `decision`.

        Raises:
            HTTPException: if that decision is not pending, or something new has been seen since the move.
        """
        with self.lock:
            seat, asked = self._pending(decision)
            if not asked.may_take_back:
                raise HTTPException(409, "this cannot be taken back: something new has been seen since")
            self.asked = None
            self.taking_back = True
            seat.take_back()

    def _pending(self, decision: object) -> tuple[GuestSeat, GuestAsked]:
        if not self.seat or not self.asked or self.asked.decision != decision:
            raise HTTPException(409, "this decision is no longer open")
        return self.seat, self.asked

    def go_back(self) -> int:
        """Forget the two latest decisions, the pending one and that of the move taken back.

        Returns the number of events that the page has to keep.
        """
        self.taking_back = False
        *self.asked_at, self.told, _ = self.asked_at
        return self.told

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
                if isinstance(heard, GuestAsked) and table.declines(heard.view):
                    table.messages.append({"type": "happened", **_news_message(heard.view, table)})
                    seat.play(Decline())
                    continue
                message = message_of(heard, table)
                if isinstance(heard, GuestAsked):
                    with table.lock:
                        table.asked = heard
                table.messages.append(message)
        except grpc.RpcError as error:
            left = isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.CANCELLED
            why = "The table was closed because nobody was there." if left else refused(error, posted=True)[1]
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


def _news_message(view: games.View, table: PlayTable) -> Message:
    """Return the news of a view, which count as sent."""
    table.words = table.words or words_of(view.rules, player=True)
    table.told += len(view.news)
    return _events_message(view.news, table.words)


def message_of(heard: Began | GuestAsked | Faulted, table: PlayTable) -> Message:
    """Convert a message of the referee to one for the page; the news of a decision count as sent."""
    match heard:
        case Began():
            table.place = heard.seat
            record = {"ruleset": heard.ruleset, "seats": len(heard.names), "options": dict(table.options)}
            return {"type": "began", "seat": heard.seat, "names": heard.names, "record": record}
        case GuestAsked():
            view = heard.view
            kept = {"kept": table.go_back()} if table.taking_back else {}
            news = _news_message(view, table)
            table.asked_at.append(table.told)
            words = table.words
            assert words
            actions = _listed_actions(view)
            return {
                "type": "asked",
                "decision": heard.decision,
                "question": view.decision.name.lower(),
                "asks": parts_json(words.ask(view)),
                **news,
                **kept,
                "may_take_back": heard.may_take_back,
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
