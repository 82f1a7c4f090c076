from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from beanleague.service.server import embedded
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.databases import UrlOf
from tests.league.fakepool import FakePools
from tests.league.helpers import SECRET, bundle
from tests.service.helpers import submit

Connect = Callable[..., LeagueStub]


@pytest.fixture
def pools() -> FakePools:
    """The referee of the embedded server."""
    return FakePools()


@pytest.fixture
def connect(tmp_path: Path, url_of: UrlOf, pools: FakePools) -> Iterator[Connect]:
    """Start embedded servers on a database of this test (or on another, by its file)."""
    with ExitStack() as stack:

        def start(file: Path = tmp_path / "a.db", referee: FakePools = pools) -> LeagueStub:
            url = url_of(file)
            return LeagueStub(stack.enter_context(embedded(url, cache=tmp_path / "cache", start_pool=referee)))

        yield start


@pytest.fixture
def stub(connect: Connect) -> LeagueStub:
    """An embedded server with nothing in its database."""
    return connect()


@pytest.fixture
def spring(stub: LeagueStub) -> pb.LeagueInfo:
    """The league "spring" of five bots at four seats, ten deals, not played yet."""
    for number in range(5):
        submit(stub, bundle(f"bot{number}"))
    return stub.CreateLeague(
        pb.CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=10, secret=SECRET)
    )


@pytest.fixture
def played(stub: LeagueStub, spring: pb.LeagueInfo) -> pb.LeagueInfo:
    """The league "spring", played to its end."""
    for _ in stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=2, in_flight=4)):
        pass
    return stub.ShowLeague(pb.ShowLeagueRequest(name="spring"))
