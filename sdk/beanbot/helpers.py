"""Choices that most bots make in the same way. The module of each family exports the helpers for its games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, cast

from beanleague.games import Kind

if TYPE_CHECKING:  # imported for types only: a bot loads just the games that it plays
    from beanbot.ahead_duel import Ahead as DuelAhead
    from beanleague.games.bohnanza import Field, OwnFields
    from beanleague.games.dice import DiceView
    from beanleague.games.duel import Column, DuelView

    Columns: TypeAlias = DuelView | DuelAhead


def own_kind_first(view: OwnFields, places: Iterable[int]) -> int:
    """Return the fullest of the bot's fields `places`; ties go to the first."""
    fields = view.own_fields
    return max(places, key=lambda i: (fields[i].count, -i))


def best_place(view: Columns, kind: Kind) -> int | None:
    """Return the field of the bot in which to plant `kind`, or None if no field takes it.

    A field that ends with `kind` is preferred, then one that ends with the next lower kind, then an empty one; ties go
    to the longest.
    """
    fields = view.own_fields

    def suitability(i: int) -> tuple[bool, int]:
        return fields[i].last == kind, len(fields[i].cards)

    return max(view.places_for(kind), key=suitability, default=None)


def least_loss(view: OwnFields | Columns) -> int:
    """Return the field of the bot to harvest for room: the one with the least progress towards its next dollar.

    Ties go to the field that earns most. At least one field must be harvestable.
    """

    def loss(i: int) -> float:
        kind, count = _kind_and_count(view.own_fields[i])
        return part_of_next_dollar(count, view.rules.kind(kind).beanometer)

    return min(view.harvestable, key=lambda i: (loss(i), -view.earns(i), i))


def part_of_next_dollar(count: int, beanometer: Iterable[int]) -> float:
    """Return the progress of `count` cards from one dollar to the next, 0 to 1; 0 if there is no further dollar."""
    before = max((least for least in beanometer if 0 < least <= count), default=0)
    after = min((least for least in beanometer if least > count), default=0)
    return (count - before) / (after - before) if after else 0.0


def useful_dice(view: DiceView) -> tuple[int, ...]:
    """Return the dice just rolled that help to complete the next orders, ascending; possibly none.

    Dice that complete an order together with the dice saved before come first; then dice that bring the order after it
    closest to completion.
    """
    from beanleague.games.dice import needs

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


def _kind_and_count(field: Field | Column) -> tuple[Kind, int]:
    """Return the kind of `field` that decides its earnings, and its number of cards."""
    if hasattr(field, "cards"):
        column = cast("Column", field)
        kind, count = column.last, len(column.cards)
    else:
        kind, count = field.kind, field.count
    assert kind is not None  # an empty field cannot be harvested
    return kind, count


def _match(wanted: list[Kind], field: list[Kind], dice: list[int], view: DiceView) -> tuple[list[int], int]:
    """Return the `dice` that `wanted` needs in addition to the beans in `field`, and the number still missing."""
    missing = list(wanted)
    for kind in field:
        if kind in missing:
            missing.remove(kind)
    matching = []
    for die in dice:
        face = view.faces[die]
        if face in missing:
            missing.remove(face)
            matching.append(die)
    return matching, len(missing)


def _beans(need: int, kinds: tuple[Kind, ...]) -> list[Kind]:
    return [kind for i, kind in enumerate(kinds) for _ in range(need >> 4 * i & 15)]
