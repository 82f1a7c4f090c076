"""Who is to blame for a bot process that was killed, and for what the host is short of."""

import asyncio
import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.games.records.faults import FaultKind
from beanleague.referee import blame as module, bot_process
from beanleague.referee.blame import Blame, hoarders, oom_kills
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.conversation import BotFailedError
from beanleague.referee.host import Shortage
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import ControlGroup, ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage
from beanleague.referee.sandbox.users import BotUsers
from tests.referee.helpers import QUICK, bot

LIMITS = Limits(processes=64, memory_bytes=256 * 2**20)
OF_THE_HOST = {"memory.events": "oom 0\noom_kill 1\n", "memory.events.local": "oom 0\noom_kill 1\n"}


def failures(
    home: Path, times: int, before: Callable[[BotProcess], object], blame: Blame | None = None
) -> list[BotFailedError | None]:
    """Start a bot several times in a worker, do something, let it kill itself in no match; return how it failed."""
    blame = blame or Blame(QUICK)

    async def fail(number: int) -> BotFailedError | None:
        sandbox = make(Layer.PLAIN, QUICK, "", ControlGroups())
        known = ProcessTree(), BotUsers(needed=False), blame
        process = BotProcess(bot(1, "plays_well"), 0, sandbox, *known, home / str(number), float)
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


def test_the_first_kill_that_nothing_explains_is_forgiven_and_no_other(tmp_path: Path) -> None:
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
        process.held = Usage(QUICK.memory_bytes - 1)

    others = {7: [Usage(QUICK.memory_bytes // 8)]}
    (failure,) = failures(tmp_path, 1, hold, Blame(QUICK, lambda: others))
    assert outcome(failure) == (False, None)


@pytest.mark.parametrize(("threads", "shortage"), [(58, None), (12, Shortage.PROCESSES)])
def test_of_a_host_short_of_processes_only_those_may_fail_for_it_who_do_not_hold_most(
    tmp_path: Path, threads: int, shortage: Shortage | None
) -> None:
    """Whatever way it fails in: here it is killed."""
    blame = Blame(QUICK, lambda: {1: [Usage(0, threads)], 7: [Usage(0, 6)]})

    def lack(process: BotProcess) -> None:
        hoards = 1 in blame.hoarders(Shortage.PROCESSES)
        process.lacks(None if hoards else OSError(errno.EAGAIN, "no threads"))

    (failure,) = failures(tmp_path, 1, lack, blame)
    assert failure
    assert failure.shortage == shortage


def test_a_shortage_since_the_last_tick_counts_for_a_bot_that_ends(tmp_path: Path) -> None:
    """On a busy host ticks are late, and a bot that can start no thread ends at once."""
    started: list[BotProcess] = []

    def look() -> None:
        for process in started:
            process.lacks(OSError(errno.EAGAIN, "no threads"))

    (failure,) = failures(tmp_path, 1, started.append, Blame(QUICK, look=look))
    assert outcome(failure) == (False, Shortage.PROCESSES)


def test_who_fails_for_want_of_what_another_holds_names_it(tmp_path: Path) -> None:
    blame = Blame(QUICK, lambda: {1: [Usage(0, 6)], 7: [Usage(0, 58)]})
    (failure,) = failures(tmp_path, 1, lambda process: process.lacks(OSError(errno.EAGAIN, "no threads")), blame)
    assert failure
    assert failure.culprits == {7}
    assert blame.suspects == {7}


@pytest.mark.parametrize(
    ("shortage", "most", "found"),
    [
        (Shortage.MEMORY, {0: 40, 1: 40, 2: 200}, {2}),
        (Shortage.MEMORY, {0: 40, 1: 190, 2: 200}, {1, 2}),  # two that help each other
        (Shortage.MEMORY, {0: 40, 1: 60, 2: 200}, set()),  # others hold much too
        (Shortage.MEMORY, {0: 10, 1: 10, 2: 100}, set()),  # it holds less than half of what it may
        (Shortage.MEMORY, {2: 200}, set()),
        (Shortage.FILES, {0: 40, 1: 40, 2: 200}, set()),
        (Shortage.DISK, {0: 40, 1: 40, 2: 200}, set()),
    ],
)
def test_only_who_holds_far_more_than_all_others_is_suspected(
    shortage: Shortage, most: dict[int, int], found: set[int]
) -> None:
    usage = {bot: [Usage(2**20), Usage(mebibytes * 2**20)] for bot, mebibytes in most.items()}
    assert hoarders(shortage, usage, LIMITS) == found


def test_threads_are_what_counts_if_there_are_too_few() -> None:
    usage = {0: [Usage(2**30, 10)], 1: [Usage(0, 60)]}
    assert hoarders(Shortage.PROCESSES, usage, replace(LIMITS, processes=64)) == {1}
