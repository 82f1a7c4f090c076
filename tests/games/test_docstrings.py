"""Every field of a public value says what it is, where an editor shows it."""

import ast
import inspect
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from itertools import pairwise

import pytest

from beanleague.games.families import FAMILIES

PACKAGES = [
    "beanleague.games",
    "beanleague.games.core",
    *(f"beanleague.games.{family.name}" for family in FAMILIES),
    "beanleague.model",
]


def public_values() -> set[type]:
    """The classes with fields that the packages export, their bases included."""
    exported = {getattr(module, name) for module in map(import_module, PACKAGES) for name in module.__all__}
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
