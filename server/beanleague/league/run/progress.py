"""Progress of a run: counts, speed, and time left."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from beanleague.league.ratings.sprt import Comparison
from beanleague.league.schedule.owners import SharedOwner
from beanleague.league.standings import Standing
from beanleague.model import League, Node, PlayedMatch
from beanleague.referee.messages import VoidDeal, WorkerCounts

_WINDOW_S = 10.0  # length of the window for recent speeds
_SAMPLE_INTERVAL_S = 0.25  # interval of samples within the window
_BY_NAME = attrgetter("name", "cpu", "beanleague", "python")  # sort key of nodes, of which a league may have a thousand


class RunState(StrEnum):
    """The state of a run."""

    STARTING = "starting"
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class NodeProgress:
    """Share of a node in a run."""

    node: Node
    """The node."""
    workers: int
    """Number of the node's worker processes; 0 if it has left."""
    deals: int
    """Number of deals that the node has played in this run."""
    deals_per_second: float
    """Recent deals per second; in the last report the mean of the whole run."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run."""

    state: RunState
    """Stage of the run."""
    deals_done: int
    """Number of deals played in the whole league, earlier runs included."""
    deals_total: int
    """Number of deals in the league."""
    matches_done: int
    """Number of matches played in the whole league, unfinished deals included."""
    matches_total: int
    """Number of matches in the league."""
    deals_played: int
    """Number of deals played in this run."""
    matches_played: int
    """Number of matches played in this run."""
    decisions: int
    """Number of decisions in this run."""
    seconds: float
    """Seconds since the start of the run."""
    matches_per_second: float
    """Recent speed; in the last report the mean of the whole run."""
    decisions_per_second: float
    """Recent speed; in the last report the mean of the whole run."""
    seconds_left: float | None
    """Estimated seconds left; None if unknown."""
    voided_deals: int
    """Number of deals repeated in this run because something other than a bot failed."""
    standings: tuple[Standing, ...] | None
    """Standings; None if they have not changed."""
    comparison: Comparison | None = None
    """Result so far of a comparison's test; None in other leagues."""
    layer: str = ""
    """Sandbox layer of the bots; "" while unknown."""
    host_delay: float = 0.0
    """Seconds that bots waited for a CPU in this run, summed over all bots; not charged to their clocks."""
    shared_owners: tuple[SharedOwner, ...] = ()
    """Owners of several seated bots, if the league keeps their bots apart."""
    batch: float = 0.0
    """Mean number of requests in a message to a bot in this run; 0 without messages."""
    nodes: tuple[NodeProgress, ...] = ()
    """Nodes of the cluster that have workers, or have played in this run, by name; () on a single machine."""
    remarks: tuple[str, ...] = ()
    """Sentences about the current state of the cluster."""
    starts: int = 0
    """Number of bot processes started in this run."""


class _Sample(NamedTuple):
    """Counts at a point in time."""

    time: float
    matches: int
    decisions: int
    deals_of: Counter[Node]


class Meter:
    """Meter of a run of `league`: counts and speeds. `clock`: in seconds."""

    def __init__(self, league: League, clock: Callable[[], float]) -> None:
        self.layer = ""  # sandbox layer of the bots
        self._league = league
        self._clock = clock
        self._began = clock()
        self._deals_of: Counter[Node] = Counter()
        self._samples = deque([_Sample(self._began, 0, 0, Counter())])
        self.deals = 0
        self.matches = 0
        self.decisions = 0
        self.voided = 0
        self.counts = WorkerCounts()
        self.shared_owners: tuple[SharedOwner, ...] = ()
        self.workers: Mapping[Node, int] | None = None  # number of workers by node of a cluster; None without a cluster
        self.remarks: Sequence[str] = ()  # remarks about the cluster

    def plan(self, deals: int) -> None:
        """Set the number of deals of the league."""
        self._league = replace(self._league, deals=deals)

    @property
    def over(self) -> bool:
        """Return whether all deals have been played."""
        return self._league.deals_done + self.deals >= self._league.deals

    def add(self, match: PlayedMatch) -> None:
        self.matches += 1
        self.decisions += sum(seat.decisions for seat in match.seats)
        self.layer = match.layer

    def void(self, deal: VoidDeal) -> None:
        """Count a void deal, which is going to be repeated."""
        self.voided += 1
        self.matches -= deal.over

    def add_deal(self, node: Node | None) -> None:
        if node:
            self._deals_of[node] += 1

    def progress(
        self, state: RunState, standings: tuple[Standing, ...] | None, comparison: Comparison | None = None
    ) -> Progress:
        """Return the progress so far; in state DONE speeds are means of the whole run."""
        now = self._clock()
        seconds = now - self._began
        self._sample(now)
        since = _Sample(self._began, 0, 0, Counter()) if state is RunState.DONE else self._samples[0]
        span = max(now - since.time, 1e-9)
        speed = (self.matches - since.matches) / span
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
            decisions_per_second=(self.decisions - since.decisions) / span,
            seconds_left=(total - done) / speed if speed > 0 else None,
            voided_deals=self.voided,
            standings=standings,
            comparison=comparison,
            layer=self.layer,
            host_delay=self.counts.host_delay,
            shared_owners=self.shared_owners,
            batch=self.counts.requests / max(self.counts.batches, 1),
            nodes=self._nodes(since.deals_of, span),
            remarks=tuple(self.remarks),
            starts=self.counts.starts,
        )

    def _nodes(self, before: Counter[Node], span: float) -> tuple[NodeProgress, ...]:
        """Return the share of each node. `before`: number of deals of each node `span` seconds ago."""
        if self.workers is None:
            return ()
        deals = self._deals_of
        return tuple(
            NodeProgress(node, self.workers.get(node, 0), deals[node], (deals[node] - before[node]) / span)
            for node in sorted({*self.workers, *deals}, key=_BY_NAME)
        )

    def _sample(self, now: float) -> None:
        if now - self._samples[-1].time >= _SAMPLE_INTERVAL_S:
            self._samples.append(_Sample(now, self.matches, self.decisions, self._deals_of.copy()))
        while len(self._samples) > 2 and now - self._samples[1].time >= _WINDOW_S:
            self._samples.popleft()
