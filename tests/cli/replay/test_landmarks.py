"""Where the trades, harvests and faults of a match are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beanleague.cli.replay.show import landmarks
from beanleague.cli.replay.steps import steps
from beanleague.games import Event, Fault
from beanleague.games.bohnanza import Traded
from beanleague.games.core import Harvested
from beanleague.games.dice import CardHarvested
from beanleague.games.duel import ColumnHarvested, GiftAccepted
from tests.cli.helpers import played


@pytest.mark.parametrize(
    ("ruleset", "seats", "trade", "harvest"),
    [
        ("bohnanza", 4, Traded, Harvested),
        ("bohnanza-two", 2, None, Harvested),
        ("duel", 2, GiftAccepted, ColumnHarvested),
        ("dice", 3, None, CardHarvested),
        ("bean-thief-normal", 1, None, CardHarvested),
    ],
)
def test_landmarks_are_the_steps_with_such_an_event(
    ruleset: str, seats: int, trade: type[Event] | None, harvest: type[Event]
) -> None:
    record = played(seats, ruleset=ruleset)
    every = list(steps(record))
    found = landmarks(every)

    def at(kind: type[Event]) -> tuple[int, ...]:
        return tuple(n for n, step in enumerate(every) if any(type(entry) is kind for entry in step.entries))

    assert found["trade"] == (at(trade) if trade else ())
    assert found["harvest"] == at(harvest)
    assert found["harvest"]
    assert bool(found["trade"]) == bool(trade)
    assert found["fault"] == ()


def test_a_fault_is_found_in_the_step_before_the_action_that_was_played() -> None:
    record = played()
    fault = Fault(record.moves[30].seat, 30, "timeout", "no answer in 1000 ms", forfeited=False)
    every = list(steps(replace(record, faults=(fault,))))
    (at,) = landmarks(every)["fault"]
    assert fault in every[at].entries
