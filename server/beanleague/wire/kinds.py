"""Bean kinds on the wire: numbers of an enum, packed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from beanleague.games import Kind
from beanleague.wire.errors import WireError
from beanproto.v1 import referee_pb2 as pb

KIND_NUMBER: dict[Kind | None, Any] = {
    name.removeprefix("KIND_").lower(): number for name, number in pb.Kind.items() if number
}
"""The number of each kind; None, which is in an empty field, has one too."""

KIND_NUMBER[None] = pb.KIND_UNSPECIFIED

_NAME: dict[int, Kind] = {number: name for name, number in KIND_NUMBER.items() if name}


def numbers(kinds: Iterable[Kind]) -> list[Any]:
    """Return the numbers of `kinds` on the wire."""
    return [KIND_NUMBER[kind] for kind in kinds]


def names(numbers: Iterable[int]) -> tuple[Kind, ...]:
    """Return the kinds that have these `numbers`.

    Raises:
        WireError: a number is no kind's.
    """
    try:
        return tuple([_NAME[number] for number in numbers])
    except KeyError as unknown:
        raise WireError(f"{unknown} is not the number of a kind") from None


def name(number: int) -> Kind:
    """Return the kind that has this `number`; see `names`."""
    return names((number,))[0]
