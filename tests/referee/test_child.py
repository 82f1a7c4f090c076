"""What a bot writes, each line with a tag; and what counts as the host's delay, by the tests' own clock and /proc."""

import pytest

from beanleague.referee import child
from beanleague.referee.child import HostDelay, TaggedLines


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
        monkeypatch.setattr(child, "_waited", lambda process: self.waited[process])
        monkeypatch.setattr(child, "_used", lambda process: self.used[process])
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


def test_what_ended_children_used_is_no_delay_where_their_group_counts_it(host: Host) -> None:
    """A process waits while children that nobody sees keep the CPUs busy."""
    host.group_used = 0.0
    host.passes(1.0, waited=(0.0,), used=(0.1,))
    host.group_used = 20.0
    assert host.passes(10.0, waited=(9.0,), used=(1.0,)) == pytest.approx(0.0, abs=0.02)


def test_processes_that_had_no_cpu_are_not_looked_at(host: Host) -> None:
    host.group_used = 0.1
    host.passes(1.0, waited=(0.5,), used=(0.1,))
    looks: list[int] = []
    host.delay.processes = lambda: looks.append(1) or host.waited  # type: ignore[func-returns-value]
    host.passes(100.0, waited=(0.0,), used=(0.0,))
    assert not looks
    host.group_used = 20.1
    assert host.passes(10.0, waited=(5.0,), used=(20.0,)) == pytest.approx(0.0, abs=0.02), "idle time is not saved up"
    assert looks


def test_idle_time_is_not_saved_up_to_be_wasted_later(host: Host) -> None:
    host.passes(100.0, waited=(0.0,), used=(0.1,))
    assert host.passes(10.0, waited=(5.0,), used=(20.0,)) == pytest.approx(0.0, abs=0.02)


def test_of_a_process_that_spins_all_but_its_own_cpu_time_is_the_hosts_fault(host: Host) -> None:
    assert host.passes(10.0, waited=(9.9,), used=(3.0,)) == pytest.approx(7.0, abs=0.02)


def test_a_process_that_is_gone_adds_nothing(host: Host) -> None:
    host.passes(9.0, waited=(8.0,), used=(1.0,))
    host.now += 5
    host.waited.clear()
    assert host.delay.look() == pytest.approx(8.0)
