"""An engine and a flat one in lockstep: the same actions are legal, and do the same."""

from collections.abc import Sequence
from typing import Any

import pytest

from beanleague.games import Action, Event, Game, IllegalActionError
from beanleague.games.core import Drew, Shuffled, TurnedOver


def both(game: Game, flat: Any, seat: int, action: Action) -> tuple[Any, Any]:
    """Let `seat` do `action` in copies of both games, with the same luck; return these."""
    after: Any = game.copy()
    flat_after = flat.copy()
    try:
        after.apply(seat, action)
    except IllegalActionError:
        with pytest.raises(IllegalActionError):
            flat_after.apply(seat, action)
        assert state(flat_after) == state(flat), f"refused without a trace: {action}"
        return game, flat
    drawn = draws(after.events[len(game.events) :], after)
    flat_after.pile = arranged(flat_after.pile, drawn[0])
    following = iter(drawn[1:])
    flat_after.order = lambda cards: arranged(cards, next(following))
    flat_after.apply(seat, action)
    assert state(flat_after) == state(type(flat).of(after, sorted)), f"seat {seat}: {action}"
    return after, flat_after


def draws(events: Sequence[Event], game: Any) -> list[list[int]]:
    """Return the kinds drawn, for each pile one list."""
    number = {kind.name: number for number, kind in enumerate(game.rules.kinds)}
    drawn: list[list[int]] = [[]]
    for event in events:
        if isinstance(event, Shuffled):
            drawn.append([])
        elif isinstance(event, Drew | TurnedOver):
            drawn[-1] += [number[kind] for kind in event.cards]
    return drawn


def arranged(cards: list[int], first: list[int]) -> list[int]:
    """Return `cards` such that those of the kinds `first` are drawn first."""
    rest = cards[:]
    for kind in first:
        rest.remove(kind)
    return rest + first[::-1]


def state(flat: Any) -> dict[str, Any]:
    """Return everything that decides how the game goes on, but the order of what was shuffled."""
    names = {name for cls in type(flat).__mro__ for name in getattr(cls, "__slots__", ())} - {"order"}
    values = {name: getattr(flat, name) for name in names if hasattr(flat, name)}
    values["pile"] = sorted(flat.pile)
    if hasattr(flat, "answers"):  # in the trading games, of which nobody sees the order of the discards
        values["discard"] = sorted(flat.discard)
        values["answers"] = sorted(flat.answers, key=lambda answer: answer.seat)
        values["queue"] = flat.queue if flat.decision in {6, 7} else []
    return values
