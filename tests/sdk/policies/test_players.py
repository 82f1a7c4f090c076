"""The policies as players, in bots and play-outs; trading by any scales: answers, offers and picks."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

import pytest

from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice
from beanbot.bot import Bot, seat_bot
from beanbot.policies import policy
from beanbot.policies.barter import Haggler, Merchant
from beanbot.policies.farmer import Farmer
from beanbot.policies.mistakes import ByDefault, Mistaken
from beanbot.policies.trader import Trader
from beanbot.policies.trading import MAX_UNANSWERED, Leader, TradingBot, best_answer, counters, positions
from beanbot.policies.worth import Cards, Worth, worth_of
from beanbot.practice import play
from beanbot.search import farmer, play_out
from beanleague.games import Game, Kind, new_game
from beanleague.games.bohnanza import Accept, Answered, Call, Counter, Decline, Offer, Offered, Pick, Refuse
from tests.choices import first


def no_report(name: str, what: str) -> None:
    """What practice calls for a fault, where there should be none."""
    pytest.fail(f"{name}: {what}")


class Timid(Trader):
    """Believes that the partner's gain is worth nothing."""

    generosity: ClassVar[float] = 0.0


@pytest.mark.parametrize("game", ["bohnanza", "bohnanza-extended", "bohnanza-classic"])
def test_players_and_what_derives_from_them_play_without_a_fault(game: str) -> None:
    play([Trader, Timid, Merchant, Haggler, Farmer], game=game, deals=1, options={"max_rounds": 2}, report=no_report)


@pytest.mark.parametrize("player", [Trader, Merchant, Haggler, Farmer, ByDefault])
def test_in_a_play_out_each_seat_plays_by_its_policy(player: type[Bot[Any]]) -> None:
    game = new_game("bohnanza", seats=3, seed=b"play-out", options={"max_rounds": 2})
    policies = [policy(player, ruleset="bohnanza", seat=seat, seats=3) for seat in range(3)]
    outcome = play_out(game, policies, Random(1))
    assert len(outcome.scores) == 3
    assert not game.over


def test_a_farmer_plays_as_its_quick_form_in_play_outs() -> None:
    game: Game = new_game("bohnanza", seats=4, seed=b"farmers")
    players = [seat_bot(Farmer, ruleset="bohnanza", seat=seat, seats=4, luck=b"") for seat in range(4)]
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            action = first(players[seat].decide(view))
            if view.decision.name.startswith("PLANT"):
                assert action == farmer(view)
            game.apply(seat, action)


class Always(Mistaken, BohnanzaBot):
    """Makes the mistakes that its settings say."""

    def plant_first(self, view: BohnanzaView) -> Choice:
        raise AssertionError(view)


def test_mistakes_are_as_frequent_as_the_setting_says() -> None:
    view = new_game("bohnanza", seats=3, seed=b"mistakes").view(0)
    assert isinstance(view, BohnanzaView)
    always, never = (
        seat_bot(Always, ruleset="bohnanza", seat=0, seats=3, luck=b"any", settings={"mistakes": often})
        for often in (1.0, 0.0)
    )
    assert always.decide(view) in view.legal()
    with pytest.raises(AssertionError):
        never.decide(view)


IMPORTS = """
import sys
{imports}
print(*(name for name in sys.modules if name.startswith(("beanbot.policies", "numpy"))))
"""


@pytest.mark.parametrize(
    ("imports", "loaded"),
    [
        (
            "from beanbot import bohnanza, dice, duel, practice, search; practice.play([duel.DuelBot], game='duel')",
            set(),
        ),
        ("import beanbot.policies.mistakes", {"", ".mistakes"}),
        ("import beanbot.policies.trader", {"", ".worth", ".planting", ".scales", ".trading", ".trader"}),
    ],
)
def test_only_what_is_needed_is_loaded_and_no_numpy(imports: str, loaded: set[str]) -> None:
    script = IMPORTS.format(imports=imports)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {f"beanbot.policies{name}" for name in loaded}


class Fixed:
    """Scales by which each card of a kind has a price: one for the own seat, and one for all others."""

    def __init__(
        self, view: BohnanzaView, mine: Mapping[str, float], theirs: Mapping[str, float] | None = None
    ) -> None:
        self.view = view
        self.prices = mine, theirs or {}

    def price(self, whose: int, cards: Sequence[Kind]) -> float:
        return sum(self.prices[whose].get(kind, 0.0) for kind in cards)

    def mine(self, gets: Cards = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()) -> float:
        given = [self.view.hand[i] for i in gives] + [self.view.turned[i] for i in gives_turned]
        return self.price(0, gets) - self.price(0, given)

    def theirs(self, seat: int, gets: Cards, gives_turned: tuple[int, ...] = ()) -> float:
        return self.price(1, gets) - self.price(1, [self.view.turned[i] for i in gives_turned])

    def grows(self) -> set[Kind]:
        return set()


def own(mine: float, theirs: float) -> float:
    """Who thinks of itself alone."""
    return mine


def offered(**changed: Any) -> BohnanzaView:
    """Seat 1 offers a red bean that it turned over for a blue one; it has also turned over a garden bean."""
    offer = Offered(1, (0, 2, 3), (0,), (), ("red",), ("blue",))
    parts: dict[str, Any] = {"active": 1, "turned": ("red", "garden"), "hand": ("blue", "soy", "blue"), "offer": offer}
    return view_of(**parts | changed)


def test_the_last_cards_of_the_kinds_wanted_are_given() -> None:
    assert positions(("blue", "soy", "blue"), ("blue",)) == (2,)
    assert positions(("blue", "soy", "blue"), ("blue", "soy", "blue")) == (0, 1, 2)
    assert positions(("blue",), ("blue", "blue")) is None


def test_an_offer_that_gains_is_accepted() -> None:
    view = offered()
    assert best_answer(view, Fixed(view, {"red": 1.0, "blue": 0.5}), own) == Accept((2,))


def test_an_offer_is_declined_if_nothing_gains_for_both() -> None:
    view = offered()
    assert best_answer(view, Fixed(view, {"garden": 1.0}, {"garden": 1.0}), own) == Decline()


def test_a_more_appealing_trade_is_proposed_instead() -> None:
    view = offered()
    scales = Fixed(view, {"red": 1.0, "garden": 2.0, "blue": 0.5}, {"soy": 0.2, "blue": 1.0})
    assert best_answer(view, scales, own) == Counter((1,), (0, 1)), "the most for itself: both cards for a soy bean"
    assert best_answer(view, scales, lambda mine, theirs: mine + 9 * theirs) == Counter((0,), (0, 1))


def test_a_counter_gives_at_most_one_card_and_each_kind_once() -> None:
    view = offered()
    assert view.offer
    found = list(counters(view, view.offer))
    assert {hand for hand, *_ in found} == {(), (0,), (1,)}
    assert ((), (0, 1), (), (), ("red", "garden")) in found


def leading(**changed: Any) -> BohnanzaView:
    """Seat 0 is active and has turned over two cards."""
    parts: dict[str, Any] = {"turned": ("red", "garden"), "hand": ("blue", "soy"), "rounds_left": 9}
    return view_of(**parts | changed)


def test_a_leader_calls_first_and_repeats_itself_if_asked_again_in_a_round() -> None:
    view, leader = leading(), Leader(4)
    scales = Fixed(view, {"garden": -1.0})
    first = leader.lead(view, scales)
    assert first == Call((1, 2, 3))
    assert leader.lead(view, scales) is first
    assert leader.calls_next(view)


def test_after_a_call_that_brought_nothing_it_gives_away_what_harms() -> None:
    view, leader = leading(), Leader(4)
    scales = Fixed(view, {"garden": -1.0})
    leader.lead(view, scales)
    assert leader.pick(view, scales) == Refuse()
    assert leader.lead(leading(rounds_left=8), scales) == Offer((1, 2, 3), (1,))
    assert not leader.calls_next(view)


def test_seats_that_never_answer_are_asked_no_more() -> None:
    leader = Leader(4)
    for turn in range(1, MAX_UNANSWERED + 1):
        view = leading(turn=turn)
        assert leader.somebody_trades()
        leader.lead(view, Fixed(view, {}))
        leader.pick(view, Fixed(view, {}))
    assert not leader.somebody_trades()


@pytest.mark.parametrize(("rivalry", "picked"), [(0.0, Pick(1, (0,))), (1.0, Pick(2, (1,)))])
def test_of_two_answers_a_rival_prefers_that_which_helps_the_partner_less(rivalry: float, picked: Pick) -> None:
    view = leading(
        offer=Offered(0, (1, 2, 3), (), (), (), ()),
        answers=(
            Answered(1, "counter", (), ("red",), (), ("blue",)),
            Answered(2, "counter", (), ("green",), (), ("soy",)),
            Answered(3, "decline"),
        ),
    )
    scales = Fixed(view, {"red": 2.0, "green": 1.5}, {"blue": 1.0})
    assert Leader(4, rivalry=rivalry).pick(view, scales) == picked


def test_a_subclass_says_what_it_lacks() -> None:
    for ask in (lambda: TradingBot().scales(leading()), lambda: TradingBot().appeal(1.0, 1.0)):
        with pytest.raises(NotImplementedError, match="TradingBot must override"):
            ask()


def view_of(seats: int = 4, **changed: Any) -> BohnanzaView:
    """Return what seat 0 sees first in a game, with some of it `changed`."""
    view = new_game("bohnanza", seats=seats, seed=b"policies").view(0)
    assert isinstance(view, BohnanzaView)
    return replace(view, **changed)


def values(*, trading: bool = True, hope: float = 1.0) -> Worth:
    """Return the values of fields at a table of four."""
    return worth_of(view_of().rules, hope, trading=trading)
