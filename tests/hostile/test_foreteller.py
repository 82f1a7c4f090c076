"""A bot that writes the dice of a deal into the page cache, for its process in the next rotation to foretell them."""

from __future__ import annotations

from pathlib import Path

import pytest

from beanleague.referee.messages import BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import Layer
from tests.referee.helpers import bot, finish

FORETELLER = Path(__file__).parent / "channels" / "foretells_dice.py"


def rolls(layer: Layer) -> tuple[int, int]:
    """Return how many rolls were foretold rightly, of how many, in the replay of a deal under `layer`."""
    specs = [BotSpec(1, "foreteller", str(FORETELLER.parent), ("python", FORETELLER.name), trusted=True)]
    specs.append(bot(2, "plays_well"))
    lines: list[str] = []
    pool = WorkerPool(specs, Limits(), workers=1, in_flight=1, layers=[] if layer is Layer.PLAIN else [layer])
    try:
        for rotation, seats in enumerate(((1, 2), (2, 1))):
            pool.submit(MatchTask(rotation, "dice", b"dice 0", seats, (bytes(16),) * 2, rotation))
            _, logs = finish(pool, 1)
            lines += "".join(log.text for log in logs if log.number == 1).split()
    finally:
        logs = pool.close()
    lines += "".join(log.text for log in logs if log.number == 1).split()
    return lines.count("right"), lines.count("right") + lines.count("wrong")


def test_without_a_sandbox_it_foretells_them() -> None:
    """Most of them: whatever else reads the file it writes to, such as another Python, wipes out some bits."""
    right, total = rolls(Layer.PLAIN)
    assert total >= 20
    assert right >= 0.5 * total  # by chance a sixth


@pytest.mark.slow  # test_league.py has it in a league
def test_under_a_sandbox_it_guesses(layer_of_league: Layer) -> None:
    """The dice follow from the seed of the deal, so the guesses are as good every time."""
    right, total = rolls(layer_of_league)
    assert total >= 20
    assert right <= 0.25 * total
