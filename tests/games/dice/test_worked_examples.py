"""The worked examples of the rule book of 2022, played with the engine."""

import pytest

from beanleague.games import IllegalActionError
from beanleague.games.core import Pass
from beanleague.games.dice import moves
from beanleague.games.dice.orders import code, covers, needs, parse_order
from beanleague.games.dice.rules import edition
from tests.games.dice.helpers import ScriptedGame, ScriptedThief, scripted
from tests.games.helpers import do, of_type
from tests.kinds import kinds

MATTHIAS, MARTINA, BJOERN = 0, 1, 2
NEVER = "5 blue; 5 blue; 5 blue; 5 blue; 5 blue"


def meets(order: str, beans: str) -> bool:
    known = edition("2022").kinds
    shown = code(kinds(beans), known)
    return any(covers(shown, need) for need in needs(parse_order(order, known, 5), known))


@pytest.mark.parametrize(
    ("order", "met_by", "not_met_by"),
    [
        ("stink + soy + red", ["stink soy red", "blue red soy stink red"], ["stink soy soy blue blue", "stink red"]),
        ("2 green or 2 soy", ["green green", "soy soy", "soy green soy"], ["soy green red red red"]),
        (
            "soy|green + red + garden",
            ["soy red garden", "green red garden", "garden soy green red"],
            ["soy green red", "soy green garden garden blue"],
        ),
        (
            "soy|green + 2 of garden|red",
            ["soy garden garden", "green red red", "green garden red"],
            ["garden garden red red", "soy green garden", "soy red blue stink stink"],
        ),
    ],
)
def test_orders_of_the_book_are_met_by_the_dice_it_says(order: str, met_by: list[str], not_met_by: list[str]) -> None:
    """The four kinds of orders there are."""
    assert all(meets(order, beans) for beans in met_by)
    assert not any(meets(order, beans) for beans in not_met_by)


def matthias_saves_a_stink_bean(then: str) -> ScriptedGame | ScriptedThief:
    """He rolls five dice and saves one; the four others show `then`."""
    game = scripted(
        cards=[
            (f"2 stink; {NEVER[8:]}", ""),
            (f"2 green; {NEVER[8:]}", ""),
            (f"2 stink; {NEVER[8:]}", ""),
        ],
        throws=["soy stink red blue blue", then],
    )
    return do(game, (MATTHIAS, moves.Save((1,))))


def test_example_1_matthias_saves_the_stink_bean_and_rerolls_the_four_others() -> None:
    game = matthias_saves_a_stink_bean(then="soy red red blue")
    view = game.view(MATTHIAS)
    assert (view.saved, view.rolled) == ((1,), (0, 2, 3, 4))
    assert view.faces == ("soy", "stink", "red", "red", "blue")
    assert view.roll == 2
    with pytest.raises(IllegalActionError, match="save one or more of the dice just rolled"):
        game.apply(MATTHIAS, moves.Save((1, 2)))


def test_example_2_martina_profits_from_the_roll_and_bjoern_may_not_use_the_field() -> None:
    """Before Matthias saves a die: two green beans are hers; a stink bean of an earlier roll does not help Björn."""
    game = matthias_saves_a_stink_bean(then="soy green stink green")
    assert of_type(game.events, moves.OrdersCompleted) == [moves.OrdersCompleted(MARTINA, 1, 1)]
    assert game.view(MATTHIAS).completed == (0, 1, 0)
    assert game.to_act() == (MATTHIAS,)
    assert game.view(MATTHIAS).decision is moves.DiceDecision.SAVE


def test_example_3_matthias_repeats_the_roll_of_both_dice_with_the_bean_piece() -> None:
    """Once a turn, with all dice just rolled; the others check before and after."""
    game = scripted(
        cards=[("", ""), (f"red; red + green; {NEVER[16:]}", "")],
        throws=["soy stink blue blue blue", "red blue", "red green"],
    )
    do(game, (MATTHIAS, moves.Save((0, 1, 2))))
    assert game.view(MATTHIAS).completed == (0, 1)
    do(game, (MATTHIAS, moves.RollAgain()))
    assert of_type(game.events, moves.Rolled)[-1] == moves.Rolled(MATTHIAS, 3, (3, 4), ("red", "green"), again=True)
    assert game.view(MATTHIAS).completed == (0, 2)
    assert game.view(MATTHIAS).saved == (0, 1, 2)
    with pytest.raises(IllegalActionError, match="the bean piece is used"):
        game.apply(MATTHIAS, moves.RollAgain())


def test_example_4_matthias_stops_and_completes_two_orders_using_the_soy_bean_for_both() -> None:
    game = scripted(
        cards=[(f"soy + stink; soy + 2 green; {NEVER[16:]}", ""), ("", "")], throws=["soy stink green green blue"]
    )
    assert game.view(MATTHIAS).completed == (0, 0)
    do(game, (MATTHIAS, moves.Save((0, 1, 2, 3, 4))))
    assert of_type(game.events, moves.OrdersCompleted) == [moves.OrdersCompleted(MATTHIAS, 2, 2)]
    assert (game.view(1).turn, game.view(1).active, game.to_act()) == (2, 1, (1,))


def test_example_5_martina_harvests_four_orders_for_two_dollars() -> None:
    """The card and one from the deck are her dollars; the bottom card moves up, and a new one is drawn."""
    game = scripted(
        cards=[("", ""), (NEVER, f"red; {NEVER[8:]}")],
        completed=[0, 4],
        throws=["soy stink red blue blue"],
        next_cards=["green; red; red; red; red"],
    )
    view = game.view(MARTINA)
    assert game.to_act() == (MARTINA,)
    assert (view.decision, view.may_harvest, view.earns) == (moves.DiceDecision.HARVEST, True, 2)
    assert set(view.legal()) == {moves.HarvestTop(), Pass()}
    top, bottom, cards = view.tops[MARTINA], view.bottoms[MARTINA], view.deck
    do(game, (MARTINA, moves.HarvestTop()))
    harvested, drawn, new_card, completed = game.events[-4:]
    assert harvested == moves.CardHarvested(MARTINA, top, 4, 2)
    assert isinstance(drawn, moves.DollarsDrawn)
    assert (drawn.seat, drawn.count) == (MARTINA, 1)
    assert isinstance(new_card, moves.CardDrawn)
    assert completed == moves.OrdersCompleted(MARTINA, 1, 1), "the red bean lies there for her new top card, too"
    view = game.view(MARTINA)
    assert view.dollars == (0, 2)
    assert (view.tops[MARTINA], view.bottoms[MARTINA]) == (bottom, new_card.card)
    assert str(view.rules.cards[view.bottoms[view.seat]].orders[0]) == "green"
    assert view.deck == cards - 2
    assert (game.to_act(), game.view(MATTHIAS).decision) == ((MATTHIAS,), moves.DiceDecision.SAVE)
