"""The bare stream's referee: the same messages and batches as in a league, with no game behind them.

    python -m benchmarks.bare BOTS BATCH SECONDS

Starts BOTS echoing processes, keeps one message of BATCH requests in flight to each for SECONDS, and prints how many
requests were answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc

from beanleague import wire
from beanleague.games import Game, new_game
from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc


def _requests(count: int) -> list[pb.Request]:
    """Return `count` requests as they come in real matches, one after the other."""
    requests: list[pb.Request] = []
    for deal in itertools.count():
        game: Game = new_game("bohnanza", seats=4, seed=b"bare stream %d" % deal)
        while not game.over:
            for seat in game.to_act():
                request = pb.Request(match=len(requests) % 8, decision=len(requests), bank_ms=10_000)
                wire.view_to_pb(game.view(seat), request)
                requests.append(request)
                game.apply(seat, game.default(seat))
            if len(requests) >= count:
                return requests[:count]
    return requests


class _Bare(referee_pb2_grpc.RefereeServicer):
    def __init__(self, messages: list[pb.RefereeMessage]) -> None:
        self.answered = 0
        self._messages = messages
        self.connected = asyncio.Event()
        self.over = False

    async def Play(  # noqa: N802  # the name of the RPC
        self, request_iterator: AsyncIterator[pb.BotMessage], context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.RefereeMessage]:
        del context
        sent = 0
        async for message in request_iterator:
            self.connected.set()
            self.answered += len(message.moves)
            if self.over:
                return
            sent += 1
            yield self._messages[sent % len(self._messages)]


async def _run(bots: int, batch: int, seconds: float) -> int:
    sample = _requests(batch * 20)
    messages = [pb.RefereeMessage(requests=sample[i : i + batch]) for i in range(0, len(sample), batch)]
    with tempfile.TemporaryDirectory() as folder:
        servers, services, echoes = [], [], []
        for number in range(bots):
            target = f"unix:{Path(folder) / str(number)}"
            server, service = grpc.aio.server(), _Bare(messages)
            referee_pb2_grpc.add_RefereeServicer_to_server(service, server)
            server.add_insecure_port(target)
            await server.start()
            servers.append(server)
            services.append(service)
            environment = {**os.environ, "BEANLEAGUE_SOCKET": target}
            echoes.append(
                await asyncio.create_subprocess_exec(sys.executable, "-m", "benchmarks.echo", env=environment)
            )
        for service in services:
            await service.connected.wait()
        before = sum(service.answered for service in services)
        await asyncio.sleep(seconds)
        answered = sum(service.answered for service in services) - before
        for service in services:
            service.over = True
        for server in servers:
            await server.stop(0.2)
        for echo in echoes:
            with contextlib.suppress(ProcessLookupError):  # it ended with its stream
                echo.kill()
            await echo.wait()
    return answered


if __name__ == "__main__":
    print(asyncio.run(_run(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))))
