"""The progress of a run: what is done, how fast, and how long the rest will take."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from beanleague.league.schedule.owners import SharedOwner
from beanleague.league.standings import Standing
from beanleague.model import League
from beanleague.referee.messages import MatchResult

_WINDOW_S = 10.0  # seconds that "lately" means
_SAMPLE_INTERVAL_S = 0.25  # seconds between samples of it


class RunState(StrEnum):
    """The state of a run."""

    STARTING = "starting"
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run."""

    state: RunState
    """The stage of the run."""
    deals_done: int
    """Deals played in the whole league, including earlier runs."""
    deals_total: int
    """All deals of the league."""
    matches_done: int
    """Matches played in the whole league, including those of unfinished deals."""
    matches_total: int
    """All matches of the league."""
    deals_played: int
    """Deals played in this run."""
    matches_played: int
    """Matches played in this run."""
    decisions: int
    """Decisions in this run."""
    seconds: float
    """Since the run began."""
    matches_per_second: float
    """The recent rate; in the last report that of the whole run."""
    decisions_per_second: float
    """Likewise."""
    seconds_left: float | None
    """Estimated; None if unknown."""
    voided_deals: int
    """Deals of this run that were played again because something other than a bot failed."""
    standings: tuple[Standing, ...] | None
    """None if they are as before."""
    layer: str = ""
    """The layer of the sandbox that the bots run under; "" while it is not known."""
    host_delay: float = 0.0
    """Seconds that bots waited for a CPU in this run, summed over all bots; not charged to their clocks."""
    shared_owners: tuple[SharedOwner, ...] = ()
    """Owners of several of the bots seated, if the league keeps them apart."""
    batch: float = 0.0
    """Mean number of requests in a message to a bot, in this run; 0 if there was none."""


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
        self.requests = 0
        self.batches = 0  # messages that carried them
        self.shared_owners: tuple[SharedOwner, ...] = ()

    def add(self, match: MatchResult) -> None:
        """Count a match that is over."""
        self.matches += 1
        self.decisions += sum(match.decisions)
        self.layer = match.layer
        self.host_delay += match.host_delay
        self.requests += match.requests
        self.batches += match.batches

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
            shared_owners=self.shared_owners,
            batch=self.requests / max(self.batches, 1),
        )

    def _sample(self, now: float) -> None:
        if now - self._samples[-1][0] >= _SAMPLE_INTERVAL_S:
            self._samples.append((now, self.matches, self.decisions))
        while len(self._samples) > 2 and now - self._samples[1][0] >= _WINDOW_S:
            self._samples.popleft()
