"""A turn of the dice game: who may use which dice, who is asked to harvest when, and how the game ends."""

import pytest

from beanleague.games import Outcome
from beanleague.games.core import GameEnded, Pass, TurnStarted
from beanleague.games.dice import moves
from tests.games.dice.helpers import TABLES, new, scripted
from tests.games.helpers import chooser, do, dull, leave_in, left_in, of_type, part, play, put

NO = "5 blue; 5 blue; 5 blue; 5 blue; 5 blue"
FIVE = "stink stink blue blue red"
ALL = (0, 1, 2, 3, 4)


def test_the_active_player_completes_orders_only_when_all_dice_are_saved() -> None:
    game = scripted(cards=[("stink; red; 5 blue; 5 blue; 5 blue", ""), ("", "")], throws=[FIVE, "blue red"])
    do(game, (0, moves.Save((0, 1, 2))))
    assert game.view(0).completed == (0, 0)
    do(game, (0, moves.Save((3, 4))))
    assert of_type(game.events, moves.OrdersCompleted) == [moves.OrdersCompleted(0, 2, 2)]


def test_several_orders_are_completed_at_once_but_none_is_skipped() -> None:
    game = scripted(
        cards=[("", ""), ("stink; 2 blue; soy; red; red", ""), ("soy; red; red; red; red", "")], throws=[FIVE]
    )
    assert game.view(0).completed == (0, 2, 0)


def test_one_die_left_is_saved_without_asking() -> None:
    """Where there is no bean piece any more and nothing to harvest, there is nothing to choose."""
    game = scripted(cards=[("", ""), ("", "")], throws=[FIVE, "red", "blue"])
    do(game, (0, moves.Save((0, 1, 2, 3))))
    assert game.view(0).decision is moves.DiceDecision.SAVE
    do(game, (0, moves.RollAgain()))
    assert of_type(game.events, moves.Saved) == [moves.Saved(0, (0, 1, 2, 3)), moves.Saved(0, (4,))]
    assert game.view(1).active == 1


def test_after_a_roll_the_others_are_asked_from_the_left_of_the_active_player_on() -> None:
    game = scripted(cards=[("", "")] * 4, completed=[0, 3, 2, 4], throws=[FIVE, "blue red"])
    assert game.to_act() == (1,)
    do(game, (1, Pass()))
    assert game.to_act() == (3,)
    do(game, (3, moves.HarvestTop()))
    assert game.to_act() == (0,)
    do(game, (0, moves.Save((0, 1, 2))))
    assert game.to_act() == (1,), "asked again after the next roll, as somebody has more dollars now"


def test_at_the_end_of_a_turn_the_active_player_is_asked_last() -> None:
    top = f"{NO[8:]}; blue"
    game = scripted(cards=[(top, ""), ("", ""), ("", "")], completed=[4, 3, 4], throws=[FIVE])
    do(game, (0, Pass()), (1, Pass()), (2, moves.HarvestTop()), (0, moves.Save(ALL)))
    asked = []
    while game.view(0).turn == 1:
        asked.append(game.to_act()[0])
        do(game, (asked[-1], Pass()))
    assert asked == [1, 0], "somebody has more dollars than when they declined"


def test_a_declining_seat_is_not_asked_again_in_the_turn_while_nothing_has_changed() -> None:
    game = scripted(cards=[("", ""), ("", ""), ("", "")], completed=[3, 3, 4], throws=[FIVE, "blue red"])
    do(game, (0, Pass()), (1, Pass()), (2, Pass()), (0, moves.Save((0, 1, 2))))
    assert game.to_act() == (0,), "not after the next roll"
    do(game, (0, moves.Save((3, 4))))
    assert of_type(game.events, TurnStarted)[-1] == TurnStarted(2, 1), "nor at the end of the turn"
    assert game.view(1).decision is moves.DiceDecision.HARVEST, "but in the next turn"


def test_a_declining_seat_is_asked_again_when_more_orders_are_completed() -> None:
    top = f"{NO[8:]}; red"
    game = scripted(cards=[("", ""), (top, "")], completed=[0, 4], throws=[FIVE.replace("red", "blue"), "blue red"])
    do(game, (1, Pass()), (0, moves.Save((0, 1, 2))))
    assert game.view(1).completed == (0, 5)
    assert game.to_act() == (1,)


def test_a_harvesting_seat_checks_its_next_card_against_the_same_dice_and_is_asked_again() -> None:
    game = scripted(
        cards=[("", ""), ("", "stink; 2 blue; red; 5 blue; 5 blue")],
        completed=[0, 3],
        throws=[FIVE],
        next_cards=["2 stink; 5 blue; 5 blue; 5 blue; 5 blue"],
    )
    do(game, (1, moves.HarvestTop()))
    assert game.to_act() == (1,)
    assert game.view(1).completed == (0, 3)
    do(game, (1, moves.HarvestTop()))
    assert game.view(1).completed == (0, 1)
    assert game.view(1).dollars == (0, 2)
    assert game.to_act() == (0,)


def test_the_dice_in_the_field_are_of_no_use_to_others_who_harvest_at_the_end_of_the_turn() -> None:
    """And so for nobody: no dice lie rolled that a next card could be checked against."""
    top = f"{NO[8:]}; red"
    game = scripted(cards=[(top, f"red; {NO[8:]}"), ("", f"red; {NO[8:]}")], completed=[4, 3], throws=[FIVE])
    do(game, (0, Pass()), (1, Pass()), (0, moves.Save(ALL)))
    done = len(game.events)
    do(game, (0, moves.HarvestTop()))
    assert game.view(0).completed == (0, 3)
    assert of_type(game.events[done:], moves.OrdersCompleted) == []


def test_the_active_player_may_harvest_before_its_first_roll_and_its_next_card_is_checked_at_the_end() -> None:
    game = scripted(cards=[("", f"stink; {NO[8:]}"), ("", "")], completed=[3], throws=[FIVE])
    view = game.view(0)
    assert (view.decision, view.rolled, view.roll) == (moves.DiceDecision.HARVEST, (), 0)
    do(game, (0, moves.HarvestTop()))
    assert game.view(0).decision is moves.DiceDecision.SAVE
    assert game.view(0).completed == (0, 0)
    do(game, (0, moves.Save(ALL)))
    assert of_type(game.events, moves.OrdersCompleted) == [moves.OrdersCompleted(0, 1, 1)]


def test_the_active_player_may_harvest_after_a_roll_as_a_free_step() -> None:
    game = scripted(cards=[("", f"stink; {NO[8:]}"), ("", "")], completed=[3], throws=[FIVE])
    do(game, (0, Pass()))
    assert moves.HarvestTop() in game.legal(0)
    do(game, (0, moves.HarvestTop()))
    assert game.view(0).decision is moves.DiceDecision.SAVE
    assert game.view(0).completed == (0, 0)
    assert moves.HarvestTop() not in game.legal(0)


def test_the_active_player_may_harvest_before_its_last_save_and_has_all_saved_dice_for_the_next_card() -> None:
    game = scripted(cards=[("", "stink; 2 blue; red; 5 blue; 5 blue"), ("", "")], completed=[3], throws=[FIVE])
    do(game, (0, Pass()), (0, moves.HarvestTop()), (0, moves.Save(ALL)))
    assert game.view(0).completed == (3, 0)
    assert game.to_act() == (0,)
    do(game, (0, moves.HarvestTop()))
    assert game.view(0).dollars == (2, 0)


@pytest.mark.parametrize(("completed", "dollars"), [(3, 1), (4, 2), (5, 3)])
def test_a_harvest_earns_by_completed_orders(completed: int, dollars: int) -> None:
    game = do(scripted(cards=[("", ""), ("", "")], completed=[completed]), (0, moves.HarvestTop()))
    assert game.view(0).dollars == (dollars, 0)
    assert sum(event.count for event in of_type(game.events, moves.DollarsDrawn)) == dollars - 1


@pytest.mark.parametrize(("completed", "dollars"), [(3, 1), (4, 2), (5, 3), (6, 4)])
def test_a_harvest_earns_by_completed_orders_in_the_edition_of_2012(completed: int, dollars: int) -> None:
    game = do(scripted("dice-2012", cards=[("", ""), ("", "")], completed=[completed]), (0, moves.HarvestTop()))
    assert game.view(0).dollars == (dollars, 0)


def test_the_edition_of_2012_has_seven_dice_and_no_bean_piece() -> None:
    view = scripted("dice-2012", cards=[("", ""), ("", "")]).view(0)
    assert view.rolled == (0, 1, 2, 3, 4, 5, 6)
    assert moves.RollAgain() not in view.legal()
    assert len(view.legal()) == 2**7 - 1


# The end


def test_ten_dollars_end_the_game_and_the_active_player_saves_all_dice_for_a_last_check() -> None:
    """Another player reached them: the active player stops, checks, and everybody harvests what is ripe."""
    game = scripted(
        cards=[("5 blue; 5 blue; stink; red; soy", ""), ("", ""), ("", "")],
        completed=[2, 5, 3],
        dollars=[9, 7, 9],
        throws=[FIVE],
    )
    do(game, (1, moves.HarvestTop()))
    assert game.over
    assert of_type(game.events, moves.Saved) == [moves.Saved(0, ALL)]
    harvests = [(event.seat, event.completed, event.dollars) for event in of_type(game.events, moves.CardHarvested)]
    assert harvests == [(1, 5, 3), (2, 3, 1), (0, 4, 2)]
    assert game.outcome == Outcome((11, 10, 10), (1, 2, 2))
    assert game.events[-1] == GameEnded((11, 10, 10), (1, 2, 2))
    assert game.to_act() == ()
    assert game.legal(0) == ()


def test_before_the_first_roll_there_are_no_dice_to_check() -> None:
    game = scripted(cards=[("", "stink; stink; stink; stink; stink"), ("", "")], completed=[3, 4], dollars=[9, 9])
    do(game, (0, moves.HarvestTop()))
    assert of_type(game.events, moves.Saved) == []
    assert game.outcome == Outcome((10, 11), (2, 1))


def test_when_the_active_player_ends_the_game_its_next_card_takes_part_in_the_last_check() -> None:
    game = scripted(
        cards=[("", "stink; 2 blue; red; 5 blue; 5 blue"), ("", "")], completed=[3], dollars=[9], throws=[FIVE]
    )
    do(game, (0, Pass()), (0, moves.HarvestTop()))
    assert of_type(game.events, moves.OrdersCompleted) == [moves.OrdersCompleted(0, 3, 3)]
    assert game.outcome == Outcome((11, 0), (1, 2))


def test_in_the_last_harvest_next_cards_are_not_checked_any_more() -> None:
    """So that it has an end, whatever the cards."""
    easy = "stink; 2 blue; red; 5 blue; 5 blue"
    game = scripted(cards=[(easy, easy), ("", easy)], completed=[0, 4], dollars=[0, 8], throws=[FIVE])
    do(game, (1, moves.HarvestTop()))
    harvests = [(event.seat, event.completed) for event in of_type(game.events, moves.CardHarvested)]
    assert harvests == [(1, 4), (1, 3), (0, 3)], "seat 1 had checked its next card before the end began"
    assert game.outcome == Outcome((1, 11), (2, 1))


def test_ties_are_shared() -> None:
    game = scripted(cards=[("", ""), ("", ""), ("", "")], completed=[3, 0, 0], dollars=[9, 10, 3])
    assert do(game, (0, moves.HarvestTop())).outcome == Outcome((10, 10, 3), (1, 1, 3))


def test_a_game_in_which_nobody_ever_harvests_ends_after_500_turns() -> None:
    """With a last harvest, as any other game."""
    game = new()
    play(game, lambda view: Pass() if view.decision is moves.DiceDecision.HARVEST else dull(view))
    assert of_type(game.events, TurnStarted)[-1].turn == 500
    assert game.outcome == Outcome((3, 3), (1, 1))


# The deck


def test_when_the_deck_is_empty_the_richest_trades_five_single_dollars_for_it() -> None:
    """Before the card is drawn that is wanted; a drawn dollar may be the first of the new deck, too."""
    game = scripted(cards=[("", ""), ("", "")], completed=[5, 0], dollars=[5, 6])
    pile = part(game, "pile")
    deck = left_in(pile)
    put(game, singles=[deck[:5], deck[5:11]])
    leave_in(pile, deck[-1:])
    do(game, (0, moves.HarvestTop()))
    events = of_type(game.events, moves.CardHarvested, moves.DollarsDrawn, moves.DeckRenewed, moves.CardDrawn)
    assert [type(event) for event in events] == [
        moves.CardHarvested,
        moves.DollarsDrawn,
        moves.DeckRenewed,
        moves.DollarsDrawn,
        moves.CardDrawn,
    ]
    renewed = events[2]
    assert (renewed.seat, renewed.number, renewed.cards) == (0, 1, tuple(deck[:5])), "8 dollars beat 6"
    assert game.view(0).deck == 3
    assert game.view(0).dollars == (8, 6), "the marker is worth five"
    assert set(events[3].cards) | {events[4].card} <= set(deck[:5])


def test_a_seat_without_five_single_dollars_cannot_trade_for_a_marker() -> None:
    game = scripted(cards=[("", ""), ("", "")], completed=[3, 0], dollars=[8, 5])
    pile = part(game, "pile")
    deck = left_in(pile)
    put(game, singles=[deck[:3], deck[3:8]])
    leave_in(pile, ())
    do(game, (0, moves.HarvestTop()))
    assert of_type(game.events, moves.DeckRenewed) == [moves.DeckRenewed(1, 1, tuple(deck[3:8]))]


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_nobody_is_asked_where_there_is_nothing_to_choose(ruleset: str, seats: int) -> None:
    choices = []
    play(new(ruleset, seats), chooser(1), lambda view: choices.append(len(view.legal())))
    assert min(choices) > 1
