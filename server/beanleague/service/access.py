"""Who may do what: the roles, the one table of what each call needs, and who is calling."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, IntEnum, auto
from types import MappingProxyType

import grpc

from beanleague.service.errors import RefusedCallError
from beanleague.store.tokens import Tokens

MAX_REQUEST_BYTES = 8 * 2**20  # bytes: a bundle of 5 MiB and a little

_BEARER = "Bearer "


class Role(IntEnum):
    """What somebody is. Each may do all that those before it may."""

    VIEWER = 1
    AUTHOR = 2
    ORGANISER = 3

    def __str__(self) -> str:
        return self.name.lower()


class Cost(Enum):
    """What a call costs the server."""

    READ = auto()  # a few queries
    WORK = auto()  # seconds of a core, and programs of others
    RUN = auto()  # a stream that lasts as long as a league


@dataclass(frozen=True, slots=True)
class Rule:
    """What a call needs, what it costs, and how large its request may be."""

    role: Role
    cost: Cost = Cost.READ
    max_bytes: int = 64 * 2**10


_PUBLIC = Rule(Role.VIEWER)
_ORGANISES = Rule(Role.ORGANISER)
_BUNDLE = Rule(Role.AUTHOR, Cost.WORK, MAX_REQUEST_BYTES)

RULES = MappingProxyType(
    {
        "ServerInfo": _PUBLIC,
        "ListRulesets": _PUBLIC,
        "NewToken": _ORGANISES,
        "ListTokens": _ORGANISES,
        "RevokeToken": _ORGANISES,
        "CheckBot": _BUNDLE,
        "SubmitBot": _BUNDLE,  # an author: only their own bots
        "ListBots": _PUBLIC,
        "ShowBot": _PUBLIC,
        "BotLogs": Rule(Role.AUTHOR),  # an author: only of their own bots
        "CreateLeague": Rule(Role.ORGANISER, max_bytes=2**20),  # it may have a deck
        "RunLeague": Rule(Role.ORGANISER, Cost.RUN),
        "ListLeagues": _PUBLIC,
        "ShowLeague": _PUBLIC,
        "AddBots": _ORGANISES,
        "LiftSuspension": _ORGANISES,
        "Standings": _PUBLIC,
        "Ratings": _PUBLIC,
        "Recompute": Rule(Role.VIEWER, Cost.WORK),
        "Compare": Rule(Role.ORGANISER, Cost.RUN),
        "ListDeals": _PUBLIC,
        "ListMatches": _PUBLIC,
        "GetMatch": _PUBLIC,
    }
)
"""What each call of league.proto needs. A call that is not here cannot be made."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is calling. `name`: of the token; "" where none is demanded."""

    name: str
    role: Role

    @property
    def author(self) -> str:
        """The name to whom bots belong that this caller submits; "" for organisers, who may submit all."""
        return "" if self.role is Role.ORGANISER else self.name

    def may(self, role: Role) -> bool:
        """Whether this caller may do what that role may."""
        return self.role >= role


_ANYBODY = Caller("", Role.ORGANISER)


class Access:
    """Tells who is calling.

    `tokens`: gives those of the store; None if none is demanded, and whoever reaches the server is an organiser: they
    are the user to whom the database belongs. `clock`: seconds since 1970.
    """

    def __init__(self, tokens: Callable[[], Tokens] | None, clock: Callable[[], float] = time.time) -> None:
        self._tokens = tokens
        self._clock = clock

    def caller(self, context: grpc.ServicerContext) -> Caller:
        """Return who is calling.

        Raises:
            RefusedCallError: if they have no token, or none that is valid.
        """
        if self._tokens is None:
            return _ANYBODY
        text = _bearer(context.invocation_metadata())
        if not text:
            raise _unknown("this server wants a token; ask its organiser for one and put it into BEANLEAGUE_TOKEN")
        token = self._tokens().find(text)
        if token is None:
            raise _unknown("this server does not know this token; is it whole, and of this server?")
        if token.revoked is not None:
            raise _unknown(f"the token of {token.name} was revoked; ask the organiser for a new one")
        if not token.valid(self._clock()):
            assert token.expires is not None
            day = datetime.fromtimestamp(token.expires, UTC).date()
            raise _unknown(f"the token of {token.name} expired on {day}; ask the organiser for a new one")
        return Caller(token.name, Role[token.role.upper()])


def _bearer(metadata: Iterable[tuple[str, str | bytes]] | None) -> str:
    for key, value in metadata or ():
        if key == "authorization" and isinstance(value, str) and value.startswith(_BEARER):
            return value.removeprefix(_BEARER).strip()
    return ""


def _unknown(message: str) -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.UNAUTHENTICATED, message)
