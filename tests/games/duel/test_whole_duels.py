"""Whole duels: the worked examples of the rule book, and what holds in each beside the contract of all games."""

from random import Random
from typing import Any

import pytest

from beanleague.games.core.moves import Dealt, Harvest, Pass, Plant
from beanleague.games.duel import moves
from beanleague.games.duel.game import Duel
from beanleague.games.duel.view import DuelView
from tests.games.duel.bookkeeper import KINDS
from tests.games.duel.helpers import scripted
from tests.games.families import EASY_DECK
from tests.games.helpers import Player, chooser, do, dull, of_type, part, play

UWE, SUSANNE = 0, 1


def uwe_has_turned_over(kinds: str) -> Duel:
    """Uwe's second field ends with a chili bean, his third is empty; Susanne holds a blue bean behind a green one."""
    game = scripted(
        hands=["garden garden", "green blue stink"],
        fields={(UWE, 1): "chili", (SUSANNE, 0): "stink stink"},
        pile=f"{kinds} red red red",
    )
    return do(game, (UWE, Plant(0)), (UWE, Pass()))


def uwe_offers_soy(kinds: str = "soy chili blue") -> Duel:
    return do(uwe_has_turned_over(kinds), (UWE, moves.OfferGift("soy")))


def susanne_offers_blue(kinds: str = "soy chili blue") -> Duel:
    return do(uwe_offers_soy(kinds), (SUSANNE, moves.DeclineGift()), (SUSANNE, moves.OfferGift("blue")))


def uwe_accepts(kinds: str = "soy chili blue") -> Duel:
    return do(susanne_offers_blue(kinds), (UWE, moves.AcceptGift()))


def test_example_1_uwe_turns_over_a_soy_a_chili_and_a_blue_bean() -> None:
    """They lie open before both, and he must offer a gift."""
    game = uwe_has_turned_over("soy chili blue")
    assert game.view(UWE).turned == game.view(SUSANNE).turned == ("soy", "chili", "blue")
    assert game.view(UWE).decision is moves.DuelDecision.OFFER_GIFT
    assert len(of_type(game.legal(UWE), moves.OfferGift)) == 8


def test_example_2_uwe_offers_a_soy_bean() -> None:
    """Susanne is asked whether she wants it; nothing has moved yet."""
    game = uwe_offers_soy()
    assert game.to_act() == (SUSANNE,)
    view = game.view(SUSANNE)
    assert view.decision is moves.DuelDecision.ANSWER_GIFT
    assert view.offer == "soy"
    assert view.turned == ("soy", "chili", "blue")


def test_example_3_susanne_declines_and_offers_a_blue_bean_from_her_hand() -> None:
    """Who declines must offer; and soy, once offered, may not be offered again in this phase."""
    game = do(uwe_offers_soy(), (SUSANNE, moves.DeclineGift()))
    assert game.view(SUSANNE).decision is moves.DuelDecision.OFFER_GIFT
    assert moves.OfferGift("soy") not in game.legal(SUSANNE)
    do(game, (SUSANNE, moves.OfferGift("blue")))
    assert game.to_act() == (UWE,)
    assert game.view(UWE).offered == ("soy", "blue")


def test_example_4_uwe_accepts_and_lays_the_blue_bean_beside_his_fields() -> None:
    """It comes out of the middle of Susanne's hand, and the phase ends."""
    game = uwe_accepts()
    assert of_type(game.events, moves.GiftGiven) == [moves.GiftGiven(SUSANNE, "blue", "hand", 1)]
    assert game.view(SUSANNE).hand == ("green", "stink")
    assert game.view(UWE).gift == "blue"
    assert game.view(UWE).decision is moves.DuelDecision.PLANT_TURNED


def test_example_5_uwe_plants_two_blue_beans_and_a_red_one_and_discards_the_soy_bean() -> None:
    """In an order of his choice, the gift among them. (Here the book has turned a red bean over, not a chili bean.)"""
    game = uwe_accepts("soy red blue")
    do(
        game,
        (UWE, moves.PlantTurned(2, 1)),
        (UWE, moves.PlantGift(1)),
        (UWE, moves.PlantTurned(1, 2)),
        (UWE, moves.DiscardTurned(0)),
    )
    own = game.view(UWE).own_fields
    assert own[1].cards == ("chili", "blue", "blue")
    assert own[2].cards == ("red",)
    assert dict(zip(game.rules.number, game.view(UWE).discard, strict=True))["soy"] == 1
    assert game.view(UWE).turned == ()
    assert game.view(UWE).hand_sizes[UWE] == 3, "one card left, and two drawn in phase 4"


def test_example_6_susanne_earns_three_dollars_for_six_beans_that_end_with_a_soy_bean() -> None:
    """All beans of the field count, on the beanometer of the last alone."""
    game = scripted(hands=["green", ""], fields={(0, 0): "red red red black_eyed black_eyed soy"}, dollars=(0, 0))
    do(game, (0, Harvest(0)))
    assert of_type(game.events, moves.ColumnHarvested) == [
        moves.ColumnHarvested(0, 0, ("red", "red", "red", "black_eyed", "black_eyed", "soy"), 3)
    ]
    view = game.view(0)
    assert view.dollars == (3, 0)
    assert view.own_fields[0].cards == ()
    assert sum(view.discard) == 3


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
        if not isinstance(view.legal()[0], moves.AcceptGift):
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
                each.apply(view.seat, moves.DeclineGift())
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
