"""Every family in the table has what the other layers look up by its name."""

from types import ModuleType
from typing import Any, get_type_hints

import pytest

from beanbot import Bot
from beanbot.bot import FamilyBot
from beanleague.games.core.game import NamedDecision
from beanleague.games.families import FAMILIES, Family
from beanproto.v1 import referee_pb2 as pb

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
