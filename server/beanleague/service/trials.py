"""What waits in one queue for the cores that leagues leave to it: trials of bundles, and analyses of matches.

Matches are analysed, and bots asked about them, by programs of the bots' library, which is not imported here: in the
sandbox, at a low priority. `bots` and `matches` import this late: it imports the referee.
"""

import json
import os
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

import grpc

from beanleague.games import record_to_json
from beanleague.house_folder import HOUSE_BOTS, house_folder, playing
from beanleague.league.bots import submission
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.entries import File
from beanleague.league.bots.reading import read_folder, read_zip
from beanleague.league.bots.submission import Report, Submitted, Trial, TrialFault
from beanleague.league.errors import LeagueError, Problem, RequestError
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.probe import choose, started
from beanleague.service.access import Caller, Role, exhausted
from beanleague.service.backend import Backend, Turn
from beanleague.service.gate import who_calls
from beanleague.service.messages import MANIFEST
from beanleague.wire import FAULT, WireError, record_from_pb, unpacked
from beanleague.wire.codec import Codec
from beanproto.v1 import league_pb2 as pb

Result = TypeVar("Result")
_Program: TypeAlias = tuple[Sequence[str], Mapping[str, bytes], bool]  # words, files, whether it is trusted

_LOOK_S = 1.0  # how often it is seen whether somebody still waits
_MAX_FAULTS = 20  # of a trial that are listed
_NICENESS = 10  # of analyses: what people wait for at pages goes first, and so do leagues
_ANALYSIS_TIMEOUT_S = 600.0
_SENT_TIMEOUT_S = 60.0  # of a record that somebody sent: its sender decides what it costs, and nobody else needs it
_SENT_SHARE_S = 10.0  # after which it is given up if somebody else waits,
_SHARE_S = 120.0  # and others, whose results are kept or of many matches; a match takes some seconds
_MAX_OUTPUT = 2**20  # bytes that a program prints
_MAX_HOUSE, _MAX_OWN = 4, 2  # bots that are asked: the strongest that play the game, the caller's newest
_MAX_PROBLEM = 500  # characters of what a program says instead
_MATCH = "match.json"
_PROGRESS = b"progress: "  # begins a line that beanbot.analyse prints after each match of a report
_PROBLEM = Codec(Problem, pb.Problem)
_TRIAL = Codec(Trial, pb.Trial, apart=("faults", "distinct", "forfeited", "refused", "record"))
_TRIAL_FAULT = Codec(TrialFault, pb.TrialFault, parts={"fault": FAULT})


def try_bot(
    backend: Backend, who: str, author: str, request: pb.TryBotRequest, context: grpc.ServicerContext
) -> Iterator[pb.TryBotProgress]:
    """Try a bundle when its turn comes, and store its bot if that is asked.

    `who`: whose bots it counts among; `author`: to whom the bot belongs if it is stored.

    Raises:
        DatabaseError: if it is to be stored, and the database can only be read.
    """
    if request.submit:
        backend.store.database.check_writable()
    cache, start_pool = BundleCache(backend.settings.bundles), backend.settings.pools_of_trials()

    def work(seen: Callable[[Report], None], _: Turn) -> Report | Submitted:
        if not request.submit:
            return submission.check(request.bundle, cache, start_pool, context.is_active, seen, backend.store.bots.has)
        return submission.submit(
            request.bundle, backend.store, cache, start_pool, context.is_active, author=author, seen=seen
        )

    for known in in_turn(backend, who, context, work):
        yield pb.TryBotProgress(ahead=known) if isinstance(known, int) else _trying_to_pb(known)


def in_turn(
    backend: Backend, who: str, context: grpc.ServicerContext, work: Callable[[Callable[[Result], None], Turn], Result]
) -> Iterator[int | Result]:
    """Wait in the queue of trials; yield the place there each second, what `work` reports in a thread, and its result.

    Ends early if nobody waits for it any more.

    Raises:
        RefusedCallError: the caller has too much in the queue, or too many wait.
        Exception: what `work` raised.
    """
    with backend.trials.turn(who) as turn:
        place = backend.trials.ahead(turn, -1, 0)
        while place:
            if not context.is_active():
                return
            yield place
            place = backend.trials.ahead(turn, place, _LOOK_S)
        reports: SimpleQueue[Result | None] = SimpleQueue()
        with ThreadPoolExecutor(1, thread_name_prefix="trial") as threads:
            result = threads.submit(work, reports.put, turn)
            result.add_done_callback(lambda _: reports.put(None))
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


@cache
def analysis_version() -> int:
    """Return the version of the analysis that this installation makes."""
    return int(_printed(["analyse", "--version"], {}, True, lambda: True, lambda _: None))


def analyse(
    backend: Backend,
    caller: Caller,
    match: pb.GetMatchResponse,
    move: int | None,
    context: grpc.ServicerContext,
    ratings: Sequence[float] = (),
) -> Iterator[pb.AnalysisProgress]:
    """Analyse the record of a match when its turn comes, or if `move` is given, ask bots what they would do there.

    `ratings`: those of the seats, if all are known.

    Raises:
        RequestError: if the record is none, or has no such move.
        RefusedCallError, LeagueError, SandboxError: as `run_program`.
    """
    try:
        record = record_from_pb(match.record)
    except WireError as error:
        raise RequestError(f"this is not a record of a match: {error}") from None
    if move is not None and move >= len(record.moves):
        raise RequestError(f"the match has no move {move}; it has moves 0 to {len(record.moves) - 1}")

    def program() -> _Program:
        files, trusted = {_MATCH: record_to_json(record).encode()}, True
        words = ["analyse", _MATCH]
        if ratings and len(ratings) == len(record.players):  # the Bean Thief is a seat of the league alone
            words.append(f"--ratings={','.join(map(str, ratings))}")
        if move is not None:
            house = [folder for name in playing(record.ruleset) if (folder := house_folder(name))][:_MAX_HOUSE]
            own = _own_bots(backend, caller, record.ruleset)
            bots = {**{folder.name: read_folder(folder) for folder in house}, **own}
            words = ["practice", *(f"./{name}" for name in bots), f"--at={_MATCH}:{move}"]
            files |= {f"{name}/{path}": file.content for name, of_bot in bots.items() for path, file in of_bot.items()}
            trusted = not own or backend.settings.trust_bots
        return words, files, trusted

    return run_program(backend, caller, context, program, sent=not match.HasField("info"))


def run_program(
    backend: Backend,
    caller: Caller,
    context: grpc.ServicerContext,
    program: Callable[[], _Program],
    *,
    sent: bool = False,
) -> Iterator[pb.AnalysisProgress]:
    """Run a program of the bots' library when its turn comes; `program` says then which.

    `sent`: whether it is about a record that the caller sent, and so may cost whatever the caller likes.

    Raises:
        RefusedCallError: if the caller has too much in the queue, too many wait, or it had its share and others wait.
        LeagueError: it fails, prints too much, or takes too long.
        SandboxError: if no sandbox works, and the program is not trusted.
    """
    timeout, share = (_SENT_TIMEOUT_S, _SENT_SHARE_S) if sent else (_ANALYSIS_TIMEOUT_S, _SHARE_S)

    def work(seen: Callable[[pb.AnalysisProgress], None], turn: Turn) -> pb.AnalysisProgress:
        os.nice(_NICENESS)  # of this thread, and what it starts

        def waits() -> bool:
            if backend.trials.gives_way(turn, share):
                raise exhausted(
                    f"it takes longer than {share:.0f} seconds, and others wait: try again later, or do it on your own "
                    "machine with 'beanbot analyse'"
                )
            return context.is_active()

        found = _printed(*program(), waits, lambda done: seen(pb.AnalysisProgress(done=done)), timeout)
        return pb.AnalysisProgress(found=found)

    for known in in_turn(backend, who_calls(caller, context), context, work):
        yield pb.AnalysisProgress(ahead=known) if isinstance(known, int) else known


def _own_bots(backend: Backend, caller: Caller, game: str) -> Mapping[str, Mapping[str, File]]:
    """Return the files of the newest versions of bots that belong to the caller and play a game, by name."""
    if not (caller.author or caller.may(Role.ORGANISER)):  # somebody without a token owns none
        return {}
    own = [
        version
        for version in backend.store.bots.newest()
        if version.owner == caller.author and version.bot not in HOUSE_BOTS and game in version.manifest.games
    ]
    newest = sorted(own, key=lambda version: -version.submitted)[:_MAX_OWN]
    return {version.bot: read_zip(backend.store.bots.bundle(version.digest)) for version in newest}


def _printed(
    words: Sequence[str],
    files: Mapping[str, bytes],
    trusted: bool,  # noqa: FBT001  # whether it may run without a sandbox where none works
    waits: Callable[[], bool],
    seen: Callable[[int], None],
    timeout_s: float | None = None,  # _ANALYSIS_TIMEOUT_S
) -> str:
    """Return the JSON that a program of the bots' library prints last, in a folder with `files`.

    `seen` is called every second, with the number of lines of progress: a proxy ends what is silent for long.

    Raises:
        LeagueError: it prints none, or too much, or takes too long.
        SandboxError: no sandbox works, and it is not `trusted`.
    """
    command = ("python", "-m", f"beanbot.{words[0]}", *words[1:], "--json")
    timeout_s = timeout_s or _ANALYSIS_TIMEOUT_S
    ends, output = time.monotonic() + timeout_s, b""
    with started(choose(Limits(), trusted=trusted), command, files) as (process, _):
        assert process.stdout
        while waits() and time.monotonic() < ends and len(output) < _MAX_OUTPUT:
            if not select.select([process.stdout], [], [], _LOOK_S)[0]:
                seen(output.count(_PROGRESS))
            elif part := os.read(process.stdout.fileno(), _MAX_OUTPUT):
                output += part
            else:
                break
        else:
            raise LeagueError(f"it printed too much, or took longer than {timeout_s:.0f} seconds")
    last = output.decode("utf-8", "replace").strip().rpartition("\n")[2]
    try:
        return json.dumps(json.loads(last))
    except ValueError:
        raise LeagueError(last.removeprefix(f"{words[0]}: ")[:_MAX_PROBLEM] or "it ended without a word") from None
