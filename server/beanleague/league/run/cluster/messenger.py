"""The process that talks to Dask for a run: a client of Dask that relays orders and answers.

Any member of the cluster can run programs in this process, as in every member of Dask. So it has no database, no secret
and no token, and is confined (`confined.py`).
"""

import os
import queue
import sys
import threading
import time
import uuid
from contextlib import suppress
from functools import partial
from itertools import count
from typing import IO, Any

from distributed import Client, Future, KilledWorker

from beanleague.league.errors import RunError
from beanleague.league.run.cluster.answers import answer_to_bytes
from beanleague.league.run.cluster.connecting import configure, give_up_after, why_unreachable
from beanleague.league.run.cluster.link import CLOSE_TIMEOUT_S, read_frames, write_frame
from beanleague.league.run.cluster.node import obey
from beanleague.league.run.cluster.orders import VERSION, NodeRefused, Sealed
from beanleague.league.run.cluster.settings import ClusterSettings
from beanproto.v1 import node_pb2 as pb

_CONNECT_TIMEOUT_S = 8.0
HEARTBEAT_S = 1
"""Seconds between heartbeats to the scheduler."""
LOST_AFTER_S = 6
"""Seconds of silence after which the scheduler's host counts as lost. Dask would wait 30 s, and at least 11 s."""
_HEAR_S = 0.005  # interval of repeating a test message
_LOOK_S = 0.1  # interval of checking the connection to the scheduler


class DaskLink:
    """Sends orders to nodes; answers, arrivals and departures go to `outbox` as messages.

    Raises:
        RunError: if the scheduler cannot be reached.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        if why := why_unreachable(settings):
            raise RunError(why)
        configure()
        self.outbox: queue.SimpleQueue[pb.NodeMessage] = queue.SimpleQueue()
        self._topic = f"beanleague-{uuid.uuid4().hex}"
        self._numbers = count()
        self._futures: dict[str, dict[str, Future[Any]]] = {}  # futures by node and key
        try:
            self._client = Client(
                settings.address, security=settings.security(), timeout=_CONNECT_TIMEOUT_S, set_as_default=False
            )
        except (OSError, TimeoutError) as problem:
            raise RunError(f"cannot reach the scheduler {settings.address}: {problem}") from None
        connection: Any = self._client.scheduler_comm
        give_up_after(connection.comm.stream.socket, LOST_AFTER_S)
        self._subscribe()
        for address in self._client.scheduler_info(n_workers=-1)["workers"]:
            self.outbox.put(pb.NodeMessage(came=address))

    def _subscribe(self) -> None:
        """Subscribe to nodes and answers, and wait until the subscription is effective."""
        heard = threading.Event()
        self._client.subscribe_topic("all", self._changed)
        self._client.subscribe_topic(self._topic, lambda _: heard.set())
        while self.alive and not heard.wait(_HEAR_S):
            self._client.log_event(self._topic, "is this heard?")
        self._client.subscribe_topic(self._topic, self._answered)

    @property
    def alive(self) -> bool:
        """Whether the scheduler is connected."""
        return self._client.status == "running"

    def obey(self, order: pb.RunMessage) -> None:
        """Carry out an order from the run."""
        if not order.order:
            self._futures.pop(order.address, None)
            return
        key = f"{self._topic}-{next(self._numbers)}"
        sealed = Sealed(order.order, order.secret)
        future = self._client.submit(
            obey, key, self._topic, VERSION, sealed, key=key, workers=[order.address], pure=False
        )
        self._futures.setdefault(order.address, {})[key] = future
        future.add_done_callback(partial(self._done, order.address, order.secret))

    def close(self) -> None:
        """Cancel everything at all nodes."""
        self._futures.clear()
        self._client.close(timeout=CLOSE_TIMEOUT_S)

    def _done(self, address: str, secret: bytes, future: Future[Any]) -> None:
        """Release a finished task on the scheduler."""
        self._futures.get(address, {}).pop(str(future.key), None)
        # The function of a task never raises: either the node could not unpickle the task, or the node has gone, which
        # is reported separately.
        if future.status == "error" and not isinstance(future.exception(), KilledWorker):
            why = "it cannot read the messages of this program; install the same version of Beanleague on both"
            self._say_answered(address, secret, answer_to_bytes(NodeRefused(why)))

    def _changed(self, event: tuple[float, dict[str, Any]]) -> None:
        message = event[1]
        with suppress(KeyError, TypeError, ValueError):  # any member of the cluster may send anything here
            if message["action"] == "add-worker":
                self.outbox.put(pb.NodeMessage(came=message["worker"]))
            elif message["action"] == "remove-worker":
                self.outbox.put(pb.NodeMessage(gone=message["worker"]))

    def _answered(self, event: tuple[float, dict[str, Any]]) -> None:
        message = event[1]
        with suppress(KeyError, TypeError, ValueError):  # any member of the cluster may send anything here
            self._say_answered(message["node"], message["secret"], message["answer"])

    def _say_answered(self, address: str, secret: bytes, answer: bytes) -> None:
        said = pb.NodeMessage.Answered(address=address, secret=secret, answer=answer)
        self.outbox.put(pb.NodeMessage(answered=said))


def _write(link: DaskLink, stream: IO[bytes]) -> None:
    """Write messages to the run until it closes the pipe."""
    with suppress(OSError):
        while True:
            write_frame(stream, link.outbox.get().SerializeToString())
    os._exit(0)


def _watch(link: DaskLink) -> None:
    """End this process if the scheduler is gone, which notifies the run."""
    while link.alive:
        time.sleep(_LOOK_S)
    os._exit(1)


def serve(settings: ClusterSettings) -> None:
    """Serve a run on standard input and output, until it closes the input."""
    try:
        link = DaskLink(settings)
    except RunError as problem:
        write_frame(sys.stdout.buffer, pb.NodeMessage(failed=str(problem)).SerializeToString())
        os._exit(1)
    write_frame(sys.stdout.buffer, pb.NodeMessage(ready=pb.NodeMessage.Ready()).SerializeToString())
    threading.Thread(target=_write, args=(link, sys.stdout.buffer), daemon=True).start()
    threading.Thread(target=_watch, args=(link,), daemon=True).start()
    for frame in read_frames(sys.stdin.buffer):
        link.obey(pb.RunMessage.FromString(frame))
    link.close()
    os._exit(0)
