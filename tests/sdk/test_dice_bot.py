"""DiceBot and ThiefBot: a method per decision, and what they do by default."""

from dataclasses import replace
from typing import Any

from beanbot.dice import DiceBot, DiceDecision, DiceView, HarvestTop, Save, useful_dice
from beanbot.thief import LoseDie, ThiefBot
from beanleague.games import new_game
from tests.games.dice.helpers import FILLER, deck_text

DICE = ["dice", "dice-2012"]


def view_of(
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


def test_it_harvests_as_soon_as_it_can() -> None:
    assert DiceBot().decide(view_of(DiceDecision.HARVEST)) == HarvestTop()


def test_it_saves_what_completes_the_next_order() -> None:
    view = view_of(card=card("soy + green", "2 stink"), faces="soy stink red green blue")
    assert DiceBot().decide(view) == Save((0, 1, 3)), "and of the next order what there is"


def test_dice_that_lie_in_the_field_count() -> None:
    order = card("soy + 2 green")
    assert useful_dice(view_of(card=order, faces="soy soy green green green", saved=(0, 2))) == (3,)


def test_orders_that_are_completed_are_of_no_use_any_more() -> None:
    view = view_of(card=card("2 soy", "2 green"), faces="soy soy green red blue", completed=(1, 0))
    assert useful_dice(view) == (2,)


def test_of_several_ways_to_meet_an_order_it_takes_the_nearest() -> None:
    view = view_of(card=card("3 soy or 2 green + red"), faces="soy stink green red blue")
    assert useful_dice(view) == (2, 3)


def test_with_nothing_of_use_it_saves_one_die() -> None:
    view = view_of(card=card("2 garden"), faces="soy soy green red green", saved=(0,))
    assert useful_dice(view) == ()
    assert DiceBot().decide(view) == Save((1,))


def test_against_the_thief_it_never_saves_a_single_die_if_there_are_more() -> None:
    """Who does is robbed."""
    orders = "2 soy; " + "; ".join(["7 blue"] * 5)
    view = view_of(game="bean-thief-normal", card=orders, faces="red red red red soy green green")
    assert ThiefBot().decide(view) == Save((0, 4))
    assert ThiefBot().decide(replace(view, rolled=(4,), saved=(0, 1, 2, 3, 5, 6))) == Save((4,))


def test_the_thief_takes_the_die_saved_last() -> None:
    view = view_of(DiceDecision.LOSE, game="bean-thief-normal", card=FILLER[6], at_risk=(1, 4))
    assert ThiefBot().decide(view) == LoseDie(4)
