"""Who is to blame for a bot process that was killed, and for what the host is short of."""

import asyncio
import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from beanleague.games.records.faults import FaultKind
from beanleague.referee import blame as module, bot_process
from beanleague.referee.blame import Blame, Holdings, Register, hoarders, oom_kills
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.conversation import BotFailedError
from beanleague.referee.host import Shortage
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import ControlGroup, ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage
from beanleague.referee.sandbox.users import BotUsers
from tests.referee.helpers import PATIENT, QUICK, bot, new_blame

LIMITS = Limits(processes=64, memory_bytes=256 * 2**20)
OF_THE_HOST = {"memory.events": "oom 0\noom_kill 1\n", "memory.events.local": "oom 0\noom_kill 1\n"}


def failures(
    home: Path, times: int, before: Callable[[BotProcess], object], blame: Blame | None = None
) -> list[BotFailedError | None]:
    """Start a bot several times in a worker, do something, let it kill itself in no match; return how it failed."""
    blame = blame or new_blame(home)

    async def fail(number: int) -> BotFailedError | None:
        sandbox = make(Layer.PLAIN, PATIENT, "", ControlGroups())
        known = ProcessTree(), BotUsers(needed=False), blame
        process = BotProcess(bot(1, "plays_well"), 0, sandbox, *known, home=home / str(number), lag=float)
        try:
            await process.connect()
            before(process)
            assert process._child
            process._child._popen.kill()
            await asyncio.wait_for(process._child._gone.wait(), 60)
            return process.conversation.failure
        finally:
            await process.close()

    return [asyncio.run(fail(number)) for number in range(times)]


def outcome(failure: BotFailedError | None) -> tuple[bool, Shortage | None]:
    """Return whether a match is void since the bot was killed, or for want of what."""
    assert failure
    return failure.killed, failure.shortage


def in_group(folder: Path, files: dict[str, str]) -> Callable[[BotProcess], None]:
    """Return what puts a bot into a group with these files."""
    for name, text in files.items():
        (folder / name).write_text(text)

    def put(process: BotProcess) -> None:
        assert process._child
        process._child.group = ControlGroup((folder,))
        process._oom_kills = None

    return put


def test_the_first_kill_that_nothing_explains_is_forgiven_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "oom_kills", lambda: 0)  # the kernel may kill something else meanwhile
    first, second = failures(tmp_path, 2, lambda _: None)
    assert outcome(first) == (True, None)
    assert outcome(second) == (False, None)
    assert second
    assert (second.kind, second.reason) == (FaultKind.CRASH, "the process was killed by signal 9")


def test_kills_by_the_kernel_for_memory_are_the_hosts_fault_four_times(tmp_path: Path) -> None:
    group = tmp_path / "group"
    group.mkdir()
    found = failures(tmp_path, 6, in_group(group, OF_THE_HOST))
    assert list(map(outcome, found)) == [(False, Shortage.MEMORY)] * 4 + [(False, None)] * 2


def test_a_kill_in_a_group_that_counts_none_is_not_explained_by_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = tmp_path / "group"
    group.mkdir()
    monkeypatch.setattr(bot_process, "oom_kills", lambda: 2**30)
    (failure,) = failures(tmp_path, 1, in_group(group, {"memory.events": "oom 0\noom_kill 0\n"}))
    assert outcome(failure) == (True, None)


def test_where_no_group_counts_a_kill_is_explained_by_any_of_the_machine_since_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = iter([7, 8, 8, 8])
    monkeypatch.setattr(bot_process, "oom_kills", lambda: next(kills))
    found = failures(tmp_path, 2, lambda _: None)
    assert list(map(outcome, found)) == [(False, Shortage.MEMORY), (True, None)]


def test_the_kernel_says_how_many_it_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert oom_kills() >= 0
    monkeypatch.setattr(module, "read", lambda _: b"pgfault 12\noom_kill 3\nnuma_hit 4\n")
    assert oom_kills() == 3
    monkeypatch.setattr(module, "read", lambda _: b"pgfault 12\n")
    assert oom_kills() == 0


def test_who_holds_most_memory_crashes_when_the_kernel_kills_it(tmp_path: Path) -> None:
    group = tmp_path / "group"
    group.mkdir()
    put = in_group(group, OF_THE_HOST)

    def hold(process: BotProcess) -> None:
        put(process)
        blame.holdings.saw(process, 1, Usage(QUICK.memory_bytes - 1))

    blame = new_blame(tmp_path)
    blame.holdings.saw("another", 7, Usage(QUICK.memory_bytes // 8))
    (failure,) = failures(tmp_path, 1, hold, blame)
    assert outcome(failure) == (False, None)


@pytest.mark.parametrize(("threads", "shortage"), [(58, None), (12, Shortage.PROCESSES)])
def test_of_a_host_short_of_processes_only_those_may_fail_for_it_who_do_not_hold_most(
    tmp_path: Path, threads: int, shortage: Shortage | None
) -> None:
    """Whatever way it fails in: here it is killed."""
    blame = new_blame(tmp_path)
    blame.holdings.saw("another", 7, Usage(0, 6))

    def lack(process: BotProcess) -> None:
        blame.holdings.saw(process, 1, Usage(0, threads))
        process.lacks(OSError(errno.EAGAIN, "no threads"))

    (failure,) = failures(tmp_path, 1, lack, blame)
    assert failure
    assert failure.shortage == shortage


@pytest.mark.parametrize(
    ("refused", "most", "shortage"),
    [
        pytest.param(0, 12, None, id="not refused any"),
        pytest.param(1, 12, Shortage.PROCESSES, id="refused one"),
        pytest.param(1, 60, None, id="refused one, since it had many between two looks"),
        pytest.param(1, 67, None, id="refused one by its own limit"),
    ],
)
def test_where_its_group_counts_that_only_a_bot_that_was_refused_a_thread_fails_for_the_host(
    tmp_path: Path, refused: int, most: int, shortage: Shortage | None
) -> None:
    group = tmp_path / "group"
    group.mkdir()
    numbers = {"current": "4", "events": f"max {refused}", "peak": str(most), "max": "67"}
    put = in_group(group, {f"pids.{name}": text for name, text in numbers.items()})

    def lack(process: BotProcess) -> None:
        put(process)
        process.lacks(OSError(errno.EAGAIN, "no threads"))

    blame = new_blame(tmp_path)
    blame.holdings.saw("another", 7, Usage(0, 6))
    (failure,) = failures(tmp_path, 1, lack, blame)
    assert failure
    assert failure.shortage == shortage


def test_a_shortage_since_the_last_tick_counts_for_a_bot_that_ends(tmp_path: Path) -> None:
    """On a busy host ticks are late, and a bot that can start no thread ends at once."""
    started: list[BotProcess] = []

    def look() -> None:
        for process in started:
            process.lacks(OSError(errno.EAGAIN, "no threads"))

    (failure,) = failures(tmp_path, 1, started.append, new_blame(tmp_path, look=look))
    assert outcome(failure) == (False, Shortage.PROCESSES)


def test_who_fails_for_want_of_what_another_holds_names_it(tmp_path: Path) -> None:
    blame = new_blame(tmp_path)
    blame.holdings.saw("another", 7, Usage(0, 58))
    (failure,) = failures(tmp_path, 1, lambda process: process.lacks(OSError(errno.EAGAIN, "no threads")), blame)
    assert failure
    assert failure.culprits == {7}
    assert blame.suspects == {7}


class TestRegister:
    """Two workers share it, each with an object of its own."""

    @pytest.mark.parametrize(("explained", "times"), [(False, 1), (True, 4)])
    def test_kills_of_a_bot_are_counted_over_all_workers_of_a_run(
        self, tmp_path: Path, explained: bool, times: int
    ) -> None:
        workers = [Register(tmp_path / "register") for _ in range(2)]
        forgiven = [workers[number % 2].forgives_kill(1, explained=explained) for number in range(6)]
        assert forgiven == [True] * times + [False] * (6 - times)
        assert workers[1].forgives_kill(2, explained=explained)

    def test_a_bot_on_whose_account_others_failed_twice_is_barred_in_all_workers(self, tmp_path: Path) -> None:
        blame, other = new_blame(tmp_path), new_blame(tmp_path)
        blame.holdings.saw("it", 7, Usage(0, 58))
        blame.holdings.saw("another", 1, Usage(0, 6))
        barred = []
        for _ in range(2):
            blame.suspect(Shortage.PROCESSES)
            barred.append(other.register.is_barred(7))
        assert barred == [False, True]
        assert not other.register.is_barred(1)

    def test_a_hoarder_is_ended_where_bots_of_another_worker_fail_for_it(self, tmp_path: Path) -> None:
        sufferer, blame = new_blame(tmp_path), new_blame(tmp_path)
        blame.holdings.saw("it", 7, Usage(0, 58))
        blame.holdings.saw("another", 1, Usage(0, 6))
        assert blame.condemned(Shortage.PROCESSES) == set()
        assert sufferer.suspect(Shortage.PROCESSES) == set()
        assert blame.condemned(Shortage.PROCESSES) == {7}


class TestHoldings:
    def test_use_of_an_ended_process_counts_for_a_moment(self) -> None:
        now = 0.0
        holdings = Holdings(lambda: now)
        holdings.saw("it", 7, Usage(0, 58))
        holdings.ended("it")
        now = 1.5
        assert holdings.by_bot() == {7: [Usage(0, 58)]}
        now = 2.5
        assert holdings.by_bot() == {}

    def test_resources_given_back_count_for_a_moment(self) -> None:
        now = 0.0
        holdings = Holdings(lambda: now)
        holdings.saw("it", 7, Usage(9, 58))
        now = 1.5
        holdings.saw("it", 7, Usage(10, 6))
        assert holdings.by_bot() == {7: [Usage(10, 58)]}
        now = 2.5
        assert holdings.by_bot() == {7: [Usage(10, 6)]}

    def test_a_process_that_nobody_looks_at_holds_what_it_held(self) -> None:
        """As long as it is frozen."""
        now = 0.0
        holdings = Holdings(lambda: now)
        holdings.saw("it", 7, Usage(0, 58))
        now = 1000.0
        assert holdings.by_bot() == {7: [Usage(0, 58)]}


@pytest.mark.parametrize(
    ("most", "found"),
    [
        ({0: 40, 1: 40, 2: 200}, {2}),
        ({0: 40, 1: 190, 2: 200}, {2}),  # who holds most comes first
        ({0: 40, 1: 190}, {1}),
        ({0: 40, 1: 190, 2: 190}, {1, 2}),
        ({0: 40, 1: 45, 2: 60, 3: 200}, {3}),  # another hides it only if it is half of all others
        ({0: 60, 1: 70, 2: 200}, set()),  # others hold much too
        ({0: 10, 1: 10, 2: 100}, set()),  # it holds less than half of what it may
        ({2: 200}, set()),
        ({}, set()),
    ],
)
def test_of_memory_only_who_holds_most_and_far_more_than_is_usual_is_to_blame(
    most: dict[int, int], found: set[int]
) -> None:
    usage = {bot: [Usage(2**20), Usage(mebibytes * 2**20)] for bot, mebibytes in most.items()}
    assert hoarders(Shortage.MEMORY, usage, LIMITS) == found


@pytest.mark.parametrize(
    ("threads", "found"),
    [
        pytest.param({0: [6], 1: [6], 2: [60]}, {2}, id="one"),
        pytest.param({0: [6], 1: [15], 2: [60]}, {2}, id="with one beside it that seems usual"),
        pytest.param({0: [6], 1: [40], 2: [60]}, {2}, id="with one that holds as much as a JVM"),
        pytest.param({0: [6], 1: [60], 2: [60]}, {1, 2}, id="two alike"),
        pytest.param({0: [6], 1: [6], 2: [60], 3: [60], 4: [30]}, {2, 3}, id="three together"),
        pytest.param({0: [6, 6, 6], 1: [40, 40, 40], 2: [6, 6, 60]}, {2}, id="a JVM in many processes is a victim"),
        pytest.param({0: [14, 14], 1: [27, 27], 2: [40, 40], 3: [60]}, {3}, id="all others are Node.js and JVMs"),
        pytest.param({0: [40], 1: [40], 2: [43]}, set(), id="JVMs alone in a small container"),
        pytest.param({0: [14], 1: [14], 2: [27]}, set(), id="a JVM beside Node.js"),
        pytest.param({0: [6], 1: [55], 2: [55], 3: [60]}, set(), id="most hold as much"),
        pytest.param({0: [6, 6], 1: [6, 6], 2: [44, 44]}, {2}, id="below what is many, in several processes"),
        pytest.param({0: [6, 6], 1: [44, 44], 2: [44, 43]}, {1}, id="two of these, who holds most first"),
        pytest.param({2: [60]}, set(), id="alone"),
    ],
)
def test_of_threads_also_who_has_more_than_any_honest_program_is_to_blame(
    threads: dict[int, list[int]], found: set[int]
) -> None:
    usage = {bot: [Usage(2**30, number) for number in numbers] for bot, numbers in threads.items()}
    assert hoarders(Shortage.PROCESSES, usage, LIMITS) == found


@pytest.mark.parametrize("shortage", [Shortage.FILES, Shortage.DISK, Shortage.OTHER])
def test_a_shortage_that_bots_cannot_cause_is_no_bots_fault(shortage: Shortage) -> None:
    assert hoarders(shortage, {0: [Usage(0, 6)], 1: [Usage(2**30, 60)]}, LIMITS) == set()
