"""The progress of a run: what is done, how fast, and how long the rest will take."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from beanleague.league.schedule.owners import SharedOwner
from beanleague.league.standings import Standing
from beanleague.model import League, Node, PlayedMatch
from beanleague.referee.messages import VoidDeal, WorkerCounts

_WINDOW_S = 10.0  # seconds that "lately" means
_SAMPLE_INTERVAL_S = 0.25  # seconds between samples of it
_BY_NAME = attrgetter("name", "cpu", "beanleague", "python")  # an order of nodes; a league may have a thousand


class RunState(StrEnum):
    """The state of a run."""

    STARTING = "starting"
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class NodeProgress:
    """What a node does in a run."""

    node: Node
    """The node."""
    workers: int
    """Its worker processes; 0 if it has gone."""
    deals: int
    """Deals that it played in this run."""
    deals_per_second: float
    """The recent rate; in the last report that of the whole run."""


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
    nodes: tuple[NodeProgress, ...] = ()
    """The nodes of a cluster that play, or played in this run, by name; () if this machine plays alone."""
    remarks: tuple[str, ...] = ()
    """What people should know of the cluster as it is now, in sentences."""
    starts: int = 0
    """Bot processes that were started in this run."""


class _Sample(NamedTuple):
    """The counts at a time."""

    time: float
    matches: int
    decisions: int
    deals_of: Counter[Node]


class Meter:
    """Counts what happens in a run of `league`. `clock`: seconds."""

    def __init__(self, league: League, clock: Callable[[], float]) -> None:
        self.layer = ""  # of the sandbox, that the bots run under
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
        self.workers: Mapping[Node, int] | None = None  # of the nodes of a cluster
        self.remarks: Sequence[str] = ()  # on the cluster

    def plan(self, deals: int) -> None:
        """Note how many deals the league has now."""
        self._league = replace(self._league, deals=deals)

    @property
    def over(self) -> bool:
        """Whether all deals are played."""
        return self._league.deals_done + self.deals >= self._league.deals

    def add(self, match: PlayedMatch) -> None:
        self.matches += 1
        self.decisions += sum(seat.decisions for seat in match.seats)
        self.layer = match.layer

    def void(self, deal: VoidDeal) -> None:
        """Count a deal that is played again."""
        self.voided += 1
        self.matches -= deal.over

    def add_deal(self, node: Node | None) -> None:
        if node:
            self._deals_of[node] += 1

    def progress(self, state: RunState, standings: tuple[Standing, ...] | None) -> Progress:
        """Return the progress so far; with the state DONE, speeds are those of the whole run."""
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
            layer=self.layer,
            host_delay=self.counts.host_delay,
            shared_owners=self.shared_owners,
            batch=self.counts.requests / max(self.counts.batches, 1),
            nodes=self._nodes(since.deals_of, span),
            remarks=tuple(self.remarks),
            starts=self.counts.starts,
        )

    def _nodes(self, before: Counter[Node], span: float) -> tuple[NodeProgress, ...]:
        """Return what each node does. `before`: the deals of each by `span` seconds ago."""
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
