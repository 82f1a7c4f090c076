"""A referee that follows a script, on a real gRPC stream to a real bot process."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from typing import Any, Self

import grpc

from beanproto.v1 import referee_pb2 as pb
from beanproto.v1 import referee_pb2_grpc

Script = Callable[[Iterator[pb.BotMessage]], Iterator[pb.RefereeMessage]]
"""Takes what the bot sends, yields what the referee sends; when it returns, the stream ends."""


class _Servicer(referee_pb2_grpc.RefereeServicer):
    def __init__(self, script: Script) -> None:
        self._script = script

    def Play(  # noqa: N802  # the name of the RPC
        self, request_iterator: Iterator[pb.BotMessage], context: grpc.ServicerContext
    ) -> Iterator[pb.RefereeMessage]:
        return self._script(request_iterator)


class MockReferee:
    """Starts bots that talk with `script`. A context manager: in the end everything is stopped."""

    def __init__(self, folder: Path, script: Script) -> None:
        self.folder = folder
        self.target = f"unix:{folder / 'referee'}"
        self.server = grpc.server(ThreadPoolExecutor(max_workers=2))
        referee_pb2_grpc.add_RefereeServicer_to_server(_Servicer(script), self.server)
        self.server.add_insecure_port(self.target)
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()
        self.server.stop(0).wait()

    def start(self, code: str) -> subprocess.Popen[str]:
        """Start a bot whose program is `code`."""
        process = start_bot(self.folder, code, BEANLEAGUE_SOCKET=self.target)
        self._processes.append(process)
        return process


def start_bot(folder: Path, code: str, *words: str, **environment: str) -> subprocess.Popen[str]:
    """Start a bot whose program is `code`, with arguments, and with `environment` added to that of the tests."""
    file = folder / "mybot.py"
    file.write_text(dedent(code))
    inherited = {name: value for name, value in os.environ.items() if name != "BEANLEAGUE_SOCKET"}
    return subprocess.Popen(
        [sys.executable, file, *words],
        env={**inherited, "GRPC_VERBOSITY": "NONE", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], seconds: float = 30) -> tuple[int, str, str]:
    """Wait until `process` ends; return its exit code and what it wrote to stdout and stderr."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def moves_of(said: Iterator[pb.BotMessage], count: int) -> list[pb.Move]:
    """Read messages until they hold `count` moves."""
    moves: list[Any] = []
    while len(moves) < count:
        moves += next(said).moves
    return moves
