"""Table of game families, rulesets by id, and version of the rules.

Every other layer has a module of the same name for each family. A family is imported at its first use: a bot plays
games of one family, and importing all of them costs as much CPU as importing gRPC.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from beanleague.games.core.game import RulesVersionError, UnknownRulesetError, brief, suggestion
from beanleague.games.core.values import dataclass
from beanleague.games.lazy import OnDemand

if TYPE_CHECKING:
    from beanleague.games.core.game import Action, Event, Game, Hidden, Option, Rules, Ruleset, View
    from beanleague.games.core.words import GameWords

RULES_VERSION = 2
"""Version of the rules as implemented here. It rises when some ruleset gives other events for the same moves."""


def check_rules_version(version: int, what: str) -> None:
    """Check that `what`, e.g. "the league spring", has this program's version of the rules.

    Raises:
        RulesVersionError: if it has another version.
    """
    if version != RULES_VERSION:
        age = "a newer" if version > RULES_VERSION else "an earlier"
        raise RulesVersionError(
            f"{what} needs rules {version}, but this version of Beanleague plays rules {RULES_VERSION}; use {age} "
            "version"
        )


T = TypeVar("T")


@dataclass(frozen=True)  # without slots, since cached properties are stored in the instance
class Family:
    """Games that share a class of views."""

    name: str
    """Name of the family's package, e.g. "duel"."""
    view_name: str
    """Class name of the family's views."""
    rules_name: str
    """Class name of `view.rules`; families may share it."""
    ruleset_ids: tuple[str, ...]
    """Ids of the rulesets in the family."""
    dollar: int = 1
    """Points of score per dollar: 100 if scores are in cents."""

    def module(self, package: str) -> Any:  # noqa: ANN401 - its contents depend on the package
        """Return the module of this family in `package`, e.g. `beanleague.wire.duel` for "beanleague.wire"."""
        return import_module(f"{package}.{self.name}")

    @property
    def loaded(self) -> bool:
        """Whether the family's package has been imported."""
        return f"{__package__}.{self.name}" in sys.modules

    @cached_property
    def package(self) -> ModuleType:
        """Package of the family."""
        package: ModuleType = self.module(__package__)
        return package

    @cached_property
    def view(self) -> type[View]:
        """Class of the family's views."""
        view: type[View] = getattr(self.package, self.view_name)
        return view

    @cached_property
    def rules(self) -> type[Rules]:
        """Class of `view.rules` in the family."""
        rules: type[Rules] = getattr(self.package, self.rules_name)
        return rules

    @cached_property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """Rulesets of the family."""
        rulesets: tuple[Ruleset, ...] = import_module(f"{self.package.__name__}.game").RULESETS
        return rulesets

    @cached_property
    def words(self) -> type[GameWords]:
        """Class that builds the family's sentences."""
        words: type[GameWords] = import_module(f"{self.package.__name__}.words").WORDS
        return words


FAMILIES = (
    Family("bohnanza", "BohnanzaView", "CardRules", ("bohnanza", "bohnanza-extended", "bohnanza-classic")),
    Family("two", "BohnanzaTwoView", "CardRules", ("bohnanza-two",)),
    Family("duel", "DuelView", "DuelRules", ("duel",), dollar=100),
    Family(
        "dice",
        "DiceView",
        "DiceRules",
        ("dice", "dice-2012", "bean-thief-easy", "bean-thief-normal", "bean-thief-hard", "bean-thief-very-hard"),
    ),
)


def family_of_ruleset(name: str) -> Family | None:
    """Return the family of the ruleset called `name`; None if no ruleset has this name."""
    return next((family for family in FAMILIES if name in family.ruleset_ids), None)


def load_family(ruleset: str) -> None:
    """Load the family of the ruleset called `ruleset`, if any; classes are then looked up in it first."""
    family = family_of_ruleset(ruleset)
    if family is not None:
        family.module(__package__)


def words_of(rules: Rules, *, player: bool = False) -> GameWords:
    """Return the sentences of a match with these rules, for an onlooker or for a player."""
    family = family_of_ruleset(rules.ruleset)
    assert family is not None
    return family.words(rules, player=player)


def text_of(view: View) -> str:
    """Return the table as text, with offers and answers in the sentences of replays."""
    from beanleague.games.core.text import view_text
    from beanleague.games.core.words import by_seat

    words = words_of(view.rules)
    words.look(view)
    return view_text(view, lambda event: by_seat(words.line(event), view.rules.seats))


def family_of_view(view: type[View]) -> Family | None:
    """Return the family whose views are of the class `view`; None if there is none."""
    return next((family for family in FAMILIES if family.view_name == view.__name__ and family.view is view), None)


class Classes(Collection[type[T]]):
    """Action or event classes of all games: first the classes of the core, then those of each family."""

    def __init__(self, base: str) -> None:
        """`base`: name of the base class."""
        self._base = base
        self._of_family = OnDemand[Family, dict[str, type[T]]](lambda family: self._exported_by(family.package))
        self.named = OnDemand(self._find)
        """The classes by name in snake case."""

    @cached_property
    def _core(self) -> dict[str, type[T]]:
        return self._exported_by(import_module("beanleague.games.core"))

    def _exported_by(self, package: ModuleType) -> dict[str, type[T]]:
        base = getattr(import_module("beanleague.games.core.game"), self._base)
        exported = [getattr(package, name) for name in package.__all__]
        return {snake(cls.__name__): cls for cls in exported if isinstance(cls, type) and issubclass(cls, base)}

    def of(self, family: Family) -> tuple[type[T], ...]:
        """Return the classes of a family, without the classes of the core."""
        return tuple(self._of_family[family].values())

    def __iter__(self) -> Iterator[type[T]]:
        yield from self._core.values()
        for family in FAMILIES:
            yield from self.of(family)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, value: object) -> bool:
        try:
            return isinstance(value, type) and self.named[snake(value.__name__)] is value
        except KeyError:
            return False

    def _find(self, name: str) -> type[T]:
        """Find a class by name, in loaded families first, so that no other family is loaded needlessly."""
        if name in self._core:
            return self._core[name]
        for family in sorted(FAMILIES, key=lambda family: not family.loaded):
            if name in self._of_family[family]:
                return self._of_family[family][name]
        raise KeyError(name)


def snake(name: str) -> str:
    """Return the name of a class as in records and messages: "turn_started" for "TurnStarted"."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


ACTIONS: Classes[Action] = Classes("Action")
"""Every action class of every game."""

EVENTS: Classes[Event] = Classes("Event")
"""Every event class of every game."""

_IDS = [name for family in FAMILIES for name in family.ruleset_ids]


def rulesets() -> tuple[Ruleset, ...]:
    """Return every ruleset."""
    return tuple(map(ruleset, _IDS))


def ruleset(name: str) -> Ruleset:
    """Return the ruleset called `name`.

    Raises:
        UnknownRulesetError: if no ruleset has this name.
    """
    try:
        return _RULESETS[name]
    except KeyError:
        raise _unknown(name) from None


def points_per_dollar(name: str) -> int:
    """Return `Family.dollar` of the ruleset called `name`, without loading its game.

    Raises:
        UnknownRulesetError: if no ruleset has this name.
    """
    family = family_of_ruleset(name)
    if family is None:
        raise _unknown(name)
    return family.dollar


def new_game(name: str, *, seats: int, seed: bytes, options: Mapping[str, Option] | None = None) -> Game:
    """Set up a game and deal.

    `seed` is 1 to 64 bytes that decide all chance. `options`: see `Ruleset.options` and `Ruleset.interludes`.

    Raises:
        UnknownRulesetError: if no ruleset has this name.
        SetupError: if the ruleset does not allow this number of seats, or the seed or an option is bad.
    """
    return ruleset(name).new(seats, seed, options or {})


def game_from_view(view: View, hidden: Hidden, seed: bytes) -> Game:
    """Return a game consistent with `view` and with the hidden part `hidden`.

    See `Game.from_view`. `beanbot.search` guesses hidden parts.

    Raises:
        SetupError: if the seat is not asked, `seed` is bad, or `hidden` does not fit the view.
    """
    return ruleset(view.rules.ruleset).from_view(view, hidden, seed)


def _find(name: str) -> Ruleset:
    family = family_of_ruleset(name)
    if family is None:
        raise KeyError(name)
    return next(ruleset for ruleset in family.rulesets if ruleset.id == name)


def _unknown(name: str) -> UnknownRulesetError:
    return UnknownRulesetError(f"unknown ruleset {brief(name)}; {suggestion(name, _IDS)}")


_RULESETS = OnDemand(_find)
