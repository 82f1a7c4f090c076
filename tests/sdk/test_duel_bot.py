"""DuelBot, DiceBot and ThiefBot: a method per decision, and what they do by default."""

from dataclasses import replace
from typing import Any

import pytest

from beanbot import duel
from beanbot.dice import DiceBot, DiceDecision, DiceView, HarvestTop, Save, useful_dice
from beanbot.thief import LoseDie, ThiefBot
from beanleague.games import new_game
from tests.choices import first
from tests.games.dice.helpers import FILLER, deck_text
from tests.kinds import kinds


def column(text: str) -> duel.Column:
    grown = duel.Column()
    for kind in kinds(text):
        grown = grown.grown(kind)
    return grown


def view_of(decision: duel.DuelDecision, *fields: str, **changes: Any) -> duel.DuelView:
    """Return a view with these own fields, which may all be harvested, and other `changes`."""
    view = new_game("duel", seats=2, seed=b"any").view(0)
    assert isinstance(view, duel.DuelView)
    own = tuple(map(column, fields)) + (duel.Column(),) * (3 - len(fields))
    harvestable = tuple(i for i, field in enumerate(own) if field.cards)
    changes = {"fulfillable": (), **changes}
    return replace(view, decision=decision, fields=(own, view.fields[1]), harvestable=harvestable, **changes)


@pytest.mark.parametrize("decision", [decision for decision in duel.DuelDecision if decision])
def test_whatever_is_asked_it_fulfils_first(decision: duel.DuelDecision) -> None:
    step = duel.Fulfil(3, 1, 2)
    assert duel.DuelBot().decide(view_of(decision, fulfillable=(step,))) == [step]


def test_with_nothing_more_to_fulfil_it_goes_on_after_drawing() -> None:
    assert duel.DuelBot().decide(view_of(duel.DuelDecision.DRAWN_BOHNUS)) == duel.Pass()


@pytest.mark.parametrize("decision", [duel.DuelDecision.PLANT_FIRST, duel.DuelDecision.PLANT_SECOND])
def test_a_card_goes_to_its_own_kind_then_to_the_kind_below_then_to_an_empty_field(decision: duel.DuelDecision) -> None:
    def plant(*fields: str) -> object:
        return first(duel.DuelBot().decide(view_of(decision, *fields, hand=("soy", "blue"))))

    assert plant("black_eyed black_eyed", "soy", "") == duel.Plant(1)
    assert plant("red", "", "black_eyed") == duel.Plant(2)
    assert plant("red", "green") == duel.Plant(2)


def test_without_room_the_first_card_harvests_and_the_second_stays() -> None:
    fields = "blue blue blue", "red red red", "green"
    assert duel.DuelBot().decide(view_of(duel.DuelDecision.PLANT_FIRST, *fields, hand=("soy",))) == [
        duel.Harvest(1),
        duel.Plant(1),
    ]
    assert duel.DuelBot().decide(view_of(duel.DuelDecision.PLANT_SECOND, *fields, hand=("soy",))) == duel.Pass()


def test_a_duel_bot_offers_cards_it_has_and_bluffs_only_when_it_must() -> None:
    has = view_of(duel.DuelDecision.OFFER_GIFT, hand=("soy", "blue"), turned=("red",), offered=("red", "soy"))
    assert duel.DuelBot().decide(has) == duel.OfferGift("blue")
    must = replace(has, offered=("red", "soy", "blue"))
    assert duel.DuelBot().decide(must) == duel.OfferGift("garden")


def test_a_duel_bot_accepts_gifts_for_growing_fields() -> None:
    def answer(*fields: str) -> object:
        return duel.DuelBot().decide(view_of(duel.DuelDecision.ANSWER_GIFT, *fields, offered=("soy",)))

    assert answer("soy") == duel.AcceptGift()
    assert answer("black_eyed") == duel.AcceptGift()
    assert answer("red", "", "") == duel.DeclineGift()
    assert answer("red", "green", "blue") == duel.DeclineGift()


def test_a_duel_bot_gives_a_turned_over_card_before_a_hand_card() -> None:
    view = view_of(duel.DuelDecision.GIVE, hand=("soy",), turned=("red", "soy"), offered=("soy",))
    assert duel.DuelBot().decide(view) == duel.Give("turned", 1)


def test_in_phase_3_it_plants_what_has_a_place_then_discards_then_harvests() -> None:
    def act(*fields: str, **changes: Any) -> object:
        fields_of_view = {"turned": ("soy", "red"), "may_discard": True, **changes}
        return first(duel.DuelBot().decide(view_of(duel.DuelDecision.PLANT_TURNED, *fields, **fields_of_view)))

    full = "blue blue blue blue", "chili", "stink"
    assert act("red", "blue", "chili") == duel.PlantTurned(1, 0)
    assert act(*full) == duel.DiscardTurned(0)
    assert act(*full, may_discard=False) == duel.Harvest(0)
    assert act("chili", "chili", "chili", gifts=("chili", None)) == duel.PlantGift(0)


def test_a_gift_is_planted_or_room_is_made_for_it() -> None:
    def act(*fields: str) -> object:
        return duel.DuelBot().decide(view_of(duel.DuelDecision.PLANT_GIFT, *fields, gifts=("soy", None)))

    assert act("red", "soy") == [duel.PlantGift(1)]
    assert act("red red", "blue", "stink") == [duel.Harvest(0), duel.PlantGift(0)]


def test_a_duel_bot_keeps_its_bohnus_cards_and_passes_interludes() -> None:
    assert duel.DuelBot().decide(view_of(duel.DuelDecision.DISCARD_BOHNUS)) == duel.Pass()
    assert duel.DuelBot().decide(view_of(duel.DuelDecision.INTERLUDE)) == duel.Pass()


def test_of_places_alike_the_longest_is_best() -> None:
    view = view_of(duel.DuelDecision.PLANT_FIRST, "soy", "garden red black_eyed soy", "soy soy")
    assert duel.best_place(view, "soy") == 1
    assert duel.best_place(view, "blue") is None


def test_the_least_loss_is_the_field_with_least_of_a_next_dollar() -> None:
    """All beans of a field count, on the beanometer of the last."""
    view = view_of(duel.DuelDecision.PLANT_FIRST, "red red soy", "blue blue blue", "black_eyed soy soy soy")
    assert duel.least_loss(view) == 2


DICE = ["dice", "dice-2012"]


def dice_view(
    decision: DiceDecision = DiceDecision.SAVE,
    *,
    card: str = FILLER[5],
    faces: str = "blue blue blue blue blue",
    saved: tuple[int, ...] = (),
    game: str = "dice",
    **changes: Any,
) -> DiceView:
    """Return a view with the top card `card`, dice that show `faces`, those in `saved` in the field, and `changes`."""
    seats = 2 if game in DICE else 1
    deck = deck_text([card, *[FILLER[card.count(";") + 1]] * 30])
    view = new_game(game, seats=seats, seed=b"any", options={"deck": deck}).view(0)
    assert isinstance(view, DiceView)
    shown = tuple(faces.split())
    rolled = tuple(die for die in range(len(shown)) if die not in saved)
    fields = {"decision": decision, "faces": shown, "rolled": rolled, "saved": saved, "tops": (0,) * seats, **changes}
    return replace(view, **fields)


def card(*orders: str) -> str:
    """Return a card of five orders, those that are not given are never met by chance."""
    return "; ".join([*orders, *["5 blue"] * (5 - len(orders))])


def test_a_dice_bot_harvests_as_soon_as_it_can() -> None:
    assert DiceBot().decide(dice_view(DiceDecision.HARVEST)) == HarvestTop()


def test_a_dice_bot_saves_dice_that_complete_the_next_order() -> None:
    view = dice_view(card=card("soy + green", "2 stink"), faces="soy stink red green blue")
    assert DiceBot().decide(view) == Save((0, 1, 3)), "and of the next order what there is"


def test_dice_that_lie_in_the_field_count() -> None:
    order = card("soy + 2 green")
    assert useful_dice(dice_view(card=order, faces="soy soy green green green", saved=(0, 2))) == (3,)


def test_orders_that_are_completed_are_of_no_use_any_more() -> None:
    view = dice_view(card=card("2 soy", "2 green"), faces="soy soy green red blue", completed=(1, 0))
    assert useful_dice(view) == (2,)


def test_of_several_ways_to_meet_an_order_it_takes_the_nearest() -> None:
    view = dice_view(card=card("3 soy or 2 green + red"), faces="soy stink green red blue")
    assert useful_dice(view) == (2, 3)


def test_with_nothing_of_use_it_saves_one_die() -> None:
    view = dice_view(card=card("2 garden"), faces="soy soy green red green", saved=(0,))
    assert useful_dice(view) == ()
    assert DiceBot().decide(view) == Save((1,))


def test_against_the_thief_it_never_saves_a_single_die_if_there_are_more() -> None:
    """Who does is robbed."""
    orders = "2 soy; " + "; ".join(["7 blue"] * 5)
    view = dice_view(game="bean-thief-normal", card=orders, faces="red red red red soy green green")
    assert ThiefBot().decide(view) == Save((0, 4))
    assert ThiefBot().decide(replace(view, rolled=(4,), saved=(0, 1, 2, 3, 5, 6))) == Save((4,))


def test_the_thief_takes_the_die_saved_last() -> None:
    view = dice_view(DiceDecision.LOSE, game="bean-thief-normal", card=FILLER[6], at_risk=(1, 4))
    assert ThiefBot().decide(view) == LoseDie(4)
