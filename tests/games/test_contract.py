"""Every ruleset keeps the contract: at one table size, and with slow tests at every one."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from itertools import chain

import pytest

from beanleague.games import Option, Ruleset, View, new_game, ruleset, rulesets
from beanleague.games.families import ACTIONS, EVENTS, FAMILIES
from tests.games.contract import CLAIMS
from tests.games.families import CHECKED, checked, family_of
from tests.games.helpers import chooser, play
from tests.games.played import Table, own_options

ROUNDS = 2
"""Of trading: long enough for a second offer, and six times as fast as the default."""

SIZES = [(rules.id, seats) for rules in rulesets() for seats in range(rules.least_seats, rules.most_seats + 1)]
"""Every ruleset at every table size."""


def options_of(rules: Ruleset, seats: int) -> Iterator[dict[str, Option]]:
    """Yield the options that a ruleset is checked with: at every table size none, at its smallest and largest more."""
    short: dict[str, Option] = {"max_rounds": ROUNDS} if "max_rounds" in rules.options else {}
    yield short
    if seats in {rules.least_seats, rules.most_seats}:
        if rules.interludes:
            yield {**short, "interludes": tuple(range(seats))}
        yield from own_options(rules.id, seats)


@cache
def tables() -> dict[str, Table]:
    """Return all tables the contract is checked at, by name; what is played at them is played once."""
    found = {}
    for name, seats in SIZES:
        for luck, options in enumerate(options_of(ruleset(name), seats)):
            label = "-".join([name, str(seats), *(each for each in options if each != "max_rounds")])
            found[label] = Table(name, seats, options, luck)
    return found


LARGEST = {"bohnanza-classic", "dice-2012"}
"""Rulesets that are checked at their largest table, the others at their smallest, if one must do."""


def usual(name: str, seats: int) -> bool:
    """Return whether tests that are not slow check a ruleset at this table size."""
    rules = ruleset(name)
    return seats == (rules.most_seats if name in LARGEST else rules.least_seats)


def sized(name: str, seats: int, *values: object) -> pytest.ParameterSet:
    """Return parameters of a test that is slow but at one table size."""
    return pytest.param(*values, marks=[pytest.mark.slow] * (not usual(name, seats)))


@pytest.mark.parametrize("table", [sized(table.ruleset, table.seats, name) for name, table in tables().items()])
@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.__name__ for claim in CLAIMS])
def test_every_ruleset_keeps_the_contract(table: str, claim: Callable[[Table], None]) -> None:
    claim(tables()[table])


def test_every_family_is_registered() -> None:
    assert set(CHECKED) == {family.name for family in FAMILIES}


@pytest.mark.parametrize("name", CHECKED)
def test_the_games_looked_at_come_to_every_decision_action_event_and_field_of_a_view(name: str) -> None:
    """So that nothing of a family goes unchecked."""
    usually = (table for table in tables().values() if usual(table.ruleset, table.seats))
    played = [table for table in usually if family_of(table.over).name == name]
    (family,) = [family for family in FAMILIES if family.name == name]
    actions = {type(move.action) for table in played for move in table.moves}
    events = {type(event) for table in played for event in table.over.events}
    asked = {asked for table in played for asked in table.decisions}
    constant = {field.name: getattr(played[0].new().view(0), field.name) for field in fields(family.view)}
    for game, move in chain.from_iterable(table.replayed() for table in played):
        view = game.view(move.seat)
        constant = {name: value for name, value in constant.items() if getattr(view, name) == value}
    decisions = type(played[0].over.view(0).decision)
    assert set(ACTIONS.of(family)) - actions == set()
    assert set(EVENTS.of(family)) - events == set()
    assert {decision.name for decision in decisions} - asked == {"WAIT"}
    assert set(constant) <= {"rules"}, "or nobody would notice that it is lost on the way"


@pytest.mark.parametrize(("name", "seats"), [sized(*size, *size) for size in SIZES])
def test_random_games_end_with_all_cards_and_dice_accounted_for(name: str, seats: int, games: int) -> None:
    """And with no default that is illegal: looked at in every eleventh game where `legal` takes long.

    These come to all options, numbers of trade rounds and seats with interludes.
    """
    rules = ruleset(name)
    decks: list[dict[str, Option]] = [{}, {}, *own_options(name, seats)]
    entry = checked(new_game(name, seats=seats, seed=b"seed"))
    for number in range(games):
        options = dict(decks[number % len(decks)])
        if "max_rounds" in rules.options:
            options["max_rounds"] = 12 if number % 13 == 3 else (number + number // 4) % 4
        if rules.interludes:
            options["interludes"] = tuple(range(number // 2 % (seats + 1)))
        game = new_game(name, seats=seats, seed=b"%d" % number, options=options)
        play(game, chooser(number), None if number % 11 and entry.open_ended else default_is_legal)
        entry.bookkeeper(game).follow(game.events)
        assert game.outcome
        assert len(game.outcome.scores) == len(game.outcome.places) == seats


def default_is_legal(view: View) -> None:
    assert view.default() in view.legal()
