"""A node: a worker of Dask that plays deals for any number of runs."""

import asyncio
import uuid
from collections.abc import Callable
from pathlib import Path

from distributed import Worker, get_worker

from beanleague.league.bots.cache import BundleCache
from beanleague.league.run.cluster import orders
from beanleague.league.run.cluster.answers import answer_to_bytes
from beanleague.league.run.cluster.connecting import configure, why_unreachable
from beanleague.league.run.cluster.doors import guard_doors
from beanleague.league.run.cluster.playing import NodeRuns
from beanleague.league.run.cluster.sealing import order_from_bytes
from beanleague.league.run.cluster.settings import ClusterSettings
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import StartPool
from beanleague.referee.this_node import this_node

_TASKS = 1_000  # number of concurrent Dask tasks; each waits for its deals without a thread
_WANTED_INTERVAL_S = 1.0  # interval of checking whether a runner is still there
_RECONNECT_S = 2.0  # interval of attempts to reach the scheduler


class NodeWorker(Worker):
    """Dask's worker with the runs it plays for, and without Dask's web server."""

    runs: NodeRuns

    def start_http_server(self, *_: object, **__: object) -> None:
        """Do nothing: the web server would be open to everybody."""


async def serve_node(
    settings: ClusterSettings,
    *,
    workers: int,
    cache: Path,
    name: str = "",
    host: str = "",
    start_pool: StartPool = start_workers,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Play for runs until cancelled; then end all bots. Without a scheduler, wait for one.

    `workers`: worker processes per run. `cache`: folder for bots. `name`: name of the node, "" for the host's. `host`:
    address to listen on, "" for the address that leads to the scheduler. `say`: called with messages about the
    connection.

    Raises:
        ClusterError: if `host` is reachable by others, and the cluster has no certificates.
    """
    if host:
        settings.check_listening(host)
    configure()
    guard_doors(say)
    runs = NodeRuns(this_node(name), workers, BundleCache(cache), start_pool)
    last = ""
    while True:
        try:
            text = await asyncio.to_thread(why_unreachable, settings)
            if not text:
                async with _worker(settings, runs, host or settings.leading_to()) as worker:
                    say(last := f"connected to {settings.address}")
                    await worker.finished()
                text = f"the connection to {settings.address} was lost"
        except (OSError, TimeoutError) as problem:
            text = f"cannot reach {settings.address}: {_reason(problem)}"
        finally:
            await asyncio.to_thread(runs.close)
        if text != last:
            say(last := text)
        await asyncio.sleep(_RECONNECT_S)


def _worker(settings: ClusterSettings, runs: NodeRuns, host: str) -> NodeWorker:
    worker = NodeWorker(
        settings.address,
        nthreads=_TASKS,
        name=f"{runs.node.name}-{uuid.uuid4().hex}",
        security=settings.security(),
        host=host,  # without a host, Dask listens on all addresses
        memory_limit=0,
    )
    worker.runs = runs
    return worker


def _reason(problem: BaseException) -> str:
    """Return the innermost reason of an error of Dask."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    return str(problem) or type(problem).__name__


async def obey(key: str, run: str, version: str, order: orders.Sealed) -> None:
    """Carry out an order of a runner: the only function that runners call through Dask.

    `key`: key of Dask's task. `run`: topic for the answers. `version`: the runner's `VERSION`, which may differ.
    """
    worker = get_worker()

    def answer(message: orders.Answer) -> None:
        said = {"node": worker.address, "secret": order.secret, "answer": answer_to_bytes(message)}
        worker.log_event(run, said)

    if not isinstance(worker, NodeWorker):
        answer(orders.NodeRefused("it is a Dask worker that was not started by 'beanleague node'"))
        return
    name = worker.runs.node.name
    if version != orders.VERSION:
        answer(orders.NodeRefused(f"it has {orders.VERSION}, but the run needs {version}", name))
        return
    try:
        await _obey(worker, key, run, order, answer)
    except Exception as problem:  # noqa: BLE001  # Dask would log it with the arguments
        answer(orders.NodeRefused(f"{type(problem).__name__}: {problem}", name))


async def _obey(
    worker: NodeWorker, key: str, run: str, sealed: orders.Sealed, say: Callable[[orders.Answer], None]
) -> None:
    order = order_from_bytes(sealed.data)
    if isinstance(order, orders.Join):
        say(answer := await asyncio.to_thread(worker.runs.join, run, order, say))
        if isinstance(answer, orders.NodeJoined):
            await _while_wanted(worker, key, run)
    elif isinstance(order, orders.Play):
        worker.runs[run].play(order)
    else:
        await asyncio.to_thread(worker.runs.leave, run)
        say(orders.Left())


async def _while_wanted(worker: NodeWorker, key: str, run: str) -> None:
    """Wait until the runner is gone, which releases the task; then end all bots of the run.

    Dask itself only marks a running task as released.
    """
    while run in worker.runs:
        await asyncio.sleep(_WANTED_INTERVAL_S)
        task = worker.state.tasks.get(key)
        if task is None or task.state != "executing":
            break
    await asyncio.to_thread(worker.runs.leave, run)
