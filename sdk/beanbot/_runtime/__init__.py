"""Runtime of a bot's program; authors need nothing from here."""

import gc
import os

_USUAL = gc.get_threshold()
_LOADING = (20_000, *_USUAL[1:])  # in objects: loaded modules stay, and collecting them often would find nothing

if "BEANLEAGUE_SOCKET" in os.environ:
    gc.set_threshold(*_LOADING)


def collect_as_usual() -> None:
    """Restore Python's default frequency of garbage collection, unless the author changed it."""
    if gc.get_threshold() == _LOADING:
        gc.set_threshold(*_USUAL)
