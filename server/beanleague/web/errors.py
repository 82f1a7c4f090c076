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

from beanleague.web.refusals import SENTENCES, refused, sentence
from beanleague.web.site import Site

_log = logging.getLogger(__name__)


def on_http_error(request: Request, error: Exception) -> Response:
    """Answer a request that was refused."""
    refusal = cast("HTTPException", error)
    known = refusal.detail != HTTPStatus(refusal.status_code).phrase
    text = sentence(refusal.detail) if known else SENTENCES.get(refusal.status_code, refusal.detail)
    response = error_page(request, refusal.status_code, text)
    response.headers.update(refusal.headers or {})
    return response


def on_rpc_error(request: Request, error: Exception) -> Response:
    """Answer a request whose call of the service failed."""
    return error_page(request, *refused(cast("grpc.RpcError", error), posted=request.method == "POST"))


def on_bug(request: Request, error: Exception) -> Response:
    """Answer a request that failed for no reason that we know."""
    number = secrets.token_hex(4)
    _log.error("error %s: %s failed unexpectedly", number, request.url.path, exc_info=error)
    return error_page(request, 500, f"This is a bug in beanleague; the server's log has the details: error {number}.")


def error_page(request: Request, status: int, text: str) -> Response:
    """Return a page, or JSON for programs, that says what was wrong."""
    if request.url.path.endswith(".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": text}, status)
    title = HTTPStatus(status).phrase
    return Site.of(request).page(request, "error.html", status, title=title, sentence=text)
