"""How moves become messages."""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import grpc
import pytest

from beanbot._runtime.stream import MAX_BYTES, Outbox, RpcStream
from beanproto.v1 import referee_pb2 as pb
from tests.waiting import TIMEOUT_S, join

Serve = Callable[[Iterator[bytes]], Iterator[bytes]]


@contextmanager
def serving(folder: Path, serve: Serve, *options: tuple[str, int]) -> Iterator[str]:
    """Yield the path of a socket at which `serve` answers the call /test.Test/Talk."""
    talk = grpc.stream_stream_rpc_method_handler(lambda messages, _: serve(messages))
    handlers = grpc.method_handlers_generic_handler("test.Test", {"Talk": talk})
    server = grpc.server(ThreadPoolExecutor(max_workers=2), handlers=[handlers], options=options)
    path = str(folder / "socket")
    server.add_insecure_port(f"unix:{path}")
    server.start()
    try:
        yield path
    finally:
        assert server.stop(0).wait(TIMEOUT_S)


def echo(messages: Iterator[bytes]) -> Iterator[bytes]:
    yield from messages


UNLIMITED = ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)
SIZES = [0, 1, 100, 16_379, 16_380, 65_536, 3_000_000, 7]


def test_messages_of_all_sizes_arrive_whole_and_in_order(tmp_path: Path) -> None:
    with serving(tmp_path, echo, *UNLIMITED) as path, closing(RpcStream(path, "/test.Test/Talk")) as call:
        for number, size in enumerate(SIZES):
            call.send(bytes([number]) * size)
        assert [call.receive() for _ in SIZES] == [bytes([number]) * size for number, size in enumerate(SIZES)]


def test_more_arrives_than_the_first_window_has_room_for(tmp_path: Path) -> None:
    def much(messages: Iterator[bytes]) -> Iterator[bytes]:
        next(messages)
        for _ in range(40):
            yield b"x" * 2**20

    with serving(tmp_path, much, *UNLIMITED) as path, closing(RpcStream(path, "/test.Test/Talk")) as call:
        call.send(b"go")
        assert sum(map(len, iter(call.receive, None))) == 40 * 2**20


def test_sending_does_not_wait_for_a_server_that_does_not_read(tmp_path: Path) -> None:
    read = threading.Event()

    def late(messages: Iterator[bytes]) -> Iterator[bytes]:
        yield b"not yet"
        read.wait(60)
        yield str(sum(len(next(messages)) for _ in range(100))).encode()

    with serving(tmp_path, late) as path, closing(RpcStream(path, "/test.Test/Talk")) as call:
        for _ in range(100):
            call.send(b"x" * 10_000)
        assert call.receive() == b"not yet"
        read.set()
        assert call.receive() == b"1000000"


def test_the_end_of_the_call_ends_the_messages(tmp_path: Path) -> None:
    def short(messages: Iterator[bytes]) -> Iterator[bytes]:
        yield b"one"

    with serving(tmp_path, short) as path, closing(RpcStream(path, "/test.Test/Talk")) as call:
        assert list(iter(call.receive, None)) == [b"one"]
        call.send(b"to nobody")


def test_a_server_that_goes_away_ends_the_messages(tmp_path: Path) -> None:
    gone = threading.Event()

    def stay(messages: Iterator[bytes]) -> Iterator[bytes]:
        yield b"one"
        gone.wait(60)

    with serving(tmp_path, stay) as path:
        call = RpcStream(path, "/test.Test/Talk")
        assert call.receive() == b"one"
    with closing(call):
        assert call.receive() is None
        call.send(b"to nobody")
    gone.set()


def test_a_call_that_the_server_does_not_know_ends_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, echo) as path, closing(RpcStream(path, "/test.Test/Walk")) as call:
        assert call.receive() is None


def test_a_socket_that_nobody_listens_at_is_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "left"))
    for name in ("left", "missing"):
        with pytest.raises(OSError, match=r"refused|No such file"):
            RpcStream(str(tmp_path / name), "/test.Test/Talk")


def test_threads_may_send_at_the_same_time(tmp_path: Path) -> None:
    def send(number: int) -> None:
        for _ in range(200):
            call.send(bytes([number]) * 500)

    with serving(tmp_path, echo) as path, closing(RpcStream(path, "/test.Test/Talk")) as call:
        threads = [threading.Thread(target=send, args=(number,), daemon=True) for number in range(4)]
        for thread in threads:
            thread.start()
        received = [call.receive() or b"" for _ in range(800)]
        join(*threads)
        assert sorted(received) == sorted(bytes([number]) * 500 for number in range(4) for _ in range(200))


class Sent:
    """Where an outbox sends to: the decisions of each message, and its size."""

    def __init__(self) -> None:
        self.decisions: list[list[int]] = []
        self.sizes: list[int] = []
        self.arrived = threading.Semaphore(0)

    def __call__(self, data: bytes) -> None:
        self.decisions.append([move.decision for move in pb.BotMessage.FromString(data).moves])
        self.sizes.append(len(data))
        self.arrived.release()


def test_moves_go_out_in_one_message_in_order_with_the_last() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    for decision in (4, 5):
        outbox.add(pb.Move(decision=decision), more=True)
    outbox.add(pb.Move(decision=6), more=False)
    assert [each for message in sent.decisions for each in message] == [4, 5, 6]
    assert sent.decisions[-1][-1] == 6


def test_a_move_goes_out_though_the_next_is_never_decided() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    for decision in (4, 5, 6):
        outbox.add(pb.Move(decision=decision), more=True)
        assert sent.arrived.acquire(timeout=60)
    assert sent.decisions == [[4], [5], [6]]


def test_many_large_moves_are_split_over_messages() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    count = 400
    for decision in range(1, count + 1):
        outbox.add(pb.Move(decision=decision, error="x" * 300), more=decision < count)
    assert [each for message in sent.decisions for each in message] == list(range(1, count + 1))
    assert len(sent.sizes) > 1
    assert max(sent.sizes) <= MAX_BYTES + 3 * count  # a few bytes before each move
