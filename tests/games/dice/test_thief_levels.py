"""The Bean Thief: field stealing, super-steals, and the four levels of difficulty of its rules."""

import pytest

from beanleague.games import IllegalActionError, Outcome, SetupError
from beanleague.games.core import Pass, TurnStarted
from beanleague.games.dice import moves
from tests.games.dice.helpers import THIEF_LEVELS, ScriptedGame, ScriptedThief, new, scripted
from tests.games.helpers import do, of_type, play

EASY, NORMAL, HARD, VERY_HARD = THIEF_LEVELS
ALL = (0, 1, 2, 3, 4, 5, 6)
NO = "7 blue; 7 blue; 7 blue"
SEVEN = "stink stink blue green soy soy garden"
CHINA = "china china china china blue blue blue"


def thief(
    level: str = NORMAL,
    top: str = "",
    bottom: str = "",
    throws: tuple[str, ...] = (SEVEN,),
    completed: int = 0,
    dollars: int = 0,
    stolen: int = 0,
) -> ScriptedGame | ScriptedThief:
    return scripted(level, cards=[(top, bottom)], throws=throws, completed=[completed], dollars=[dollars], thief=stolen)


# Gameplay


def test_orders_are_completed_as_soon_as_the_dice_are_in_the_field() -> None:
    game = thief(top=f"2 stink; blue; china; {NO}", throws=(SEVEN, "china soy soy garden"))
    do(game, (0, moves.Save((0, 1, 2))))
    assert game.view(0).completed == (2,)
    do(game, (0, moves.Save((3, 4))))
    assert game.view(0).completed == (3,)
    assert of_type(game.events, moves.OrdersCompleted) == [
        moves.OrdersCompleted(0, 2, 2),
        moves.OrdersCompleted(0, 1, 3),
    ]


def test_a_card_that_becomes_the_top_card_is_checked_against_the_field_at_once() -> None:
    game = thief(bottom=f"2 stink; blue; china; {NO}", completed=3, throws=(SEVEN, "china soy soy garden"))
    do(game, (0, Pass()), (0, moves.Save((0, 1, 2))), (0, moves.HarvestTop()))
    assert game.view(0).completed == (2,)
    assert game.view(0).dollars == (1,)


def test_the_player_is_asked_to_harvest_before_the_first_roll_and_before_the_super_steal() -> None:
    game = thief(top="7 blue; 7 blue; 7 blue; soy; 7 blue; 7 blue", completed=3)
    assert (game.view(0).decision, game.view(0).roll) == (moves.DiceDecision.HARVEST, 0)
    do(game, (0, Pass()), (0, moves.Save(ALL)))
    assert (game.view(0).decision, game.view(0).roll) == (moves.DiceDecision.HARVEST, 1), "there is one order more"
    assert of_type(game.events, moves.SuperStealRolled) == []
    do(game, (0, Pass()))
    assert len(of_type(game.events, moves.SuperStealRolled)) == 1


def test_a_player_who_declined_and_made_no_progress_is_not_asked_to_harvest_again() -> None:
    game = do(thief(completed=3), (0, Pass()), (0, moves.Save(ALL)))
    assert len(of_type(game.events, moves.SuperStealRolled)) == 1


# Beanfield stealing


def test_saving_two_dice_is_safe() -> None:
    game = thief(throws=(SEVEN, "stink red soy soy garden"))
    do(game, (0, moves.Save((0, 1))))
    assert of_type(game.events, moves.ThiefRolled) == []
    assert of_type(game.events, moves.Rolled)[-1].dice == (2, 3, 4, 5, 6)


def test_after_saving_one_die_the_thief_rolls_and_takes_a_matching_one() -> None:
    """Of the same kind, whatever sort of die; there is nothing to choose among one."""
    game = thief(throws=(SEVEN, "red blue green soy blue garden", "china china china soy soy blue"))
    do(game, (0, moves.Save((2,))))
    assert of_type(game.events, moves.ThiefRolled) == [
        moves.ThiefRolled((0, 1, 3, 4, 5, 6), ("red", "blue", "green", "soy", "blue", "garden"))
    ]
    assert of_type(game.events, moves.DieStolen) == [moves.DieStolen(2)]
    view = game.view(0)
    assert (view.saved, view.stolen, view.rolled) == ((), (2,), (0, 1, 3, 4, 5, 6))


def test_the_thief_that_finds_no_match_takes_nothing() -> None:
    game = thief(throws=(SEVEN, "red red green soy soy garden"))
    do(game, (0, moves.Save((2,))))
    assert of_type(game.events, moves.DieStolen) == []
    assert game.view(0).saved == (2,)


def test_the_player_chooses_which_of_several_matching_dice_it_loses() -> None:
    """A single one is lost however many match; completed orders stay completed."""
    game = thief(
        top=f"stink + green; 7 blue; 7 blue; {NO}",
        throws=(SEVEN, "blue blue soy soy garden", "stink green soy garden"),
    )
    do(game, (0, moves.Save((0, 3))), (0, moves.Save((1,))))
    view = game.view(0)
    assert (view.decision, view.at_risk) == (moves.DiceDecision.LOSE, (0, 3))
    assert set(view.legal()) == {moves.LoseDie(0), moves.LoseDie(3)}
    with pytest.raises(IllegalActionError, match=r"one of the dice \(0, 3\), not 1"):
        game.apply(0, moves.LoseDie(1))
    do(game, (0, moves.LoseDie(3)))
    view = game.view(0)
    assert (view.saved, view.stolen, view.rolled) == ((0, 1), (3,), (2, 4, 5, 6))
    assert view.completed == (1,)


@pytest.mark.parametrize(("third", "asked"), [("7 blue", False), ("stink", True)])
def test_which_of_one_kind_is_lost_is_asked_only_if_a_harvest_is_possible(third: str, asked: bool) -> None:
    six = SEVEN.removeprefix("stink ")
    game = thief(top=f"7 blue; 7 blue; {third}; {NO}", throws=(SEVEN, six, six), completed=2)
    do(game, (0, moves.Save((0,))))
    assert (game.view(0).decision is moves.DiceDecision.LOSE) is asked
    assert (moves.HarvestTop() in game.view(0).legal()) is asked
    assert game.view(0).stolen == (() if asked else (0,))


def test_a_stolen_die_is_neither_rolled_nor_counted_until_the_turn_is_over() -> None:
    game = thief(
        top=f"china + blue; 7 blue; 7 blue; {NO}",
        throws=("stink stink blue green blue soy garden", "red blue green soy blue garden"),
    )
    do(game, (0, moves.Save((2,))))
    rolled = game.view(0).rolled
    assert 2 not in rolled
    do(game, (0, moves.Save(rolled)))
    assert of_type(game.events, TurnStarted)[-1] == TurnStarted(2, 0)
    assert game.view(0).rolled == ALL
    assert game.view(0).stolen == ()


def test_the_thief_may_be_answered_with_a_harvest() -> None:
    """The die is still in the field, and counts for the next card, when the player harvests first."""
    game = thief(bottom=f"blue; 7 blue; 7 blue; {NO}", completed=3, throws=(SEVEN, "red blue green soy blue garden"))
    do(game, (0, Pass()), (0, moves.Save((2,))))
    assert set(game.legal(0)) == {moves.LoseDie(2), moves.HarvestTop()}
    do(game, (0, moves.HarvestTop()))
    assert game.view(0).completed == (1,)
    assert of_type(game.events, moves.DieStolen) == [moves.DieStolen(2)], "there is nothing left to choose"


def test_the_last_die_is_saved_without_field_stealing() -> None:
    game = thief(throws=(SEVEN, "red"))
    do(game, (0, moves.Save((0, 1, 2, 4, 5, 6))))
    assert of_type(game.events, moves.ThiefRolled) == []
    assert game.view(0).turn == 2


# Super-steals


def after_a_turn(
    level: str, top: str, bottom: str = "", completed: int = 0, roll: str = CHINA, progress: bool = True, **more: int
) -> ScriptedGame | ScriptedThief:
    """The player rolls `SEVEN` and saves all at once, with or without progress; the Thief rolls `roll`."""
    lowest = "soy" if progress else "7 blue"
    orders = top.split(";")
    orders[completed] = lowest
    game = thief(level, ";".join(orders), bottom, (SEVEN, roll), completed, **more)
    while game.view(0).turn == 1 and not game.over:
        do(game, (0, Pass() if game.view(0).decision is moves.DiceDecision.HARVEST else moves.Save(ALL)))
    return game


CARD = "7 blue; 7 blue; 7 blue; 3 blue; 2 china; 4 china"


def test_super_steal_the_thief_takes_the_most_valuable_of_the_top_three_orders_it_meets() -> None:
    game = after_a_turn(NORMAL, CARD, bottom="2 stink; 7 blue; 7 blue; 7 blue; 7 blue; 7 blue")
    assert of_type(game.events, moves.CardStolen) == [moves.CardStolen(0, 6, bottom=False, dollars=3)]
    view = game.view(0)
    assert view.thief == 3
    assert view.dollars == (0,)
    assert view.tops == (1,)
    assert view.completed == (0,)
    assert of_type(game.events, moves.CardDrawn) == [moves.CardDrawn(0, view.bottoms[0])]


@pytest.mark.parametrize(
    ("roll", "stolen"),
    [
        ("china china china china soy soy soy", [(6, 3)]),
        ("china china red red soy soy soy", [(5, 2)]),
        ("red red red red blue blue blue", [(4, 1)]),
        ("red red red red soy soy soy", []),
    ],
)
def test_super_steal_earns_a_dollar_less_than_the_player_would_get(roll: str, stolen: list[tuple[int, int]]) -> None:
    game = after_a_turn(NORMAL, CARD, roll=roll)
    assert [(event.order, event.dollars) for event in of_type(game.events, moves.CardStolen)] == stolen
    assert game.view(0).thief == sum(dollars for _, dollars in stolen)


def test_super_steal_spares_orders_that_are_completed() -> None:
    """And the three lowest in any case."""
    top = "4 china; 4 china; 4 china; 4 china; 4 china; 7 blue"
    game = after_a_turn(NORMAL, top, completed=5, progress=False)
    assert of_type(game.events, moves.CardStolen) == []
    assert game.view(0).completed == (5,)


def test_easy_without_an_order_completed_the_thief_is_lazy() -> None:
    game = after_a_turn(EASY, CARD, progress=False)
    assert of_type(game.events, moves.SuperStealRolled, moves.CardStolen) == []
    game = after_a_turn(EASY, CARD, progress=True)
    assert len(of_type(game.events, moves.CardStolen)) == 1


def test_normal_the_thief_tries_after_every_turn() -> None:
    assert len(of_type(after_a_turn(NORMAL, CARD, progress=False).events, moves.CardStolen)) == 1


def test_normal_the_thief_leaves_the_bottom_card_alone() -> None:
    game = after_a_turn(NORMAL, f"{NO}; {NO}", bottom=CARD, completed=3)
    assert of_type(game.events, moves.CardStolen) == []


def test_hard_when_the_player_could_have_harvested_the_roll_counts_for_both_cards() -> None:
    game = after_a_turn(HARD, CARD, bottom=CARD, completed=3)
    assert of_type(game.events, moves.CardStolen) == [
        moves.CardStolen(1, 6, bottom=True, dollars=3),
        moves.CardStolen(0, 6, False, 3),
    ], "the bottom card first, so that both are named as they lay"
    view = game.view(0)
    assert (view.thief, view.completed) == (6, (0,))
    assert of_type(game.events, moves.CardDrawn) == [
        moves.CardDrawn(0, view.tops[0]),
        moves.CardDrawn(0, view.bottoms[0]),
    ]


def test_hard_if_only_the_bottom_card_is_taken_the_progress_on_the_top_card_is_lost() -> None:
    game = after_a_turn(HARD, f"{NO}; {NO}", bottom=CARD, completed=3)
    assert of_type(game.events, moves.CardStolen) == [moves.CardStolen(1, 6, bottom=True, dollars=3)]
    view = game.view(0)
    assert view.tops == (0,)
    assert view.completed == (0,)
    assert of_type(game.events, moves.CardDrawn) == [moves.CardDrawn(0, view.bottoms[0])]


def test_hard_if_only_the_top_card_is_taken_the_bottom_card_moves_up() -> None:
    game = after_a_turn(HARD, CARD, bottom=f"{NO}; {NO}", completed=3)
    assert of_type(game.events, moves.CardStolen) == [moves.CardStolen(0, 6, bottom=False, dollars=3)]
    assert game.view(0).tops == (1,)


def test_hard_when_the_player_could_not_have_harvested_only_the_top_card_counts() -> None:
    game = after_a_turn(HARD, f"{NO}; {NO}", bottom=CARD, completed=1)
    assert of_type(game.events, moves.SuperStealRolled) != []
    assert of_type(game.events, moves.CardStolen) == []


def test_hard_who_harvests_first_loses_only_what_is_on_the_next_card() -> None:
    game = thief(HARD, bottom=f"{NO}; {NO}", completed=3, throws=(SEVEN, CHINA))
    do(game, (0, moves.HarvestTop()), (0, moves.Save(ALL)))
    assert of_type(game.events, moves.SuperStealRolled) != []
    assert of_type(game.events, moves.CardStolen) == []


def test_very_hard_without_progress_the_thief_takes_the_top_card_and_then_tries_the_other() -> None:
    game = after_a_turn(VERY_HARD, f"{NO}; {NO}", bottom=CARD, progress=False)
    assert of_type(game.events, moves.CardStolen) == [
        moves.CardStolen(0, 0, bottom=False, dollars=1),
        moves.CardStolen(1, 6, False, 3),
    ]
    assert game.view(0).thief == 4


def test_very_hard_the_card_the_thief_took_for_no_progress_is_not_rolled_for() -> None:
    """Also if it could have been harvested: the roll then counts for the other card alone."""
    game = after_a_turn(VERY_HARD, CARD, bottom=f"{NO}; {NO}", completed=3, progress=False)
    assert of_type(game.events, moves.CardStolen) == [moves.CardStolen(0, 0, bottom=False, dollars=1)]
    assert game.view(0).tops == (1,)
    assert len(of_type(game.events, moves.CardDrawn)) == 1


def test_very_hard_with_progress_is_as_hard() -> None:
    game = after_a_turn(VERY_HARD, CARD, bottom=CARD, completed=3)
    assert [event.order for event in of_type(game.events, moves.CardStolen)] == [6, 6]
    assert after_a_turn(VERY_HARD, f"{NO}; {NO}").view(0).thief == 0


# The end


def test_the_player_wins_with_thirteen_dollars_at_once() -> None:
    game = do(thief(completed=6, dollars=10, stolen=12), (0, moves.HarvestTop()))
    assert game.outcome == Outcome((14,), (1,), 12)
    assert game.events[-1] == moves.SoloEnded(14, 12, won=True)


def test_the_thief_wins_with_thirteen_dollars() -> None:
    game = after_a_turn(NORMAL, CARD, dollars=12, stolen=10)
    assert game.outcome == Outcome((12,), (2,), 13)
    assert game.events[-1] == moves.SoloEnded(12, 13, won=False)


def test_very_hard_the_thief_may_win_before_it_rolls() -> None:
    game = after_a_turn(VERY_HARD, CARD, bottom=CARD, progress=False, stolen=12)
    assert of_type(game.events, moves.SuperStealRolled) == []
    assert game.outcome == Outcome((0,), (2,), 13)


@pytest.mark.parametrize(("dollars", "place"), [(1, 1), (0, 2)])
def test_after_200_turns_the_wealthier_wins_and_the_thief_on_a_tie(dollars: int, place: int) -> None:
    game = thief(EASY, top="7 blue; 7 blue; 7 blue; 7 blue; 7 blue; 7 blue", dollars=dollars)
    play(game, lambda view: view.default())
    assert of_type(game.events, TurnStarted)[-1].turn == 200
    assert game.outcome == Outcome((dollars,), (place,), 0)


def test_there_is_no_bean_piece_and_one_seat() -> None:
    assert moves.RollAgain() not in thief().legal(0)
    with pytest.raises(SetupError, match="bean-thief-easy is for 1 seat, not 2"):
        new(EASY, 2)
