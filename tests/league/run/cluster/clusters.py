"""A scheduler and nodes in a thread of this process."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from distributed import Scheduler

from beanleague.league.run.cluster.connecting import configure
from beanleague.league.run.cluster.node import serve_node
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.referee.messages import StartPool
from tests.waiting import join


class Cluster:
    """See `cluster`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, folder: Path) -> None:
        self._loop = loop
        self._folder = folder
        self._nodes: dict[str, asyncio.Task[None]] = {}
        self.scheduler: Scheduler = self.call(self._scheduler())
        self.settings = ClusterSettings(self.scheduler.address)

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do something in the cluster's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _scheduler(self) -> Scheduler:
        configure()
        made: Scheduler = await Scheduler(host="127.0.0.1", port=0, protocol="tcp", dashboard_address="127.0.0.1:0")
        return made

    def add(self, name: str, pools: StartPool, workers: int = 1) -> None:
        """Start a node, whose pools `pools` makes."""

        async def start() -> asyncio.Task[None]:
            ready = asyncio.Event()
            serving = asyncio.create_task(
                serve_node(
                    self.settings,
                    workers=workers,
                    cache=self._folder / name,
                    name=name,
                    start_pool=pools,
                    say=lambda _: ready.set(),
                )
            )
            await ready.wait()
            return serving

        self._nodes[name] = self.call(start())

    def remove(self, name: str) -> None:
        """Let a node end in an orderly way."""

        async def stop() -> None:
            serving = self._nodes.pop(name)
            serving.cancel()
            await asyncio.wait([serving])

        self.call(stop())

    def lose(self, name: str) -> None:
        """Let the scheduler hear nothing more of a node, which comes back some seconds later."""
        address = next(
            each.address for each in self.scheduler.workers.values() if str(each.name).startswith(f"{name}-")
        )
        self.call(self.scheduler.remove_worker(address, stimulus_id="test", expected=False))

    def close(self) -> None:
        """End all of it."""
        for name in list(self._nodes):
            self.remove(name)
        self.call(self.scheduler.close())


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Give a cluster without nodes. `folder`: for their bots."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    made = Cluster(loop, folder)
    try:
        yield made
    finally:
        made.close()
        loop.call_soon_threadsafe(loop.stop)
        join(thread)
        loop.close()
