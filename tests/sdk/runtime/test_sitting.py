"""A bot that its author runs plays a friendly match at a table of a server."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.games import record_from_json, verify
from tests.sdk.helpers import finish, start_bot
from tests.service.helpers import Guarded, guarded

DULL = """
    from beanbot import run
    from beanbot.two import BohnanzaTwoBot

    class Dull(BohnanzaTwoBot):
        def decide(self, view):
            print("thinking")
            return view.default()

    run(Dull)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded(tmp_path_factory.mktemp("server")) as server:
        yield server


def sat(folder: Path, *words: str, token: str = "") -> tuple[int, str, str]:
    """Start the bot with these words; return its exit code and what it wrote."""
    process = start_bot(folder, DULL, *words, BEANLEAGUE_TOKEN=token)
    return finish(process, 120)


def test_a_bot_plays_a_friendly_and_its_record_is_written(server: Guarded, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    words = ["--against", "gardener,-", "--server", server.address, "--seed", "beans", "--record", str(file)]
    code, out, err = sat(tmp_path, *words, token=server.token("author"))
    record = record_from_json(file.read_text("utf-8"))
    assert (code, record.players, record.seed, record.faults) == (0, ("gardener", "guest"), b"beans", ())
    assert verify(record).problem == ""
    assert out.splitlines() == [
        *(
            f"{place}. {record.players[seat]} (seat {seat}): {record.scores[seat]}"
            for place, seat in sorted(zip(record.places, range(2), strict=True))
        ),
        f"The record is in {file}; watch it: beanleague match replay {shlex.quote(str(file))}",
    ]
    assert "thinking" in err


@pytest.mark.parametrize(
    ("words", "role", "why"),
    [
        (["--against", "nobody"], "author", "there is no bot 'nobody'"),
        (["--against", "gardener"], "viewer", "this call is for authors"),
        (["--against", "gardener"], "", "this server requires a token"),
        (["--against", "gardener", "--server", "127.0.0.1:1"], "", "127.0.0.1:1: "),
        (["--against", "gardener", "--server", "league.example:7411"], "author", "without TLS your token could be"),
        (["--against", "gardener", "--option", "pace"], "", "'pace' is not an option; write NAME=VALUE"),
    ],
    ids=["no bot", "viewer", "no token", "no server", "no TLS", "no option"],
)
def test_why_a_bot_cannot_sit_down_is_said_in_a_line(
    server: Guarded, tmp_path: Path, words: list[str], role: str, why: str
) -> None:
    if "--server" not in words:
        words = [*words, "--server", server.address]
    code, out, err = sat(tmp_path, *words, token=server.token(role) if role else "")
    assert code != 0
    assert out == ""
    assert why in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_bot_in_a_league_imports_no_grpc_for_it() -> None:
    code = "import sys, beanbot._runtime.runner; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
