"""Taking back the last move at a table in the browser."""

from contextlib import nullcontext

import pytest
from playwright.sync_api import Browser
from starlette.exceptions import HTTPException

from beanleague.games import Action
from beanleague.games.bohnanza import Decision
from beanleague.seat import GuestAsked
from beanleague.web.play_tables import PlayTable
from beanleague.web.security import Visitor
from beanproto.v1.league_pb2 import ROLE_AUTHOR
from tests.games.bohnanza.helpers import scripted
from tests.web.play.seated import seated


class FakeSeat:
    """A seat that counts the moves taken back."""

    def __init__(self) -> None:
        self.backs = 0

    def play(self, action: Action) -> None: ...

    def take_back(self) -> None:
        self.backs += 1


UNDO = "Undo my last move"


def test_the_table_is_again_as_before_the_move(browser: Browser) -> None:
    with seated(browser, "bohnanza", 3) as at:
        at.play_to(lambda view: view.decision is Decision.PLANT_FIRST and view.turn > 3)
        undo = at.page.get_by_role("button", name=UNDO)
        assert undo.count() == 0
        drawn, log = at.page.locator(".bl-board").inner_html(), at.page.locator(".bl-log").inner_html()
        kept = at.game.copy()
        at.game.apply(0, at.game.default(0))
        at.ask(may_take_back=True)
        assert at.page.locator(".bl-board").inner_html() != drawn
        undo.click()
        assert at.sent() == [["move", {"decision": 2, "take_back": True}]]
        at.table.taking_back = True
        at.game = kept
        at.ask()
        assert at.page.locator(".bl-board").inner_html() == drawn
        assert at.page.locator(".bl-log").inner_html() == log
        assert undo.count() == 0


@pytest.mark.parametrize(
    ("may", "decision", "backs"),
    [(True, 3, 1), (False, 3, 0), (True, 2, 0)],
    ids=["allowed", "something new was seen", "of another decision"],
)
def test_a_move_is_taken_back_where_the_referee_allows_it(may: bool, decision: int, backs: int) -> None:
    table = PlayTable(Visitor("", ROLE_AUTHOR), "here", {}, {})
    table.seat = seat = FakeSeat()  # type: ignore[assignment]
    table.asked = GuestAsked(3, scripted().view(0), may)
    with nullcontext() if backs else pytest.raises(HTTPException):
        table.take_back(decision)
    assert seat.backs == backs
    assert table.taking_back is bool(backs)
