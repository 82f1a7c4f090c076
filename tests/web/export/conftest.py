"""The site of a small league as files."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from beanleague.service.access import Role
from beanleague.service.server import embedded
from beanleague.web.export import export
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.web.conftest import shared_league


@contextmanager
def service(file: Path) -> Iterator[LeagueStub]:
    """The calls of a database for visitors."""
    with embedded(f"sqlite:///{file}", cache=file.parent / "cache", guest=Role.VIEWER) as channel:
        yield LeagueStub(channel)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the league "spring" as elsewhere, but of three deals: every match becomes a page."""
    return Path(shutil.copy(shared_league(tmp_path_factory, deals=3), tmp_path_factory.mktemp("played")))


@pytest.fixture(scope="session")
def written(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of `played` as files, not to be changed; it is in a sub-folder of its parent."""
    target = tmp_path_factory.mktemp("host") / "some" / "site"
    with service(played) as stub:
        counts = export(stub, target)
    assert counts.matches == 12
    assert counts.dead == ()
    return target


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def host(written: Path) -> Iterator[str]:
    """The URL of a plain file server with the site in a sub-folder."""
    handler = functools.partial(_Quiet, directory=str(written.parent.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/some/site/"
        server.shutdown()
        thread.join()
