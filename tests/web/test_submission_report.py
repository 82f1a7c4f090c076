"""The report on an upload, as HTML."""

from __future__ import annotations

from beanleague.web.sessions import Visitor
from beanleague.web.submissions import Submission
from beanleague.web.templating import Templates
from beanproto.v1.league_pb2 import ROLE_AUTHOR, BotReport
from tests.answers.test_trials import REPORT


def rendered(report: BotReport | None) -> str:
    """The report on one line."""
    upload = Submission("mine.zip", 9, Visitor("ann", ROLE_AUTHOR), to_keep=False, report=report, done=True)
    return " ".join(Templates().render("submission-report.html", {"submission": upload}).split())


def test_each_mistake_and_each_warning_is_shown_once() -> None:
    page = rendered(REPORT)
    assert page.count("<code>TRADE</code>: boom (5 times, first in bohnanza, 3 seats, move 7)") == 1
    assert page.count("<code>TRADE</code>: bang (1 time, first in bohnanza, 3 seats, move 9)") == 1
    assert page.count("<li>a</li>") == page.count("<li>b</li>") == 1


def test_without_mistakes_and_warnings_there_is_no_word_of_them() -> None:
    for report in (None, BotReport()):
        assert "Mistakes" not in rendered(report)
        assert "Warnings" not in rendered(report)


def test_what_a_bot_wrote_is_text() -> None:
    hostile = BotReport()
    hostile.CopyFrom(REPORT)
    hostile.trials[0].log = "warning: <script>alert(1)</script>\n"
    assert "<script>" not in rendered(hostile)
