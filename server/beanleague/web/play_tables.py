"""Tables at which visitors play: each keeps the seat of one, and what its page must show."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections import Counter as Multiset
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import grpc

from beanleague.games import Action, IllegalActionError, Option, Record, View
from beanleague.games.bohnanza import Accept, Counter, Offer, Pick
from beanleague.games.records.record import action_to_json, event_to_json
from beanleague.seat import GuestSeat, Over, check_action
from beanleague.web.refusals import refused
from beanleague.web.sessions import Visitor
from beanleague.wire import WireError
from beanleague.wire.guests import Began, Ended, Faulted, GuestAsked, Heard

MAX_TABLES = 2
"""Tables of a visitor at once."""

AWAY_S = 60.0
"""For how long a table waits for a page that has gone away: it may be loaded again."""

_MAX_KEPT = 100  # tables, with those that are over
_MAX_WAYS = {Accept: 12, Pick: 60}  # of giving the same kinds that are offered
_KEEPALIVE_S = 15.0

Message = dict[str, object]


class CannotPlayError(Exception):
    """Raised when a move cannot be played; the message says why."""


@dataclass(slots=True)
class PlayTable:
    """A table with a visitor."""

    caller: Visitor
    """Who plays; nobody else sees the table."""
    visitor: str
    """Where they are."""
    options: Mapping[str, Option]
    """Options of the game."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    """Names it in paths."""
    messages: list[Message] = field(default_factory=list)
    """What the page is sent, in order."""
    record: Record | None = None
    """The match, once it is over."""
    over: bool = False
    """Nothing more will come."""
    seen: float = field(default_factory=time.monotonic)
    """When a page last looked at it."""
    seat: GuestSeat | None = None
    """The seat; None before it is taken."""
    asked: GuestAsked | None = None
    """The decision that waits for the visitor."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Guards `asked`."""

    def play(self, decision: int, action: Action) -> None:
        """Answer the decision of that number.

        Raises:
            CannotPlayError: if that is not asked, or the action is not allowed.
        """
        with self.lock:
            if not self.seat or not self.asked or self.asked.decision != decision:
                raise CannotPlayError("this is not asked any more")
            try:
                check_action(self.asked.view, action)
            except IllegalActionError as problem:
                raise CannotPlayError(str(problem)) from None
            self.asked = None
            self.seat.play(action)

    async def watch(self, after: int) -> AsyncIterator[bytes]:
        """Yield the messages after that number as server-sent events, until the last."""
        silent = 0.0
        while True:
            self.seen = time.monotonic()
            for number in range(after, len(self.messages)):
                yield f"id: {number + 1}\ndata: {json.dumps(self.messages[number])}\n\n".encode()
                silent = 0.0
            after = max(after, len(self.messages))
            if self.over and after == len(self.messages):
                return
            await asyncio.sleep(_POLL_INTERVAL_S)
            silent += _POLL_INTERVAL_S
            if silent >= _KEEPALIVE_S:
                silent = 0.0
                yield b": still here\n\n"  # finds out whether the page is still there


_POLL_INTERVAL_S = 0.02  # a person's, who does not notice it


class PlayTables:
    """All tables. `channel`: leads to the service."""

    def __init__(self, channel: grpc.Channel, away: float = AWAY_S) -> None:
        self._channel = channel
        self._away = away
        self._lock = threading.Lock()
        self._tables: dict[str, PlayTable] = {}  # oldest first

    def sit(
        self,
        caller: Visitor,
        visitor: str,
        ruleset: str,
        seats: Sequence[str],
        options: Mapping[str, Option],
        *,
        interludes: bool = False,
    ) -> PlayTable:
        """Take a seat at a new table.

        Raises:
            CannotPlayError: if the visitor has too many.
        """
        table = PlayTable(caller, visitor, options)
        with self._lock:
            if sum(not each.over and each.visitor == visitor for each in self._tables.values()) >= MAX_TABLES:
                raise CannotPlayError(f"you have {MAX_TABLES} tables already; finish a match, or leave it")
            self._tables[table.id] = table
            for old in [each for each in self._tables.values() if each.over][: max(0, len(self._tables) - _MAX_KEPT)]:
                del self._tables[old.id]
        table.seat = GuestSeat(
            self._channel, ruleset, seats, options=options, interludes=interludes, metadata=caller.metadata
        )
        threading.Thread(target=self._follow, args=(table, table.seat), name="seat", daemon=True).start()
        threading.Thread(target=self._wait_for_page, args=(table, table.seat), name="page", daemon=True).start()
        return table

    def find(self, number: str, caller: Visitor) -> PlayTable | None:
        """Return a table of this caller."""
        table = self._tables.get(number)
        return table if table and table.caller == caller else None

    def _follow(self, table: PlayTable, seat: GuestSeat) -> None:
        """Turn what the referee sends into what the page is sent, until the match is over."""
        try:
            for heard in seat:
                if isinstance(heard, Over):
                    table.record = heard.record
                    table.messages.append({"type": "over"})
                    continue
                message = _message(heard, table.options)
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
            table.over = True

    def _wait_for_page(self, table: PlayTable, seat: GuestSeat) -> None:
        """Get up when nobody looks at the table any more."""
        while not table.over:
            if time.monotonic() - table.seen > self._away:
                seat.leave()
                return
            time.sleep(min(1.0, self._away / 4))


def _message(heard: Heard, options: Mapping[str, Option]) -> Message:
    match heard:
        case Began():
            record = {"ruleset": heard.ruleset, "seats": len(heard.names), "options": dict(options)}
            return {"type": "began", "seat": heard.seat, "names": heard.names, "record": record}
        case GuestAsked():
            return {
                "type": "asked",
                "decision": heard.decision,
                "question": heard.view.decision.name.lower(),
                "events": list(map(event_to_json, heard.view.news)),
                "legal": [action_to_json(action) for action in _offered(heard.view)],
            }
        case Faulted():
            return {"type": "fault", "reason": heard.reason, "forfeited": heard.forfeited}
        case Ended():
            return {"type": "ended", "scores": heard.scores, "places": heard.places}


def _offered(view: View) -> list[Action]:
    """Return what the page offers as it is; offers and counters are put together there."""
    actions: list[Action] = []
    ways = Multiset[type[Action]]()
    for action in view.legal():
        ways[type(action)] += 1
        if not isinstance(action, Offer | Counter) and ways[type(action)] <= _MAX_WAYS.get(type(action), 1000):
            actions.append(action)
    return actions
