"""Where the command `beanleague` begins."""

import atexit
import gc
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


def collect_rarely() -> None:
    """Look for garbage rarely, and not at the end, when all of it goes.

    Importing makes 100,000 objects that stay: to look at them takes 20 ms of a command's CPU, and 90 ms at the end.
    """
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)


def main() -> None:
    """Run the command, and end with a word if Ctrl-C or SIGTERM comes, even while it is still being loaded."""
    signal.signal(signal.SIGTERM, interrupt)
    use_one_thread()
    collect_rarely()
    try:
        from beanleague.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
