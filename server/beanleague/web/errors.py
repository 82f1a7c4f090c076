"""Failures as pages: a sentence that says what was wrong and what to do, and nothing of the inside of the server."""

from __future__ import annotations

import logging
import secrets
from http import HTTPStatus
from typing import cast

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from beanleague.web.site import Site

_log = logging.getLogger(__name__)

_MAX_SENTENCE = 1000  # characters
_AWAY = "The leagues cannot be reached at the moment. Try again in a minute."
_STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNIMPLEMENTED: 501,
}
_SENTENCES = {
    401: "You are not signed in, or your token is no longer valid. Sign in again.",
    404: "There is no such page. Start at the list of leagues.",
    405: "This page cannot be used like that. Start at the list of leagues.",
    501: "The server behind this site does not offer this; it may run an earlier version.",
}


def refused(error: grpc.RpcError, *, posted: bool) -> tuple[int, str]:
    """Return the status and the sentence for a call that failed. `posted`: it was to change something."""
    code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
    details = (error.details() if isinstance(error, grpc.Call) else "") or ""
    if posted and code in {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED}:
        return 409, _sentence(details)
    status = _STATUS.get(code, 503)
    if status == 503:
        # Those who look at pages can do nothing about it; whoever runs the site reads it here.
        _log.warning("a page could not be shown: %s: %s", code.name, details)
        return 503, _AWAY
    return status, _SENTENCES.get(status) if status in {401, 501} else _sentence(details)  # type: ignore[return-value]


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer a request that was refused."""
    refusal = cast("HTTPException", error)
    known = refusal.detail != HTTPStatus(refusal.status_code).phrase
    sentence = _sentence(refusal.detail) if known else _SENTENCES.get(refusal.status_code, refusal.detail)
    response = error_page(request, refusal.status_code, sentence)
    response.headers.update(refusal.headers or {})
    return response


async def on_rpc_error(request: Request, error: Exception) -> Response:
    """Answer a request whose call of the service failed."""
    return error_page(request, *refused(cast("grpc.RpcError", error), posted=request.method == "POST"))


async def on_bug(request: Request, error: Exception) -> Response:
    """Answer a request that failed for no reason that we know."""
    number = secrets.token_hex(4)
    _log.error("error %s: %s failed unexpectedly", number, request.url.path, exc_info=error)
    return error_page(request, 500, f"This is a bug in beanleague; the server's log has the details: error {number}.")


def error_page(request: Request, status: int, sentence: str) -> Response:
    """Return a page, or JSON for programs, that says what was wrong."""
    if request.url.path.endswith(".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": sentence}, status)
    title = HTTPStatus(status).phrase
    return Site.of(request).page(request, "error.html", status, title=title, sentence=sentence)


def _sentence(text: str) -> str:
    """Return `text` with a capital and a full stop."""
    text = text[:_MAX_SENTENCE]
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '…', '?')) else '.'}"
