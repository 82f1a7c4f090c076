"""Reports of a run's progress: frequent reports to a listener, occasional ones to the database."""

from collections.abc import Callable
from dataclasses import dataclass

from beanleague.league.run.progress import Meter, Progress, RunState
from beanleague.league.run.source import DealCounter
from beanleague.league.standings import Standing

_REPORT_INTERVAL_S = 0.25
_HEARTBEAT_INTERVAL_S = 2.0


@dataclass(frozen=True, slots=True)
class Listener:
    """Receiver of a run's progress."""

    report: Callable[[Progress], None] = lambda _: None
    """Function called with every report, in the thread of the run."""
    packed: Callable[[Progress], bytes] = lambda _: b""
    """Function that converts progress for the database, where other processes read it."""


class RunReports:
    """Reports the progress of a run. `report`: called often; `beat`: every few seconds; `clock`: in seconds."""

    def __init__(
        self,
        meter: Meter,
        counter: DealCounter,
        report: Callable[[Progress], None],
        beat: Callable[[Progress], None],
        clock: Callable[[], float],
    ) -> None:
        self._meter = meter
        self._counter = counter
        self._report = report
        self._beat = beat
        self._clock = clock
        self._next_report = self._next_beat = 0.0
        self._latest: tuple[Standing, ...] | None = None

    def starting(self) -> None:
        """Report that a pool is being started."""
        self._report(self._progress(RunState.STARTING, None))

    def begin(self) -> None:
        """Restart the intervals, so that a report and a heartbeat are due now."""
        self._next_report = self._next_beat = self._clock()
        self._latest = None

    def playing(self) -> None:
        """Report the progress, and store it in the database, each if due."""
        now = self._clock()
        standings = self._counter.standings()
        self._latest = standings or self._latest
        state = RunState.PLAYING if self._meter.matches else RunState.STARTING
        if now >= self._next_beat:
            self._beat(self._progress(state, self._latest))
            self._next_beat = now + _HEARTBEAT_INTERVAL_S
        if standings or now >= self._next_report:
            self._report(self._progress(state, standings))
            self._next_report = now + _REPORT_INTERVAL_S

    def done(self) -> None:
        """Report that the league is done."""
        self._report(self._progress(RunState.DONE, self._counter.standings(now=True)))

    def _progress(self, state: RunState, standings: tuple[Standing, ...] | None) -> Progress:
        return self._meter.progress(state, standings, self._counter.comparison)
