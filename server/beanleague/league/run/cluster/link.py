"""The runner's connection to a cluster: a client of Dask."""

from __future__ import annotations

import pickle
import queue
import uuid
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from distributed import Client, Future, KilledWorker

from beanleague.league.errors import RunError
from beanleague.league.run.cluster.connecting import configure, give_up_after, why_unreachable
from beanleague.league.run.cluster.node import obey
from beanleague.league.run.cluster.orders import VERSION, Answer, NodeRefused, Order, Sealed
from beanleague.league.run.cluster.settings import ClusterSettings

_CONNECT_TIMEOUT_S = 8.0
CLOSE_TIMEOUT_S = 2.0
"""How long the end of a connection may take."""
HEARTBEAT_S = 1
"""How often something is sent to the scheduler."""
LOST_AFTER_S = 6
"""How long the scheduler's host may be silent until it counts as gone. Dask would wait for 30 s, and 11 s at least."""


@dataclass(frozen=True, slots=True)
class Came:
    """A node is there."""

    address: str


@dataclass(frozen=True, slots=True)
class Gone:
    """A node is not there any more."""

    address: str


@dataclass(frozen=True, slots=True)
class NodeAnswered:
    """A node has answered."""

    address: str
    answer: Answer


Message = Came | Gone | NodeAnswered


class DaskLink:
    """Sends orders to nodes; what they answer, and which come and go, is in `inbox`.

    Raises:
        RunError: if the scheduler cannot be reached.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        if why := why_unreachable(settings):
            raise RunError(why)
        configure()
        self.inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._topic = f"beanleague-{uuid.uuid4().hex}"
        self._numbers = count()
        self._futures: dict[str, dict[str, Future[Any]]] = {}  # by node and key
        try:
            self._client = Client(
                settings.address, security=settings.security(), timeout=_CONNECT_TIMEOUT_S, set_as_default=False
            )
        except (OSError, TimeoutError) as problem:
            raise RunError(f"cannot reach the scheduler {settings.address}: {problem}") from None
        connection: Any = self._client.scheduler_comm
        give_up_after(connection.comm.stream.socket, LOST_AFTER_S)
        self._client.subscribe_topic(self._topic, self._answered)
        self._client.subscribe_topic("all", self._changed)
        for address in self._client.scheduler_info(n_workers=-1)["workers"]:
            self.inbox.put(Came(address))

    @property
    def alive(self) -> bool:
        """Whether the scheduler is there."""
        return self._client.status == "running"

    def send(self, address: str, order: Order) -> None:
        """Let a node do something."""
        key = f"{self._topic}-{next(self._numbers)}"
        future = self._client.submit(
            obey, key, self._topic, VERSION, Sealed(order), key=key, workers=[address], pure=False
        )
        self._futures.setdefault(address, {})[key] = future
        future.add_done_callback(partial(self._done, address))

    def forget(self, address: str) -> None:
        """Want nothing more of a node that has gone."""
        self._futures.pop(address, None)

    def close(self) -> None:
        """Want nothing more of any node."""
        self._futures.clear()
        self._client.close(timeout=CLOSE_TIMEOUT_S)

    def _done(self, address: str, future: Future[Any]) -> None:
        """Let the scheduler forget the task."""
        self._futures.get(address, {}).pop(str(future.key), None)
        # It never raises, so it could not even begin; or the node has gone, which is heard of anyway.
        if future.status == "error" and not isinstance(future.exception(), KilledWorker):
            why = "it cannot read what this program sends; install the same version of Beanleague on both"
            self.inbox.put(NodeAnswered(address, NodeRefused(why)))

    def _changed(self, event: tuple[float, dict[str, Any]]) -> None:
        message = event[1]
        if message["action"] == "add-worker":
            self.inbox.put(Came(message["worker"]))
        elif message["action"] == "remove-worker":
            self.inbox.put(Gone(message["worker"]))

    def _answered(self, event: tuple[float, dict[str, Any]]) -> None:
        message = event[1]
        if "refused" in message:
            answer: Answer = NodeRefused(message["refused"], message["name"])
        else:
            answer = pickle.loads(message["answer"])  # noqa: S301  # from a machine with a certificate of the cluster
        self.inbox.put(NodeAnswered(message["node"], answer))
