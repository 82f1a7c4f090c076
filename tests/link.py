"""A link to a server on this machine that can be cut: what the network between two machines may do."""

import socket
import threading
from contextlib import suppress
from pathlib import Path


class Link:
    """Passes what comes to `port` of the loopback address on to a unix socket, and replies back.

    While it is cut nothing passes, and nobody notices. When it is restored, connections from before end on both sides.
    """

    def __init__(self, server: Path) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._requests, self._replies = threading.Event(), threading.Event()  # whether they pass
        self._requests.set()
        self._replies.set()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lost: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, *, replies_only: bool = False) -> None:
        """Let nothing pass from now on. `replies_only`: requests still reach the server."""
        self._replies.clear()
        if not replies_only:
            self._requests.clear()

    def restore(self) -> None:
        """Let new connections pass."""
        for pair in self._pairs:
            self._lost.update(pair)
            for end in pair:
                with suppress(OSError):  # closed by itself
                    end.shutdown(socket.SHUT_RDWR)
        self._requests.set()
        self._replies.set()

    def close(self) -> None:
        """Close all connections."""
        self.restore()
        for end in (self._listener, *self._lost):
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self._server))
            self._pairs.append((caller, server))
            for source, sink, passes in ((caller, server, self._requests), (server, caller, self._replies)):
                threading.Thread(target=self._pass, args=(source, sink, passes), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, passes: threading.Event) -> None:
        with suppress(OSError):  # either end may be closed at any time
            while data := source.recv(65_536):
                passes.wait()
                if source in self._lost:
                    return
                sink.sendall(data)
            passes.wait()
            sink.shutdown(socket.SHUT_WR)
