"""Authors sign in with their token, and submit bots in the browser."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect

from beanleague.referee.messages import MatchTask
from beanleague.referee.this_node import default_workers
from beanleague.service.access import Cost, Role
from beanleague.service.gate import Allowance
from beanleague.store import Store
from beanleague.web.pages.submit import Submission
from beanleague.web.security import ALLOWANCES, Visitor
from beanleague.web.settings import SiteSettings
from beanleague.web.site import Templates
from beanproto.v1.league_pb2 import ROLE_AUTHOR, BotReport
from tests.answers.test_shown import REPORT
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle, zipped
from tests.waiting import until
from tests.web import asking
from tests.web.browsing import Watched, expect_refusal, violations
from tests.web.conftest import Open, site_of


@pytest.fixture
def public(database: Path) -> Iterator[str]:
    """A site on which visitors may only look."""
    with site_of(database, guest=Role.VIEWER) as (url, _):
        yield url


def token(database: Path, name: str, role: str = "author") -> str:
    """Make a token."""
    with Store(f"sqlite:///{database}") as store:
        return store.tokens.new(name, role, None)[1]


def sign_in(page: Watched, url: str, secret: str) -> None:
    page.goto(f"{url}/sign-in")
    page.get_by_label("Token").fill(secret)
    page.get_by_role("button", name="Sign in").click()


def upload(page: Watched, data: bytes, button: str = "Submit") -> None:
    file: FilePayload = {"name": "mine.zip", "mimeType": "application/zip", "buffer": data}
    page.get_by_label("Zip file").set_input_files(file)
    page.get_by_role("button", name=button, exact=True).click()


@pytest.mark.parametrize("javascript", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_author_submits_a_bot_and_sees_its_version(
    public: str, database: Path, open_page: Open, *, javascript: bool
) -> None:
    page = open_page(f"{public}/submit", javascript=javascript)
    assert "Sign in" in page.inner_text("main")
    sign_in(page, public, token(database, "zoe"))
    assert page.url == f"{public}/submit"
    assert "zoe" in page.inner_text("main")
    upload(page, bundle("zoes-bot"))
    expect(page.locator("#report")).to_contain_text("zoes-bot@1", timeout=60_000)
    expect(page.locator("#report table")).to_contain_text("bohnanza")
    expect(page.locator("#report")).to_contain_text("A decision may take 1,000 ms")
    expect(page.locator("#report")).to_contain_text("No league of its games is open")
    page.get_by_role("link", name="Watch the first trial match").click()
    expect(page.locator("#replay")).to_contain_text("zoes-bot" if javascript else "Trial match")
    page.goto(f"{public}/bots/zoes-bot")
    page.get_by_role("link", name="Watch its trial match").click()
    expect(page.locator("#replay")).to_contain_text("zoes-bot" if javascript else "Trial match")
    page.goto(public)
    assert "zoes-bot" in page.inner_text("main")


def test_the_pages_of_authors_have_no_violation(public: str, database: Path, open_page: Open) -> None:
    page = open_page(f"{public}/sign-in")
    assert violations(page) == []
    sign_in(page, public, token(database, "zoe"))
    assert violations(page) == []
    upload(page, bundle("zoes-bot"), "Only check")
    expect(page.locator("#report")).to_contain_text("can be submitted")
    assert violations(page) == []


@pytest.mark.slow
def test_a_bundle_with_problems_is_refused_with_the_reason(public: str, database: Path, open_page: Open) -> None:
    page = open_page(public)
    sign_in(page, public, token(database, "zoe"))
    upload(page, b"no zip file", "Only check")
    expect(page.locator("#report")).to_contain_text("not a zip file")
    page.goto(f"{public}/submit")
    upload(page, bundle("trader"))
    expect(page.locator("#report")).to_contain_text("name of a house bot")


def test_an_author_who_uploads_much_has_few_trials_and_others_read_meanwhile(database: Path) -> None:
    over = threading.Event()
    held = FakePools(play=play, before=lambda _: over.wait(60))  # type: ignore[arg-type]
    with (
        site_of(database, pools=held, allowances={**ALLOWANCES, Cost.WORK: Allowance(1e3, 10**3, 64)}) as (url, _),
        asking.Client(base_url=url, headers={"origin": url}) as browser,
    ):
        files = {"bundle": ("bot.zip", bundle("zoes-bot"))}
        pages = [browser.post("/submit", files=files).headers["location"] for _ in range(12)]

        def reports() -> list[str]:
            return [browser.get(f"{page}/report").text for page in pages]

        def all_others_refused() -> bool:
            assert browser.get("/bots").status_code == 200
            return sum("trials and analyses under way" in report for report in reports()) >= 8

        until(all_others_refused)
        assert held.started <= 4
        waiting = [report for report in reports() if "It waits for its turn, in place" in report]
        assert len(waiting) == max(0, 4 - max(1, default_workers() // 2))
        over.set()


def test_the_report_comes_while_the_bot_is_tried(database: Path, open_page: Open) -> None:
    over = threading.Event()

    def hold(_: MatchTask) -> None:
        over.wait(60)

    held = FakePools(play=play, before=hold)
    with site_of(database, pools=held) as (url, _):
        page = open_page(f"{url}/submit")
        upload(page, bundle("zoes-bot"))
        expect(page.locator("#report")).to_contain_text("zoes-bot: 2 files")
        assert "being checked" in page.inner_text("#report")
        over.set()
        expect(page.locator("#report")).to_contain_text("zoes-bot@1")


@pytest.mark.slow
def test_texts_of_a_bundle_are_escaped(public: str, database: Path, open_page: Open) -> None:
    page = open_page(public)
    sign_in(page, public, token(database, "zoe"))
    hostile = bundle('x", description = "<script>alert(1)</script>\u202e')
    upload(page, hostile.replace(b"bot.py", b"bo<.py"), "Only check")
    expect(page.locator("#report")).to_contain_text("has problems")
    assert page.locator("#report script").count() == 0


def test_an_upload_that_is_too_large_is_refused_with_a_page(public: str, database: Path, open_page: Open) -> None:
    page = open_page(public)
    sign_in(page, public, token(database, "zoe"))
    expect_refusal(page, "413")
    file = database.with_name("large.zip")
    file.write_bytes(zipped({"bot.toml": "", "data/model.bin": os.urandom(6 * 2**20)}))
    page.get_by_label("Zip file").set_input_files(file)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("main")).to_contain_text("its largest files are 'data/model.bin' with 6.0 MiB")
    page.get_by_role("link", name="Submit again").click()
    assert page.url == f"{public}/submit"


def test_a_wrong_token_is_refused_and_a_session_ends(public: str, database: Path, open_page: Open) -> None:
    page = open_page(public)
    expect_refusal(page, "401", "400", "404")
    sign_in(page, public, "beanleague-nothing")
    expect(page.get_by_role("alert")).to_contain_text("not valid")
    sign_in(page, public, "two words")
    expect(page.get_by_role("alert")).to_contain_text("not a token")
    sign_in(page, public, token(database, "zoe"))
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert token(database, "max") not in page.content()
    upload(page, bundle("zoes-bot"), "Only check")
    page.wait_for_url("**/submit/*")
    mine = page.url
    page.goto(f"{public}/submit")
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{public}/submit")
    assert "Sign in" in page.inner_text("main")
    answer = page.goto(mine)
    assert answer
    assert answer.status == 404


def test_a_token_that_is_revoked_ends_what_its_session_may_do(public: str, database: Path, open_page: Open) -> None:
    page = open_page(public)
    sign_in(page, public, token(database, "zoe"))
    with Store(f"sqlite:///{database}") as store:
        store.tokens.revoke("zoe")
    upload(page, bundle("zoes-bot"))
    expect(page.locator("#report")).to_contain_text("no longer valid")


@pytest.mark.slow
def test_the_token_is_in_no_page(public: str, database: Path, open_page: Open) -> None:
    page = open_page(public)
    secret = token(database, "zoe")
    sign_in(page, public, secret)
    for path in ("/", "/submit", "/sign-in", "/leagues/spring"):
        page.goto(public + path)
        assert secret not in page.content()
    assert all(secret not in cookie["value"] for cookie in page.context.cookies())


def rendered(report: BotReport | None) -> str:
    """The report on one line."""
    upload = Submission("mine.zip", 9, Visitor("ann", ROLE_AUTHOR), to_keep=False, report=report, done=True)
    return " ".join(Templates().render("submission-report.html", {"submission": upload, "leagues": ()}).split())


def test_each_mistake_and_each_warning_is_shown_once() -> None:
    page = rendered(REPORT)
    assert page.count("<code>TRADE</code>: boom (5 times, first in bohnanza, 3 seats, move 7)") == 1
    assert page.count("<code>TRADE</code>: bang (1 time, first in bohnanza, 3 seats, move 9)") == 1
    assert page.count("<li>a</li>") == page.count("<li>b</li>") == 1


def test_without_mistakes_and_warnings_there_is_no_word_of_them() -> None:
    for report in (None, BotReport()):
        assert "Mistakes" not in rendered(report)
        assert "Warnings" not in rendered(report)


def test_the_log_of_a_bot_is_escaped() -> None:
    hostile = BotReport()
    hostile.CopyFrom(REPORT)
    hostile.trials[0].log = "warning: <script>alert(1)</script>\n"
    assert "<script>" not in rendered(hostile)


def test_the_page_to_sign_in_says_how_one_gets_a_token(played: Path) -> None:
    settings = SiteSettings(contact="ask <b>Anna</b>, anna@example.org")
    with site_of(played, settings=settings) as (url, _):
        text = asking.get(f"{url}/sign-in").text
    assert "To get a token: ask &lt;b&gt;Anna&lt;/b&gt;" in text
    assert 'href="mailto:anna@example.org"' in text
