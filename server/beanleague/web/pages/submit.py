"""Pages for authors: signing in with a token, and submitting a bot with a live check."""

import secrets
import threading
from dataclasses import dataclass, field
from typing import Any

import grpc
from anyio import to_thread
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from beanleague.answers import Mistake, mistakes, warnings
from beanleague.service.gate import VISITOR
from beanleague.service.room import SharedRoom
from beanleague.web.reading import TIMEOUT_S, refused
from beanleague.web.security import TooLargeError, Visitor, visitor
from beanleague.web.settings import MAX_BUNDLE_BYTES
from beanleague.web.site import Site, trial_page
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub

_MAX_TOKEN = 200  # maximum characters of a token
_NO_TOKEN = "This is not a token. A token is one word; copy it exactly as the organiser sent it."  # noqa: S105 - a sentence
_MAX_KEPT = 200
_MAX_KEPT_OF_TOKEN = 20
_TIMEOUT_S = 600.0


async def sign_in(request: Request) -> Response:
    """Check a token and begin a session."""
    async with request.form(max_files=0, max_fields=4) as fields:
        token = str(fields.get("token", "")).strip()
    if not (token and token.isascii() and token.isprintable() and " " not in token and len(token) <= _MAX_TOKEN):
        return await to_thread.run_sync(_sign_in_page, request, 400, _NO_TOKEN)
    return await to_thread.run_sync(_sign_in, request, token)


def _sign_in(request: Request, token: str) -> Response:
    site = Site.of(request)
    metadata = (("authorization", f"Bearer {token}"),)
    try:
        info = site.stub.ServerInfo(pb.ServerInfoRequest(), metadata=metadata, timeout=TIMEOUT_S)
    except grpc.RpcError as error:
        status, sentence = refused(error, posted=True)
        if status == 401 and isinstance(error, grpc.Call):
            sentence = f"{error.details()}."
        return _sign_in_page(request, status, sentence[:1].upper() + sentence[1:])
    response = RedirectResponse("/submit", 303)
    site.sessions.begin(response, Visitor(info.caller, info.role, token))
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    response = RedirectResponse("/", 303)
    Site.of(request).sessions.end(request, response)
    return response


def _sign_in_page(request: Request, status: int = 200, problem: str = "") -> Response:
    return Site.of(request).page(request, "sign-in.html", status, title="Sign in", problem=problem)


@dataclass(slots=True)
class Submission:
    """An upload and its progress."""

    file: str
    """Name of the uploaded file."""
    size: int
    """Size of the file in bytes."""
    caller: Visitor
    """Author of the upload; others cannot see it."""
    to_keep: bool
    """Whether to store the bot after the check."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    """Id of the upload in URLs."""
    report: pb.BotReport | None = None
    """Report so far; None before the first."""
    tried: pb.TryBotProgress | None = None
    """Progress message with the first finished trial match."""
    stored: pb.SubmittedBot | None = None
    """Stored version; None if nothing was stored."""
    problem: str = ""
    """Reason of a refusal, one or more lines."""
    ahead: int = 0
    """Place in the queue, from 1; 0 once the check has started."""
    done: bool = False
    """Whether the check has ended."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of the bots' library for the author."""
        return warnings(self.report) if self.report else ()

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """Distinct mistakes of the bot in its trial matches."""
        return mistakes(self.report) if self.report else ()


class Submissions:
    """Recent uploads."""

    def __init__(self, stub: LeagueStub) -> None:
        self._stub = stub
        self._lock = threading.Lock()
        self._kept: dict[str, Submission] = {}
        self._room: SharedRoom[str] = SharedRoom(_MAX_KEPT, _MAX_KEPT_OF_TOKEN)

    def begin(self, bundle: bytes, file: str, caller: Visitor, address: str, *, to_keep: bool) -> Submission:
        """Check a bundle in a thread, and store it if `to_keep`. `address`: network address of the visitor."""
        submission = Submission(file, len(bundle), caller, to_keep)
        with self._lock:
            self._kept[submission.id] = submission
            if (gone := self._room.put(caller.name, submission.id)) is not None:
                del self._kept[gone]
        threading.Thread(target=self._play, args=(submission, bundle, address), name="submission", daemon=True).start()
        return submission

    def find(self, number: str, caller: Visitor) -> Submission | None:
        """Return an upload of this caller; None if there is none with this id."""
        with self._lock:
            submission = self._kept.get(number)
        return submission if submission and submission.caller == caller else None

    def _play(self, submission: Submission, bundle: bytes, address: str) -> None:
        metadata = (*submission.caller.metadata, (VISITOR, address))
        try:
            request = pb.TryBotRequest(bundle=bundle, submit=submission.to_keep)
            for known in self._stub.TryBot(request, metadata=metadata, timeout=_TIMEOUT_S):
                submission.ahead = known.ahead
                if not known.ahead:
                    submission.report = known.report
                if known.HasField("trial"):
                    submission.tried = known
                if known.HasField("submitted"):
                    submission.stored = known.submitted
        except grpc.RpcError as error:
            submission.problem = refused(error, posted=True)[1]
        finally:
            submission.done = True


async def submit(request: Request) -> Response:
    """Accept an uploaded bundle."""
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
        raise TooLargeError(MAX_BUNDLE_BYTES, bundle)
    address = visitor(request.scope, request.headers, site.settings)
    submissions: Submissions = request.app.state.submissions
    submission = submissions.begin(bundle, upload.filename or "", caller, address, to_keep=to_keep)
    return RedirectResponse(f"/submit/{submission.id}", 303)


def progress(request: Request) -> Response:
    """Show the progress of an upload."""
    return Site.of(request).page(request, "submission.html", title="Your bot", **_page_values(request))


def report(request: Request) -> Response:
    """Send the part of the progress page that changes."""
    return HTMLResponse(Site.of(request).part("submission-report.html", **_page_values(request)))


def _page_values(request: Request) -> dict[str, Any]:
    """Return the template values for an upload; for a stored bot also the leagues that it can join."""
    site, submission = Site.of(request), _submission(request)
    games = submission.report.manifest.games if submission.stored and submission.report else ()
    leagues = site.reader.get(site.stub.ListLeagues, pb.ListLeaguesRequest()).leagues if games else ()
    return {
        "submission": submission,
        "leagues": [
            league
            for league in leagues
            if league.ruleset in games and league.has_standings and league.state != pb.LEAGUE_STATE_DONE
        ],
    }


def replay(request: Request) -> Response:
    """Show the first trial match of an upload."""
    submission = _submission(request)
    if submission.tried is None:
        raise HTTPException(404, "No trial match has finished yet.")
    back, name = f"/submit/{submission.id}", submission.file or "Your bot"
    return trial_page(request, "Trial match", record_from_pb(submission.tried.trial), back, name)


def _submission(request: Request) -> Submission:
    caller = Site.of(request).caller(request)
    submissions: Submissions = request.app.state.submissions
    submission = submissions.find(request.path_params["number"], caller)
    if submission is None:
        raise HTTPException(404, "This upload is no longer known; look at your bot, or submit it again.")
    return submission


def _form(request: Request, status: int = 200, problem: str = "") -> Response:
    return Site.of(request).page(
        request, "submit.html", status, title="Submit a bot", problem=problem, most=MAX_BUNDLE_BYTES
    )


routes = {
    "GET /sign-in": _sign_in_page,
    "POST /sign-in": sign_in,
    "POST /sign-out": sign_out,
    "GET /submit": _form,
    "POST /submit": submit,
    "GET /submit/{number}": progress,
    "GET /submit/{number}/report": report,
    "GET /submit/{number}/replay": replay,
}
