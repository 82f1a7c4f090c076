"""The progress of a run: what is done, how fast, and how long the rest will take."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from beanleague.league.standings import Standing
from beanleague.model import League

_WINDOW_S = 10.0  # seconds that "lately" means
_SAMPLE_INTERVAL_S = 0.25  # seconds between samples of it


class RunState(StrEnum):
    """The state of a run."""

    STARTING = "starting"
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run. `Progress` in league.proto describes the fields."""

    state: RunState
    deals_done: int
    deals_total: int
    matches_done: int
    matches_total: int
    deals_played: int
    matches_played: int
    decisions: int
    seconds: float
    matches_per_second: float
    decisions_per_second: float
    seconds_left: float | None
    voided_deals: int
    standings: tuple[Standing, ...] | None
    """None if they are as before."""
    layer: str = ""
    host_delay: float = 0.0


class Meter:
    """Counts what happens in a run of `league`. `clock`: seconds."""

    def __init__(self, league: League, clock: Callable[[], float]) -> None:
        self.layer = ""  # of the sandbox, that the bots run under
        self._league = league
        self._clock = clock
        self._began = clock()
        self._samples: deque[tuple[float, int, int]] = deque([(self._began, 0, 0)])
        self.deals = 0
        self.matches = 0
        self.decisions = 0
        self.voided = 0
        self.host_delay = 0.0

    def progress(self, state: RunState, standings: tuple[Standing, ...] | None) -> Progress:
        """Return the progress so far; with the state DONE, speeds are those of the whole run."""
        now = self._clock()
        seconds = now - self._began
        self._sample(now)
        since, matches, decisions = (self._began, 0, 0) if state is RunState.DONE else self._samples[0]
        span = max(now - since, 1e-9)
        speed = (self.matches - matches) / span
        done = self._league.matches_done + self.matches
        total = done if state is RunState.DONE else self._league.matches
        return Progress(
            state=state,
            deals_done=self._league.deals_done + self.deals,
            deals_total=self._league.deals,
            matches_done=done,
            matches_total=total,
            deals_played=self.deals,
            matches_played=self.matches,
            decisions=self.decisions,
            seconds=seconds,
            matches_per_second=speed,
            decisions_per_second=(self.decisions - decisions) / span,
            seconds_left=(total - done) / speed if speed > 0 else None,
            voided_deals=self.voided,
            standings=standings,
            layer=self.layer,
            host_delay=self.host_delay,
        )

    def _sample(self, now: float) -> None:
        if now - self._samples[-1][0] >= _SAMPLE_INTERVAL_S:
            self._samples.append((now, self.matches, self.decisions))
        while len(self._samples) > 2 and now - self._samples[1][0] >= _WINDOW_S:
            self._samples.popleft()
