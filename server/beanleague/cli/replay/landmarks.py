"""The steps of a replay that have keys of their own: trades, harvests and faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from beanleague.cli.replay.families import harvests, trades
from beanleague.cli.replay.steps import Entry, Step
from beanleague.games import Fault


def landmarks(steps: Sequence[Step[Any]]) -> dict[str, tuple[int, ...]]:
    """Return the positions among `steps` of those with a trade, a harvest or a fault, by these words, ascending."""
    classes: dict[str, tuple[type[Entry], ...]] = {
        "trade": trades(steps[0].table),
        "harvest": harvests(steps[0].table),
        "fault": (Fault,),
    }
    return {
        name: tuple([at for at, step in enumerate(steps) if any(isinstance(entry, kinds) for entry in step.entries)])
        for name, kinds in classes.items()
    }
