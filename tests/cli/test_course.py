"""A course of thirty: tokens, bots, a broken one, a late one, a league and its site, all through the server."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import CONFINING
from beanleague.referee.sandbox.probe import examine
from tests.cli.conftest import Run
from tests.waiting import LONG_S, ending

PUPILS = [f"pupil{number:02}" for number in range(1, 31)]
BROKEN, ABSENT, BACK, GONE, LATE = PUPILS[6], PUPILS[11], PUPILS[16], PUPILS[21], PUPILS[-1]


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a database in `folder` to holders of tokens, in a process of its own; give the address."""
    trust = [] if any(examine(layer, Limits()).sandbox for layer in CONFINING) else ["--trust-bots"]
    words = ["serve", "--db", str(folder / "course.db"), "--listen", "127.0.0.1:0", "--require-tokens", *trust]
    command = [sys.executable, "-m", "beanleague", *words]
    with (
        (folder / "serve.log").open("w") as log,
        ending(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True), LONG_S) as process,
    ):
        assert process.stdout
        try:
            yield next(found[1] for line in process.stdout if (found := re.match(r"Serving at (\S+);", line)))
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0, (folder / "serve.log").read_text()
        finally:
            process.kill()


@pytest.mark.slow  # half a minute of CPU; tox -e contract runs this, and test_server.py has the notes
def test_a_course_of_thirty_goes_from_its_tokens_to_a_site(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = run("token", "new", "teacher", "--role", "organiser", "--db", "course.db")
    with serving(tmp_path) as address:

        def by(token: str, *words: str, code: int = 0) -> Result:
            result = run(*words, BEANLEAGUE_SERVER=address, BEANLEAGUE_TOKEN=token)
            assert result.exit_code == code, f"{words}: {result.output}"
            return result

        teacher = made.stdout.strip()
        by(teacher, "token", "new", "--role", "author", "--out", "notes", "--site", "https://localhost", *PUPILS)
        tokens = {}
        for pupil in PUPILS:
            note = Path("notes", f"{pupil}.txt").read_text()
            (tokens[pupil],) = re.findall(r"BEANLEAGUE_TOKEN=(\S+)", note)
            (new,) = re.findall(r"beanleague (bot new .*)", note)
            by(tokens[pupil], *new.split())
            assert f"BEANLEAGUE_SERVER={address}\n" in note

        program = Path(BROKEN, "bot.py")
        whole = program.read_text()
        program.write_text(whole.replace("assert view.offer is not None", "return Accept((99,))"))
        for pupil in PUPILS[:-1]:
            result = by(tokens[pupil], "bot", "submit", pupil, code=1 if pupil == BROKEN else 0)
            assert ("cannot be submitted" in result.stderr) is (pupil == BROKEN), result.output
        refused = by(tokens[BROKEN], "bot", "submit", PUPILS[0], code=1)
        assert f"{PUPILS[0]} belongs to {PUPILS[0]}; choose another name for your bot" in refused.stderr

        program.write_text(whole)
        by(teacher, "league", "create", "course", "--game", "bohnanza", "--deals", "14")
        for pupil in (BROKEN, LATE):
            by(tokens[pupil], "bot", "submit", pupil)
        by(teacher, "league", "run", "course", "--detach")  # the server plays, and this goes on meanwhile
        by(teacher, "league", "suspend", "course", ABSENT, "--reason", "it was asked for")
        by(teacher, "league", "suspend", "course", BACK, "--reason", "it seemed to be broken")
        assert "It is being run" in by(teacher, "league", "lift", "course", BACK).stdout
        by(teacher, "league", "remove", "course", GONE, "--reason", "its author left the course")
        added = by(teacher, "league", "add", "course", BROKEN, LATE, PUPILS[0], "--deals", "20")
        assert "course has 30 bots and 20 deals" in added.stdout
        assert "It is being run; watch it with: beanleague league watch course" in added.stdout
        by(teacher, "league", "watch", "course")
        shown = json.loads(by(teacher, "league", "show", "course", "--json").stdout)
        assert shown["deals_done"] == 20
        assert {absent["bot"]: absent["suspended"] or absent["why"] for absent in shown["absent"]} == {
            ABSENT: "it was asked for",
            GONE: "an organiser took it out (its author left the course)",
        }

        standings = json.loads(by(tokens[LATE], "standings", "course", "--json").stdout)["standings"]
        assert {row["owner"] for row in standings} == set(PUPILS)
        deals = {row["bot"]: row["deals"] for row in standings}
        assert min(deals[LATE], deals[BACK]) > 0
        assert sum(row["faults"] for row in standings) == 0
        viewer = by(teacher, "token", "new", "site", "--role", "viewer").stdout.strip()
        by(viewer, "site", "site")
        by(teacher, "match", "export", "--league", "course", "-o", "matches")
    page = Path("site/leagues/course.html").read_text()
    assert all(pupil in page for pupil in PUPILS)
    written = {file.stem for file in Path("matches").iterdir()}
    assert len(written) == 20 * 5  # deals, and rotations of five seats
    assert written == {file.stem for file in Path("site/matches/course").glob("*.html")}
