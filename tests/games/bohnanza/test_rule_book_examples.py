"""The worked examples of the Amigo rule book for the base game, played with the engine."""

import pytest

from beanleague.games import Kind
from beanleague.games.bohnanza import Accept, Answered, Decision, Decline, Field, Offer, Pick, PlantAside, Stop, Traded
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Harvest, Harvested, Pass, Plant
from beanleague.games.core.kinds import all_kinds
from tests.games.bohnanza.helpers import scripted
from tests.games.helpers import do, of_type

TIMON, NINA, KENO = 0, 2, 1
OTHERS = (1, 2, 3)


def timon_has_turned_over_soy_and_blue() -> Bohnanza:
    """Timon grows red and blue beans, so a soy bean has no place in his fields. Nina holds a red bean."""
    game = scripted(
        seats=4,
        hands=["blue green chili stink", "stink", "green red stink", "green"],
        fields={(TIMON, 0): "red red", (TIMON, 1): "blue", (NINA, 0): "soy", (NINA, 1): "chili chili"},
        pile="soy blue stink stink stink stink",
    )
    return do(game, (TIMON, Plant(1)), (TIMON, Pass()))


def timon_ups_his_offer(game: Bohnanza) -> Bohnanza:
    """Nobody wants the soy bean alone; he adds a chili bean from the middle of his hand."""
    do(game, (TIMON, Offer(OTHERS, turned=(0,), wants=("red",))))
    do(game, *((seat, Decline()) for seat in OTHERS))
    return do(game, (TIMON, Offer(OTHERS, turned=(0,), hand=(1,), wants=("red",))))


def nina_accepts(game: Bohnanza) -> Bohnanza:
    do(game, (1, Decline()), (NINA, Accept(hand=(1,))), (3, Decline()))
    return do(game, (TIMON, Pick(NINA)))


def test_example_1_timon_offers_a_turned_over_soy_bean_for_a_red_bean() -> None:
    """The turned-over cards are his to trade with, and every other player is asked."""
    game = timon_has_turned_over_soy_and_blue()
    view = game.view(TIMON)
    assert view.decision is Decision.TRADE
    assert view.turned == ("soy", "blue")
    assert view.places_for("soy") == ()
    do(game, (TIMON, Offer(OTHERS, turned=(0,), wants=("red",))))
    assert game.to_act() == OTHERS
    offer = game.view(NINA).offer
    assert offer
    assert (offer.gives, offer.wants) == (("soy",), ("red",))


def test_example_2_timon_ups_his_offer_with_a_chili_bean_from_his_hand() -> None:
    """Any card of the hand may be offered, wherever it is, and stays in the hand until a trade is agreed on."""
    game = timon_ups_his_offer(timon_has_turned_over_soy_and_blue())
    offer = game.view(NINA).offer
    assert offer
    assert (offer.gives, offer.wants) == (("soy", "chili"), ("red",))
    assert game.view(TIMON).hand == ("green", "chili", "stink")
    assert game.view(TIMON).turned == ("soy", "blue")


def test_example_3_nina_accepts_and_both_lay_their_new_cards_aside() -> None:
    """What is received goes to neither hand nor field; who declined keeps everything."""
    game = nina_accepts(timon_ups_his_offer(timon_has_turned_over_soy_and_blue()))
    view = game.view(TIMON)
    assert view.aside == (("red",), (), ("soy", "chili"), ())
    assert view.hand == ("green", "stink")
    assert view.turned == ("blue",)
    assert game.view(NINA).hand == ("green", "stink")
    assert of_type(game.events, Answered)[-3:] == [
        Answered(1, "decline"),
        Answered(NINA, "accept", (1,), ("red",)),
        Answered(3, "decline"),
    ]
    assert of_type(game.events, Traded) == [Traded(TIMON, NINA, (0,), (1,), ("soy", "chili"), (1,), ("red",))]


def test_example_4_timon_and_nina_plant_what_they_received() -> None:
    """Timon plants his red bean and the blue one left over, then Nina both of hers, each into fields of the kind."""
    game = nina_accepts(timon_ups_his_offer(timon_has_turned_over_soy_and_blue()))
    do(game, (TIMON, Stop()))
    assert game.view(TIMON).own_aside == ("red", "blue")
    do(game, (TIMON, PlantAside(0, 0)), (TIMON, PlantAside(0, 1)))
    do(game, (NINA, PlantAside(1, 1)), (NINA, PlantAside(0, 0)))
    fields = game.view(0).fields
    assert fields[TIMON] == (Field("red", 3), Field("blue", 3))
    assert fields[NINA] == (Field("soy", 2), Field("chili", 3))
    assert not any(game.view(0).aside)


def test_example_5_keno_harvests_three_chili_beans_for_one_dollar() -> None:
    """One card becomes a dollar, the other two are discarded, and the field is empty."""
    game = scripted(hands=["", "", ""], fields={(0, 0): "chili chili chili", (0, 1): "blue"})
    do(game, (0, Harvest(0)))
    view = game.view(0)
    assert of_type(game.events, Harvested) == [Harvested(0, 0, "chili", 3, 1)]
    assert view.dollars == (1, 0, 0)
    assert view.own_fields[0] == Field(None, 0)
    assert dict(zip([kind.name for kind in view.rules.kinds], view.discard, strict=True))["chili"] == 2


@pytest.mark.parametrize(
    ("cards", "dollars"), [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 2), (7, 3), (8, 4), (9, 4), (16, 4)]
)
def test_the_beanometer_of_the_stink_bean(cards: int, dollars: int) -> None:
    """Few beans may earn nothing, and more than the last mark earn no more."""
    game = scripted(hands=["", "", ""], fields={(0, 0): " ".join(["stink"] * cards)})
    do(game, (0, Harvest(0)))
    assert game.view(0).dollars[0] == dollars


BEANOMETERS: dict[Kind, dict[int, int]] = {
    "garden": {1: 0, 2: 2, 3: 3, 6: 3},
    "red": {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 8: 4},
    "black_eyed": {1: 0, 2: 1, 3: 1, 4: 2, 5: 3, 6: 4, 10: 4},
    "soy": {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 4, 12: 4},
    "green": {2: 0, 3: 1, 4: 1, 5: 2, 6: 3, 7: 4, 14: 4},
    "chili": {2: 0, 3: 1, 5: 1, 6: 2, 7: 2, 8: 3, 9: 4, 18: 4},
    "blue": {3: 0, 4: 1, 5: 1, 6: 2, 7: 2, 8: 3, 9: 3, 10: 4, 20: 4},
}


@pytest.mark.parametrize("kind", BEANOMETERS)
def test_every_beanometer_of_the_base_game(kind: Kind) -> None:
    """A kind pays the most dollars whose mark the field reaches; the garden bean never pays one or four."""
    (rule,) = [rule for rule in all_kinds() if rule.name == kind]
    assert {cards: rule.dollars(cards) for cards in BEANOMETERS[kind]} == BEANOMETERS[kind]
