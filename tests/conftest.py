"""Settings for all tests."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# A job in the background of a shell ignores Ctrl-C, and so would every program that a test starts from there.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Otherwise gRPC starts its threads anew in every forked process, also in those that pexpect forks to start a program at
# a terminal: now and then they abort it before the program begins, since pexpect closes their descriptors.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

# Where the environment names a proxy, gRPC would ask it for servers of these tests.
os.environ["no_grpc_proxy"] = "127.0.0.1,localhost"  # noqa: SIM112  # its name

settings.register_profile("fuzz", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-layers", action="store_true", help="play the attacks under every layer of the sandbox")
    parser.addoption("--games", type=int, default=4, help="random games of each ruleset and table size (4)")


@pytest.fixture
def games(request: pytest.FixtureRequest) -> int:
    """How many random games of each ruleset and table size are played."""
    number: int = request.config.getoption("--games")
    return number
