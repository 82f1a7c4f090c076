"""Bot processes: what they write, the host's delay, how long they may start, what they hold, why they ended."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from beanleague.model import FaultKind
from beanleague.referee import bot_process, child
from beanleague.referee.bot_process import BotProcess, last_words
from beanleague.referee.child import HostDelay, TaggedLines, Thread
from beanleague.referee.conversation import BotFailedError
from beanleague.referee.sandbox.cgroups import OWN_PROCESSES, ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage
from beanleague.referee.sandbox.users import BotUsers
from beanproto.v1 import referee_pb2 as pb
from tests.referee.helpers import PATIENT, QUICK, bot, new_blame
from tests.waiting import TIMEOUT_S


def test_each_line_gets_the_tag_of_when_it_begins() -> None:
    tags = iter(["[1.0 #1] ", "[1.0 #2] ", "[1.0 #3] "])
    lines = TaggedLines(1000, lambda: next(tags))
    lines.add(b"one\ntwo\nthr")
    lines.add(b"ee\n")
    lines.add(b"\nfour\n")
    assert lines.take() == "[1.0 #1] one\n[1.0 #1] two\n[1.0 #1] three\n[1.0 #3] \n[1.0 #3] four\n"
    assert lines.take() == ""


def test_without_a_tag_lines_are_as_they_were() -> None:
    lines = TaggedLines(1000, str)
    lines.add(b"one\n\ntwo")
    assert lines.take() == "one\n\ntwo"


@pytest.mark.parametrize("written", [b"x" * 500, b"\n" * 500])
def test_tags_count_for_the_limit(written: bytes) -> None:
    lines = TaggedLines(100, lambda: "[12.0 #34] ")
    for _ in range(3):
        lines.add(written)
    text = lines.take()
    note = "\n[more than 100 bytes; the rest is left out]\n"
    assert text.endswith(note)
    assert len(text) == 100 + len(note)


def test_a_note_has_its_own_tag_and_lines_of_its_own() -> None:
    lines = TaggedLines(1000, lambda: "[l/1.0, move 1] ")
    lines.add(b"begun")
    lines.note("[l/2.0, move 9] ", "error: lost\n[l/3.0, move 1] and found")
    lines.add(b"new\n")
    assert lines.take().splitlines() == [
        "[l/1.0, move 1] begun",
        "[l/2.0, move 9] error: lost",
        "[l/2.0, move 9] [l/3.0, move 1] and found",
        "[l/1.0, move 1] new",
    ]


def test_broken_text_is_replaced() -> None:
    lines = TaggedLines(100, str)
    lines.add(b"\xff\n")
    assert lines.take() == "\N{REPLACEMENT CHARACTER}\n"


class Host:
    """A clock, and what /proc tells of processes: seconds waited and used by each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 50.0
        self.waited: dict[int, float] = {}
        self.used: dict[int, float] = {}
        self.ready: set[int] = set()
        monkeypatch.setattr(
            child, "_threads", lambda process: {str(process): Thread(self.used[process], self.waited[process])}
        )
        monkeypatch.setattr(child, "_cpu_seconds_of", lambda process: self.used[process])
        monkeypatch.setattr(child, "_is_ready", lambda process: process in self.ready)
        self.group_used: float | None = None
        self.delay = HostDelay(lambda: self.now, lambda: self.waited, lambda: self.group_used)

    def passes(self, seconds: float, *, waited: tuple[float, ...], used: tuple[float, ...]) -> float:
        """Let time pass in which the processes 1, 2, ... waited and used so much; return the new delay."""
        self.now += seconds
        for process, (more_waited, more_used) in enumerate(zip(waited, used, strict=True), 1):
            self.waited[process] = self.waited.get(process, 0.0) + more_waited
            self.used[process] = self.used.get(process, 0.0) + more_used
        before = self.delay.total
        return self.delay.look() - before


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(monkeypatch)


def test_waiting_on_a_busy_host_is_its_delay(host: Host) -> None:
    assert host.passes(9.0, waited=(8.0,), used=(1.0,)) == pytest.approx(8.0)
    assert host.passes(1.0, waited=(0.0,), used=(0.5,)) == 0.0
    assert host.passes(9.0, waited=(8.0,), used=(1.0,)) == pytest.approx(8.0)


def test_of_several_processes_the_one_that_waited_longest_counts(host: Host) -> None:
    assert host.passes(9.0, waited=(0.0, 8.0), used=(0.0, 1.0)) == pytest.approx(8.0)


def test_a_bot_that_keeps_the_cpus_busy_itself_waits_for_nobody_else(host: Host) -> None:
    """Four threads on two CPUs: each waits half of the time."""
    assert host.passes(10.0, waited=(5.0,), used=(20.0,)) == pytest.approx(0.0, abs=0.02)


def test_cpu_of_ended_children_is_no_delay_where_their_group_counts_it(host: Host) -> None:
    """A process waits while children that nobody sees keep the CPUs busy."""
    host.group_used = 0.0
    host.passes(1.0, waited=(0.0,), used=(0.1,))
    host.group_used = 20.0
    assert host.passes(10.0, waited=(9.0,), used=(1.0,)) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("counted", [None, 0.1])
def test_idle_time_is_not_saved_up_to_be_wasted_later(host: Host, counted: float | None) -> None:
    host.group_used = counted
    host.passes(1.0, waited=(0.0,), used=(0.1,))
    host.passes(100.0, waited=(0.0,), used=(0.0,))
    host.group_used = counted and counted + 20.0
    assert host.passes(10.0, waited=(5.0,), used=(20.0,)) == pytest.approx(0.0, abs=0.02)


def test_of_a_process_that_spins_all_but_its_own_cpu_time_is_the_hosts_fault(host: Host) -> None:
    assert host.passes(10.0, waited=(9.9,), used=(3.0,)) == pytest.approx(7.0, abs=0.02)


@pytest.fixture(params=[None, 1.0], ids=["counted by process", "counted by group"])
def starved(host: Host, request: pytest.FixtureRequest) -> Host:
    """A host with a process that used a CPU for a second, and then waits for one: the kernel counts that afterwards."""
    host.group_used = request.param
    host.passes(2.0, waited=(1.0,), used=(1.0,))
    host.ready.add(1)
    return host


def test_a_wait_counts_in_whole_however_often_the_bot_is_looked_at(starved: Host) -> None:
    for _ in range(8):
        starved.passes(1.0, waited=(0.0,), used=(0.0,))
    starved.ready.clear()
    if starved.group_used:
        starved.group_used += 0.5
    assert starved.passes(0.5, waited=(8.0,), used=(0.5,)) == pytest.approx(8.0, abs=0.02)


def test_a_wait_counts_before_it_ends_and_not_twice(starved: Host) -> None:
    before = starved.delay.total
    starved.now += 8
    assert starved.delay.look() == pytest.approx(before + 8)
    assert starved.delay.look() == pytest.approx(before + 8)


def test_a_sleeping_bot_is_not_delayed(starved: Host) -> None:
    starved.ready.clear()
    assert starved.passes(8.0, waited=(0.0,), used=(0.0,)) == 0.0


def test_a_thread_that_waits_counts_though_another_waited_for_longer_before(host: Host) -> None:
    host.passes(9.0, waited=(8.0, 0.0), used=(1.0, 0.0))
    assert host.passes(5.0, waited=(0.0, 4.0), used=(0.0, 1.0)) == pytest.approx(4.0, abs=0.02)


def test_however_often_a_bot_is_looked_at_its_cpu_time_is_charged(host: Host) -> None:
    """Children that nobody sees take a tenth of the time, and the bot waits for a CPU meanwhile."""
    host.group_used = 0.0
    for _ in range(600):
        host.group_used += 0.005
        host.passes(0.05, waited=(0.05,), used=(0.0,))
    assert host.delay.total == pytest.approx(27.0, abs=0.1)


def test_use_beyond_one_cpu_is_not_made_good_by_a_later_wait(host: Host) -> None:
    """The limit of its group keeps it waiting, until it has used one CPU on average."""
    host.group_used = 10.0
    host.passes(5.0, waited=(0.0,), used=(10.0,))
    host.ready.add(1)
    before = host.delay.total
    host.now += 5.0
    assert host.delay.look() == before
    host.group_used = 10.1
    assert host.passes(0.1, waited=(5.0,), used=(0.1,)) == pytest.approx(0.0, abs=0.02)


def test_a_process_that_is_gone_adds_nothing(host: Host) -> None:
    host.passes(9.0, waited=(8.0,), used=(1.0,))
    host.now += 5
    host.waited.clear()
    assert host.delay.look() == pytest.approx(8.0)


NO_USERS = BotUsers(needed=False)
HURRIED = replace(QUICK, connect_ms=100)


def hello_of(file: str, home: Path, lag: Callable[[], float]) -> pb.Hello:
    """Start the bot in `bots/<file>.py`, which has 0.1 seconds, and return its first message."""

    async def connect() -> pb.Hello:
        sandbox = make(Layer.PLAIN, HURRIED, "", ControlGroups())
        process = BotProcess(
            bot(1, file), 0, sandbox, ProcessTree(), NO_USERS, new_blame(home, HURRIED), home=home / "bot", lag=lag
        )
        try:
            return await process.connect()
        finally:
            await process.close()

    return asyncio.run(connect())


def weighed(held: Usage, home: Path, monkeypatch: pytest.MonkeyPatch) -> BotFailedError | None:
    """Start a bot, say that it holds this, and return how it failed."""

    async def weigh() -> BotFailedError | None:
        process = BotProcess(
            bot(1, "plays_well"),
            0,
            make(Layer.PLAIN, PATIENT, "", ControlGroups()),
            ProcessTree(),
            NO_USERS,
            new_blame(home),
            home=home / "bot",
            lag=float,
        )
        try:
            await process.connect()
            monkeypatch.setattr(process, "usage", lambda: held)
            process.check_usage()
            return process.conversation.failure
        finally:
            await process.close()

    return asyncio.run(weigh())


def test_a_bot_that_takes_too_long_to_start_has_failed(tmp_path: Path) -> None:
    with pytest.raises(BotFailedError, match="did not connect within 100 ms"):
        hello_of("starts_slowly", tmp_path, lambda: 0.0)


def test_delay_by_the_host_is_not_charged_to_a_start(tmp_path: Path) -> None:
    assert hello_of("starts_slowly", tmp_path, time.monotonic).sdk == "raw"


def test_a_bot_may_hold_as_much_as_its_limits_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Usage(QUICK.memory_bytes, QUICK.processes + OWN_PROCESSES)
    assert weighed(held, tmp_path, monkeypatch) is None


def idle(home: Path, used: float, messages: int) -> BotFailedError | None:
    """Start a bot, let it use so much CPU and send so many messages while it is frozen, and return how it failed."""

    async def look() -> BotFailedError | None:
        sandbox = make(Layer.PLAIN, PATIENT, "", ControlGroups())
        process = BotProcess(
            bot(1, "plays_well"), 0, sandbox, ProcessTree(), NO_USERS, new_blame(home), home=home / "bot", lag=float
        )
        try:
            await process.connect()
            assert process._child
            before = process._child.used_while_frozen()
            process._child.used_while_frozen = lambda: used  # type: ignore[method-assign]
            assert (process.freeze(), before > 0) == (None, True)
            process.conversation.read(pb.BotMessage())  # which was on its way
            if used < 1:
                assert process.check_idle() is None
            for _ in range(messages):
                process.conversation.read(pb.BotMessage())
            return process.check_idle()
        finally:
            await process.close()

    return asyncio.run(look())


def test_a_frozen_bot_that_does_nothing_stays(tmp_path: Path) -> None:
    assert idle(tmp_path, used=0.02, messages=0) is None


@pytest.mark.parametrize(
    ("used", "messages", "why"),
    [(1.0, 0, "killed for using 1.0 s of CPU while"), (0.0, 1, "killed for sending messages while")],
)
def test_a_frozen_bot_that_computes_or_sends_is_killed(tmp_path: Path, used: float, messages: int, why: str) -> None:
    failure = idle(tmp_path, used, messages)
    assert failure
    assert failure.kind is FaultKind.CRASH
    assert failure.reason == f"{why} not in a match"


@pytest.mark.parametrize(
    ("held", "kind", "why"),
    [
        (Usage(QUICK.memory_bytes + 1, 1), FaultKind.MEMORY, "used more than 256 MiB of memory"),
        (Usage(1, QUICK.processes + OWN_PROCESSES + 1), FaultKind.CRASH, "more than 64 threads and processes"),
    ],
)
def test_a_bot_that_holds_more_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: Usage, kind: FaultKind, why: str
) -> None:
    failure = weighed(held, tmp_path, monkeypatch)
    assert failure
    assert failure.kind is kind
    assert why in failure.reason


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import numpie", "ModuleNotFoundError: No module named 'numpie' (bot.py, line 1, in <module>)"),
        ("x = 1\nif x\n    y", "SyntaxError: expected ':' (bot.py, line 2)"),
        ("def f():\n    raise KeyError\nf()", "KeyError (bot.py, line 2, in f)"),
        (
            "import json\njson.loads('x')",
            "JSONDecodeError: Expecting value: line 1 column 1 (char 0) (bot.py, line 2, in <module>)",
        ),
        ("raise SystemExit('that is all')", ""),
        ("print('Error: mine')", ""),
        ("", ""),
    ],
)
def test_the_error_is_that_of_the_traceback_and_its_place_is_in_the_bot_s_files(
    tmp_path: Path, code: str, said: str
) -> None:
    program = tmp_path / "bot.py"
    program.write_text(code)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert last_words(f"here I am\n{done.stderr}", f"{tmp_path}/") == said


def test_a_bot_that_the_host_keeps_from_ending_after_its_stream_has_crashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "_GRACE_S", 0.0)

    async def crash() -> BotFailedError | None:
        seconds = count()  # at each look the host has delayed the bot for one more
        sandbox = make(Layer.PLAIN, PATIENT, "", ControlGroups())
        known = ProcessTree(), NO_USERS, new_blame(tmp_path)
        process = BotProcess(bot(1, "plays_well"), 0, sandbox, *known, home=tmp_path / "bot", lag=lambda: next(seconds))
        try:
            await process.connect()
            process._stream_ended("the bot ended the stream")
            await asyncio.sleep(0.01)
            assert process._child
            process._child._popen.terminate()
            await asyncio.wait_for(process._child._gone.wait(), TIMEOUT_S)
            return process.conversation.failure
        finally:
            await process.close()

    failure = asyncio.run(crash())
    assert failure
    assert failure.reason == "the process was killed by signal 15"
