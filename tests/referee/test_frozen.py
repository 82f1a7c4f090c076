"""Bot processes that are in no match: they get no CPU, lose no time, and end with the worker."""

import time
from collections.abc import Iterator
from dataclasses import replace

import psutil
import pytest

from beanleague.model import PlayedMatch
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from tests.processes import workers_of
from tests.referee.helpers import QUICK, STARTS_PROGRAMS, bot, finish, task

LIMITS = replace(QUICK, connect_ms=10_000)
NAMES = {0: "works_without_end", 1: "plays_well"}


@pytest.fixture(params=[*CONFINING, Layer.PLAIN])
def layer(request: pytest.FixtureRequest) -> Layer:
    layer: Layer = request.param
    if layer in CONFINING and (why := examine(layer, LIMITS).why_not):
        pytest.skip(why)
    return layer


@pytest.fixture
def pool(layer: Layer) -> Iterator[WorkerPool]:
    """A pool with one worker under a layer, of two bots; where a bot may start programs, one of them works for ever."""
    confined = layer in CONFINING
    starts = layer in STARTS_PROGRAMS or not confined
    specs = [bot(number, name if starts else "plays_well") for number, name in NAMES.items()]
    with WorkerPool(specs, LIMITS, workers=1, in_flight=1, layers=[layer] if confined else []) as pool:
        yield pool


def processes_of_bots(pool: WorkerPool) -> list[psutil.Process]:
    """Return those that run files of bots, without ours around them."""
    found = []
    for process in workers_of(pool)[0].children(recursive=True):
        words = process.cmdline()
        if any(name in word for name in NAMES.values() for word in words) and "launcher" not in " ".join(words):
            found.append(process)
    return found


def played(pool: WorkerPool, number: int) -> PlayedMatch:
    pool.submit(task(number, [0, 1], deal=number))
    return finish(pool, 1)[0][number]


def until_frozen(pool: WorkerPool) -> list[psutil.Process]:
    """Wait until all processes of bots are stopped, and return them."""
    while True:
        found = processes_of_bots(pool)
        if all(process.status() == psutil.STATUS_STOPPED for process in found):
            return found
        time.sleep(0.02)


def used(processes: list[psutil.Process]) -> list[float]:
    return [sum(process.cpu_times()[:2]) for process in processes]


def test_who_is_in_no_match_gets_no_cpu_and_plays_the_next_one_as_if_no_time_had_passed(pool: WorkerPool) -> None:
    assert played(pool, 0).faults == ()
    frozen = until_frozen(pool)
    assert len(frozen) >= 2
    before = used(frozen)
    time.sleep(0.3)  # more than a bot has for a decision
    assert used(frozen) == before
    result = played(pool, 1)
    assert result.faults == ()
    assert {process.pid for process in until_frozen(pool)} == {process.pid for process in frozen}
    pool.close()
    _, alive = psutil.wait_procs(frozen, timeout=10)
    assert alive == []


def test_who_is_frozen_ends_with_its_worker(pool: WorkerPool, layer: Layer) -> None:
    played(pool, 0)
    frozen = until_frozen(pool)
    kept_by_nothing = [process for process in frozen if layer is Layer.PLAIN and "-c" in process.cmdline()]
    workers_of(pool)[0].kill()
    for process in kept_by_nothing:  # it left its session
        process.kill()
    _, alive = psutil.wait_procs(frozen, timeout=10)
    assert alive == []
