"""The flat engine of the trading games, in lockstep with the engine: the same actions are legal, and do the same."""

from random import Random

import pytest

from beanleague.games import Action, Game
from beanleague.games.bohnanza import (
    Accept,
    BohnanzaView,
    Call,
    Counter,
    Decision,
    Decline,
    Offer,
    Pick,
    PlantAside,
    Refuse,
    Stop,
)
from beanleague.games.bohnanza.flat_trading import FlatBohnanza
from beanleague.games.core import BuyField, Harvest, Pass, Plant
from tests.games.bohnanza.helpers import bohnanza
from tests.games.helpers import chooser
from tests.games.lockstep import both
from tests.games.wrong_actions import candidates

ACTIONS = (Accept, BuyField, Call, Counter, Decline, Harvest, Offer, Pass, Pick, Plant, PlantAside, Refuse, Stop)
BARE = (Accept(), Decline(), Stop(), Refuse(), Pass(), BuyField(), Pick(0), Pick(1), Harvest(0), Plant(0))
EVERYBODY = (0, 1, 2, 3, 4, 5, 6)
GAMES: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("bohnanza", 3, (0, 2)),
    ("bohnanza", 4, ()),
    ("bohnanza-extended", 3, ()),
    ("bohnanza-extended", 7, ()),
    ("bohnanza-classic", 4, EVERYBODY[:4]),
    ("bohnanza-classic", 5, ()),
)
LATE = 6
"""Dollars at which a field is bought: so that it matters which of them pay for it."""
SEVERAL = 3
"""Cards of a trade that is accepted and picked whenever it can be."""
SAMPLE = 6
"""Actions tried at each decision, beside the one that is played."""


def lockstep(ruleset: str, seats: int, interludes: tuple[int, ...], luck: int, sample: int = SAMPLE) -> None:
    """Play a game on both, trying other actions before each move; fail at the first difference."""
    game = bohnanza(seats, b"flat %d" % luck, ruleset, interludes=interludes, max_rounds=2)
    flat = FlatBohnanza.of(game, sorted)
    choose, random = chooser(luck), Random(luck)
    while not game.over:
        seat = random.choice(game.to_act())
        view = game.view(seat)
        others = [seat_action(random, game, view) for _ in range(sample)]
        if view.decision in {Decision.TRADE, Decision.ANSWER}:
            others += [(seat, action) for action in too_much((seat + 1) % seats)]
        for other, action in others:
            both(game, flat, other, action)
        action = choose(view)
        if isinstance(action, BuyField) and view.dollars[seat] < LATE:
            action = view.default()
        game, flat = both(game, flat, seat, trade_of_several(view) or action)


def trade_of_several(view: BohnanzaView) -> Action | None:
    """Return what helps a trade of several cards along, which chance alone hardly ever ends, or None."""
    if not view.offer or len(view.offer.gives) + len(view.offer.wants) < SEVERAL:
        return None
    return next((action for action in view.legal() if isinstance(action, Accept | Pick)), None)


def too_much(to: int) -> list[Action]:
    """Return proposals in which one bound is broken: of cards of a kind, or of a side."""
    return [
        proposal
        for wants in (("garden",) * 7, ("red",) * 5 + ("blue",) * 4)
        for proposal in (Offer((to,), wants=wants), Counter(wants=wants))
    ]


def seat_action(random: Random, game: Game, view: BohnanzaView) -> tuple[int, Action]:
    """Return an action to try, legal or not, of somebody who is asked, or of somebody who is not."""
    chance = random.random()
    if chance < 0.4:
        return view.seat, random.choice(view.legal())
    if chance < 0.5:
        return random.randrange(game.seats), random.choice(view.legal())
    if chance < 0.7:
        return view.seat, random.choice(BARE)
    return view.seat, random.choice(candidates((random.choice(ACTIONS),)))


@pytest.mark.parametrize(("ruleset", "seats", "interludes"), GAMES)
def test_flat_games_go_as_the_engine_s(ruleset: str, seats: int, interludes: tuple[int, ...]) -> None:
    lockstep(ruleset, seats, interludes, luck=seats)


@pytest.mark.slow
@pytest.mark.parametrize("luck", range(20))
@pytest.mark.parametrize(("ruleset", "seats", "interludes"), GAMES)
def test_many_flat_games_go_as_the_engine_s(ruleset: str, seats: int, interludes: tuple[int, ...], luck: int) -> None:
    lockstep(ruleset, seats, interludes, luck=luck, sample=30)
