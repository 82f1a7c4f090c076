"""Games that differ only in what a seat may not know, and the claims of the contract about them."""

from dataclasses import replace
from random import Random
from typing import Any

from beanleague.games import Action, Event, Game
from beanleague.games.core import Plant
from beanleague.games.core.chance import order
from tests.games.families import Checked, checked
from tests.games.helpers import leave_in, left_in, owners_of_orders, part, put, put_orders, state
from tests.games.played import LOOKS, Table


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


def no_view_tells_what_is_hidden(table: Table) -> None:
    """Views of games that differ only in what a seat may not know are equal: at any moment, asked or not."""
    start = table.new()
    owners = checked(start).own_cards_known
    mixed = rearranged(start, 0, 1)
    assert state(mixed) != state(start)
    assert not owners or all(mixed.view(seat) != start.view(seat) for seat in range(1, table.seats))
    for index, (game, _) in enumerate(table.looked_at()):
        for seat in range(table.seats):
            view, other = game.view(seat), rearranged(game, seat, index)
            same = other.view(seat)
            assert same == view
            assert repr(same) == repr(view)
            assert other.legal(seat) == game.legal(seat)
            assert seat not in game.to_act() or other.default(seat) == game.default(seat)


def where_hand_cards_lie_shows_to_nobody_else(table: Table) -> None:
    """Games that differ only in the order of a hand give the other seats equal views and news.

    From each of several moves that name hand cards by position on, until the first card of that hand is planted.
    """
    family = checked(table.over)
    named = [index for index, move in enumerate(table.moves) if hand_positions(move.action, family)]
    chosen = set(named[:: max(1, len(named) // LOOKS)])
    for index, (start, first) in enumerate(table.replayed()):
        if index not in chosen:
            continue
        game, other = start.copy(), shuffled_hand(start, first.seat, index)
        others = set(range(table.seats)) - {first.seat}
        for move in table.moves[index:]:
            if move.seat == first.seat and isinstance(move.action, Plant):
                break
            action = same_cards(move.action, move.seat, game, other) if move.seat == first.seat else move.action
            game.apply(move.seat, move.action)
            other.apply(move.seat, action)
            for seat in others:
                assert game.view(seat) == other.view(seat)
        for seat in others:
            assert [event.seen_by(seat) for event in game.events] == [event.seen_by(seat) for event in other.events]


def answers_are_hidden_until_all_are_in(table: Table) -> None:
    """Where several are asked at once, what one says shows to nobody, and they may answer in any order."""
    seen = 0
    for game, _ in table.replayed():
        asked = game.to_act()
        if len(asked) < 2 or seen > LOOKS:
            continue
        seen += 1
        first, *others = asked
        legal = game.legal(first)
        for action in (legal[0], legal[-1]):
            answered = game.copy()
            answered.apply(first, action)
            assert answered.to_act() == tuple(others)
            assert list(answered.events) == list(game.events)
            assert answered.moment == game.moment
            for seat in set(range(table.seats)) - {first}:
                assert answered.view(seat) == game.view(seat)
        chosen = {seat: game.legal(seat)[-1] for seat in asked}
        one, other = game.copy(), game.copy()
        for seat in asked:
            one.apply(seat, chosen[seat])
        for seat in reversed(asked):
            other.apply(seat, chosen[seat])
        assert list(one.events) == list(other.events)
        assert one.to_act() == other.to_act()
        assert one.moment == other.moment > game.moment
