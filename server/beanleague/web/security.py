"""Sessions of visitors, and checks of every request: host, origin, size and rate."""

import asyncio
import ipaddress
import re
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from types import MappingProxyType
from urllib.parse import quote, urlsplit, urlunsplit

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beanleague.files import largest_in_zip
from beanleague.service.access import Cost, RefusedCallError
from beanleague.service.gate import Allowance, Throttle
from beanleague.service.room import SharedRoom
from beanleague.web.settings import MAX_BUNDLE_BYTES, SiteSettings
from beanproto.v1.league_pb2 import ROLE_AUTHOR, ROLE_ORGANISER, Role

_LIFETIME_S = 12 * 3600
"""Lifetime of a session, in seconds."""

_MAX_SESSIONS = 2000
_MAX_SESSIONS_OF_TOKEN = 100

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of all pages: no foreign resources, no inline scripts or styles."""

ALLOWANCES = MappingProxyType(
    {
        Cost.READ: Allowance(rate=50, burst=600, open=256),  # a school may share one address, so limits are high
        Cost.WORK: Allowance(rate=0.5, burst=20, open=4),
        Cost.TABLE: Allowance(rate=10, burst=100, open=8),
    }
)
"""Rate limits per visitor (by address): pages and files, posts, and players' moves."""

_STREAMS = Allowance(rate=5, burst=300, open=300)
"""Limit of live updates per visitor, which are long-lived connections."""

_MOVES = "/play/"
"""Prefix of the paths for players' moves."""

_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
FOR_ANY_SITE = MappingProxyType({"access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin"})
"""Headers that let pages of other sites read an answer; only for answers that are the same for all visitors."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII)
_OTHER_ORIGIN = "this request did not come from a page of this site and was not carried out; use the form on this site"
_NO_ORIGIN = (
    "your browser does not say which page sent this request, so it was not carried out; send it from a page of "
    "this site, and if you did, allow the browser, its extensions and proxies to send the header Origin"
)
_OTHER_SCHEME = (
    "this request came from a page of this name, but with another scheme (http or https) than the proxy in front "
    "of this site reports, so it was not carried out; tell the site's operator that the proxy must set "
    "X-Forwarded-Proto"
)
_PORTS = {"http": ":80", "https": ":443"}  # default ports, which browsers leave out
_HSTS = "max-age=31536000"
_BODY_TIMEOUT_S = 120.0  # seconds for the body of a request to arrive
_MAX_BODY_BYTES = 64 * 2**10
_MAX_SENT_BYTES = 64 * 2**10
_FORM_BYTES = 16 * 2**10  # maximum size of a form around a bundle
# maximum size read of a request that is too large; browsers show the answer only after sending everything
_MAX_DISCARDED_BYTES = 64 * 2**20
_MAX_END_BYTES = 256 * 2**10  # bytes kept of its end, the directory of a zip file with 3,000 files


@dataclass(frozen=True, slots=True)
class Visitor:
    """Visitor of a page."""

    name: str
    """Name of the token; "" without one."""
    role: Role.ValueType
    """Role of the visitor in the service."""
    token: str = ""
    """The secret token; "" without one."""

    @property
    def signed_in(self) -> bool:
        """Whether the visitor has a token."""
        return bool(self.token)

    @property
    def may_submit(self) -> bool:
        """Whether the visitor may submit bots, and play."""
        return self.role >= ROLE_AUTHOR

    def may_read_log(self, owner: str) -> bool:
        """Whether the visitor may read a bot's log. `owner`: the bot's author; "" for bots of the organisers."""
        return self.role == ROLE_ORGANISER or (self.may_submit and self.signed_in and owner == self.name)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Metadata of calls on the visitor's behalf."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()


class Sessions:
    """Store of sessions. `secure`: whether the site uses TLS only. `prefix`: see `SiteSettings`."""

    def __init__(self, *, secure: bool, prefix: str = "") -> None:
        self._secure = secure
        self._prefix = prefix
        self._lock = threading.Lock()
        self._callers: dict[str, tuple[float, Visitor]] = {}
        self._room: SharedRoom[str] = SharedRoom(_MAX_SESSIONS, _MAX_SESSIONS_OF_TOKEN)

    @property
    def cookie(self) -> str:
        """Name of the session cookie.

        Browsers accept the prefix __Host- only with TLS, from this host, for all paths.
        """
        if not self._secure:
            return "session"
        return "__Secure-session" if self._prefix else "__Host-session"

    def caller(self, request: Request) -> Visitor | None:
        """Return the signed-in visitor, or None."""
        number = request.cookies.get(self.cookie, "")
        with self._lock:
            began, caller = self._callers.get(number, (0.0, None))
            if caller is not None and time.monotonic() - began > _LIFETIME_S:
                self._forget(number)
                caller = None
        return caller

    def _forget(self, number: str | None) -> None:
        """Drop a session, if there is one with this id."""
        if number in self._callers:
            _, caller = self._callers.pop(number)
            self._room.remove(caller.name, number)

    def begin(self, response: Response, caller: Visitor) -> None:
        """Sign a visitor in, with a new random session id."""
        number = secrets.token_urlsafe(32)
        with self._lock:
            self._callers[number] = (time.monotonic(), caller)
            self._forget(self._room.put(caller.name, number))
        response.set_cookie(
            self.cookie,
            number,
            max_age=_LIFETIME_S,
            path=self._prefix or "/",
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )

    def end(self, request: Request, response: Response) -> None:
        """Sign the visitor out."""
        with self._lock:
            self._forget(request.cookies.get(self.cookie))
        response.delete_cookie(
            self.cookie, path=self._prefix or "/", httponly=True, samesite="strict", secure=self._secure
        )


class TooLargeError(HTTPException):
    """Raised when the body of a request exceeds `most` bytes.

    `end`: end of the body; if it is that of a zip file, the message names its largest files.
    """

    def __init__(self, most: int, end: bytes = b"") -> None:
        largest = largest_in_zip(BytesIO(end))
        sentence = f"the request exceeds the limit of {most:,} bytes; "
        super().__init__(413, sentence + (largest or "send something smaller"))


class Headed:
    """Middleware that adds security headers to every response."""

    def __init__(self, app: ASGIApp, settings: SiteSettings) -> None:
        self._app = app
        self._headers = {**_HEADERS, "cache-control": "no-cache"}
        if settings.tls or settings.behind_proxy:
            self._headers["strict-transport-security"] = _HSTS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            body = message.get("body", b"")
            # A large body sent at once would be buffered for a slow reader, while the request counts as answered.
            for start in range(0, len(body) - _MAX_SENT_BYTES, _MAX_SENT_BYTES):
                await send({**message, "body": body[start : start + _MAX_SENT_BYTES], "more_body": True})
            await send(
                {**message, "body": body[-(len(body) % _MAX_SENT_BYTES or _MAX_SENT_BYTES) :]} if body else message
            )

        await self._app(scope, receive, send_with_headers)


class Placed:
    """Middleware that serves `app` below a path prefix, which it hides from `app`; other paths are not found.

    Redirects of `app` get the prefix, and lose scheme and host, which a proxy may have changed.
    """

    def __init__(self, app: ASGIApp, settings: SiteSettings) -> None:
        self._app = app
        self._prefix = settings.prefix
        self._behind_proxy = settings.behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        if path == self._prefix:  # without a prefix no path is empty
            query = scope["query_string"].decode("latin-1")
            await RedirectResponse(f"{path}/?{query}" if query else f"{path}/", 308)(scope, receive, send)
            return
        if not path.startswith(f"{self._prefix}/"):
            proxied = f"; a proxy in front of it must keep {self._prefix} in the paths" if self._behind_proxy else ""
            raise HTTPException(404, f"this site starts at {self._prefix}/{proxied}")

        async def send_placed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if location := headers.get("location"):
                    parts = urlsplit(location)
                    if not parts.netloc or parts.netloc == Headers(scope=scope).get("host"):
                        headers["location"] = self._prefix + urlunsplit(("", "", *parts[2:]))
            await send(message)

        inside = path.removeprefix(self._prefix)
        await self._app({**scope, "path": inside, "raw_path": quote(inside).encode()}, receive, send_placed)


class Guarded:
    """Middleware that refuses foreign hosts, cross-site posts, and too many or too large requests.

    It raises HTTPException; an outer layer renders the page.
    """

    def __init__(self, app: ASGIApp, settings: SiteSettings, allowances: Mapping[Cost, Allowance] = ALLOWANCES) -> None:
        self._app = app
        self._settings = settings
        self._pages = Throttle(allowances)
        self._streams = Throttle({Cost.READ: _STREAMS})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        self._check_host(headers)
        posts = scope["method"] == "POST"  # other methods are refused as methods, not as bad forms
        if posts:
            self._check_form(scope, headers)
        live = "text/event-stream" in headers.get("accept", "")
        throttle = self._streams if live else self._pages
        try:
            cost = (Cost.TABLE if scope["path"].startswith(_MOVES) else Cost.WORK) if posts else Cost.READ
            with throttle.admit(visitor(scope, headers, self._settings), cost):
                if scope["method"] not in {"GET", "HEAD"}:
                    receive = await self._limit(scope, headers, receive)
                await self._app(scope, receive, send)
        except RefusedCallError as refused:
            again = {} if refused.wait is None else {"retry-after": str(ceil(refused.wait))}
            raise HTTPException(429, str(refused), again) from None

    def _check_host(self, headers: Headers) -> None:
        """Refuse foreign host names, since DNS rebinding would give another site this browser's access."""
        names = headers.getlist("host")
        found = _HOST.fullmatch(names[0].lower()) if len(names) == 1 else None
        if not found or found[1] not in self._settings.hosts:
            raise HTTPException(421, "this site has another name; use the address that you were given")

    def _check_form(self, scope: Scope, headers: Headers) -> None:
        """Refuse cross-site forms, and encodings other than UTF-8, which may be undecodable."""
        forwarded = headers.get("x-forwarded-proto", "https").rpartition(",")[2].strip()
        scheme = forwarded if self._settings.behind_proxy else scope["scheme"]  # scheme as seen by the browser
        origin, own = _without_port(headers.get("origin", "")), _without_port(f"{scheme}://{headers['host']}".lower())
        untold = origin in {"", "null"}
        # With a strict referrer policy browsers send no origin; the other header cannot be set by pages.
        if origin != own and not (untold and headers.get("sec-fetch-site") == "same-origin"):
            other_scheme = self._settings.behind_proxy and origin.partition("://")[2] == own.partition("://")[2]
            raise HTTPException(403, _NO_ORIGIN if untold else _OTHER_SCHEME if other_scheme else _OTHER_ORIGIN)
        _, given = parse_options_header(headers.get("content-type"))
        if given.get(b"charset", b"utf-8").lower() != b"utf-8":
            raise HTTPException(415, "forms must be UTF-8; use the form on this site")

    async def _limit(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        uploads = scope["path"] == "/submit"
        allowed = MAX_BUNDLE_BYTES if uploads else _MAX_BODY_BYTES
        most = allowed + _FORM_BYTES * uploads
        length = headers.get("content-length", "")
        arrived = 0
        deadline: float | None = asyncio.get_running_loop().time() + _BODY_TIMEOUT_S

        async def limited() -> Message:
            nonlocal arrived, deadline
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "this took too long to arrive; try again") from None
            arrived += len(message.get("body", b""))
            if arrived > most:
                raise TooLargeError(allowed, await self._discard(receive, message, deadline))
            if not message.get("more_body"):
                deadline = None  # from now on only the disconnection is awaited
            return message

        if length.isascii() and length.isdecimal() and int(length) > most:
            small_enough = int(length) <= _MAX_DISCARDED_BYTES
            raise TooLargeError(allowed, await self._discard(receive, None, deadline) if small_enough else b"")
        return limited

    async def _discard(self, receive: Receive, message: Message | None, deadline: float | None) -> bytes:
        """Read the rest of a request that is too large, so that the sender gets the answer; return its end."""
        discarded, end = 0, b""
        try:
            async with asyncio.timeout_at(deadline):
                while message is None or message.get("more_body"):
                    message = await receive()
                    body = message.get("body", b"")
                    discarded += len(body)
                    end = (end + body)[-_MAX_END_BYTES:]
                    if discarded > _MAX_DISCARDED_BYTES:
                        return b""
        except TimeoutError:
            return b""
        return end


def _without_port(origin: str) -> str:
    """Return an origin without its scheme's default port, which some proxies add and browsers omit."""
    return origin.removesuffix(_PORTS.get(origin.partition("://")[0], ""))


def network_of(address: str) -> str:
    """Return the address range of one visitor: an IPv4 address, or an IPv6 /64 network."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ip.ipv4_mapped) if ip.ipv4_mapped else str(ipaddress.ip_network((ip, 64), strict=False))


def visitor(scope: Scope, headers: Headers, settings: SiteSettings) -> str:
    """Return the visitor's network. Of X-Forwarded-For only the entry added by our own proxy is trusted."""
    if settings.behind_proxy:
        forwarded = ",".join(headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
        if forwarded:
            return network_of(forwarded)
    return network_of(scope["client"][0]) if scope.get("client") else ""
