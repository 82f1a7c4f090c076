"""The run's end of its connection to a cluster: a process of its own that talks to Dask, and has nothing else.

Dask lets each of its members run programs in all others. So the process that has the database, the secret and the
tokens does not speak to it, and reads what comes as messages only.
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
from beanleague.league.run.cluster.answers import WrongAnswerError, read
from beanleague.league.run.cluster.orders import Answer, Order, sealable
from beanleague.league.run.cluster.settings import ClusterSettings
from beanproto.v1 import node_pb2 as pb

CLOSE_TIMEOUT_S = 2.0
"""How long the end of a connection may take."""
MESSENGER = "beanleague.league.run.cluster.confined"
"""The program that talks to Dask."""

_MAX_FRAME_BYTES = answers.MAX_BYTES + 2**12
_LENGTH_BYTES = 4
_MAX_WAITING = 64  # messages that nobody has read
_LOOK_S = 0.2  # while these are too many, until it is seen that nobody will read them
_GIVEN = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV")  # of variables


@dataclass(frozen=True, slots=True)
class Came:
    """A node is there."""

    address: str


@dataclass(frozen=True, slots=True)
class Gone:
    """A node is not there any more."""

    address: str


@dataclass(frozen=True, slots=True)
class NodeAnswered:
    """A node has answered, if `secret` is that of an order to it; or it has sent something else."""

    address: str
    secret: bytes
    answer: Answer | WrongAnswerError


Message = Came | Gone | NodeAnswered


class Link:
    """Sends orders to nodes; what they answer, and which come and go, is in `inbox`.

    Raises:
        RunError: if the scheduler cannot be reached.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        self.inbox: queue.Queue[Message] = queue.Queue(_MAX_WAITING)
        self._outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # b"": the end
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
        """Whether the scheduler is there."""
        return self._reader.is_alive()

    def send(self, address: str, secret: bytes, order: Order) -> None:
        """Let a node do something. `secret`: what its answers carry."""
        message = pb.NodeOrder(address=address, secret=secret, order=sealable(order))
        self._outbox.put(message.SerializeToString())

    def forget(self, address: str) -> None:
        """Want nothing more of a node that has gone."""
        self._outbox.put(pb.NodeOrder(address=address).SerializeToString())

    def close(self) -> None:
        """Want nothing more of any node."""
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
        """Wait until the process has ended, a while."""
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
        with suppress(OSError, ValueError):  # it has ended, as the reader notices
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
    """Return what a frame holds, None for nothing that is known.

    Raises:
        DecodeError: if it holds no message.
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
        return NodeAnswered(answered.address, answered.secret, read(answered.answer))
    except WrongAnswerError as wrong:
        return NodeAnswered(answered.address, answered.secret, wrong)


def _start(settings: ClusterSettings) -> subprocess.Popen[bytes]:
    """Start the process, with nothing of this one but where the scheduler is, and the certificate."""
    files = {name: str(file.absolute()) for name in ("ca", "cert", "key") if (file := getattr(settings, name))}
    return subprocess.Popen(
        python("-m", MESSENGER, json.dumps({"address": settings.address, **files})),
        cwd="/",
        env={name: os.environ[name] for name in _GIVEN if name in os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what it writes may be a node's
        start_new_session=True,  # Ctrl-C is for this process, which then ends that one
    )


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write bytes that `read_frames` reads.

    Raises:
        OSError: if nobody reads them.
    """
    stream.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    stream.flush()


def read_frames(stream: IO[bytes], most: int = 2**31) -> Iterator[bytes]:
    """Yield what `write_frame` has written, until the end, or until one has more than `most` bytes."""
    while len(head := stream.read(_LENGTH_BYTES)) == _LENGTH_BYTES:
        length = int.from_bytes(head, "big")
        if length > most or len(data := stream.read(length)) < length:
            return
        yield data
