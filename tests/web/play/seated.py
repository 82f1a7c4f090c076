"""A person's table on a page without a server: the engine gives the views, and the test applies what is clicked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from playwright.sync_api import Browser, Page

from beanleague.games import Game, new_game
from beanleague.seat import Began, GuestAsked
from beanleague.web.play_tables import PlayTable, message_of
from beanleague.web.security import Visitor
from beanproto.v1.league_pb2 import ROLE_AUTHOR
from tests.web.viewer.replaying import stage

MOUNT = """async (began) => {
  const { TableView } = await import("/static/play/table.js");
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/play/play.css" });
  const loaded = new Promise((done) => { style.onload = done; });
  document.head.append(style);
  await loaded;
  window.sent = [];
  window.table = new TableView(began, { declines: true }, async (what, message) => {
    window.sent.push([what, message]);
    return "";
  });
  const stage = document.getElementById("stage");
  stage.className = "bl-viewer play";
  stage.replaceChildren(window.table.element);
}"""
ASK = "async ([how, message]) => { window.table[how](message); await window.table.queue }"


@dataclass
class Seated:
    """A person in seat 0 of `game`, on `page`."""

    page: Page
    game: Game
    table: PlayTable
    decisions: int = 0

    def play_to(self, wanted: Callable[[Any], bool]) -> Any:
        """Play default actions until seat 0 is asked with a view that is `wanted`; show it and return it."""
        while not self.game.over:
            seat = self.game.to_act()[0]
            view = self.game.view(0)
            if seat == 0 and wanted(view):
                self.ask()
                return view
            self.game.apply(seat, self.game.default(seat))
        raise AssertionError("the game has no such decision")

    def ask(self, *, may_take_back: bool = False) -> None:
        """Show what happened and the question to seat 0."""
        self.decisions += 1
        seen = [event.seen_by(0) for event in self.game.events[self.table.told :]]
        view = replace(self.game.view(0), news=seen)  # type: ignore[call-arg]
        message = message_of(GuestAsked(self.decisions, view, may_take_back), self.table)
        self.page.evaluate(ASK, ["asked", message])

    def sent(self) -> Any:
        """Return what the page has sent, as pairs of a name and a message, and forget it."""
        return self.page.evaluate("window.sent.splice(0)")


@contextmanager
def seated(
    browser: Browser,
    ruleset: str,
    seats: int,
    names: Sequence[str] = (),
    *,
    size: tuple[int, int] = (1280, 900),
    **context: Any,
) -> Iterator[Seated]:
    """Seat a person in seat 0 of a new game, in a window of this width and height; see `stage` for `context`."""
    game = new_game(ruleset, seats=seats, seed=b"table")
    players = tuple(names) or ("guest", *(f"bot{seat}" for seat in range(1, seats)))
    table = PlayTable(Visitor("", ROLE_AUTHOR), "here", {}, {})
    with stage(browser, **context) as page:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate(MOUNT, message_of(Began(ruleset, 0, players), table))
        yield Seated(page, game, table)
