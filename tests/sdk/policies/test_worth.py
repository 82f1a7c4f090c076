"""What fields, hands and trades are worth, and what fields become when cards are planted."""

import pytest

from beanbot.policies.planting import best_future, cheapest, future_without, is_full, settle
from beanbot.policies.scales import QuickScales, left_of, to_plant
from beanbot.policies.worth import (
    Fields,
    fields_of,
    hand_worth,
    hope_of,
    loss,
    may_harvest,
    total,
    turns_left,
    worth_alone,
    worth_of,
    worth_with_trade,
)
from beanleague.games import Kind
from beanleague.games.bohnanza import EMPTY, BohnanzaView, Field
from tests.sdk.policies.test_players import values, view_of

KINDS = view_of().rules.kinds


@pytest.mark.parametrize("worth", [worth_alone, worth_with_trade])
def test_a_full_field_is_worth_what_it_earns_and_an_empty_one_nothing(worth: object) -> None:
    assert callable(worth)
    for kind in KINDS:
        full = max(kind.beanometer)
        assert worth(kind, 0) == 0
        assert worth(kind, full) == kind.dollars(full)


def test_without_trade_a_card_counts_more_when_the_next_dollar_is_near() -> None:
    blue = view_of().rules.kind("blue")
    first, second, third = (worth_alone(blue, count) for count in (1, 2, 3))
    assert third - second > second - first > 0


def test_nothing_hoped_for_leaves_what_a_harvest_earns() -> None:
    worth = values(hope=0.0)
    for kind in KINDS:
        assert worth.of[kind.name] == worth.dollars[kind.name]
        assert worth.full[kind.name] == max(kind.beanometer)


def test_values_are_computed_once_for_a_table() -> None:
    assert worth_of(view_of().rules, 1.0, trading=True) is values()
    assert values(trading=False) is not values()


def test_hope_fades_in_the_last_pass_of_the_pile() -> None:
    last = view_of().rules.run_outs - 1
    assert hope_of(view_of(pile=3)) == 1
    hopes = [hope_of(view_of(run_outs=last, pile=pile)) for pile in (80, 20, 0)]
    assert 1 >= hopes[0] > hopes[1] > hopes[2] == 0
    assert turns_left(view_of(run_outs=last, pile=0)) == 0


def test_only_fields_with_more_cards_may_be_harvested_while_there_is_one() -> None:
    assert may_harvest((("red", 1), ("blue", 2), (None, 0))) == [1]
    assert may_harvest((("red", 1), ("blue", 1), (None, 0))) == [0, 1]


def test_the_loss_of_a_harvest_is_value_less_dollars() -> None:
    worth, fields = values(), fields_of((Field("blue", 3), EMPTY))
    assert fields == (("blue", 3), (None, 0))
    assert loss(fields, 0, worth) == pytest.approx(total(fields, worth) - worth.dollars["blue"][3])
    assert loss(fields, 1, worth) == 0


def test_a_hand_is_worth_more_the_sooner_a_useful_card_comes_and_never_less_than_nothing() -> None:
    worth, fields = values(), (("blue", 3), ("green", 2))
    soon, late = (hand_worth(fields, hand, worth) for hand in (("blue", "garden"), ("garden", "blue")))
    assert soon > late > 0
    assert hand_worth(fields, ("garden",), worth) == 0


FIELDS: Fields = (("red", 2), ("blue", 4), (None, 0))


def test_cards_that_fit_are_planted_before_others_are_given_room() -> None:
    worth = values()
    value, fields = settle(FIELDS, ("soy", "blue", "green"), worth)
    assert ("blue", 5) in fields, "though the green one, which comes last, needed room"
    assert {kind for kind, _ in fields} == {"blue", "soy", "green"}
    assert value == pytest.approx(worth.dollars["red"][2] + total(fields, worth))


def test_a_full_field_is_harvested_when_another_card_of_its_kind_comes() -> None:
    worth = values()
    full = worth.full["blue"]
    assert is_full("blue", full, worth)
    assert settle((("blue", full),), ("blue",), worth) == (
        worth.dollars["blue"][full] + worth.of["blue"][1],
        (("blue", 1),),
    )


def tried(fields: Fields, cards: tuple[Kind, ...]) -> float:
    """The best of all ways to plant `cards` in their order."""
    worth = values()
    if not cards:
        return total(fields, worth)
    kinds, found = [kind for kind, _ in fields], []
    for i, (kind, count) in enumerate(fields):
        fits = kind == cards[0] or (kind is None and cards[0] not in kinds)
        if fits:
            earned, grown = 0, count + 1
            if kind and is_full(kind, count, worth):
                earned, grown = worth.dollars[kind][count], 1
        elif kind and None not in kinds and i in may_harvest(fields):
            earned, grown = worth.dollars[kind][count], 1
        else:
            continue
        found.append(earned + tried((*fields[:i], (cards[0], grown), *fields[i + 1 :]), cards[1:]))
    return max(found)


@pytest.mark.parametrize("cards", [("soy", "green"), ("red", "soy", "blue", "green"), ("blue", "chili", "soy", "soy")])
def test_the_best_future_is_that_of_trying_out_all(cards: tuple[Kind, ...]) -> None:
    assert best_future(FIELDS, cards, values()) == pytest.approx(tried(FIELDS, cards))


def test_the_cheapest_field_to_harvest_loses_least_and_its_dollars_are_in_the_future_without_it() -> None:
    worth = values()
    fields: Fields = (("red", 4), ("blue", 3))
    assert cheapest(fields, worth) == 0, "it has earned nearly all it can, and blue nothing yet"
    after = total((("soy", 1), ("blue", 3)), worth)
    assert future_without(fields, 0, ("soy",), worth) == pytest.approx(worth.dollars["red"][4] + after)


def market() -> BohnanzaView:
    """Seat 0 is active and turned over a blue bean, and a chili bean, which costs it a field; seat 1 grows chili."""
    return view_of(
        fields=(
            (Field("blue", 2), Field("green", 4)),
            (Field("chili", 1), Field("red", 2)),
            (EMPTY, EMPTY),
            (EMPTY, EMPTY),
        ),
        turned=("blue", "chili"),
        hand=("soy", "green"),
        aside=((), (), ("stink",), ()),
    )


def test_the_active_player_must_plant_the_cards_turned_over_that_it_keeps() -> None:
    view = market()
    assert to_plant(view, 0) == ("blue", "chili")
    assert to_plant(view, 0, (0,)) == ("chili",)
    assert to_plant(view, 2, (0,)) == ("stink",)
    assert left_of(("red", "blue", "soy"), (0, 2)) == ("blue",)


def test_no_trade_gains_nothing() -> None:
    scales = QuickScales(market(), values())
    assert scales.mine() == pytest.approx(0)
    assert scales.theirs(1, ()) == pytest.approx(0)


def test_giving_away_what_costs_a_field_gains_and_helps_who_grows_it() -> None:
    scales = QuickScales(market(), values())
    assert scales.mine(gives_turned=(1,)) > max(0, scales.mine(gives_turned=(0,)))
    assert scales.theirs(1, ("chili",), (1,)) > 0


def test_a_card_that_grows_gains_and_giving_it_of_the_hand_costs() -> None:
    scales = QuickScales(market(), values())
    assert scales.mine(("green",), gives_turned=(1,)) > scales.mine(gives_turned=(1,))
    assert scales.mine(gives=(1,)) < 0


def test_growing_kinds_are_the_kinds_in_the_fields_after_planting_everything() -> None:
    assert QuickScales(market(), values()).grows() == {"chili", "green"}
