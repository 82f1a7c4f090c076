"""What the page's server says of records: whether they are right, what was asked, what was legal."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from starlette.exceptions import HTTPException

from beanleague.games import (
    Action,
    Game,
    GameError,
    IllegalActionError,
    MatchVerdict,
    Record,
    RulesVersionError,
    check_rules_version,
    new_game,
    record_to_json,
    verify,
)
from beanleague.web.reader import Reader
from beanleague.web.viewer_records import viewer_json
from beanleague.wire import WireError, record_from_pb
from beanproto.v1.league_pb2 import GetMatchRequest, GetMatchResponse
from beanproto.v1.league_pb2_grpc import LeagueStub

_FRESH_S = 60.0  # of a match, which does not change
_MAX_KEPT = 16  # records; a long one takes some MiB
_TURN_TIMEOUT_S = 10.0  # for those who play records before


@dataclass(frozen=True, slots=True)
class RecordDecision:
    """A decision of a record."""

    seat: int
    """The seat that was asked."""
    decision: str
    """What it was asked: the name of the game's decision, in lower case."""
    legal: tuple[Action, ...]
    """Its legal actions; see `Game.legal`."""
    default: Action
    """The default action."""


class Replay:
    """The record of a match, and a game that follows it. One thread at a time."""

    def __init__(self, record: Record, tag: str, seed_digest: bytes) -> None:
        self.record = record
        self.tag = tag
        """Differs for different records."""
        self._seed_digest = seed_digest
        self._game: Game | None = None
        self._played = 0

    @cached_property
    def packed(self) -> bytes:
        """The record's JSON, as `beanleague match export` writes it, by gzip."""
        return gzip.compress(record_to_json(self.record).encode(), 6, mtime=0)

    @cached_property
    def for_viewer(self) -> bytes:
        """The record's JSON as the viewer reads it, by gzip."""
        return gzip.compress(viewer_json(self.record, self.verdict).encode(), 6, mtime=0)

    @cached_property
    def verdict(self) -> MatchVerdict:
        """What playing the match again gives."""
        return verify(self.record)

    @cached_property
    def problem(self) -> str:
        """Why the rules do not reproduce the match; "" if they do."""
        problem = self.verdict.problem
        if not problem and hashlib.sha256(self.record.seed).digest() != self._seed_digest:
            return f"its seed does not match the digest {self._seed_digest.hex()} that was published before play"
        return problem

    def asked(self, move: int) -> RecordDecision:
        """Return what was asked before `moves[move]` of the record was made.

        Raises:
            HTTPException: if there is no such move, or the record cannot be played up to there.
        """
        if not 0 <= move < len(self.record.moves):
            raise HTTPException(404, f"there is no move {move}; this match has {len(self.record.moves)}")
        game, seat = self._at(move), self.record.moves[move].seat
        view = game.view(seat, news=False)
        return RecordDecision(seat, view.decision.name.lower(), view.legal(), view.default())

    def _at(self, move: int) -> Game:
        """Return the game before a move; going on from where it was is quicker than starting again."""
        game, played = self._game, self._played
        self._game = None  # in case that a move fails
        record = self.record
        try:
            if game is None or played > move:
                check_rules_version(record.rules, "this match")
                game, played = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options), 0
            for played_move in record.moves[played:move]:
                game.apply(played_move.seat, played_move.action)
            if record.moves[move].seat not in game.to_act():
                raise IllegalActionError(f"seat {record.moves[move].seat} is not asked here")
        except (GameError, RulesVersionError) as error:
            raise HTTPException(409, f"the record cannot be played up to move {move}: {error}") from None
        self._game, self._played = game, move
        return game

    def decision(self, move: int) -> range:
        """Return the moves that the seat of `move` may have made in one answer, up to this one.

        Several in a row may be a list, of which only the first took time; if none took a time that can be measured,
        they may as well be decisions of their own.
        """
        moves, ms = self.record.moves, self.record.ms
        first = move
        while first and moves[first - 1].seat == moves[move].seat and not (ms and ms[first]):
            first -= 1
        return range(first, move + 1)


@dataclass(slots=True)
class Replays:
    """The replays of a site: the last few records, and one thread at a time that plays them.

    The rules take the time of a processor, which the pages of all visitors share.
    """

    stub: LeagueStub
    """The calls."""
    reader: Reader
    """Reads matches."""
    turn_timeout: float = _TURN_TIMEOUT_S
    """Seconds to wait for others."""
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _kept: OrderedDict[str, Replay] = field(default_factory=OrderedDict)

    def match(self, match_id: str) -> GetMatchResponse:
        """Return a match with its record, as a message.

        Raises:
            grpc.RpcError: if no match has this id, or the call failed.
        """
        return self.reader.get(self.stub.GetMatch, GetMatchRequest(match=match_id), fresh=_FRESH_S)

    @contextmanager
    def replay(self, match_id: str) -> Iterator[Replay]:
        """Give the replay of a match to this thread alone.

        Raises:
            grpc.RpcError: if there is no such match, or the call failed.
            HTTPException: if its record cannot be read, or too many others are waiting.
        """
        found = self.match(match_id)
        if not self._turn.acquire(timeout=self.turn_timeout):
            raise HTTPException(503, "too many records are being played at the moment; try again")
        try:
            yield self._replay(found)
        finally:
            self._turn.release()

    def _replay(self, found: GetMatchResponse) -> Replay:
        tag = hashlib.sha256(found.SerializeToString(deterministic=True)).hexdigest()[:20]
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
