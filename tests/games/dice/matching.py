"""A second opinion on orders and dice: reads the data files and tries all ways, sharing no code with the engine."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[3] / "server/beanleague/games/data"
DICE = tomllib.loads((DATA / "dice.toml").read_text(encoding="utf-8"))
Slots = tuple[frozenset[str], ...]


def faces(edition: str) -> list[list[str]]:
    """The faces of every die."""
    return [sort["faces"] for sort in DICE[edition].values() for _ in range(sort["dice"])]


def cards(edition: str) -> list[dict[str, Any]]:
    """The cards of the deck that comes with the game: orders and percent."""
    return list(tomllib.loads((DATA / f"dice_{edition}.toml").read_text(encoding="utf-8"))["cards"])


@cache
def alternatives(order: str) -> tuple[Slots, ...]:
    """What an order asks for: for each alternative the kinds that each of its dice may show."""
    found = []
    for alternative in order.split(" or "):
        slots: list[frozenset[str]] = []
        for term in alternative.split(" + "):
            number, *rest = term.replace(" of ", " ").split()
            if rest:
                slots += [frozenset(rest[0].split("|"))] * int(number)
            else:
                slots.append(frozenset(number.split("|")))
        found.append(tuple(slots))
    return tuple(found)


@cache
def met(order: str, beans: tuple[str, ...]) -> bool:
    """Whether some alternative finds a bean of its own for each slot."""
    return any(fits(slots, beans) for slots in alternatives(order))


def fits(slots: Slots, beans: tuple[str, ...]) -> bool:
    """Try every bean on the first slot."""
    if not slots:
        return True
    return any(
        bean in slots[0] and fits(slots[1:], beans[:at] + beans[at + 1 :])
        for at, bean in enumerate(beans)
        if bean not in beans[:at]
    )


@cache
def rolls(edition: str) -> dict[tuple[str, ...], int]:
    """All that the dice can show, in a fixed order of kinds, and in how many ways."""
    found = Counter[tuple[str, ...]]({(): 1})
    for die in faces(edition):
        more = Counter[tuple[str, ...]]()
        for beans, ways in found.items():
            for kind in die:
                more[tuple(sorted((*beans, kind)))] += ways
        found = more
    return dict(found)


@cache
def meeting(edition: str, order: str) -> frozenset[tuple[str, ...]]:
    """The rolls that meet an order."""
    return frozenset(beans for beans in rolls(edition) if met(order, beans))


def chance(edition: str, order: str) -> float:
    """The chance in percent that a first roll meets an order."""
    ways = sum(rolls(edition)[beans] for beans in meeting(edition, order))
    return 100 * ways / 6.0 ** len(faces(edition))
