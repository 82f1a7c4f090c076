"""What all tests start from."""

from __future__ import annotations

import signal

# A job in the background of a shell ignores Ctrl-C, and so would every program that a test starts from there.
signal.signal(signal.SIGINT, signal.default_int_handler)
