"""The claims of the contract about what seats may not know."""

from beanleague.games.core import Plant
from tests.games.families import checked
from tests.games.helpers import state
from tests.games.hidden import hand_positions, rearranged, same_cards, shuffled_hand
from tests.games.played import LOOKS, Table


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
