"""Bots that were uploaded: each is checked in a thread, while its author looks on."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import grpc

from beanleague.answers.trials import Mistake, mistakes, warnings
from beanleague.web.refusals import refused
from beanleague.web.sessions import Visitor
from beanproto.v1.league_pb2 import BotReport, SubmittedBot, TryBotRequest
from beanproto.v1.league_pb2_grpc import LeagueStub

_MAX_KEPT = 200
_TIMEOUT_S = 600.0


@dataclass(slots=True)
class Submission:
    """An upload, and how far it is."""

    file: str
    """The name of the file."""
    size: int
    """Its size in bytes."""
    caller: Visitor
    """Who uploaded it; nobody else sees it."""
    to_keep: bool
    """Whether it is to be stored, and not only checked."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    """Names it in paths."""
    report: BotReport | None = None
    """What is known of it, as it comes."""
    stored: SubmittedBot | None = None
    """The version it became."""
    problem: str = ""
    """Why it was refused, in lines."""
    done: bool = False
    """Nothing more will happen."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the bots' library warned the author of."""
        return warnings(self.report) if self.report else ()

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that it made in its trial matches, each once."""
        return mistakes(self.report) if self.report else ()


class Submissions:
    """The uploads of a while."""

    def __init__(self, stub: LeagueStub) -> None:
        self._stub = stub
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Submission] = OrderedDict()

    def begin(self, bundle: bytes, file: str, caller: Visitor, *, to_keep: bool) -> Submission:
        """Check a bundle in a thread, and store it if that is wanted."""
        submission = Submission(file, len(bundle), caller, to_keep)
        with self._lock:
            self._kept[submission.id] = submission
            while len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
        threading.Thread(target=self._play, args=(submission, bundle), name="submission", daemon=True).start()
        return submission

    def find(self, number: str, caller: Visitor) -> Submission | None:
        """Return an upload of this caller; None if none has this id, or somebody else uploaded it."""
        with self._lock:
            submission = self._kept.get(number)
        return submission if submission and submission.caller == caller else None

    def _play(self, submission: Submission, bundle: bytes) -> None:
        metadata = submission.caller.metadata
        try:
            request = TryBotRequest(bundle=bundle, submit=submission.to_keep)
            for known in self._stub.TryBot(request, metadata=metadata, timeout=_TIMEOUT_S):
                submission.report = known.report
                if known.HasField("submitted"):
                    submission.stored = known.submitted
        except grpc.RpcError as error:
            submission.problem = refused(error, posted=True)[1]
        finally:
            submission.done = True
