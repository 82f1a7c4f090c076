"""The scheduler of a cluster: Dask's own, to which runners and nodes connect."""

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
    """Run the scheduler at the address of `settings`, until cancelled.

    `say`: called with a line for each arriving or leaving node, and each refused connection.

    Raises:
        ClusterError: if the address cannot be used; see also `ClusterSettings.security`.
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


_MAX_NAME = 200  # maximum length of a node's name in characters


class _Scheduler(Scheduler):
    """Dask's scheduler without its web server, which is open to everybody."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Do nothing: the web server would be open to everybody."""

    def client_heartbeat(self, client: str) -> None:
        """Ignore heartbeats of a runner, which Dask would slow down to one in five seconds."""


class _Nodes(SchedulerPlugin):
    """Reports arriving and leaving nodes."""

    name = "nodes"

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._names: dict[str, str] = {}

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Report an arriving node."""
        # `NodeWorker` composes this name
        name = one_line(str(scheduler.workers[worker].name).rpartition("-")[0] or worker, _MAX_NAME)
        self._names[worker] = name
        self._say(f"Node {name} has joined; {len(self._names)} now.")

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: Any) -> None:
        """Report a leaving node."""
        del scheduler
        name = self._names.pop(worker, worker)
        self._say(f"Node {name} has left; {len(self._names)} now.")


def _check_listening(settings: ClusterSettings) -> None:
    """Check that the address is free. Dask's own check would leak its socket and hide the reason."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        with socket.create_server((settings.host, settings.port), family=family):
            pass
    except OSError as error:
        raise ClusterError(f"cannot listen at {settings.address}: {error.strerror or error}") from None
