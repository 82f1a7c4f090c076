"""The runs that a node plays for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError
from beanleague.league.run.cluster.orders import Answer, Join, Lacking, NodeJoined, NodeRefused
from beanleague.league.run.cluster.playing import IDLE_S, RunHere
from beanleague.model import Node
from beanleague.referee.deal_pool import matches_at_once
from beanleague.referee.messages import BotSpec, Pool, StartPool


class NodeRuns:
    """The runs that a node plays for, by name. `cache`: for their bots. `start_pool`: makes the pool of a run."""

    def __init__(
        self, node: Node, workers: int, cache: BundleCache, start_pool: StartPool, *, idle_s: float = IDLE_S
    ) -> None:
        self.node = node
        self._workers = workers
        self._cache = cache
        self._start_pool = start_pool
        self._idle_s = idle_s
        self._playing: dict[str, RunHere] = {}

    def __contains__(self, run: object) -> bool:
        """Whether a run was joined and not left."""
        return run in self._playing

    def __getitem__(self, run: str) -> RunHere:
        """Return a run that was joined."""
        return self._playing[run]

    def join(self, run: str, order: Join, say: Callable[[Answer], None]) -> Answer:
        """Get ready for a run, if all its bots are here."""
        bots: list[BotSpec] = []
        lacking: list[str] = []
        for bot in order.bots:
            try:
                folder = self._cache.folder(bot.digest, partial(order.bundles.__getitem__, bot.digest))
            except KeyError:
                lacking.append(bot.digest)
            else:
                try:
                    packages = self._cache.packages(bot.packages)
                except EnvironmentMissingError as missing:
                    return NodeRefused(f"{bot.name} cannot play there: {missing}", self.node.name)
                bots.append(BotSpec(bot.version, bot.name, str(folder), bot.command, bot.trusted, packages))
        if lacking:
            return Lacking(tuple(dict.fromkeys(lacking)))
        settings = order.settings.copy()
        settings["workers"] = self._workers

        def start() -> Pool:
            return self._start_pool(bots, order.limits, **settings)

        if run not in self._playing:
            self._playing[run] = RunHere(start, self.node, say, idle_s=self._idle_s)
        return NodeJoined(self.node, self._workers, self._workers * matches_at_once(settings))

    def leave(self, run: str) -> None:
        """End all bots of a run."""
        if here := self._playing.pop(run, None):
            here.close()

    def close(self) -> None:
        """End all bots."""
        for run in list(self._playing):
            self.leave(run)
