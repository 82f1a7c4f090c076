"""How a bot's program is run; authors need nothing from here."""

import gc
import os

_USUAL = gc.get_threshold()
_LOADING = (20_000, *_USUAL[1:])  # objects: what is loaded stays, so to look for garbage often is in vain

if "BEANLEAGUE_SOCKET" in os.environ:
    gc.set_threshold(*_LOADING)


def collect_as_usual() -> None:
    """Look for garbage as often as Python does, unless the author chose otherwise."""
    if gc.get_threshold() == _LOADING:
        gc.set_threshold(*_USUAL)
