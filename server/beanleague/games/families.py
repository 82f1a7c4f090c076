"""The table of families: every other layer has a module of the same name for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from beanleague.games import bohnanza, core, dice, duel, two
from beanleague.games.core.game import Action, Event, Rules, View
from beanleague.games.core.ruleset import Ruleset

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Family:
    """Games with the same views."""

    name: str
    """The name of its package, such as "duel"."""
    view: type[View]
    """The class of its views."""
    rules: type[Rules]
    """The class of `view.rules`; families may share it."""
    actions: tuple[type[Action], ...]
    """Its own actions, without those of `beanleague.games.core`."""
    events: tuple[type[Event], ...]
    """Its own events, without those of `beanleague.games.core`."""
    rulesets: tuple[Ruleset, ...]
    """Its games."""

    def module(self, package: str) -> Any:  # noqa: ANN401 - what it has in it is the package's affair
        """Return the module of this family in `package`, such as `beanleague.wire.duel` in "beanleague.wire"."""
        return import_module(f"{package}.{self.name}")


def _subclasses(package: ModuleType, base: type[T]) -> tuple[type[T], ...]:
    exported = [getattr(package, name) for name in package.__all__]
    return tuple(value for value in exported if isinstance(value, type) and issubclass(value, base))


def _family(package: ModuleType, view: type[View], rules: type[Rules]) -> Family:
    return Family(
        name=package.__name__.rpartition(".")[2],
        view=view,
        rules=rules,
        actions=_subclasses(package, Action),
        events=_subclasses(package, Event),
        rulesets=package.RULESETS,
    )


FAMILIES = (
    _family(bohnanza, bohnanza.BohnanzaView, bohnanza.CardRules),
    _family(two, two.BohnanzaTwoView, bohnanza.CardRules),
    _family(duel, duel.DuelView, duel.DuelRules),
    _family(dice, dice.DiceView, dice.DiceRules),
)

ACTIONS = (*_subclasses(core, Action), *(action for family in FAMILIES for action in family.actions))
"""Every action of every game."""

EVENTS = (*_subclasses(core, Event), *(event for family in FAMILIES for event in family.events))
"""Every event of every game."""
