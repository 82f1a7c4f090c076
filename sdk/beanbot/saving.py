"""Choices about dice that most bots make alike."""

from __future__ import annotations

from beanleague.games import Kind
from beanleague.games.dice import DiceView
from beanleague.games.dice.orders import needs


def useful_dice(view: DiceView) -> tuple[int, ...]:
    """Return the dice just rolled that help to complete the next orders, ascending; perhaps none.

    Dice that complete an order together with those saved before come first; then those that bring the order after it
    nearest to its completion.
    """
    field = [kind for die in view.saved if (kind := view.faces[die])]
    left = list(view.rolled)
    useful: list[int] = []
    for order in view.open_orders(view.seat):
        best: list[int] = []
        least_missing = len(view.faces) + 1
        for need in needs(order, view.rules.kinds):
            matching, missing = _match(_beans(need, view.rules.kinds), field, left, view)
            if (missing, len(matching)) < (least_missing, len(best)):
                best, least_missing = matching, missing
        useful += best
        field += [kind for die in best if (kind := view.faces[die])]
        left = [die for die in left if die not in best]
        if least_missing:
            break
    return tuple(sorted(useful))


def _match(wanted: list[Kind], field: list[Kind], dice: list[int], view: DiceView) -> tuple[list[int], int]:
    """Return the ones of `dice` that `wanted` needs beside the beans in `field`, and how many are missing then."""
    missing = list(wanted)
    for kind in field:
        if kind in missing:
            missing.remove(kind)
    matching = []
    for die in dice:
        shown = view.faces[die]
        if shown in missing:
            missing.remove(shown)
            matching.append(die)
    return matching, len(missing)


def _beans(need: int, kinds: tuple[Kind, ...]) -> list[Kind]:
    return [kind for i, kind in enumerate(kinds) for _ in range(need >> 4 * i & 15)]
