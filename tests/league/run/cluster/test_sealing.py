"""Orders to nodes travel as messages, whole."""

import os
import pickle
import random
from contextlib import suppress
from dataclasses import replace

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.orders import Join, Leave, Order, Play, RunBot
from beanleague.league.run.cluster.sealing import order_from_bytes, order_to_bytes
from beanleague.referee.messages import DealTask, Limits, Load, MatchTask
from beanleague.wire import WireError

BOT = RunBot(3, "guest", "a" * 64, ("python", "bot.py"), trusted=True, packages="b" * 64)
JOIN = Join((BOT,), Limits(memory_bytes=2**40), {"workers": 2, "in_flight": None, "fresh": False, "isolate": True})
MATCH = MatchTask(
    5,
    "bohnanza",
    bytes(range(32)),
    (3, 0, 3),
    (bytes(16), b"b" * 16, b"c" * 16),
    lane=7,
    options={"max_rounds": -6, "deck": "blue = 20", "interludes": (0, 2)},
    names=("a", "b", "c"),
    unforgiven=frozenset({0, 3}),
    thief=0,
    label="12.0",
)
PLAY = Play((DealTask(12, (MATCH, replace(MATCH, thief=None, options={}, names=())), repeats=2, voids=1),), 0.25)


@pytest.mark.parametrize(
    "order",
    [
        JOIN,
        replace(JOIN, settings={**JOIN.settings, "in_flight": 4, "load": Load(40, 5, 5, copies=2, few=True)}),
        replace(JOIN, bundles={"a" * 64: b"PK", "c" * 64: b""}),
        PLAY,
        Play((), 0.0),
        Leave(),
    ],
    ids=["join", "join with a load", "join with bundles", "play", "play nothing", "leave"],
)
def test_an_order_is_read_back_unchanged(order: Order) -> None:
    assert order_from_bytes(order_to_bytes(order)) == order


def test_a_bundle_that_an_order_does_not_bring_is_missing_in_it() -> None:
    order = order_from_bytes(order_to_bytes(JOIN))
    assert isinstance(order, Join)
    with pytest.raises(KeyError):  # a map field of a message would have b"" for it
        order.bundles[BOT.digest]


def test_malformed_orders_are_refused_and_run_nothing() -> None:
    chance = random.Random(0)
    whole = order_to_bytes(PLAY)
    for data in (b"", pickle.dumps(os.getcwd)):
        with pytest.raises(WireError):
            order_from_bytes(data)
    for place in range(len(whole)):
        with suppress(WireError):
            order_from_bytes(whole[:place] + bytes([chance.randrange(256)]) + whole[place + 1 :])
