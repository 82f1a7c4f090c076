"""The viewer's tables are those of the bookkeepers, which share nothing with it, after every single event."""

import json
from typing import Any

import pytest

from beanleague.games import Record, new_game, ruleset, rulesets
from beanleague.games.core import TurnStarted
from tests.games.families import checked
from tests.games.helpers import chooser, play, recorded
from tests.games.played import own_options
from tests.web.viewer.node import Node
from tests.web.viewer.replaying import as_served, golden_record

RULESETS = [each.id for each in rulesets()]
UNORDERED = {"discards", "bohnus", "earned", "bohnusDiscards", "stolen"}
"""What the bookkeepers keep in no order."""


def random_record(name: str, number: int) -> Record:
    """Return the record of a game of random moves, at one table size after the other, with options of all kinds."""
    rules = ruleset(name)
    seats = rules.least_seats + number % (rules.most_seats - rules.least_seats + 1)
    options = [{}, *own_options(name, seats)]
    game = new_game(name, seats=seats, seed=b"viewer %d" % number, options=options[number % len(options)])
    return recorded(game, play(game, chooser(number)))


def follow(node: Node, record: Record) -> None:
    """See that the viewer and the bookkeeper have the same table after each event of a record."""
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    for move in record.moves:
        game.apply(move.seat, move.action)
    keeper = checked(game).bookkeeper(game)
    names = list(keeper.written())
    kept: list[list[str]] = []
    keeper.follow(game.events, lambda: kept.append([_text(name, value) for name, value in keeper.written().items()]))
    shown = node.ask("byEvent", as_served(record), names)
    assert len(shown) == len(kept) == len(record.events)
    begun = next(i for i, event in enumerate(record.events) if isinstance(event, TurnStarted))  # some deal all at once
    for number, (ours, theirs) in list(enumerate(zip(shown, kept, strict=True)))[begun:]:
        for name, own, other in zip(names, ours, theirs, strict=True):
            assert _text(name, json.loads(own)) == other, f"{name} after event {number}: {record.events[number]}"


def _text(name: str, value: Any) -> str:
    if name == "offers":  # of which the bookkeeper keeps the kinds
        value = [offer["kind"] if isinstance(offer, dict) else offer for offer in value]
    if name in UNORDERED:
        nested = value and isinstance(value[0], list)
        value = [sorted(each) for each in value] if nested else sorted(value)
    return json.dumps(value, separators=(",", ":"))


@pytest.mark.parametrize("name", RULESETS)
def test_golden_records_are_followed_event_by_event(node: Node, name: str) -> None:
    follow(node, golden_record(name))


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("numbers", [range(1), pytest.param(range(1, 20), marks=pytest.mark.slow)], ids=["one", "more"])
def test_random_records_are_followed_event_by_event(node: Node, name: str, numbers: range) -> None:
    for number in numbers:
        follow(node, random_record(name, number))
