"""What Beanleague sets of Dask, on runners, schedulers and nodes."""

from __future__ import annotations

import logging
import resource

import dask

_MAX_FILES = 65_536
_SETTINGS = {
    # A deal is played again only by the runner, which writes down why.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    # Results pass the scheduler as events, of which it would keep the last thousand.
    "distributed.admin.low-level-log-length": 4,
    # What costs time for each task or node, and shows nothing that is of use here.
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.locks.lease-validation-interval": "1h",
    "distributed.client.scheduler-info-interval": "1h",
    "distributed.diagnostics.computations.nframes": 0,
    "distributed.diagnostics.computations.max-history": 1,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",  # by default 20 ms, in each node
    "distributed.admin.tick.cycle": "10s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    # Bundles and deals are as large as they are.
    "distributed.admin.large-graph-warning-threshold": "10GB",
    # A node keeps nothing in files but bundles.
    "distributed.worker.use-file-locking": False,
    # A runner notices that the scheduler's host has gone by what it sends: see `link.LOST_AFTER_S`.
    "distributed.client.heartbeat": "1s",
    "distributed.comm.timeouts.connect": "8s",
    "distributed.comm.tcp.backend": "tornado",  # whose sockets can be reached
}


def configure() -> None:
    """Set them, whatever the files of the user's own Dask say, and let this process open as many files as it may.

    To be called before anything of Dask is started. A scheduler has about three connections to each node.
    """
    dask.config.set(_SETTINGS)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    for name in ("distributed", "distributed.client"):  # what matters of its log, our own sentences say
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
