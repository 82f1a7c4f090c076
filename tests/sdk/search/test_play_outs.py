"""Play-outs reach the end by the policies given, with luck of their own."""

from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest

from beanbot import load_bot
from beanbot.bot import seat_bot
from beanbot.search import by_default, farmer, play_out
from beanbot.search.farming import FlatPolicy, choose, flat_default, flat_default_for_two, flat_farmer
from beanleague.games import Action, Game, Outcome, new_game
from beanleague.games.bohnanza import CardRules, Decision
from beanleague.games.bohnanza.flat_cards import FlatCards
from beanleague.games.bohnanza.flat_trading import FlatBohnanza
from beanleague.games.two.flat import FlatTwo
from tests.games.bohnanza.helpers import bohnanza
from tests.games.helpers import chooser, part, play, state

FARMER = Path(__file__).parents[3] / "bots/farmer/bot.py"
TABLES = (("bohnanza", 4), ("bohnanza-two", 2), ("duel", 2), ("dice", 3), ("bean-thief-normal", 1))


def middle(ruleset: str, seats: int, moves: int = 80) -> Game:
    """Return a game after some moves."""
    game, choose_one = new_game(ruleset, seats=seats, seed=b"middle"), chooser("middle")
    for _ in range(moves if ruleset == "bohnanza" else 12):
        seat = game.to_act()[0]
        game.apply(seat, choose_one(game.view(seat)))
    return game


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_a_play_out_leaves_the_game_as_it_is_and_has_its_own_luck(ruleset: str, seats: int) -> None:
    game, random = middle(ruleset, seats), Random(1)
    before = state(game)
    outcomes = {play_out(game, [by_default] * seats, random) for _ in range(5)}
    assert state(game) == before
    assert len(outcomes) > 1
    assert all(len(outcome.scores) == seats for outcome in outcomes)


@pytest.mark.parametrize(("ruleset", "seats"), [("bohnanza", 4), ("bohnanza-extended", 5), ("bohnanza-classic", 3)])
@pytest.mark.parametrize(("policy", "flat"), [(farmer, flat_farmer), (by_default, flat_default)])
def test_flat_policies_play_as_policies_on_views_do(ruleset: str, seats: int, policy: Any, flat: Any) -> None:
    game = bohnanza(seats, b"flat", ruleset, max_rounds=1)
    chance, random = chooser("flat"), Random(1)
    while not game.over:
        seat = game.to_act()[0]
        view = game.view(seat)
        flat_after = FlatBohnanza.of(game, sorted)
        flat(game.rules)(flat_after, seat)
        after = FlatBohnanza.of(game, sorted)
        after.apply(seat, policy(view))
        assert flat_state(flat_after) == flat_state(after)
        game.apply(seat, policy(view) if random.random() < 0.7 else chance(view))


def test_the_flat_default_for_two_is_the_default() -> None:
    game: Any = new_game("bohnanza-two", seats=2, seed=b"flat")
    chance, random = chooser("flat"), Random(1)
    while not game.over:
        seat = game.to_act()[0]
        view = game.view(seat)
        flat_after, after = FlatTwo.of(game, sorted), FlatTwo.of(game, sorted)
        flat_default_for_two(game.rules)(flat_after, seat)
        after.apply(seat, by_default(view))
        assert flat_state(flat_after) == flat_state(after)
        game.apply(seat, by_default(view) if random.random() < 0.7 else chance(view))


def test_the_policy_farmer_is_the_house_bot() -> None:
    """Move by move, over a game in which others trade with it."""
    game, chance = bohnanza(4, b"farmers"), chooser("others")
    bot = seat_bot(load_bot(FARMER).classes[0], ruleset="bohnanza", seat=0, seats=4, luck=b"")
    decisions = 0

    def decide(view: Any) -> Action:
        nonlocal decisions
        if view.seat or view.decision is Decision.TRADE:
            return chance(view)
        choice = bot.decide(view)
        first = choice if isinstance(choice, Action) else choice[0]
        assert farmer(view) == first
        decisions += 1
        return first

    play(game, decide)
    assert decisions > 50


def test_farmers_score_alike_on_the_flat_table_and_on_views() -> None:
    game, random = bohnanza(3, b"alike", max_rounds=0), Random(1)

    def on_views(view: Any) -> Action:
        return farmer(view)

    fast = [play_out(game, [farmer] * 3, random) for _ in range(80)]
    slow = [play_out(game, [on_views] * 3, random) for _ in range(25)]
    assert abs(average(fast) - average(slow)) < 1, "about three standard errors"


def test_policies_may_differ_between_seats() -> None:
    game, random = bohnanza(3, b"differ"), Random(1)
    outcomes = [play_out(game, [by_default, farmer, farmer], random) for _ in range(60)]
    scores = [mean(outcome.scores[seat] for outcome in outcomes) for seat in range(3)]
    assert scores[0] < min(scores[1:]), "the default is the worse policy"


def test_a_flat_choice_needs_no_game() -> None:
    view = bohnanza(3, b"choice").view(0)
    policy: FlatPolicy = flat_farmer(view.rules)
    assert choose(policy, view) == farmer(view)
    assert isinstance(view.rules, CardRules)


def average(outcomes: list[Outcome]) -> float:
    return mean(score for outcome in outcomes for score in outcome.scores)


def flat_state(table: FlatCards) -> dict[str, Any]:
    names = [name for cls in type(table).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: getattr(table, name) for name in names if hasattr(table, name)}


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_a_copy_with_a_seed_is_the_same_game_with_other_luck(ruleset: str, seats: int) -> None:
    game = middle(ruleset, seats)
    copies = [game.copy(b"other %d" % number) for number in range(3)]
    for copy in copies:
        assert [copy.view(seat) for seat in range(seats)] == [game.view(seat) for seat in range(seats)]
        assert copy.to_act() == game.to_act()
        play(copy, by_default)
    assert len({tuple(part(copy, "events_from")(0)) for copy in copies}) == 3
    again = game.copy(b"other 0")
    play(again, by_default)
    assert list(again.events) == list(copies[0].events)
