"""Submitting a bot: a zip file, and what became of it."""

from __future__ import annotations

from anyio import to_thread
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from beanleague.web.security import TooLargeError
from beanleague.web.sessions import Visitor
from beanleague.web.settings import MAX_BUNDLE_BYTES
from beanleague.web.site import Site
from beanleague.web.submissions import Submission


def form(request: Request) -> Response:
    """Show the form."""
    return _form(request)


async def submit(request: Request) -> Response:
    """Take a bundle."""
    site = Site.of(request)
    caller = await to_thread.run_sync(site.caller, request)
    if not caller.may_submit:
        raise HTTPException(403, "Only authors may submit bots; sign in with a token first.")
    async with request.form(max_files=1, max_fields=4) as fields:
        upload = fields.get("bundle")
        if not isinstance(upload, UploadFile) or not upload.size:
            return await to_thread.run_sync(_form, request, 400, "Choose the zip file of your bot first.")
        bundle = await upload.read()
        to_keep = fields.get("what") == "submit"
    if len(bundle) > MAX_BUNDLE_BYTES:
        raise TooLargeError(MAX_BUNDLE_BYTES)
    submission = site.submissions.begin(bundle, upload.filename or "", caller, to_keep=to_keep)
    return RedirectResponse(f"/submit/{submission.id}", 303)


def progress(request: Request) -> Response:
    """Show what became of an upload."""
    site, submission = Site.of(request), _submission(request)
    return site.page(request, "submission.html", title="Your bot", submission=submission)


def report(request: Request) -> Response:
    """Send the part of that page that changes."""
    return HTMLResponse(Site.of(request).part("submission-report.html", submission=_submission(request)))


def _submission(request: Request) -> Submission:
    site = Site.of(request)
    caller: Visitor = site.caller(request)
    submission = site.submissions.find(request.path_params["number"], caller)
    if submission is None:
        raise HTTPException(404, "This upload is not known any more; look at your bot, or submit it again.")
    return submission


def _form(request: Request, status: int = 200, problem: str = "") -> Response:
    return Site.of(request).page(
        request, "submit.html", status, title="Submit a bot", problem=problem, most=MAX_BUNDLE_BYTES
    )


routes = [
    Route("/submit", form),
    Route("/submit", submit, methods=["POST"]),
    Route("/submit/{number}", progress),
    Route("/submit/{number}/report", report),
]
