"""Real pools of workers, with somebody beside them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack

from beanleague.referee.deal_pool import DealPool, room_of
from beanleague.referee.messages import (
    BotLog,
    BotSpec,
    Limits,
    MatchReport,
    MatchTask,
    PoolSettings,
    StartPool,
)
from beanleague.referee.pool import WorkerPool


def starting(watched: Callable[[WorkerPool], WorkerPool]) -> StartPool:
    """Return what starts a pool of workers and hands it to `watched`, which returns the pool of matches for the run."""

    def start(
        bots: Sequence[BotSpec],
        limits: Limits,
        **settings: Unpack[PoolSettings],
    ) -> DealPool:
        isolate = settings.get("isolate", False)
        workers, in_flight = settings["workers"], room_of(settings).in_flight
        return DealPool(
            watched(WorkerPool(bots, limits, workers=workers, in_flight=in_flight, isolate=isolate)), isolate=isolate
        )

    return start


@dataclass
class PoolBeside(WorkerPool):
    """Does what `pool` does."""

    pool: WorkerPool

    def __post_init__(self) -> None:
        self.capacity = self.pool.capacity

    def lanes(self, seats: int) -> int:
        return self.pool.lanes(seats)

    def submit(self, task: MatchTask) -> None:
        self.pool.submit(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        return self.pool.poll(timeout)

    def close(self) -> list[BotLog]:
        return self.pool.close()
