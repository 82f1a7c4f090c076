"""What counts as the host's delay, and what a bot brought upon itself. The clock and /proc are in the tests' hands."""

from __future__ import annotations

import pytest

from beanleague.referee import child
from beanleague.referee.child import HostDelay


class Host:
    """A clock, and what /proc tells of processes: seconds waited and used by each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 50.0
        self.waited: dict[int, float] = {}
        self.used: dict[int, float] = {}
        monkeypatch.setattr(child, "_waited", lambda process: self.waited[process])
        monkeypatch.setattr(child, "_used", lambda process: self.used[process])
        self.group_used: float | None = None
        self.delay = HostDelay(lambda: self.now, lambda: self.group_used)

    def passes(self, seconds: float, *, waited: tuple[float, ...], used: tuple[float, ...]) -> float:
        """Let time pass in which the processes 1, 2, ... waited and used so much; return the new delay."""
        self.now += seconds
        for process, (more_waited, more_used) in enumerate(zip(waited, used, strict=True), 1):
            self.waited[process] = self.waited.get(process, 0.0) + more_waited
            self.used[process] = self.used.get(process, 0.0) + more_used
        before = self.delay.total
        return self.delay.look(self.waited) - before


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


def test_idle_time_is_not_saved_up_to_be_wasted_later(host: Host) -> None:
    host.passes(100.0, waited=(0.0,), used=(0.1,))
    assert host.passes(10.0, waited=(5.0,), used=(20.0,)) == pytest.approx(0.0, abs=0.02)


def test_of_a_process_that_spins_all_but_its_own_cpu_time_is_the_hosts_fault(host: Host) -> None:
    assert host.passes(10.0, waited=(9.9,), used=(3.0,)) == pytest.approx(7.0, abs=0.02)


def test_a_process_that_is_gone_adds_nothing(host: Host) -> None:
    host.passes(9.0, waited=(8.0,), used=(1.0,))
    host.now += 5
    assert host.delay.look([]) == pytest.approx(8.0)
