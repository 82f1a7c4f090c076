"""What is set of Dask, whatever a user has set."""

from __future__ import annotations

import pytest

pytest.importorskip("dask", reason="needs the packages of the extra cluster")

import dask

from beanleague.league.run.cluster.dask_config import configure


def test_dask_itself_plays_nothing_again_and_moves_nothing() -> None:
    with dask.config.set({"distributed.scheduler.allowed-failures": 3, "distributed.scheduler.work-stealing": True}):
        configure()
        assert dask.config.get("distributed.scheduler.allowed-failures") == 0
        assert dask.config.get("distributed.scheduler.work-stealing") is False
