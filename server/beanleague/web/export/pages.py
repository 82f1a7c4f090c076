"""The pages of the site without a server: what the application answers, asked inside this process."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import Message

from beanleague.web.app import make_app
from beanleague.web.settings import SiteSettings
from beanleague.web.site import Site
from beanproto.v1.league_pb2_grpc import LeagueStub


@dataclass(frozen=True, slots=True)
class Answer:
    """What the application answers."""

    status: int
    """The HTTP status."""
    kind: str
    """The type of the content, e.g. "text/html; charset=utf-8"."""
    body: bytes
    """The content."""


class Pages:
    """The pages of a service as a visitor sees them. Nothing that needs a server is on them."""

    def __init__(self, stub: LeagueStub) -> None:
        self._app = make_app(stub, SiteSettings(static=True))

    async def get(self, address: str) -> Answer:
        """Return what is at an address, e.g. "/leagues/spring".

        Raises:
            grpc.RpcError: a call of the service failed.
            HTTPException: nothing is there.
        """
        parts = urlsplit(address)
        scope = {
            "type": "http",
            "method": "GET",
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": parts.query.encode(),
            "headers": [],
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 0),
            "app": self._app,
            "state": {},
        }
        start: Message = {}
        body = bytearray()

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                body.extend(message.get("body", b""))

        await self._app.router(scope, receive, send)  # what stands before it guards against strangers
        headers = dict(start["headers"])
        return Answer(start["status"], headers.get(b"content-type", b"").decode(), bytes(body))

    def part(self, template: str, /, **values: object) -> str:
        """Render a page that the application does not have."""
        site: Site = self._app.state.site
        return site.part(template, navigation=site.navigation, caller=None, **values)
