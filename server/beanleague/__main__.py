"""Entry point of the command `beanleague`."""

import atexit
import gc
import os
import signal
import sys
from types import FrameType


def use_one_thread() -> None:
    """Make numpy, which is not loaded yet, solve equations in one thread, unless the environment says otherwise.

    The equations of ratings are small, and bots keep the cores busy: waiting for other threads would then take hundreds
    of times as long.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def use_no_plugins() -> None:
    """Keep Pydantic, which is not loaded yet, from searching all installed packages for plugins."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle SIGTERM like Ctrl-C."""
    del number, frame
    raise KeyboardInterrupt


def collect_rarely() -> None:
    """Make garbage collections rare, and skip the final one.

    Imports create 100,000 permanent objects: scanning them takes 20 ms of a command's CPU, and 90 ms at the end.
    """
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)


def main() -> None:
    """Run the command; end with a short message on Ctrl-C or SIGTERM, even during its imports."""
    signal.signal(signal.SIGTERM, interrupt)
    use_one_thread()
    use_no_plugins()
    collect_rarely()
    try:
        from beanleague.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
