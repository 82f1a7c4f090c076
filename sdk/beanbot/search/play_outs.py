"""Games played to their end with cheap policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from beanleague.games import Action, Game, Outcome
from beanleague.games.families import family_of_ruleset

if TYPE_CHECKING:  # imported for types only: a bot loads just the games that it plays
    from beanbot.search.farming import FlatPolicy
    from beanleague.games.bohnanza.flat_cards import FlatCards, Order
    from beanleague.games.bohnanza.game import Bohnanza
    from beanleague.games.bohnanza.table import CardTable
    from beanleague.games.two.game import BohnanzaTwo

Policy: TypeAlias = Callable[[Any], Action]
"""Function from a view to an action. The view has no news."""


def by_default(view: Any) -> Action:  # noqa: ANN401 - of any family
    """Return `view.default()`."""
    action: Action = view.default()
    return action


def farmer(view: Any) -> Action:  # noqa: ANN401 - of any trading game
    """Play like the house bot `farmer`, which plants and harvests well and never trades. Trading games only."""
    from beanbot.search.farming import choose, flat_farmer

    return choose(flat_farmer(view.rules), view)


def play_out(game: Game, policies: Sequence[Policy], random: Random) -> Outcome:
    """Return the outcome of `game` if each seat plays by its policy from here on; `game` is not changed.

    Draws and throws are random, and differ from call to call. Trading games are several times as fast if all policies
    are `by_default` or `farmer`, and the game for two if all are `by_default`.
    """
    flat = _flat(game, policies)
    if flat is not None:
        return _flat_outcome(game, flat, random)
    played = game.copy(random.randbytes(16))
    while not played.over:
        for seat in played.to_act():
            played.apply(seat, policies[seat](played.view(seat, news=False)))
    assert played.outcome is not None
    return played.outcome


def shuffler(random: Random) -> Order:
    """Return a shuffle function for flat games that uses `random`."""
    chance = random.random
    return lambda cards: sorted(cards, key=lambda _: chance())  # several times as fast as random.shuffle


def _flat(game: Game, policies: Sequence[Policy]) -> list[FlatPolicy] | None:
    """Return the policies for the flat engine; None if any has no flat form."""
    family = family_of_ruleset(game.ruleset)
    known = _FLAT.get(family.name, {}) if family else {}
    if any(policy not in known for policy in policies):
        return None
    farming = import_module("beanbot.search.farming")
    return [getattr(farming, known[policy])(cast("CardTable", game).rules) for policy in policies]


def _flat_outcome(game: Game, policies: Sequence[FlatPolicy], random: Random) -> Outcome:
    table = _flat_table(game, shuffler(random))
    while table.decision:
        seat = table.asked[0]
        policies[seat](table, seat)
    assert table.outcome is not None
    return table.outcome


def _flat_table(game: Game, order: Order) -> FlatCards:
    if game.ruleset == "bohnanza-two":
        from beanleague.games.two.flat import FlatTwo

        return FlatTwo.of(cast("BohnanzaTwo", game), order)
    from beanleague.games.bohnanza.flat_trading import FlatBohnanza

    return FlatBohnanza.of(cast("Bohnanza", game), order)


_FLAT: dict[str, dict[Policy, str]] = {
    "bohnanza": {by_default: "flat_default", farmer: "flat_farmer"},
    "two": {by_default: "flat_default_for_two"},
}
"""By family: names of the functions in `beanbot.search.farming` that make the flat policies."""
