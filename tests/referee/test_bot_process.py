"""How long a bot process may take to start, how much it may hold, and why it ended."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.model import FaultKind
from beanleague.referee.bot_process import BotProcess, last_words
from beanleague.referee.conversation import BotFailedError
from beanleague.referee.sandbox.cgroups import OWN_PROCESSES, ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage
from beanproto.v1 import referee_pb2 as pb
from tests.referee.helpers import QUICK, bot

HURRIED = replace(QUICK, connect_ms=100)


def hello_of(file: str, home: Path, lag: Callable[[], float]) -> pb.Hello:
    """Start the bot in `bots/<file>.py`, which has 0.1 seconds, and return its first message."""

    async def connect() -> pb.Hello:
        sandbox = make(Layer.PLAIN, HURRIED, "", ControlGroups())
        process = BotProcess(bot(1, file), 0, sandbox, ProcessTree(), 0, home / "bot", lag)
        try:
            return await process.connect()
        finally:
            await process.close()

    return asyncio.run(connect())


def weighed(held: Usage, home: Path, monkeypatch: pytest.MonkeyPatch) -> BotFailedError | None:
    """Start a bot, say that it holds this, and return how it failed."""

    async def weigh() -> BotFailedError | None:
        process = BotProcess(
            bot(1, "plays_well"),
            0,
            make(Layer.PLAIN, QUICK, "", ControlGroups()),
            ProcessTree(),
            0,
            home / "bot",
            float,
        )
        try:
            await process.connect()
            monkeypatch.setattr(process, "usage", lambda: held)
            process.check_usage()
            return process.conversation.failure
        finally:
            await process.close()

    return asyncio.run(weigh())


def test_a_bot_that_takes_too_long_to_start_has_failed(tmp_path: Path) -> None:
    with pytest.raises(BotFailedError, match="did not connect within 100 ms"):
        hello_of("starts_slowly", tmp_path, lambda: 0.0)


def test_what_the_host_kept_waiting_is_not_charged_to_a_start(tmp_path: Path) -> None:
    assert hello_of("starts_slowly", tmp_path, time.monotonic).sdk == "raw"


def test_a_bot_may_hold_as_much_as_its_limits_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Usage(QUICK.memory_bytes, QUICK.processes + OWN_PROCESSES)
    assert weighed(held, tmp_path, monkeypatch) is None


@pytest.mark.parametrize(
    ("held", "kind", "why"),
    [
        (Usage(QUICK.memory_bytes + 1, 1), FaultKind.MEMORY, "used more than 256 MiB of memory"),
        (Usage(1, QUICK.processes + OWN_PROCESSES + 1), FaultKind.CRASH, "more than 64 threads and processes"),
    ],
)
def test_a_bot_that_holds_more_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: Usage, kind: FaultKind, why: str
) -> None:
    failure = weighed(held, tmp_path, monkeypatch)
    assert failure
    assert failure.kind is kind
    assert why in failure.reason


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import numpie", "ModuleNotFoundError: No module named 'numpie' (bot.py, line 1, in <module>)"),
        ("x = 1\nif x\n    y", "SyntaxError: expected ':' (bot.py, line 2)"),
        ("def f():\n    raise KeyError\nf()", "KeyError (bot.py, line 2, in f)"),
        (
            "import json\njson.loads('x')",
            "JSONDecodeError: Expecting value: line 1 column 1 (char 0) (bot.py, line 2, in <module>)",
        ),
        ("raise SystemExit('that is all')", ""),
        ("print('Error: mine')", ""),
        ("", ""),
    ],
)
def test_the_error_is_that_of_the_traceback_and_its_place_is_in_the_bot_s_files(
    tmp_path: Path, code: str, said: str
) -> None:
    program = tmp_path / "bot.py"
    program.write_text(code)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert last_words(f"here I am\n{done.stderr}", f"{tmp_path}/") == said
