"""The replay viewer in a browser without a window: opening a long record, jumping in it, and playing it fast."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from beanleague.games import PlayedMove, Record, new_game
from beanleague.web.viewer import single_file
from benchmarks.figures import Figure

RUNS = 5
SEATS = 7
MOVES = 2000
JUMPS = 200
PLAYED_S = 5
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

SHOWN = """
addEventListener("DOMContentLoaded", () => {
  const shown = () => requestAnimationFrame(() => setTimeout(() => { window.shown = performance.now(); }));
  new MutationObserver(shown).observe(document.getElementById("replay"), { attributes: true });
});
"""  # from the beginning of loading to the frame after the one in which the replay is ready
JUMP = f"""() => {{
  const range = document.querySelector(".bl-range");
  const before = performance.now();
  for (let i = 0; i < {JUMPS}; i++) {{
    range.value = (i * 7919) % Number(range.max);
    range.dispatchEvent(new Event("input"));
  }}
  document.body.getBoundingClientRect();
  return (performance.now() - before) / {JUMPS};
}}"""
PLAY = f"""speed => new Promise((done) => {{
  document.querySelector('[data-command="first"]').click();
  const speeds = document.querySelector('[aria-label="Speed"]');
  speeds.value = speed;
  speeds.dispatchEvent(new Event("change"));
  document.querySelector('[data-command="play"]').click();
  let frames = 0;
  const start = performance.now();
  const tick = (now) => {{
    frames += 1;
    if (now - start < {PLAYED_S * 1000}) return requestAnimationFrame(tick);
    document.querySelector('[data-command="play"]').click();
    done(frames / ((now - start) / 1000));
  }};
  requestAnimationFrame(tick);
}})"""


def measure() -> list[Figure]:
    """Return milliseconds to open a record and to jump in it, and frames a second while it plays."""
    if not Path(CHROMIUM).exists():
        print(f"viewer: not measured, there is no {CHROMIUM} (apt-get install chromium)")
        return []
    record = _record()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "replay.html"
        file.write_text(single_file(record, "a match"), "utf-8")
        opened, jumped, fast, flying = [], [], [], []
        for run in range(RUNS):
            with _page() as page:
                page.goto(file.as_uri())
                page.locator("[data-ready]").wait_for()
                while not (shown := page.evaluate("window.shown")):
                    page.wait_for_timeout(50)
                opened.append(shown)
                jumped.append(page.evaluate(JUMP))
                if run < 2:
                    fast.append(page.evaluate(PLAY, "16"))
                    flying.append(page.evaluate(PLAY, "4"))
    name = f"viewer: {len(record.moves)} moves"
    return [
        Figure(f"{name}, opened", "ms", tuple(opened), "< 300"),
        Figure(f"{name}, a jump", "ms", tuple(jumped)),
        Figure(f"{name}, played at 16 moves/s", "frames/s", tuple(fast), "60"),
        Figure(f"{name}, played at 4 moves/s with flying cards", "frames/s", tuple(flying), "60"),
    ]


@contextmanager
def _page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(SHOWN)
        yield page
        browser.close()


def _record() -> Record:
    """Return a match at the largest table, of players who choose anything legal, of at least `MOVES` moves."""
    for attempt in range(100):
        chance = random.Random(attempt)
        game = new_game("bohnanza-classic", seats=SEATS, seed=b"viewer %d" % attempt)
        moves = []
        while not game.over:
            for seat in game.to_act():
                action = chance.choice(game.legal(seat))
                game.apply(seat, action)
                moves.append(PlayedMove(seat, action, by_default=False))
        if len(moves) >= MOVES:
            assert game.outcome is not None
            names = tuple(f"bot-{seat}@1" for seat in range(SEATS))
            outcome = game.outcome
            return Record(
                ruleset=game.ruleset,
                seats=SEATS,
                seed=game.seed,
                options=game.options,
                players=names,
                moves=tuple(moves),
                events=tuple(game.events),
                scores=outcome.scores,
                places=outcome.places,
                faults=(),
            )
    raise AssertionError(f"no match has {MOVES} moves")
