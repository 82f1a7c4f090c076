"""Stream between a bot process and its referee: the subset of HTTP/2 and gRPC that a bot needs.

A message costs 300 us or more with grpc's own client, mostly for switching threads, and 100 us here. A bot also starts
sooner without loading grpc. Sources: RFC 9113 (HTTP/2), RFC 7541 (HPACK), and the page "gRPC over HTTP2" of gRPC.
"""

from __future__ import annotations

import _socket  # importing the module socket takes longer than all other imports here
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from contextlib import closing
from queue import SimpleQueue
from struct import Struct
from threading import Lock, Thread, current_thread, main_thread
from time import monotonic, sleep
from types import FrameType

from beanbot._runtime.program import BotProgram
from beanbot._runtime.session import BotSession
from beanproto.v1 import referee_pb2 as pb

MAX_HOLD_S = 0.005  # longest time that a move waits for others while the next decision is made
MAX_BYTES = 32 * 1024  # bytes of moves per message; a referee may refuse messages of 64 KiB

_CHECK_S = 1.0  # seconds of CPU between checks for a decision without an end

METHOD = "/beanproto.v1.Referee/Play"

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_FRAME = Struct(">BHBBI")  # length (3 bytes), kind, flags, stream
_MESSAGE = Struct(">BI")  # compression flag and length of a message
_SETTING = Struct(">HI")  # number and value of a setting
_NUMBER = Struct(">I")

_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _PING, _WINDOW_UPDATE = 0, 1, 3, 4, 6, 8  # kinds of frames
_END_STREAM, _ACK, _END_HEADERS = 0x1, 0x1, 0x4  # flags of frames
_ENABLE_PUSH, _INITIAL_WINDOW, _MAX_FRAME = 2, 4, 5  # numbers of settings

_STREAM = 1
_WINDOW = 65_535  # initial bytes allowed by the receiver
_MAX_WINDOW = 2**31 - 1
_FRAME_BYTES = 16_384  # the frame size that every receiver accepts
_RECEIVE_BYTES = 65_536
_UPDATE_BYTES = 2**24  # number of received bytes after which the sender may send as many more


class RpcStream:
    """A call of `method` (e.g. "/package.Service/Method") at the unix socket `path`, until it is closed.

    Messages are sent from any thread, and received by one.

    Raises:
        OSError: if no server listens there.
    """

    def __init__(self, path: str, method: str) -> None:
        self._socket = _socket.socket(_socket.AF_UNIX)
        self._lock = Lock()
        self._unsent = bytearray()  # parts of messages beyond the receiver's window
        # bytes that the receiver allows, for the connection and for this call
        self._allowed = self._stream_allowed = _WINDOW
        self._initial_window, self._frame_bytes = _WINDOW, _FRAME_BYTES
        self._frames = bytearray()
        self._messages = bytearray()
        self._received = 0  # bytes of messages since the last window update
        self._over = False
        try:
            self._socket.connect(path)
            self._open(method)
        except OSError:
            self._socket.close()
            raise

    def close(self) -> None:
        """End the call; unsent parts of messages are lost."""
        self._socket.close()

    def send(self, message: bytes) -> None:
        """Send the part of `message` that fits into the receiver's window; the rest follows with the next update.

        After the end of the call this does nothing.
        """
        with self._lock:
            self._unsent += _MESSAGE.pack(0, len(message))
            self._unsent += message
            self._send_unsent()

    def receive(self) -> bytes | None:
        """Wait for the next message and return it; None if the other side ended the call."""
        while (message := self._next_message()) is None:
            if self._over:
                return None
            try:
                data = self._socket.recv(_RECEIVE_BYTES)
            except OSError:
                data = b""
            self._over = self._over or not data
            self._frames += data
            self._read_frames()
        return message

    def _open(self, method: str) -> None:
        settings = _SETTING.pack(_ENABLE_PUSH, 0) + _SETTING.pack(_INITIAL_WINDOW, _MAX_WINDOW)
        headers = {
            ":method": "POST",
            ":scheme": "http",
            ":path": method,
            ":authority": "localhost",
            "te": "trailers",
            "content-type": "application/grpc",
        }
        self._socket.sendall(
            _PREFACE
            + _frame(_SETTINGS, settings)
            + _frame(_WINDOW_UPDATE, _NUMBER.pack(_MAX_WINDOW - _WINDOW))
            + _frame(_HEADERS, b"".join(map(_header, headers, headers.values())), _END_HEADERS, _STREAM)
        )

    def _next_message(self) -> bytes | None:
        """Take the next complete message from the received bytes; None if there is none."""
        start = _MESSAGE.size
        if len(self._messages) < start:
            return None
        _, length = _MESSAGE.unpack_from(self._messages)
        if len(self._messages) < start + length:
            return None
        message = bytes(self._messages[start : start + length])
        del self._messages[: start + length]
        return message

    def _read_frames(self) -> None:
        """Handle all complete frames."""
        frames, at = self._frames, 0
        while len(frames) >= at + _FRAME.size:
            high, low, kind, flags, stream = _FRAME.unpack_from(frames, at)
            end = at + _FRAME.size + (high << 16) + low
            if len(frames) < end:
                break
            self._read_frame(kind, flags, stream, frames[at + _FRAME.size : end])
            at = end
        del frames[:at]

    def _read_frame(self, kind: int, flags: int, stream: int, content: bytearray) -> None:
        if kind == _DATA:
            self._messages += content
            self._received += len(content)
            if self._received >= _UPDATE_BYTES:
                more = _NUMBER.pack(self._received)
                self._reply(_frame(_WINDOW_UPDATE, more) + _frame(_WINDOW_UPDATE, more, stream=_STREAM))
                self._received = 0
        elif kind == _WINDOW_UPDATE:
            self._allow(stream, *_NUMBER.unpack(content))
        elif kind == _SETTINGS and not flags & _ACK:
            self._set(dict(_SETTING.iter_unpack(content)))
            self._reply(_frame(_SETTINGS, flags=_ACK))
        elif kind == _PING and not flags & _ACK:
            self._reply(_frame(_PING, content, _ACK))
        if kind == _RST_STREAM or (kind in {_DATA, _HEADERS} and flags & _END_STREAM):
            self._over = True

    def _allow(self, stream: int, more: int) -> None:
        """Enlarge the window of this call by `more` bytes, or the connection's window if `stream` is 0."""
        with self._lock:
            if stream:
                self._stream_allowed += more
            else:
                self._allowed += more
            self._send_unsent()

    def _set(self, settings: dict[int, int]) -> None:
        with self._lock:
            self._frame_bytes = settings.get(_MAX_FRAME, self._frame_bytes)
            window = settings.get(_INITIAL_WINDOW, self._initial_window)
            self._stream_allowed += window - self._initial_window
            self._initial_window = window
            self._send_unsent()

    def _reply(self, frames: bytes) -> None:
        with self._lock:
            self._write(frames)

    def _send_unsent(self) -> None:
        while self._unsent:
            size = min(len(self._unsent), self._allowed, self._stream_allowed, self._frame_bytes)
            if size <= 0:
                return
            self._write(_frame(_DATA, self._unsent[:size], stream=_STREAM))
            del self._unsent[:size]
            self._allowed -= size
            self._stream_allowed -= size

    def _write(self, frames: bytes) -> None:
        with contextlib.suppress(OSError):  # the peer is gone, which `receive` notices, too
            self._socket.sendall(frames)


def _frame(kind: int, content: bytes | bytearray = b"", flags: int = 0, stream: int = 0) -> bytes:
    return _FRAME.pack(len(content) >> 16, len(content) & 0xFFFF, kind, flags, stream) + content


def _header(name: str, value: str) -> bytes:
    """Return a header without indexing: a zero byte, then name and value, each after its length, below 127."""
    return bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def play_stream(program: BotProgram, target: str) -> bool:
    """Play over `target` ("unix:/...") until either side ends the stream; return False if there is no server."""
    session = BotSession(program, _log)
    try:
        call = RpcStream(target.removeprefix("unix:"), METHOD)
    except OSError:
        return False
    _report_when_stuck(session)
    with closing(call):
        call.send(session.hello().SerializeToString())
        outbox = Outbox(call.send)
        while (data := call.receive()) is not None:
            message = pb.RefereeMessage.FromString(data)
            left = len(message.requests)
            for move in session.receive(message):
                left -= 1
                outbox.add(move, more=left > 0)
    return True


def _report_when_stuck(session: BotSession) -> None:
    """Report a decision without an end, such as an endless loop, in the author's log.

    The timer counts CPU time, so it costs idle processes nothing, and authors hardly use it. It is left to a bot that
    handles its signal.
    """
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGVTALRM) != signal.SIG_DFL:
        return

    def ring(number: int, frame: FrameType | None) -> None:
        del number
        if report := session.stuck(frame):
            with contextlib.suppress(OSError):
                os.write(2, report.encode("utf-8", "replace"))  # `sys.stderr` may be in use by the interrupted code

    signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, _CHECK_S, _CHECK_S)


class Outbox:
    """Collects moves into messages for `send`.

    A move waits for later moves, but no longer than `MAX_HOLD_S`: the referee's clock of a decision starts with the
    previous answer, so a slow decision must not hold back a quick one. A thread enforces the limit.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._moves: deque[pb.Move] = deque()
        self._since = 0.0  # time at which the oldest move was added
        self._sending = Lock()
        self._holding: SimpleQueue[None] = SimpleQueue()
        self._watched = False
        self._watcher = Thread(target=self._watch, daemon=True)

    def add(self, move: pb.Move, *, more: bool) -> None:
        """Add a move to the next message, which is sent now, or soon if `more` moves will follow."""
        if not more:
            self._moves.append(move)
            self._flush()
            return
        if not self._moves:
            self._since = monotonic()
        self._moves.append(move)
        if not self._watched:
            self._watched = True
            if not self._watcher.ident:
                self._watcher.start()
            self._holding.put(None)

    def _watch(self) -> None:
        """Flush the outbox whenever a move has waited for `MAX_HOLD_S`."""
        while True:
            self._holding.get()
            while self._moves and (left := self._since + MAX_HOLD_S - monotonic()) > 0:
                sleep(left)
            self._watched = False
            self._flush()

    def _flush(self) -> None:
        message, size = pb.BotMessage(), 0
        with self._sending:
            while self._moves:
                move = self._moves.popleft()
                size += move.ByteSize()
                if size > MAX_BYTES:
                    self._send(message.SerializeToString())
                    message, size = pb.BotMessage(), move.ByteSize()
                message.moves.append(move)
            if message.moves:
                self._send(message.SerializeToString())


def _log(text: str) -> None:
    """Write to the author's log, if the referee still reads it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
