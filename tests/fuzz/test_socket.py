"""A bot's own socket: bytes that are not gRPC, and malformed messages, at most end the stream of that bot."""

import asyncio
import contextlib
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest
from hypothesis import given, strategies as st

from beanleague.referee import bot_process as module
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import ControlGroup, ControlGroups
from beanleague.referee.sandbox.launch import make
from beanleague.referee.sandbox.layers import Layer
from beanleague.referee.sandbox.process_tree import ProcessTree
from beanleague.referee.sandbox.users import BotUsers
from beanproto.v1 import referee_pb2 as pb
from tests.fuzz.mutations import EDITS, FEW, Edits, edited
from tests.referee.helpers import bot, new_blame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
HELLO = pb.BotMessage(hello=pb.Hello(sdk="fuzz", protocol=2))
MOVES = pb.BotMessage(moves=[pb.Move(match=1, decision=1, error="x")] * 3)


class NoChild:
    """Stands for a process that is never started: the tests dial its socket themselves."""

    delayed = 0.0
    stderr = bytearray()
    group = ControlGroup(())
    lost_template = False

    def __init__(self, *_: object) -> None:
        pass

    def look(self) -> float:
        return 0.0

    def read_stderr(self) -> None:
        pass

    def kill(self) -> None:
        pass

    async def close(self, grace: float) -> None:
        pass


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with asyncio.Runner() as runner:
        yield runner.get_loop()


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder whose name is short enough for a socket in it."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@contextlib.asynccontextmanager
async def serving(home: Path) -> AsyncIterator[BotProcess]:
    sandbox = make(Layer.PLAIN, Limits(), "", ControlGroups())
    users = BotUsers(needed=sandbox.gives_users)
    process = BotProcess(
        bot(1, "plays_well"),
        0,
        sandbox,
        ProcessTree(),
        users,
        new_blame(home.parent, Limits()),
        home=home,
        lag=lambda: 0.0,
    )
    await process._start()
    yield process
    await process.close()


async def call(home: Path, messages: list[bytes]) -> None:
    """Make the bot's call, send these bytes as messages and end it."""
    async with grpc.aio.insecure_channel(f"unix:{home / 'referee'}") as channel:
        stream = channel.stream_stream("/beanproto.v1.Referee/Play", bytes, bytes)(iter(messages), timeout=60)
        try:
            async for _ in stream:
                pass
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                raise


@pytest.fixture(autouse=True)
def _no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Child", NoChild)


def test_bytes_that_are_not_http_are_dropped_and_the_bot_is_still_served(
    loop: asyncio.AbstractEventLoop, home: Path
) -> None:
    @given(
        start=st.sampled_from([b"", PREFACE, PREFACE + SETTINGS]), noise=st.lists(st.binary(max_size=60), max_size=5)
    )
    def dial(start: bytes, noise: list[bytes]) -> None:
        with socket.socket(socket.AF_UNIX) as dialled, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            dialled.connect(str(home / "bot" / "referee"))
            for piece in (start, *noise):
                dialled.sendall(piece)
        loop.run_until_complete(asyncio.sleep(0))

    served = serving(home / "bot")
    process = loop.run_until_complete(served.__aenter__())
    dial()
    assert process.conversation.failure is None
    said = [HELLO.SerializeToString()]
    for _ in range(200):  # while the server still has thousands of the others to drop, it may refuse one more
        loop.run_until_complete(call(home / "bot", said))
        if process.conversation.hello is not None:
            break
        loop.run_until_complete(asyncio.sleep(0.1))
    loop.run_until_complete(served.__aexit__(None, None, None))
    assert process.conversation.hello == HELLO.hello


def test_malformed_messages_end_the_stream_and_raise_nothing(loop: asyncio.AbstractEventLoop, home: Path) -> None:
    number = 0
    problems: list[object] = []
    loop.set_exception_handler(lambda _, context: problems.append(context))

    async def case(messages: list[bytes]) -> None:
        async with serving(home / str(number)) as process:
            await call(home / str(number), messages)
            assert process.conversation.failure or process.conversation.hello or not messages

    @FEW
    @given(messages=st.lists(st.binary(max_size=100) | EDITS, max_size=6))
    def send(messages: list[bytes | Edits]) -> None:
        nonlocal number
        number += 1
        original = (HELLO if number % 2 else MOVES).SerializeToString()
        sent = [message if isinstance(message, bytes) else edited(original, message) for message in messages]
        loop.run_until_complete(case(sent))

    send()
    assert problems == []
