"""Where the command `beanleague` begins."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def use_one_thread() -> None:
    """Let numpy, which is not loaded yet, solve equations in one thread, unless somebody wished otherwise.

    Those of ratings are small, and bots keep the cores busy: threads that wait for each other then take hundreds of
    times as long.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle SIGTERM like Ctrl-C."""
    del number, frame
    raise KeyboardInterrupt


def main() -> None:
    """Run the command, and end with a word if Ctrl-C or SIGTERM comes, even while it is still being loaded."""
    signal.signal(signal.SIGTERM, interrupt)
    use_one_thread()
    try:
        from beanleague.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
