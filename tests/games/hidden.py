"""Games that differ only in what a seat may not know, and where the cards of a hand lie."""

from dataclasses import replace
from random import Random
from typing import Any

from beanleague.games import Action, Event, Game
from beanleague.games.core.chance import order
from tests.games.families import Checked, checked
from tests.games.helpers import leave_in, left_in, owners_of_orders, part, put, put_orders


def rearranged(game: Game, seat: int, luck: int) -> Game:
    """Return a copy of `game` in which all that is hidden from `seat` is otherwise.

    Hidden cards change places with each other and with those in the piles, other draw orders and another seed hold, and
    the cards of events that `seat` does not see were others.
    """
    random = Random(luck)  # only picks another arrangement; nothing depends on which
    other, family = game.copy(), checked(game)
    setattr(other, "seed", b"another")  # noqa: B010 - the type checker sees no slot of that name in the interface
    for name, pile in family.cards.items():
        _mix(other, part(other, name), part(other, pile), _known(family, seat), random)
    events = part(other, "events")
    events[:] = [_otherwise(event, seat, family) for event in events]
    return other


def shuffled_hand(game: Game, seat: int, luck: int) -> Game:
    """Return a copy of `game` in which the hand of `seat` lies in another order."""
    other = game.copy()
    hand = part(other, "hands")[seat]
    Random(luck).shuffle(hand)
    return other


def hand_positions(action: Action, family: Checked) -> tuple[int, ...]:
    """Return the positions of hand cards that `action` names."""
    name = family.hand_positions.get(type(action))
    named: Any = getattr(action, name) if name and getattr(action, "source", "hand") == "hand" else ()
    return named if isinstance(named, tuple) else (named,)


def same_cards(action: Action, seat: int, game: Game, other: Game) -> Action:
    """Return `action` of `seat` in `game` as it names the same hand cards in `other`."""
    family = checked(game)
    positions = hand_positions(action, family)
    if not positions:
        return action
    hand, lying = part(game, "hands")[seat], part(other, "hands")[seat]
    moved = tuple(sorted(lying.index(hand[position]) for position in positions))
    name = family.hand_positions[type(action)]
    changed: Any = {name: moved if isinstance(getattr(action, name), tuple) else moved[0]}
    same: Action = replace(action, **changed)
    return same


def _known(family: Checked, seat: int) -> set[int]:
    return {seat} if family.own_cards_known else set()


def _mix(game: Any, held: list[list[Any]], pile: Any, known: set[int], random: Random) -> None:
    """Mix the lists `held` but those of the seats `known` with the `pile`. They hold numbers of cards, or kinds."""
    hidden = [owner for owner in range(len(held)) if owner not in known]
    named = any(isinstance(card, str) for cards in held for card in cards)
    stock: list[Any] = [card for owner in hidden for card in held[owner]]
    stock += [game.rules.deck[card] for card in left_in(pile)] if named else left_in(pile)
    random.shuffle(stock)
    for owner in hidden:
        held[owner] = [stock.pop() for _ in held[owner]]
    if not named:
        leave_in(pile, stock)
    cards = len(part(pile, "in_pile"))
    put(pile, seed=b"another")
    put_orders(pile, [order(b"another", f"draw/{owner}", cards) for owner in owners_of_orders(pile)])


def _otherwise(event: Event, seat: int, family: Checked) -> Event:
    secret: Any = event
    if not isinstance(event, family.seen_by_nobody) and (
        not isinstance(event, family.seen_by_owner) or secret.seat == seat
    ):
        return event
    card = "garden" if isinstance(secret.cards[0], str) else 0
    other: Event = replace(secret, cards=(card,) * len(secret.cards))
    return other
