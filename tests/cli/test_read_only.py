"""Commands on a database file that they may read and not write."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

import beanleague.service.server
from beanleague.service.access import Role
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.cli.conftest import On
from tests.cli.helpers import write_bot
from tests.ownership import give_up_override, write_protected
from tests.store.test_read_only import writing
from tests.waiting import ending

LOOKING = (
    "standings spring",
    "standings spring --csv",
    "league list",
    "league show spring",
    "league deals spring",
    "league pair spring ann ben",
    "league integrity spring",
    "league verify spring",
    "bot list",
    "bot show ann",
    "bot logs ann",
    "bot times ann",
    "match list spring",
    "match show spring/1.0",
    "match replay spring/1.0",
    "match export spring/1.0",
    "match verify spring/1.0",
    "match rotations spring/1",
    "ladder list",
    "ladder show climb",
    "ladder status",
    "ladder verify climb",
    "token list",
    "games",
)
WRITING = (
    "league create autumn --game bohnanza --deals 1",
    "league run spring",
    "league add spring ann",
    "league hide spring",
    "league remove spring ann --reason slow",
    "league suspend spring ann --reason slow",
    "league lift spring ann",
    "league stop spring",
    "bot submit {bot}",
    "bot hide ann",
    "ladder create hill --game bohnanza",
    "ladder enter climb ann",
    "ladder pause climb",
    "ladder run climb",
    "ladder close climb",
    "compare ann ben --game bohnanza",
    "quickstart --deals 1",
    "token new zoe --role viewer",
    "token revoke zoe",
    "serve --listen 127.0.0.1:0",
)


@pytest.fixture(scope="module")
def theirs(on: On, spring: str, home: Path) -> Path:
    """A database at rest, with a league and a ladder, in a folder of its own."""
    assert spring == "spring"
    for words in ("ladder create climb --game bohnanza", "token new zoe --role viewer"):
        assert on(*words.split()).exit_code == 0
    folder = home / "theirs"
    folder.mkdir()
    shutil.copy(home / "leagues.db", folder)
    return folder / "leagues.db"


@pytest.fixture
def protected(theirs: Path) -> Iterator[Path]:
    with write_protected(theirs.parent):
        before = theirs.read_bytes(), theirs.stat().st_mtime_ns
        yield theirs
        assert [each.name for each in theirs.parent.iterdir()] == [theirs.name]
        assert (theirs.read_bytes(), theirs.stat().st_mtime_ns) == before


@pytest.mark.parametrize("command", LOOKING)
def test_a_command_that_reads_says_the_same_of_a_database_of_others(on: On, protected: Path, command: str) -> None:
    own = on(*command.split())
    result = on(*command.split(), db=str(protected))
    assert own.exit_code == 0, own.output
    assert (result.exit_code, result.stdout) == (0, own.stdout), result.output


@pytest.mark.slow
def test_a_match_is_analysed_where_nothing_can_be_kept(on: On, protected: Path) -> None:
    result = on("match", "analyse", "spring/1.0", db=str(protected))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", WRITING)
def test_a_command_that_writes_is_refused_in_words(on: On, protected: Path, tmp_path: Path, command: str) -> None:
    bot = write_bot(tmp_path / "dan", "dan")
    result = on(*(word.format(bot=bot) for word in command.split()), db=str(protected))
    assert result.exit_code == 1, result.output
    lines = result.stderr.splitlines()
    assert len(lines) <= 2
    assert lines[-1].startswith(f"Error: {protected} is read-only: it ")
    assert "beanleague backup FILE" in lines[-1]


def test_a_backup_of_a_database_of_others_can_be_changed(on: On, protected: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert on("backup", str(copy), db=str(protected)).exit_code == 0
    assert on("league", "hide", "spring", db=str(copy)).exit_code == 0


def test_guests_of_a_site_on_this_machine_are_viewers_of_a_database_of_others(protected: Path) -> None:
    embedded, before = beanleague.service.server.embedded, set(threading.enumerate())
    with embedded(f"sqlite:///{protected}", guest=Role.ORGANISER) as channel:
        stub = LeagueStub(channel)
        assert stub.ServerInfo(pb.ServerInfoRequest()).role == pb.ROLE_VIEWER
        assert [league.name for league in stub.ListLeagues(pb.ListLeaguesRequest()).leagues] == ["climb", "spring"]
        with pytest.raises(grpc.RpcError):
            stub.HideLeague(pb.HideLeagueRequest(name="spring"))
        assert "checkpoints" not in {thread.name for thread in set(threading.enumerate()) - before}


@contextmanager
def site(database: Path) -> Iterator[str]:
    """Start a site of a database, without the rights of root over files of others; return its address."""
    words = [sys.executable, "-P", "-m", "beanleague", "web", "--db", str(database), "--listen", "127.0.0.1:0"]
    started = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=give_up_override)  # noqa: PLW1509
    with ending(started) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()
            process.communicate()
    assert process.returncode == 0


def test_a_site_shows_a_database_of_others(protected: Path) -> None:
    asking = pytest.importorskip("tests.web.asking")
    with site(protected) as url:
        assert "spring" in asking.get(url).text
        assert asking.get(f"{url}/leagues/spring").status_code == 200


class TestADatabaseThatItsOwnerWrites:
    @pytest.fixture
    def written(self, theirs: Path, tmp_path: Path) -> Iterator[Path]:
        """A database of others, to which its owner's process has just added the bot dan, and which it has open."""
        folder = tmp_path / "written"
        folder.mkdir()
        file = Path(shutil.copyfile(theirs, folder / theirs.name))
        with writing(file) as writer:
            writer.add("dan")
            with write_protected(folder):
                before = sorted(each.name for each in folder.iterdir())
                assert f"{file.name}-wal" in before
                yield file
                assert sorted(each.name for each in folder.iterdir()) == before

    @pytest.mark.parametrize("command", ["standings spring", "match replay spring/1.0", "league verify spring"])
    def test_is_read_by_commands_of_others(self, on: On, written: Path, command: str) -> None:
        result = on(*command.split(), db=str(written))
        assert (result.exit_code, result.stdout) == (0, on(*command.split()).stdout), result.output

    def test_shows_others_what_was_just_written(self, on: On, written: Path) -> None:
        assert "dan" in on("bot", "list", db=str(written)).stdout

    def test_is_not_written_by_others(self, on: On, written: Path) -> None:
        result = on("league", "hide", "spring", db=str(written))
        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1].startswith(f"Error: {written} is read-only: it ")

    def test_is_shown_by_a_site_of_others(self, written: Path) -> None:
        asking = pytest.importorskip("tests.web.asking")
        with site(written) as url:
            assert "dan" in asking.get(f"{url}/bots/dan").text
            assert asking.get(f"{url}/leagues/spring").status_code == 200
