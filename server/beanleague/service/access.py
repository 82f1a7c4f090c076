"""Access control: roles, the role that each call requires, and the identity of callers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, IntEnum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from beanleague.model import Token
    from beanleague.store.bots import Tokens

MAX_REQUEST_BYTES = 8 * 2**20  # bytes: a bundle of 5 MiB and a little

_BEARER = "Bearer "


class RefusedCallError(Exception):
    """Raised when a call is refused. `code`: gRPC status; `wait`: seconds after which to try again, if that helps."""

    def __init__(self, code: grpc.StatusCode, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.wait = wait


def exhausted(message: str, wait: float | None = None) -> RefusedCallError:
    """Return the error for a call beyond current capacity. `wait`: seconds until there may be capacity."""
    return RefusedCallError(grpc.StatusCode.RESOURCE_EXHAUSTED, message, wait)


class Role(IntEnum):
    """Role of a caller. Each role includes the rights of all roles before it."""

    VIEWER = 1
    AUTHOR = 2
    ORGANISER = 3

    def __str__(self) -> str:
        return self.name.lower()


class Cost(Enum):
    """Cost class of a call."""

    READ = auto()  # cost of a few database queries
    WORK = auto()  # seconds of a core, and other authors' programs
    RUN = auto()  # cost of a stream that lasts as long as a league
    TABLE = auto()  # cost of a stream that lasts as long as a guest plays, and of a process for each bot


@dataclass(frozen=True, slots=True)
class Rule:
    """Access rule of a call."""

    role: Role
    """Minimum role of a caller."""
    cost: Cost = Cost.READ
    """Cost class of the call."""
    max_bytes: int = 64 * 2**10
    """Maximum size of a request in bytes; of a stream, of its first message."""


_FOR_VIEWERS = (
    "ServerInfo ListRulesets ListBots ShowBot ShowTrial ListLeagues ShowLeague Standings Ratings ListDeals ListMatches "
    "GetMatch ThinkingTimes ListLadders ShowLadder LadderStatus"
)
_FOR_ORGANISERS = (
    "NewToken ListTokens RevokeToken StopRun AddBots SuspendBot LiftSuspension HideLeague CreateLadder SetLadder"
)

RULES = MappingProxyType(
    {
        **dict.fromkeys(_FOR_VIEWERS.split(), Rule(Role.VIEWER)),
        **dict.fromkeys(_FOR_ORGANISERS.split(), Rule(Role.ORGANISER)),
        "Backup": Rule(Role.ORGANISER, Cost.WORK),  # backups contain the secrets of leagues
        "TryBot": Rule(Role.AUTHOR, Cost.WORK, MAX_REQUEST_BYTES),  # authors may try only their own bots
        "BotLogs": Rule(Role.AUTHOR),  # authors may read only logs of their own bots
        "HideBot": Rule(Role.AUTHOR),  # authors may hide only their own bots
        "CreateLeague": Rule(Role.ORGANISER, max_bytes=2**20),  # a request may contain a deck
        "RunLeague": Rule(Role.ORGANISER, Cost.RUN),
        "FollowRun": Rule(Role.VIEWER, Cost.RUN),
        "VerifyLeague": Rule(Role.ORGANISER, Cost.RUN),  # takes all cores until every match has been replayed
        "Integrity": Rule(Role.ORGANISER, Cost.WORK),  # names people's bots, and is no proof
        "Compare": Rule(Role.ORGANISER, Cost.RUN),
        "PinMatch": Rule(Role.ORGANISER),  # pinned records take space permanently
        "AnalyseMatch": Rule(Role.AUTHOR, Cost.WORK, 2**20),  # a request may contain a record
        "ReportBot": Rule(Role.AUTHOR, Cost.WORK),
        "ShowPair": Rule(Role.VIEWER, Cost.WORK),
        "EnterLadder": Rule(Role.AUTHOR),  # authors may enter only their own bots
        "LeaveLadder": Rule(Role.AUTHOR),  # authors may withdraw only their own bots
        "Sit": Rule(Role.AUTHOR, Cost.TABLE, max_bytes=2**20),  # a request may contain a deck
    }
)
"""Rule of each call in league.proto and table.proto. Calls without a rule are refused."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Identity and role of a caller."""

    name: str
    """Name of the caller's token; "" if the server requires no tokens."""
    role: Role
    """Role of the caller."""

    @property
    def author(self) -> str:
        """Author who owns this caller's bots; "" for organisers, who may submit all bots."""
        return "" if self.role is Role.ORGANISER else self.name

    @property
    def owner(self) -> str | None:
        """Like `author`, but None for a caller without a token, who owns no bots."""
        return self.author if self.author or self.may(Role.ORGANISER) else None

    def may(self, role: Role) -> bool:
        """Return whether the caller has at least the rights of `role`."""
        return self.role >= role


_ANYBODY = Caller("", Role.ORGANISER)


class Access:
    """Identifies callers.

    `tokens`: returns the tokens of the store; None if the server requires no tokens, so that every caller is an
        organiser: only the owner of the database can reach it. `guest`: role of callers without a token; None to refuse
        them.
    """

    def __init__(self, tokens: Callable[[], Tokens] | None, guest: Role | None = None) -> None:
        self._tokens = tokens
        self._guest = guest

    def caller(self, context: grpc.ServicerContext) -> Caller:
        """Identify the caller.

        Raises:
            RefusedCallError: if the call has no valid token.
        """
        if self._tokens is None:
            return _ANYBODY
        text = _bearer_token(context.invocation_metadata() or ())
        if not text and self._guest is not None:
            return Caller("", self._guest)
        if not text:
            raise _unknown("this server requires a token; ask its organiser for one and set BEANLEAGUE_TOKEN to it")
        token = _valid_token(self._tokens().find(text))
        return Caller(token.name, Role[token.role.upper()])


def _bearer_token(metadata: Iterable[tuple[str, str | bytes]]) -> str:
    """Return the text of the bearer token in a call's metadata; "" if there is none."""
    given = [value for key, value in metadata if key == "authorization"]
    return next((str(value)[len(_BEARER) :].strip() for value in given if str(value).startswith(_BEARER)), "")


def _valid_token(token: Token | None) -> Token:
    """Return a token if it is valid now.

    Raises:
        RefusedCallError: if it is invalid or None.
    """
    if token is None:
        raise _unknown("this token is not valid here; check that it is complete and was made for this server")
    if token.revoked is not None:
        raise _unknown(f"the token of {token.name} was revoked; ask the organiser for a new one")
    if not token.valid(time.time()):
        assert token.expires is not None
        day = datetime.fromtimestamp(token.expires, UTC).date()
        raise _unknown(f"the token of {token.name} expired on {day} (UTC); ask the organiser for a new one")
    return token


def _unknown(message: str) -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.UNAUTHENTICATED, message)
