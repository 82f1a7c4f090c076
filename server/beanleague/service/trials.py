"""The trials of a bundle, whose bot may be stored then. `bots` imports this late: it imports the referee."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

import grpc

from beanleague.league.bots import submission
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.submission import Report, Submitted, Trial, TrialFault
from beanleague.league.errors import Problem
from beanleague.referee.messages import Limits
from beanleague.service.backend import Backend
from beanleague.service.messages import MANIFEST
from beanleague.wire import FAULT, unpacked
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

Result = TypeVar("Result")

_LOOK_S = 1.0  # how often it is seen whether somebody still waits
_MAX_FAULTS = 20  # of a trial that are listed
_PROBLEM = Codec(Problem, pb.Problem)
_TRIAL = Codec(Trial, pb.Trial, apart=("faults", "distinct", "forfeited", "refused", "record"))
_TRIAL_FAULT = Codec(TrialFault, pb.TrialFault, parts={"fault": FAULT})


def try_bot(
    backend: Backend, who: str, author: str, request: pb.TryBotRequest, context: grpc.ServicerContext
) -> Iterator[pb.TryBotProgress]:
    """Try a bundle when its turn comes, and store its bot if that is asked.

    `who`: whose bots it counts among; `author`: to whom the bot belongs if it is stored.
    """
    cache, start_pool = BundleCache(backend.settings.bundles), backend.settings.pools_of_trials()

    def work(seen: Callable[[Report], None]) -> Report | Submitted:
        if not request.submit:
            return submission.check(request.bundle, cache, start_pool, context.is_active, seen)
        return submission.submit(
            request.bundle, backend.store, cache, start_pool, context.is_active, author=author, seen=seen
        )

    with backend.trials.turn(who) as turn:
        place, known = backend.trials.ahead(turn, -1, 0), -1
        while place:
            if not context.is_active():
                return
            if place != known:
                yield pb.TryBotProgress(ahead=place)
            known = place
            place = backend.trials.ahead(turn, known, _LOOK_S)
        yield from map(_trying_to_pb, _reports_of(work))


def _reports_of(work: Callable[[Callable[[Report], None]], Result]) -> Iterator[Report | Result]:
    """Call `work` in a thread with a function that takes reports; yield these, and what it returns.

    Raises:
        Exception: what `work` raised.
    """
    reports: SimpleQueue[Report | None] = SimpleQueue()

    def done(_: Future[Result]) -> None:
        reports.put(None)

    with ThreadPoolExecutor(1, thread_name_prefix="trial") as threads:
        result = threads.submit(work, reports.put)
        result.add_done_callback(done)
        while (report := reports.get()) is not None:
            yield report
        yield result.result()


def _trying_to_pb(known: Report | Submitted) -> pb.TryBotProgress:
    """Return what is known of a bundle."""
    report = known if isinstance(known, Report) else known.report
    progress = pb.TryBotProgress(report=_report_to_pb(report))
    if isinstance(known, Submitted):
        version = known.version
        stored = pb.SubmittedBot(name=version.bot, version=version.number, digest=version.digest, created=known.created)
        stored.report.CopyFrom(progress.report)
        progress.submitted.CopyFrom(stored)
    if report.trials and report.trials[0].record:
        progress.trial.MergeFromString(unpacked(report.trials[0].record))
    return progress


def _report_to_pb(report: Report) -> pb.BotReport:
    """Return what was found about a bundle."""
    message = pb.BotReport(problems=map(_PROBLEM.encode, report.problems), trials=map(_trial_to_pb, report.trials))
    if report.bundle:
        MANIFEST.write(report.bundle.manifest, message.manifest)
        message.digest = report.bundle.digest
        message.files = len(report.bundle.files)
        message.unpacked_bytes = report.bundle.size
        message.move_ms = Limits().move_ms
    return message


def _trial_to_pb(trial: Trial) -> pb.Trial:
    return _TRIAL.encode(
        trial,
        fault_count=len(trial.faults),
        forfeited_seats=trial.forfeited,
        faults=map(FAULT.encode, trial.faults[:_MAX_FAULTS]),
        distinct=map(_TRIAL_FAULT.encode, trial.distinct[:_MAX_FAULTS]),
    )
