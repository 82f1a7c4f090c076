"""Memory is bounded whatever comes in."""

import resource
from collections.abc import Iterator

import pytest

_MAX_GROWTH_KIB = 300 * 1024  # several times the largest bundle that is allowed


@pytest.fixture(scope="module", autouse=True)
def _bounded_memory() -> Iterator[None]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < _MAX_GROWTH_KIB
