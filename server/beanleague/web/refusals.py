"""Calls of the service that failed, in words for those who look at pages: nothing of the inside of the server."""

from __future__ import annotations

import logging

import grpc

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
SENTENCES = {
    401: "You are not signed in, or your token is no longer valid. Sign in again.",
    404: "There is no such page. Start at the list of leagues.",
    405: "This page cannot be used like that. Start at the list of leagues.",
    501: "The server behind this site does not offer this; it may run an earlier version.",
}
"""What is said of a status when nothing more is known."""


def refused(error: grpc.RpcError, *, posted: bool) -> tuple[int, str]:
    """Return the status and the sentence for a call that failed. `posted`: it was to change something."""
    code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.UNKNOWN
    details = (error.details() if isinstance(error, grpc.Call) else "") or ""
    if posted and code in {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED}:
        return 409, sentence(details)
    status = _STATUS.get(code, 503)
    if status == 503:
        # Those who look at pages can do nothing about it; whoever runs the site reads it here.
        _log.warning("a page could not be shown: %s: %s", code.name, details)
        return 503, _AWAY
    return status, SENTENCES.get(status) if status in {401, 501} else sentence(details)  # type: ignore[return-value]


def sentence(text: str) -> str:
    """Return `text` with a capital and a full stop."""
    text = text[:_MAX_SENTENCE]
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '…', '?')) else '.'}"
