"""The scheduler of a cluster: Dask's, to which runners and nodes connect."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from distributed import Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

from beanleague.league.run.cluster.connecting import configure
from beanleague.league.run.cluster.doors import guard_doors, too_few_files
from beanleague.league.run.cluster.settings import ClusterError, ClusterSettings
from beanleague.names import one_line


async def schedule(settings: ClusterSettings, *, say: Callable[[str], None] = lambda _: None) -> None:
    """Be the scheduler at the address of `settings`, until cancelled.

    `say`: called with a line about each node that comes or goes, and each connection that is refused.

    Raises:
        ClusterError: if it cannot listen there, or what `ClusterSettings.security` raises.
    """
    configure()
    security = settings.security()
    _check_listening(settings)
    guard_doors(say)
    scheduler = _Scheduler(security=security, host=settings.address, dashboard=False, plugins=[_Nodes(say)])
    await scheduler
    try:
        say(f"Scheduling at {scheduler.address}; Ctrl-C stops.")
        if few := too_few_files():
            say(few)
        await asyncio.Event().wait()
    finally:
        await scheduler.close(reason="it was stopped")


_MAX_NAME = 200  # characters of what a node is called


class _Scheduler(Scheduler):
    """Dask's scheduler, without its web server, which would let everybody look."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Start none."""

    def client_heartbeat(self, client: str) -> None:
        """Let a runner send them as often as it does: Dask would ask it for one in five seconds."""


class _Nodes(SchedulerPlugin):
    """Says which nodes come and go."""

    name = "nodes"

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._names: dict[str, str] = {}

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Say that a node has come."""
        name = one_line(str(scheduler.workers[worker].name).rpartition("-")[0] or worker, _MAX_NAME)  # see `NodeWorker`
        self._names[worker] = name
        self._say(f"Node {name} has come; {len(self._names)} now.")

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: Any) -> None:
        """Say that a node has gone."""
        del scheduler
        name = self._names.pop(worker, worker)
        self._say(f"Node {name} has gone; {len(self._names)} now.")


def _check_listening(settings: ClusterSettings) -> None:
    """See that one can listen there, before Dask does: it would leave its socket open, and hide the reason."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        with socket.create_server((settings.host, settings.port), family=family):
            pass
    except OSError as error:
        raise ClusterError(f"cannot listen at {settings.address}: {error.strerror or error}") from None
