"""Connection of a run to a cluster, by a separate process that talks to Dask and has access to nothing else.

Dask lets each of its members run programs in all others. So the process with the database, the secret and the tokens
does not talk to it, and reads incoming data only as messages.
"""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from google.protobuf.message import DecodeError

from beanleague.interpreter import python
from beanleague.league.errors import RunError
from beanleague.league.run.cluster import answers
from beanleague.league.run.cluster.answers import WrongAnswerError, answer_from_bytes
from beanleague.league.run.cluster.orders import Answer, Order
from beanleague.league.run.cluster.sealing import order_to_bytes
from beanleague.league.run.cluster.settings import ClusterSettings
from beanproto.v1 import node_pb2 as pb

CLOSE_TIMEOUT_S = 2.0
"""Seconds to wait for a connection to close."""
MESSENGER = "beanleague.league.run.cluster.confined"
"""Module of the process that talks to Dask."""

_MAX_FRAME_BYTES = answers.MAX_BYTES + 2**12
_LENGTH_BYTES = 4
_MAX_WAITING = 64  # maximum number of unread messages
_LOOK_S = 0.2  # interval of checking whether the reader is gone, while the queue is full
# environment variables passed on to the process
_GIVEN = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True)
class Came:
    """A node has joined the cluster."""

    address: str


@dataclass(frozen=True, slots=True)
class Gone:
    """A node has left the cluster."""

    address: str


@dataclass(frozen=True, slots=True)
class NodeAnswered:
    """Answer of a node: genuine if `secret` is the secret of the order, else forged."""

    address: str
    secret: bytes
    answer: Answer | WrongAnswerError


Message = Came | Gone | NodeAnswered


class Link:
    """Sends orders to nodes; answers, arrivals and departures are in `inbox`.

    Raises:
        RunError: if the scheduler cannot be reached.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        self.inbox: queue.Queue[Message] = queue.Queue(_MAX_WAITING)
        self._outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # b"" marks the end
        self._closed = threading.Event()
        self._process = _start(settings)
        assert self._process.stdout is not None
        self._frames = read_frames(self._process.stdout, _MAX_FRAME_BYTES)
        if why := self._why_not_ready():
            self._end()
            raise RunError(why)
        self._reader = threading.Thread(target=self._read, name="from-nodes", daemon=True)
        self._writer = threading.Thread(target=self._write, name="to-nodes", daemon=True)
        self._reader.start()
        self._writer.start()

    @property
    def alive(self) -> bool:
        """Whether the scheduler is connected."""
        return self._reader.is_alive()

    def send(self, address: str, secret: bytes, order: Order) -> None:
        """Send an order to a node. `secret`: returned with its answers."""
        message = pb.RunMessage(address=address, secret=secret, order=order_to_bytes(order))
        self._outbox.put(message.SerializeToString())

    def forget(self, address: str) -> None:
        """Cancel all tasks at a node that has left."""
        self._outbox.put(pb.RunMessage(address=address).SerializeToString())

    def close(self) -> None:
        """Cancel all tasks at all nodes."""
        self._closed.set()
        self._outbox.put(b"")
        self._writer.join(CLOSE_TIMEOUT_S)
        self._end()

    def _why_not_ready(self) -> str:
        first = next(self._frames, b"")
        with suppress(DecodeError):
            message = pb.NodeMessage.FromString(first)
            if message.HasField("ready"):
                return ""
            if message.failed:
                return message.failed
        return "the process that talks to the scheduler has ended"

    def _end(self) -> None:
        """Wait a limited time for the process to end."""
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # the process has ended, which the reader notices
            while data := self._outbox.get():
                write_frame(self._process.stdin, data)
            self._process.stdin.close()

    def _read(self) -> None:
        with suppress(OSError, ValueError, DecodeError):
            for frame in self._frames:
                message = _message(frame)
                while message and not self._closed.is_set():
                    with suppress(queue.Full):
                        self.inbox.put(message, timeout=_LOOK_S)
                        break


def _message(frame: bytes) -> Message | None:
    """Return the message in a frame; None if its kind is unknown.

    Raises:
        DecodeError: if the frame is malformed.
    """
    message = pb.NodeMessage.FromString(frame)
    what = message.WhichOneof("what")
    if what == "came":
        return Came(message.came)
    if what == "gone":
        return Gone(message.gone)
    if what != "answered":
        return None
    answered = message.answered
    try:
        return NodeAnswered(answered.address, answered.secret, answer_from_bytes(answered.answer))
    except WrongAnswerError as wrong:
        return NodeAnswered(answered.address, answered.secret, wrong)


def _start(settings: ClusterSettings) -> subprocess.Popen[bytes]:
    """Start the process, with only the scheduler's address and the certificate."""
    files = {name: str(file.absolute()) for name in ("ca", "cert", "key") if (file := getattr(settings, name))}
    return subprocess.Popen(
        python("-m", MESSENGER, json.dumps({"address": settings.address, **files})),
        cwd="/",
        env={name: os.environ[name] for name in _GIVEN if name in os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # error output might contain text of a node
        start_new_session=True,  # Ctrl-C is for this process, which then ends the other one
    )


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write a frame for `read_frames`.

    Raises:
        OSError: if the pipe is closed.
    """
    stream.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    stream.flush()


def read_frames(stream: IO[bytes], most: int = 2**31) -> Iterator[bytes]:
    """Yield the frames of `write_frame`, until the end, or a frame of more than `most` bytes."""
    while len(head := stream.read(_LENGTH_BYTES)) == _LENGTH_BYTES:
        length = int.from_bytes(head, "big")
        if length > most or len(data := stream.read(length)) < length:
            return
        yield data
