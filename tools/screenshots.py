"""Takes pictures of all pages of the site for docs/: python tools/screenshots.py [--db FILE] [NAME ...].

Small leagues are played first, by house bots and worse variants of one; with --db they are kept in FILE and
played once. Needs Debian's chromium or its headless shell.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from beanleague.league.bots.bundles import pack
from beanleague.league.bots.house_bots import house_bots
from beanleague.service.server import embedded
from beanleague.web.app import make_app
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanproto.v1.league_pb2 import CreateLeagueRequest, ListLeaguesRequest, RunLeagueRequest, TryBotRequest
from beanproto.v1.league_pb2_grpc import LeagueStub

IMAGES = Path(__file__).parent.parent / "docs" / "images"
CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
_QUALITY = 72  # of the pictures: text is still sharp
_MAX_HEIGHT = 1500  # of a picture, in pixels of the page
_VARIANTS = {"dora": 0.06, "emil": 0.15, "greta": 0.3, "fritz": 0.6}  # share of decisions in which it plays the default
_VARIANT = """
import random


class Variant(Trader):
    def decide(self, view):
        return view.default() if random.random() < {share} else super().decide(view)


run(Variant)
"""
_SECRET = bytes(range(32))
_TIMEOUT_MS = 60_000

_HOUSE_BOTS = {"trader", "farmer", "random", "gardener", "duelist", "dicer"}
LEAGUES = (
    CreateLeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=70, secret=_SECRET),
    CreateLeagueRequest(name="duels", ruleset="duel", deals=20, secret=_SECRET),
    CreateLeagueRequest(name="dice", ruleset="dice", seats=2, deals=15, secret=_SECRET),
)


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of a page."""

    name: str
    """Its file, without ".webp"."""
    path: str
    """Address of the page."""
    ready: str = "main"
    """CSS selector that must match first."""
    width: int = 1280
    """The width of the window: 390 is a telephone."""
    dark: bool = False
    """Whether the reader prefers dark pages."""
    click: str = ""
    """CSS selector of the element to click first."""
    keys: tuple[str, ...] = ()
    """Keys to press when it is ready."""


def _both(name: str, path: str, ready: str = "main", click: str = "", keys: tuple[str, ...] = ()) -> tuple[Shot, ...]:
    shot = Shot(name, path, ready, click=click, keys=keys)
    return shot, replace(shot, name=f"{name}-phone", width=390)


_REPLAY = "#replay .bl-viewer"
_ANSWERED = ("t", "t", "ArrowLeft")  # an offer with its answers, before the trade
SHOTS = (
    *_both("home", "/", "#replay .bl-fields"),
    Shot("home-dark", "/", "#replay .bl-fields", dark=True),
    *_both("league", "/leagues/spring"),
    Shot("league-dark", "/leagues/spring", dark=True),
    *_both("league-history", "/leagues/spring/history"),
    *_both("league-matrix", "/leagues/spring/matrix"),
    Shot("league-matrix-dark", "/leagues/spring/matrix", dark=True),
    *_both("league-seats", "/leagues/spring/seats"),
    *_both("league-gifts", "/leagues/spring/gifts"),
    *_both("league-deals", "/leagues/spring/deals"),
    *_both("bot", "/bots/trader"),
    *_both("match", "/matches/spring/2.0#move=120", _REPLAY, keys=_ANSWERED),
    Shot("match-dark", "/matches/spring/2.0#move=120", _REPLAY, keys=_ANSWERED, dark=True),
    *_both("match-duel", "/matches/duels/1.0#move=60", _REPLAY),
    *_both("match-dice", "/matches/dice/1.0#move=40", _REPLAY),
    *_both("games", "/games"),
    *_both("game", "/games/bohnanza"),
    *_both("compare", "/compare?a=trader&b=dora&league=spring"),
    *_both("submit", "/submit"),
    *_both("play", "/play"),
    *_both("play-table", "/play?game=bohnanza&seats=4", ".play-do:enabled", click="text=Sit down"),
)


def main() -> None:
    """Take the pictures that the command line names."""
    parser = argparse.ArgumentParser(description="Take pictures of the site for docs/.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="pictures to take, e.g. league-phone (default: all)")
    parser.add_argument("--db", type=Path, metavar="FILE", help="keep the leagues in this database, and use it again")
    arguments = parser.parse_args()
    wanted = [shot for shot in SHOTS if not arguments.names or shot.name in arguments.names]
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        database = arguments.db or Path(folder) / "leagues.db"
        with embedded(f"sqlite:///{database}", cache=Path(folder) / "cache") as channel:
            stub = LeagueStub(channel)
            _play_leagues(stub)
            with serving(make_app(stub, SiteSettings(), tables=channel), "127.0.0.1:0") as url, _browser() as browser:
                for shot in wanted:
                    size = _take(browser, url, shot)
                    print(f"{shot.name}.webp  {size / 1024:.0f} KiB")


def _play_leagues(stub: LeagueStub) -> None:
    there = {league.name for league in stub.ListLeagues(ListLeaguesRequest()).leagues}
    if there >= {league.name for league in LEAGUES}:
        return
    for bundle in (bundle for bundle in house_bots() if bundle.name in _HOUSE_BOTS):
        _submit(stub, bundle)
    for name, share in _VARIANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            _submit(stub, _variant(Path(folder) / name, share))
    for league in LEAGUES:
        stub.CreateLeague(league)
        for _ in stub.RunLeague(RunLeagueRequest(name=league.name)):
            pass


def _submit(stub: LeagueStub, bot: Path) -> None:
    for _ in stub.TryBot(TryBotRequest(bundle=pack(bot), submit=True)):
        pass


def _variant(folder: Path, share: float) -> Path:
    """Write a bot that is called as its folder, and plays like the house bot trader, but worse; return the folder."""
    (original,) = (bundle for bundle in house_bots("bohnanza") if bundle.name == "trader")
    shutil.copytree(original, folder)
    manifest, code = folder / "bot.toml", folder / "bot.py"
    manifest.write_text(re.sub(r"(?m)^name = .*$", f'name = "{folder.name}"', manifest.read_text()))
    code.write_text(code.read_text().replace("\nrun(Trader)\n", _VARIANT.format(share=share)))
    return folder


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_QUIET))
        yield browser
        browser.close()


def _take(browser: Browser, url: str, shot: Shot) -> int:
    """Take a picture; return its size in bytes."""
    page = browser.new_page(
        viewport={"width": shot.width, "height": 844 if shot.width < 600 else 800},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
    )
    answer = page.goto(url + shot.path)
    if not answer or not answer.ok:
        raise SystemExit(f"{shot.path} cannot be shown: {answer and answer.status}")
    if shot.click:
        page.click(shot.click)
    page.wait_for_selector(shot.ready, timeout=_TIMEOUT_MS)
    for key in shot.keys:
        page.keyboard.press(key)
    page.evaluate("document.fonts.ready")
    height = min(page.evaluate("document.documentElement.scrollHeight"), _MAX_HEIGHT)
    page.set_viewport_size({"width": shot.width, "height": max(height, 500)})
    image = Image.open(io.BytesIO(page.screenshot()))
    file = IMAGES / f"{shot.name}.webp"
    image.convert("RGB").save(file, quality=_QUALITY, method=6)
    page.close()
    return file.stat().st_size


if __name__ == "__main__":
    main()
