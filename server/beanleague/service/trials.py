"""Trials of bundles and analyses of matches, queued for the cores that leagues leave.

`bots` and `matches` import this late, since it imports the referee.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from beanleague.league.bots import submission
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.submission import Report, Submitted, Trial, TrialFault
from beanleague.league.errors import Problem
from beanleague.league.uses.programs import AnalysisProgress, Program, ProgramBounds, Runner, output_of
from beanleague.referee.messages import Limits
from beanleague.service.access import exhausted
from beanleague.service.backend import Backend, TrialQueue, Turn
from beanleague.service.messages import MANIFEST
from beanleague.wire import FAULT, unpacked
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

Result = TypeVar("Result")

_LOOK_S = 1.0  # interval of checking for waiting callers
_MAX_FAULTS = 20  # maximum faults listed of a trial
_NICENESS = 10  # niceness of analyses: pages that people wait for go first, and so do leagues
_ANALYSIS_PROGRESS = Codec(AnalysisProgress, pb.AnalysisProgress)
_PROBLEM = Codec(Problem, pb.Problem)
_TRIAL = Codec(Trial, pb.Trial, apart=("faults", "distinct", "forfeited", "refused", "record"))
_TRIAL_FAULT = Codec(TrialFault, pb.TrialFault, parts={"fault": FAULT})


def try_bot(
    backend: Backend, who: str, author: str, bundle: bytes, *, submit: bool, wanted: Callable[[], bool]
) -> Iterator[pb.TryBotProgress]:
    """Run the trials of a bundle when its turn comes; with `submit`, store the bot.

    `who`: caller to whom the turn counts; `author`: owner of a stored bot.

    Raises:
        DatabaseError: if the bot is to be stored in a read-only database.
        RefusedCallError: see `in_turn`.
    """
    store = backend.store
    if submit:
        store.database.check_writable()
    cache, start_pool = BundleCache(backend.settings.bundles), backend.settings.pools_of_trials()

    def work(seen: Callable[[Report], None], _: Turn) -> Report | Submitted:
        if submit:
            return submission.submit(bundle, store, cache, start_pool, wanted, author=author, seen=seen)
        return submission.check(bundle, cache, start_pool, wanted, seen, store.bots.has)

    for known in in_turn(backend.trials, who, wanted, work):
        yield pb.TryBotProgress(ahead=known) if isinstance(known, int) else _trying_to_pb(known)


def in_turn(
    queue: TrialQueue, who: str, wanted: Callable[[], bool], work: Callable[[Callable[[Result], None], Turn], Result]
) -> Iterator[int | Result]:
    """Wait in the queue of trials, then call `work` in a thread.

    Yields the place in the queue each second, then the reports of `work` and its result. Ends early when `wanted`
    returns False.

    Raises:
        RefusedCallError: if `who` has too many places in the queue, or the queue is full.
        Exception: any error of `work`.
    """
    with queue.turn(who) as turn:
        place = queue.ahead(turn, -1, 0)
        while place:
            if not wanted():
                return
            yield place
            place = queue.ahead(turn, place, _LOOK_S)
        reports: SimpleQueue[Result | None] = SimpleQueue()
        with ThreadPoolExecutor(1, thread_name_prefix="trial") as threads:
            result = threads.submit(work, reports.put, turn)
            result.add_done_callback(lambda _: reports.put(None))
            while (report := reports.get()) is not None:
                yield report
            yield result.result()


def _trying_to_pb(known: Report | Submitted) -> pb.TryBotProgress:
    """Convert the progress of a trial."""
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
    """Convert the report on a bundle."""
    message = pb.BotReport(problems=map(_PROBLEM.encode, report.problems))
    for trial in report.trials:
        told = message.trials.add(fault_count=len(trial.faults), forfeited_seats=trial.forfeited)
        told.faults.extend(map(FAULT.encode, trial.faults[:_MAX_FAULTS]))
        told.distinct.extend(map(_TRIAL_FAULT.encode, trial.distinct[:_MAX_FAULTS]))
        _TRIAL.write(trial, told)
    if report.bundle:
        MANIFEST.write(report.bundle.manifest, message.manifest)
        message.digest = report.bundle.digest
        message.files = len(report.bundle.files)
        message.unpacked_bytes = report.bundle.size
        message.move_ms = Limits().move_ms
    return message


def runner(backend: Backend, who: str, wanted: Callable[[], bool]) -> Runner:
    """Return a runner of analysis programs that queues for a turn of `who`.

    It raises RefusedCallError if `who` has too many places in the queue, the queue is full, or `who` has used its share
    and others wait.
    """

    def run(program: Callable[[], Program], bounds: ProgramBounds) -> Iterator[AnalysisProgress]:
        def work(seen: Callable[[AnalysisProgress], None], turn: Turn) -> AnalysisProgress:
            os.nice(_NICENESS)  # applies to this thread and its child processes

            def goes_on() -> bool:
                if backend.trials.gives_way(turn, bounds.share_s):
                    raise exhausted(
                        f"it takes longer than {bounds.share_s:.0f} seconds while others wait: try again later, or "
                        "run it on your own machine with 'beanbot analyse'"
                    )
                return wanted()

            def count(done: int, total: int) -> None:
                seen(AnalysisProgress(done=done, total=total))

            return AnalysisProgress(found=output_of(program(), goes_on, count, bounds.timeout_s))

        for known in in_turn(backend.trials, who, wanted, work):
            yield AnalysisProgress(ahead=known) if isinstance(known, int) else known

    return run


def analysis_to_pb(progress: AnalysisProgress) -> pb.AnalysisProgress:
    """Convert the progress of an analysis or a report."""
    return _ANALYSIS_PROGRESS.encode(progress)
