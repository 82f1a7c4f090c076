"""What the host is short of voids matches, and is charged to a bot only if that bot brought it about."""

import asyncio
import errno
import os
import queue
import resource
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from beanleague.model import FaultKind
from beanleague.referee.blame import Register
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.conversation import BotFailedError
from beanleague.referee.host import (
    FreeMemory,
    Host,
    NeedsError,
    ReservedDescriptors,
    Shortage,
    WorkerRoom,
    check_processes,
    describe_problem,
    fit,
    shortage_of,
)
from beanleague.referee.messages import Limits, Load, MatchTask, VoidMatch
from beanleague.referee.orders import Setup
from beanleague.referee.pool import WorkerPool
from beanleague.referee.processes import Processes
from beanleague.referee.sandbox.cgroups import ControlGroups
from beanleague.referee.sandbox.launch import Sandbox, make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage
from beanleague.referee.sandbox.users import BotUsers
from beanleague.referee.worker import Outbox, Worker
from beanproto.v1 import referee_pb2 as pb
from tests.processes import workers_of
from tests.referee.helpers import PATIENT, QUICK, bot, finish, new_blame, task
from tests.timeless import timeless

TWO = [bot(version, "plays_well") for version in range(2)]
PLAIN = make(Layer.PLAIN, PATIENT, "", ControlGroups())


@dataclass
class MadeUpHost(Host):
    """A host with much of everything, unless said otherwise."""

    memory: FreeMemory = field(default_factory=lambda: FreeMemory(2**40, 1.0))
    container: int | None = None
    files: int = 2**20
    descriptors: bool = True
    """Whether descriptors can be reserved."""
    allowed: list[int] = field(default_factory=list)
    """Limits of open files that were set."""

    def free_memory(self) -> FreeMemory:
        return self.memory

    def container_room(self) -> int | None:
        return self.container

    def thread_room(self) -> int | None:
        return self.container

    def max_files(self) -> int:
        return self.files

    def allow_files(self, files: int) -> None:
        self.allowed.append(files)

    def reserve_descriptors(self) -> ReservedDescriptors:
        if not self.descriptors:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return super().reserve_descriptors()

    def run_short_of_memory(self) -> None:
        self.memory = FreeMemory(2**20, 0.05)


def failure_of(
    file: str, home: Path, sandbox: Sandbox = PLAIN, kind: type[BotProcess] = BotProcess
) -> BotFailedError | None:
    """Start a bot and return how it failed."""

    async def connect() -> BotFailedError | None:
        with BotUsers(needed=sandbox.gives_users) as users:
            own = home / kind.__name__
            host, blame = MadeUpHost(), new_blame(home)
            process = kind(bot(1, file), 0, sandbox, ProcessTree(), users, blame, home=own, lag=float, host=host)
            try:
                await process.connect()
            except BotFailedError as failure:
                return failure
            finally:
                await process.close()
        return None

    return asyncio.run(connect())


class WithoutThreads(BotProcess):
    """A process that starts while the container has no room for threads."""

    async def connect(self) -> pb.Hello:
        self.lacks(OSError(errno.EAGAIN, "no threads"))
        return await super().connect()


class WithoutFiles(BotProcess):
    """A process whose host has no descriptors left when its bot has not connected in time."""

    def _gave_up_waiting(self) -> None:
        assert isinstance(self._host, MadeUpHost)
        self._host.descriptors = False
        super()._gave_up_waiting()


def raising(number: int) -> Callable[..., object]:
    """Return a function that raises this error of the operating system."""

    def fail(*_: object, **__: object) -> object:
        raise OSError(number, os.strerror(number))

    return fail


class TestStarting:
    @pytest.mark.parametrize(
        ("number", "shortage", "words"),
        [
            (errno.EMFILE, Shortage.FILES, "ulimit -n"),
            (errno.ENFILE, Shortage.FILES, "fs.file-max"),
            (errno.EAGAIN, Shortage.PROCESSES, "ulimit -u"),
            (errno.ENOMEM, Shortage.MEMORY, "has run out of memory"),
            (errno.ENOSPC, Shortage.DISK, "TMPDIR"),
        ],
    )
    def test_a_shortage_of_the_host_is_named_and_no_fault_of_the_bot(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, shortage: Shortage, words: str
    ) -> None:
        monkeypatch.setattr("subprocess.Popen", raising(number))
        failure = failure_of("plays_well", tmp_path)
        assert failure
        assert failure.shortage is shortage
        assert words in failure.reason

    def test_a_sandbox_that_cannot_be_set_up_is_no_fault_of_the_bot(self, tmp_path: Path) -> None:
        broken = Sandbox(Layer.BUBBLEWRAP, QUICK, "/bin/false", (), b"", b"", ControlGroups())
        failure = failure_of("plays_well", tmp_path, broken)
        assert failure
        assert failure.shortage is Shortage.OTHER
        assert failure.reason == "a bot process could not be started: the process exited with 1"

    def test_a_bot_that_ends_while_the_container_has_no_room_for_threads_is_not_to_blame(self, tmp_path: Path) -> None:
        failure = failure_of("exits_at_import", tmp_path)
        assert failure
        assert failure.shortage is None
        failure = failure_of("exits_at_import", tmp_path, kind=WithoutThreads)
        assert failure
        assert failure.shortage is Shortage.PROCESSES

    def test_a_connection_that_the_referee_could_not_accept_is_no_fault_of_the_bot(self, tmp_path: Path) -> None:
        hurried = make(Layer.PLAIN, replace(QUICK, connect_ms=100), "", ControlGroups())
        failure = failure_of("never_connects", tmp_path, hurried)
        assert failure
        assert failure.kind is FaultKind.DISCONNECTED
        failure = failure_of("never_connects", tmp_path, hurried, WithoutFiles)
        assert failure
        assert failure.shortage is Shortage.FILES


class TestWorker:
    def test_matches_are_void_while_a_worker_has_no_open_files_left_and_count_afterwards(self) -> None:
        with WorkerPool(TWO, Limits(), workers=1, in_flight=4) as pool:
            pool.submit(task(0, [0, 1]))
            first, _ = finish(pool, 1)
            worker = workers_of(pool)[0].pid
            before = resource.prlimit(
                worker, resource.RLIMIT_NOFILE, (30, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
            )
            for number in range(1, 4):
                pool.submit(task(number, [0, 1], lane=number))
            voids: list[VoidMatch] = []
            short, _ = finish(pool, 3, voids)
            resource.prlimit(worker, resource.RLIMIT_NOFILE, before)
            pool.submit(task(4, [0, 1], lane=4))
            last, _ = finish(pool, 1)
        assert (short, [void.host for void in voids]) == ({}, [True] * 3)
        assert all("has reached its limit of 30 open files" in void.why for void in voids)
        assert timeless(last[4].record) == timeless(first[0].record)

    def test_a_bot_whose_start_fails_for_want_of_something_is_started_again_later(self, tmp_path: Path) -> None:
        """Three own failures in a row would be enough to give it up."""
        fakes = FakeProcesses(tmp_path, short=lambda _: True)
        assert [fakes.start(0) for _ in range(5)] == [Shortage.MEMORY] * 5
        fakes.short = lambda _: False
        assert fakes.start(0) is None

    @pytest.mark.parametrize(
        ("problem", "words"),
        [
            (OSError(errno.EMFILE, "Too many open files"), "ulimit -n"),
            (OSError(errno.ENOSPC, "No space left on device"), "TMPDIR"),
            (MemoryError(), "has run out of memory"),
            (ConnectionResetError(), "ConnectionResetError"),
        ],
    )
    def test_a_shortage_that_the_referee_meets_in_a_match_is_waited_out_and_named(
        self, problem: Exception, words: str
    ) -> None:
        void = failed_match(problem)
        assert (void.host, words in void.why) == (True, True)

    def test_any_other_error_of_the_referee_is_not(self) -> None:
        void = failed_match(ValueError("wrong"))
        assert (void.host, void.why) == (False, "ValueError: wrong")


def failed_match(problem: Exception) -> VoidMatch:
    """Return the report of a match whose processes a worker cannot lend because of `problem`."""

    class Unlendable(Processes):
        @asynccontextmanager
        async def lend(self, task: MatchTask) -> AsyncIterator[list[BotProcess]]:
            raise problem
            yield []

    async def play() -> VoidMatch:
        outbox: Outbox = queue.SimpleQueue()
        worker = Worker(Setup((), PLAIN, 1, fresh=False), Path(), outbox)
        worker.processes = Unlendable({}, PLAIN, Path(), float, 1, Register(Path("none")), fresh=False)
        await worker._play(task(1, [0, 1, 2]))
        result = outbox.get_nowait()
        assert isinstance(result, VoidMatch)
        return result

    return asyncio.run(play())


class FakeProcess(BotProcess):
    """A process that is never started, and fails for lack of memory if `short` says so when it connects."""

    short: Callable[[], bool]
    memory = 0

    async def connect(self) -> pb.Hello:
        if self.short():
            self.fail_for_host(OSError(errno.ENOMEM, "Cannot allocate memory"))
            assert self.conversation.failure
            raise self.conversation.failure
        return pb.Hello()

    def usage(self) -> Usage:
        return Usage(self.memory)


class FakeProcesses:
    """The processes of a worker, none of them real. `short`: whether the host is, if these bots have processes.

    `folder`: an empty one. `memory`: bytes that a bot holds, by number.
    """

    def __init__(
        self, folder: Path, short: Callable[[set[int]], bool], memory: Callable[[int], int] = lambda _: 0
    ) -> None:
        self.folder = folder
        self.short = short
        self.memory = memory
        self.host = MadeUpHost()
        self.made: list[BotProcess] = []

    def make(self) -> None:
        fakes = self

        class Faked(Processes):
            def _new(self, number: int, lane: int) -> BotProcess:
                home = fakes.folder / str(len(fakes.made))
                spec = bot(number, "plays_well")
                process = FakeProcess(spec, lane, PLAIN, self._tree, self._users, self._blame, home=home, lag=float)
                process.memory = fakes.memory(number)
                process.short = lambda: fakes.short({made.spec.number for made in fakes.made if not made.stopping})
                fakes.made.append(process)
                return process

        specs = {number: bot(number, "plays_well") for number in range(4)}
        register = Register(self.folder / "register")
        self.processes = Faked(specs, PLAIN, Path(), float, 64, register, fresh=False, host=self.host)

    def start(self, *bots: int) -> Shortage | None:
        """Start bots one after the other; return what the last lacked."""

        async def run() -> Shortage | None:
            self.make()
            started = [await self.processes._start((each, 0, 0)) for each in bots]
            failure = started[-1].conversation.failure
            return failure.shortage if failure else None

        return asyncio.run(run())

    def failure(self, number: int) -> BotFailedError | None:
        """Return how the first process of a bot failed."""
        return next(process for process in self.made if process.spec.number == number).conversation.failure


class TestBlame:
    FULL = QUICK.memory_bytes

    def test_a_shortage_that_goes_away_with_one_bots_processes_is_that_bots_fault(self, tmp_path: Path) -> None:
        fakes = FakeProcesses(
            tmp_path,
            short=lambda bots: {1, 2} <= bots,
            memory=lambda version: self.FULL - 1 if version == 1 else 10_000,
        )
        assert fakes.start(0, 1, 2) is None
        failure = fakes.failure(1)
        assert failure
        assert (failure.kind, failure.shortage) == (FaultKind.CRASH, None)
        assert fakes.failure(0) is None

    def test_a_shortage_that_stays_without_the_largest_bot_is_the_hosts(self, tmp_path: Path) -> None:
        fakes = FakeProcesses(
            tmp_path,
            short=lambda bots: 2 in bots,
            memory=lambda version: self.FULL - 1 if version == 1 else 10_000,
        )
        assert fakes.start(0, 1, 2) is Shortage.MEMORY
        failure = fakes.failure(1)
        assert failure
        assert failure.shortage is Shortage.MEMORY


class TestFit:
    LOAD = Load(bots=100, seats=4, repeats=4)

    def test_a_worker_has_a_process_a_bot_and_lane_and_as_many_matches_as_fill_messages(self) -> None:
        host = MadeUpHost()
        assert fit(self.LOAD, 2, None, fresh=False, host=host) == WorkerRoom(in_flight=128, processes=200)
        assert host.allowed == [48 + 16 * 200]

    def test_where_each_match_has_processes_of_its_own_there_are_those_at_the_tables(self) -> None:
        assert fit(self.LOAD, 2, None, fresh=True, host=MadeUpHost()) == WorkerRoom(in_flight=16, processes=64)

    def test_fewer_open_files_or_threads_allow_fewer_processes_and_matches(self) -> None:
        few_files = MadeUpHost(files=48 + 16 * 30)
        assert fit(self.LOAD, 2, None, fresh=False, host=few_files) == WorkerRoom(in_flight=7, processes=30)
        few_threads = replace(few_files, container=2 * (16 + 6 * 9))
        assert fit(self.LOAD, 2, 100, fresh=False, host=few_threads) == WorkerRoom(in_flight=2, processes=9)

    def test_little_memory_allows_fewer_matches_by_default(self) -> None:
        load = replace(self.LOAD, bots=1_000)
        host = MadeUpHost(FreeMemory(2 * 16 * 4 * 4 * 20 * 2**20, 0.5))
        assert fit(load, 2, None, fresh=False, host=host).in_flight == 20
        assert fit(load, 2, 50, fresh=False, host=host).in_flight == 50, "as many as were asked for"

    def test_no_room_for_a_single_match_is_said_with_what_to_do(self) -> None:
        with pytest.raises(NeedsError, match=r"has room for the 4 bot processes .*allowed: 70 more, .*--workers"):
            fit(self.LOAD, 2, None, fresh=False, host=MadeUpHost(container=70))

    def test_the_limit_of_open_files_of_this_process_rises_and_never_falls(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (500, hard))
            Host().allow_files(400)
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (500, hard)
            Host().allow_files(600)
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (600, hard)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(("starts", "left"), [(True, [2, 3]), (False, [2])])
def test_idle_processes_end_where_memory_is_short_those_used_longest_ago_first(
    tmp_path: Path, starts: bool, left: list[int]
) -> None:
    fakes = FakeProcesses(tmp_path, short=lambda _: False)

    async def play() -> list[int]:
        fakes.make()
        for number in range(3):
            async with fakes.processes.lend(task(number, [number])):
                pass
        fakes.host.run_short_of_memory()
        if starts:
            async with fakes.processes.lend(task(3, [3])):
                pass
        else:
            for _ in range(10):
                fakes.processes.tick()
        return [key[0] for key in fakes.processes._warm]

    assert asyncio.run(play()) == left


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        pytest.param([0, 1, 2, 3] * 2, [0, 1], id="all in turn: those come last who just were there"),
        pytest.param([1, 2, 3, *[0] * 20], [0, 3], id="one of them often"),
    ],
)
def test_where_memory_is_short_those_end_that_will_be_wanted_last(
    tmp_path: Path, wanted: list[int], left: list[int]
) -> None:
    fakes = FakeProcesses(tmp_path, short=lambda _: False)

    async def play() -> list[int]:
        fakes.make()
        for number in wanted:
            async with fakes.processes.lend(task(number, [number])):
                pass
        fakes.host.run_short_of_memory()
        for _ in range(6):
            fakes.processes.tick()
        return sorted(key[0] for key in fakes.processes._warm)

    assert asyncio.run(play()) == left


def test_room_for_a_match_is_not_made_by_ending_a_process_that_is_to_play_it(tmp_path: Path) -> None:
    fakes = FakeProcesses(tmp_path, short=lambda _: False)

    async def play() -> list[bool]:
        fakes.make()
        async with fakes.processes.lend(task(0, [0])):
            pass
        fakes.host.run_short_of_memory()
        async with fakes.processes.lend(task(1, [0, 1])) as lent:
            return [process in fakes.processes._alive for process in lent]

    assert asyncio.run(play()) == [True, True]


def test_an_unknown_error_is_described_in_its_own_words() -> None:
    problem = PermissionError(errno.EACCES, "Permission denied", "/tmp/x")
    assert shortage_of(problem) is Shortage.OTHER
    assert describe_problem(problem) == "[Errno 13] Permission denied: '/tmp/x'"


@pytest.mark.parametrize(("room", "short"), [(None, False), (64, False), (63, True)])
def test_a_container_needs_room_for_all_threads_that_a_bot_may_have(room: int | None, short: bool) -> None:
    with pytest.raises(BlockingIOError) if short else nullcontext():
        check_processes(Limits(processes=64), MadeUpHost(container=room))
