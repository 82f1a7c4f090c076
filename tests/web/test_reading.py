"""Leagues on pages as they move, read once for all who watch; the guide for authors, and its beginnings."""

import asyncio
import io
import re
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import urldefrag

import grpc
import pytest
from playwright.sync_api import expect
from starlette.exceptions import HTTPException

from beanleague.games import rulesets
from beanleague.league.bots.bundles import read_bundle
from beanleague.service.server import embedded
from beanleague.starter import starter
from beanleague.web import reading
from beanleague.web.app import make_app
from beanleague.web.pages.leagues import Downloads
from beanleague.web.reading import Live, Reader
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play
from tests.league.helpers import SECRET, bundle
from tests.service.helpers import submit
from tests.waiting import join, until
from tests.web import asking
from tests.web.conftest import Open


def test_the_league_is_read_once_however_many_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_INTERVAL_S", 0.01)
    looks: list[int] = []

    def read(league: str) -> dict[str, str]:
        looks.append(len(looks))
        return {"standings": f"{league} {min(len(looks), 3)}", "same": "always"}

    async def watch(live: Live) -> list[bytes]:
        frames = []
        async for frame in live.watch("spring"):
            frames.append(frame)
            if b"spring 3" in frame:
                break
        return frames

    async def everybody() -> list[list[bytes]]:
        live = Live(read)
        try:
            return await asyncio.gather(*(watch(live) for _ in range(50)))
        finally:
            live.end()
            await asyncio.sleep(0)

    streams = asyncio.run(everybody())
    assert len(looks) < 10
    for frames in streams:
        assert frames[-1] == b"event: standings\ndata: spring 3\n\n"
        assert frames.count(b"event: same\ndata: always\n\n") == 1


class TestReader:
    def test_answers_to_any_number_of_requests_take_bounded_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also empty ones, such as pages of deals that a league does not have."""
        monkeypatch.setattr(reading, "_MAX_BYTES", 100 * reading._LEAST_BYTES)
        reader, asked = Reader(), list[int]()

        def list_deals(request: pb.ListDealsRequest, timeout: float) -> pb.ListDealsResponse:
            asked.append(request.after)
            return pb.ListDealsResponse()

        for after in range(1000):
            reader.get(list_deals, pb.ListDealsRequest(league="spring", after=after))  # type: ignore[arg-type]
        assert len(reader) == 100
        reader.get(list_deals, pb.ListDealsRequest(league="spring", after=999), fresh=60)  # type: ignore[arg-type]
        assert asked == [*range(1000)]

    def test_a_larger_answer_takes_the_room_of_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reading, "_MAX_BYTES", 100 * reading._LEAST_BYTES)
        reader = Reader()

        def show(request: pb.ShowLeagueRequest, timeout: float) -> pb.LeagueInfo:
            return pb.LeagueInfo(run_error="x" * int(request.name))

        for size in (*range(80), 50 * reading._LEAST_BYTES):
            reader.get(show, pb.ShowLeagueRequest(name=str(size)))  # type: ignore[arg-type]
        assert len(reader) == 50

    def test_an_answer_that_is_old_is_asked_for_again_and_a_failure_at_once(self) -> None:
        reader, answers = Reader(), iter([None, pb.LeagueInfo(deals_done=1), pb.LeagueInfo(deals_done=2)])

        def show(request: pb.ShowLeagueRequest, timeout: float) -> pb.LeagueInfo:
            answer = next(answers)
            if answer is None:
                raise RuntimeError
            return answer

        request = pb.ShowLeagueRequest(name="spring")
        with pytest.raises(RuntimeError):
            reader.get(show, request)  # type: ignore[arg-type]
        found: list[pb.LeagueInfo] = [reader.get(show, request, fresh=fresh) for fresh in (0, 60, -1)]  # type: ignore[arg-type]
        assert [each.deals_done for each in found] == [1, 1, 2]
        assert len(reader) == 1


class TestDownloads:
    def test_a_file_that_took_long_is_kept_for_twenty_times_as_long(self) -> None:
        now, cpu, made = [100.0], count(step=3), list[str]()

        def make() -> str:
            made.append(f"matrix {len(made)}")
            return made[-1]

        downloads = Downloads(lambda: now[0], lambda: next(cpu))
        found = []
        for now[0] in (100.0, 101.0, 159.9, 160.1):
            found.append(downloads.get(("spring", "matrix", "csv"), make))
        assert found == [b"matrix 0", b"matrix 0", b"matrix 0", b"matrix 1"]

    def test_the_oldest_files_make_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("beanleague.web.pages.leagues._MAX_BYTES", 10)
        cpu, made = count(step=3), list[str]()

        def make(name: str) -> str:
            made.append(name)
            return "12345"

        downloads = Downloads(lambda: 100.0, lambda: next(cpu))
        for name in ("spring", "autumn", "winter", "autumn", "winter", "spring"):
            downloads.get((name,), partial(make, name))
        assert made == ["spring", "autumn", "winter", "spring"]

    def test_visitors_who_wait_for_a_file_take_a_part_of_the_threads_and_it_is_made_once(self) -> None:
        begun, goes_on, made, cpu = threading.Event(), threading.Event(), list[int](), count(step=60)
        downloads = Downloads(cpu=lambda: next(cpu))

        def make() -> str:
            made.append(1)
            begun.set()
            assert goes_on.wait(60)
            return "matrix"

        def ask() -> bytes:
            return downloads.get(("spring", "matrix", "csv"), make)

        with ThreadPoolExecutor(12) as threads:
            waiting = [threads.submit(ask)]
            assert begun.wait(60)
            waiting += [threads.submit(ask) for _ in range(11)]
            until(lambda: downloads._turns._line._value == 0)
            with pytest.raises(HTTPException, match="too many files"):
                ask()
            goes_on.set()
            assert [each.result() for each in waiting] == [b"matrix"] * 12
        assert made == [1]


def test_streams_end_with_the_site() -> None:
    async def watched() -> list[bytes]:
        live = Live(lambda league: {"standings": league})
        frames = []
        async for frame in live.watch("spring"):
            frames.append(frame)
            live.end()
        return frames

    assert asyncio.run(watched()) == [b"event: standings\ndata: spring\n\n"]


def test_a_text_of_lines_stays_one_event() -> None:
    async def first() -> bytes:
        live = Live(lambda _: {"standings": "one\r\n\ntwo\n"})
        async for frame in live.watch("spring"):
            live.end()
            return frame
        raise AssertionError

    assert asyncio.run(first()) == b"event: standings\ndata: one\ndata: \ndata: two\n\n"


def test_a_league_that_cannot_be_read_says_so_and_goes_on_when_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_INTERVAL_S", 0.01)
    looks: list[int] = []

    def read(league: str) -> dict[str, str]:
        looks.append(1)
        if len(looks) == 2:
            raise grpc.RpcError("away")
        return {"standings": league, "away": ""}

    async def watched() -> list[bytes]:
        live = Live(read)
        frames = []
        async for frame in live.watch("spring"):
            frames.append(frame)
            if len(frames) == 4:
                live.end()
        return frames

    first, empty, away, again = asyncio.run(watched())
    assert first == b"event: standings\ndata: spring\n\n"
    assert b"cannot be read" in away
    assert again == empty


CODE = """
from beanbot import Bot, run

class Any(Bot):
    def decide(self, view):
        return view.default()

run(Any)
"""


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["fake", "real"])
def test_standings_move_while_a_league_runs(tmp_path: Path, open_page: Open, *, real: bool) -> None:
    pool = None if real else FakePools(play=play)
    with embedded(
        f"sqlite:///{tmp_path / 'a.db'}", cache=tmp_path / "cache", start_pool=pool, trust_bots=True
    ) as channel:
        stub = LeagueStub(channel)
        for name in ("ann", "ben"):
            submit(stub, bundle(name, CODE, ["duel"]))
        stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="duel", deals=3, secret=SECRET))
        with serving(make_app(stub, SiteSettings()), "127.0.0.1:0") as url:
            page = open_page(f"{url}/leagues/spring")
            expect(page.locator("#rows")).to_contain_text("has not played yet")
            run = threading.Thread(
                target=lambda: list(stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=2))),
                daemon=True,
            )
            run.start()
            try:
                expect(page.locator("#progress .state")).to_have_text("finished", timeout=60_000)
                expect(page.locator("#rows tr").first).to_contain_text("3")
            finally:
                join(run)


PAGES = ("/guide", "/guide/tutorial", "/guide/sdk", "/guide/languages", "/guide/search", "/guide/bots")


def test_every_link_of_the_guide_leads_somewhere_and_every_anchor_is_there(site: str) -> None:
    texts = {page: asking.get(site + page).text for page in PAGES}
    for page, text in texts.items():
        for link in re.findall(r'href="((?:/guide|#)[^"]*)"', text):
            address, anchor = urldefrag(link)
            if (address or page) not in texts:
                assert asking.get(site + address).status_code == 200, link
            elif anchor:
                assert f'id="{anchor}"' in texts[address or page], f"{page}: {link}"


def test_documents_have_no_links_to_files_and_their_code_keeps_its_lines(site: str) -> None:
    text = asking.get(f"{site}/guide/tutorial").text
    assert not re.search(r'href="[^"]*\.md', text)
    assert '<a href="/guide/sdk">' in text
    assert "beanleague bot new ann --game bohnanza\n" in text


@pytest.mark.parametrize("game", [ruleset.id for ruleset in rulesets()])
def test_a_beginning_in_python_is_a_bundle_as_it_comes(site: str, game: str) -> None:
    answer = asking.get(f"{site}/guide/python/{game}/ann-bot.zip")
    assert answer.headers["content-type"] == "application/zip"
    assert read_bundle(answer.content).manifest.name == "ann-bot"


def test_beginnings_in_other_languages_have_all_files_and_their_programs_can_be_run(site: str) -> None:
    data = asking.get(f"{site}/guide/java/bohnanza/ann-bot.zip").content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {file: archive.read(file).decode() for file in archive.namelist()} == starter(
            "ann-bot", "bohnanza", "java"
        )
        assert archive.getinfo("build.sh").external_attr >> 16 & 0o111
        assert not archive.getinfo("Bot.java").external_attr >> 16 & 0o111


@pytest.mark.parametrize("path", ["python/poker/a", "python/duel/A%20b", "cobol/bohnanza/a"])
def test_a_beginning_that_there_is_not_is_not_found(site: str, path: str) -> None:
    assert asking.get(f"{site}/guide/{path}.zip").status_code == 404
