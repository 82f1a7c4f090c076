"""Running nginx as the documentation says."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import TIMEOUT_S, until

NGINX = shutil.which("nginx")


def block_of(page: str) -> str:
    """Return the only block of nginx's configuration in a page of the documentation."""
    (block,) = re.findall(r"```nginx\n(.*?)```", page, re.DOTALL)
    return str(block)


def free_port() -> int:
    """Return a port of 127.0.0.1 at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def running(folder: Path, config: str, port: int) -> Iterator[None]:
    """Run nginx with this configuration, by which it listens at `port`; its files are in `folder`."""
    assert NGINX
    file = folder / "nginx.conf"
    file.write_text(config, "utf-8")
    started = subprocess.Popen([NGINX, "-c", str(file), "-e", f"{folder}/start.log", "-g", "daemon off;"])
    try:
        until(lambda: _listens(port) or started.poll() is not None)
        assert started.poll() is None, (folder / "start.log").read_text()
        yield
    finally:
        started.terminate()
        started.wait(TIMEOUT_S)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
