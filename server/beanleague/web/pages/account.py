"""Signing in with a token, and out."""

from __future__ import annotations

import grpc
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from beanleague.web.reader import TIMEOUT_S
from beanleague.web.refusals import refused
from beanleague.web.sessions import Visitor
from beanleague.web.site import Site
from beanproto.v1.league_pb2 import ServerInfoRequest

_MAX_TOKEN = 200  # characters
_NO_TOKEN = "This is not a token. A token is one word, as its organiser was shown it."  # noqa: S105 - a sentence


def form(request: Request) -> Response:
    """Show the form."""
    return _form(request)


async def sign_in(request: Request) -> Response:
    """Try a token, and begin a session with it."""
    async with request.form(max_files=0, max_fields=4) as fields:
        token = str(fields.get("token", "")).strip()
    if not (token and token.isascii() and token.isprintable() and " " not in token and len(token) <= _MAX_TOKEN):
        return await to_thread.run_sync(_form, request, 400, _NO_TOKEN)
    return await to_thread.run_sync(_sign_in, request, token)


def _sign_in(request: Request, token: str) -> Response:
    site = Site.of(request)
    metadata = (("authorization", f"Bearer {token}"),)
    try:
        info = site.stub.ServerInfo(ServerInfoRequest(), metadata=metadata, timeout=TIMEOUT_S)
    except grpc.RpcError as error:
        status, sentence = refused(error, posted=True)
        if status == 401 and isinstance(error, grpc.Call):
            sentence = f"{error.details()}."
        return _form(request, status, sentence[:1].upper() + sentence[1:])
    response = RedirectResponse("/submit", 303)
    site.sessions.begin(response, Visitor(info.caller, info.role, token))
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    response = RedirectResponse("/", 303)
    Site.of(request).sessions.end(request, response)
    return response


def _form(request: Request, status: int = 200, problem: str = "") -> Response:
    return Site.of(request).page(request, "sign-in.html", status, title="Sign in", problem=problem)


routes = [
    Route("/sign-in", form),
    Route("/sign-in", sign_in, methods=["POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
]
