"""The list of rulesets, and what every family in the table has for the layers that look it up."""

import ast
import inspect
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any, get_type_hints

import pytest

from beanbot import Bot
from beanbot.bot import FamilyBot
from beanleague.games import UnknownRulesetError, new_game, ruleset, rulesets
from beanleague.games.core.game import NamedDecision, suggestion
from beanleague.games.families import FAMILIES, Family
from beanproto.v1 import referee_pb2 as pb


def test_every_ruleset_is_found_by_its_id() -> None:
    assert all(ruleset(rules.id) is rules for rules in rulesets())
    assert len({rules.id for rules in rulesets()}) == len(rulesets())


@pytest.mark.parametrize(
    ("name", "there"),
    [("bonanza", r"did you mean 'bohnanza'\?"), ("", "there are: .*bohnanza"), ("BOHNANZA", "there are: .*bohnanza")],
)
def test_an_unknown_ruleset_is_refused_with_what_it_is_like_or_those_there_are(name: str, there: str) -> None:
    with pytest.raises(UnknownRulesetError, match=f"unknown ruleset '{name}'; {there}"):
        new_game(name, seats=3, seed=b"seed")


@pytest.mark.parametrize(
    ("name", "known", "end"),
    [
        ("farmr", ("dicer", "farmer"), "did you mean 'farmer'?"),
        ("Farmer", ("dicer", "farmer"), "did you mean 'farmer'?"),
        ("chess", ("dicer", "farmer"), "there are: dicer, farmer"),
        ("x", (), "there are: none"),
        (7, ("dicer",), "there are: dicer"),
        ("x", map(str, range(12)), "there are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        ("x", map(str, range(13)), "there are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..."),
    ],
)
def test_the_most_similar_name_is_suggested_or_else_names_are_listed(name: object, known: list[str], end: str) -> None:
    assert suggestion(name, known) == end


NAMES = {"beanleague.wire": ("RULES", "VIEW"), "beanleague.cli.replay": ("picture",)}
"""What a layer uses of the module of a family."""

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


def bot_classes(module: ModuleType) -> list[type[Bot[Any]]]:
    """Return the classes of bots that `module` defines."""
    values = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Bot)]
    return [value for value in values if value.__module__ == module.__name__]


@each_family
@pytest.mark.parametrize(("package", "name"), [(package, name) for package in NAMES for name in NAMES[package]])
def test_each_layer_has_its_names(family: Family, package: str, name: str) -> None:
    assert hasattr(family.module(package), name)


@each_family
def test_the_table_names_its_rulesets_in_their_order(family: Family) -> None:
    assert family.ruleset_ids == tuple(ruleset.id for ruleset in family.rulesets)


@each_family
def test_the_protocol_has_fields_for_its_views_and_rules(family: Family) -> None:
    rules = pb.MatchStart.DESCRIPTOR.oneofs_by_name["rules"].fields
    assert family.name in {field.name for field in pb.Request.DESCRIPTOR.oneofs_by_name["view"].fields}
    assert family.rules.__name__ in {field.message_type.name for field in rules if field.message_type}


@each_family
def test_the_sdk_has_a_class_of_bots_with_methods_named_like_the_decisions(family: Family) -> None:
    (bot,) = bot_classes(family.module("beanbot"))
    assert bot.games
    assert set(bot.games) <= {ruleset.id for ruleset in family.rulesets}
    assert issubclass(bot, FamilyBot)
    decisions: type[NamedDecision] = get_type_hints(family.view)["decision"]
    without = {decision.name for decision in decisions if not hasattr(bot, decision.name.lower())}
    # Never asked; against the Thief; passes, since `fulfil` is first.
    assert without <= {"WAIT", "LOSE", "DRAWN_BOHNUS"}


PACKAGES = [
    "beanleague.games",
    "beanleague.games.core",
    *(f"beanleague.games.{family.name}" for family in FAMILIES),
    "beanleague.games.records.faults",
    *(f"beanleague.model.{name}" for name in ("bots", "ladders", "leagues", "matches")),
]


def public_values() -> set[type]:
    """The classes with fields that the packages export, their bases included."""
    modules = [import_module(name) for name in PACKAGES]
    exported = [getattr(module, name) for module in modules for name in getattr(module, "__all__", vars(module))]
    classes = {base for value in exported if isinstance(value, type) for base in value.__mro__}
    return {value for value in classes if value.__module__.startswith("beanleague") and has_fields(value)}


def has_fields(value: type) -> bool:
    return is_dataclass(value) or issubclass(value, Enum)


def without_docstring(value: type) -> list[str]:
    """The public fields of a class with no string under them."""
    (definition,) = ast.parse(inspect.getsource(value)).body
    assert isinstance(definition, ast.ClassDef)
    members = issubclass(value, Enum)
    return [
        name
        for statement, following in pairwise([*definition.body, ast.Pass()])
        if (name := field_name(statement, members=members)) and not name.startswith("_") and not is_string(following)
    ]


def field_name(statement: ast.stmt, *, members: bool) -> str:
    """Return the name of the field that `statement` declares, or of the member if the class has `members`; else ""."""
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) if members:
            return name
        case _:
            return ""


def is_string(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@pytest.mark.parametrize("value", sorted(public_values(), key=str))
def test_each_field_has_a_docstring(value: type) -> None:
    assert without_docstring(value) == []


def test_there_are_actions_events_rules_and_views() -> None:
    names = {value.__name__ for value in public_values()}
    assert {"Offer", "TurnStarted", "CardRules", "BohnanzaView", "DiceDecision", "Record"} <= names
