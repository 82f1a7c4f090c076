"""Answers one message over its socket in capitals, after some work with threads, timers, files and memory."""

import asyncio
import contextlib
import gc
import os
import socket
import tempfile
import threading
from pathlib import Path

answers: list[bytes] = []


async def talk() -> None:
    reader, writer = await asyncio.open_unix_connection(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"))
    await asyncio.sleep(0.01)
    writer.write((await reader.readline()).upper())
    await writer.drain()


thread = threading.Thread(target=lambda: answers.append(Path(__file__).read_bytes()))
thread.start()
thread.join()
bytearray(2**24)
gc.collect()
with contextlib.suppress(FileNotFoundError), tempfile.TemporaryFile() as file:  # without namespaces there is no folder
    file.write(answers[0])
left, right = socket.socketpair()
left.close()
right.close()
asyncio.run(talk())
