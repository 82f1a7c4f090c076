"""What holds in every duel beside the contract of all games: its length, bluffs, and luck that is the seat's own."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from beanleague.games.core.events import Dealt
from beanleague.games.duel.actions import AcceptGift, DeclineGift
from beanleague.games.duel.game import Duel
from beanleague.games.duel.view import DuelView
from tests.games.duel.bookkeeper import KINDS
from tests.games.families import EASY_DECK
from tests.games.helpers import Player, chooser, dull, part, play

OPTIONS: list[dict[str, Any]] = [{}, {"interludes": (0, 1)}, {"deck": EASY_DECK}, {"interludes": (1,)}]


@pytest.mark.parametrize("number", range(20))
def test_every_duel_ends_in_the_18th_turn(number: int) -> None:
    """88 cards are left after the deal, and five leave the pile every turn, whatever is played."""
    game = Duel(2, b"turns %d" % number, OPTIONS[number % 4])
    choose = chooser(number)
    play(game, lambda view: dull(view) if view.seat == number % 3 else choose(view))
    assert game.view(0).turn == 18
    assert game.view(0).active == 1


@pytest.mark.parametrize("number", range(10))
def test_a_declined_bluff_looks_the_same_as_a_declined_gift(number: int) -> None:
    """The same offer by a player with another hand: the other sees the same, then and ever after.

    Whenever an offer is answered, the offerer's hand is exchanged for one with, or one without, a bean of the kind.
    """
    game = Duel(2, b"bluff %d" % number, OPTIONS[number % 4])
    seen = 0

    def look(view: DuelView) -> None:
        nonlocal seen
        if not isinstance(view.legal()[0], AcceptGift):
            return
        offerer = 1 - view.seat
        honest, bluff = game.copy(), game.copy()
        others = [kind for kind in KINDS if kind != view.offer]
        hand = part(honest, "hands")[offerer]
        if hand:
            seen += 1
            hand[0] = view.offer
            part(bluff, "hands")[offerer][:] = [others[i % 7] for i in range(len(hand))]
            for each in (honest, bluff):
                each.apply(view.seat, DeclineGift())
            assert honest.view(view.seat) == bluff.view(view.seat)

    play(game, chooser(number), look)
    assert seen


def test_ten_games_of_each_seed_meet_the_same_cards_as_long_as_nobody_takes_them() -> None:
    """A seat's first draws do not depend on what is played."""
    first = set()
    for luck in range(10):
        game = Duel(2, b"same", {})
        play(game, _uniform(luck))
        first.add(tuple(event.cards for event in game.events if isinstance(event, Dealt)))
    assert len(first) == 1


def _uniform(luck: int) -> Player:
    random = Random(luck)
    return lambda view: random.choice(view.legal())
