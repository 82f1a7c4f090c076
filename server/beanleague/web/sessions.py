"""Who is signed in: a random id in a cookie, and the token that goes with it in the memory of this process."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from beanproto.v1.league_pb2 import ROLE_AUTHOR, ROLE_ORGANISER, Role

LIFETIME_S = 12 * 3600
"""How long a session lasts."""

_MAX_SESSIONS = 2000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at a page."""

    name: str
    """Name of the token; "" for visitors."""
    role: Role.ValueType
    """What they may do."""
    token: str = ""
    """The token itself, which must not be shown; "" for visitors."""

    @property
    def signed_in(self) -> bool:
        """Whether they gave a token."""
        return bool(self.token)

    @property
    def may_submit(self) -> bool:
        """Whether they may submit bots, and play."""
        return self.role >= ROLE_AUTHOR

    def may_read_log(self, owner: str) -> bool:
        """Whether they may read what a bot wrote. `owner`: the author whom it belongs to; "": the organisers."""
        return self.role == ROLE_ORGANISER or (self.may_submit and self.signed_in and owner == self.name)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What calls in their name are sent with."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()


class Sessions:
    """The sessions. `secure`: whether browsers reach the site by TLS alone. `clock`: seconds."""

    def __init__(self, *, secure: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._secure = secure
        self._clock = clock
        self._lock = threading.Lock()
        self._callers: OrderedDict[str, tuple[float, Visitor]] = OrderedDict()  # oldest first

    @property
    def cookie(self) -> str:
        """The cookie's name. Browsers take one that begins with __Host- only by TLS, from this host, for all paths."""
        return "__Host-session" if self._secure else "session"

    def caller(self, request: Request) -> Visitor | None:
        """Return who is signed in; None if nobody is."""
        number = request.cookies.get(self.cookie, "")
        with self._lock:
            began, caller = self._callers.get(number, (0.0, None))
            if caller is not None and self._clock() - began > LIFETIME_S:
                del self._callers[number]
                caller = None
        return caller

    def begin(self, response: Response, caller: Visitor) -> None:
        """Sign in, with an id that nobody has known before."""
        number = secrets.token_urlsafe(32)
        with self._lock:
            self._callers[number] = (self._clock(), caller)
            while len(self._callers) > _MAX_SESSIONS:
                self._callers.popitem(last=False)
        response.set_cookie(
            self.cookie, number, max_age=LIFETIME_S, httponly=True, samesite="strict", secure=self._secure
        )

    def end(self, request: Request, response: Response) -> None:
        """Sign out."""
        with self._lock:
            self._callers.pop(request.cookies.get(self.cookie, ""), None)
        response.delete_cookie(self.cookie, httponly=True, samesite="strict", secure=self._secure)
