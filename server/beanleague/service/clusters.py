"""Clusters, for services that play on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from beanleague.league.run.cluster.settings import ClusterError, ClusterSettings
from beanleague.service.errors import ServiceError

if TYPE_CHECKING:
    from beanleague.referee.messages import StartPool


def cluster_pools(address: str, certificates: Path | None) -> StartPool:
    """Return what starts pools on the cluster with the scheduler at `address`.

    `certificates`: a folder made by `beanleague cluster certs`.

    Raises:
        ServiceError: the address or the certificates cannot be used, or packages are missing.
    """
    try:
        settings = ClusterSettings.of(address, certificates)
        settings.security()
    except ClusterError as error:
        raise ServiceError(str(error)) from None
    from beanleague.league.run.cluster.pool import ClusterPools

    return ClusterPools(settings)
