"""What analysis says is true: of hundreds of matches that it was not made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from beanbot.analysis.course import Course, course
from beanbot.analysis.report import MatchesReport, report, seated
from beanbot.bohnanza import BohnanzaView, Choice, Counter, Decline, Harvest, Offer, Pick, Stop
from beanbot.bot import Bot
from beanbot.policies.farmer import Farmer
from beanbot.policies.trader import Trader
from beanbot.practice import deals
from beanleague.games import Record

Floats = npt.NDArray[np.float64]

MATCHES = 120
PLAY_OUTS = 60
FITTED = 200  # other matches, which the rival is fitted to


def records(bots: Sequence[type[Bot[Any]]], number: int, seed: int) -> list[Record]:
    """Play so many matches; equal bots play each deal once, since they play it alike in every rotation."""
    kept: list[Record] = []
    playing = deals(bots, seed=seed, keep=kept.append)
    every = len(bots) if len(set(bots)) == 1 else 1
    while len(kept) < number * every:
        next(playing)
    return kept[::every]


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments of matches."""

    chances: Floats
    """Foretold: by moment, then by seat."""
    dollars: Floats
    """Earned so far."""
    turns: Floats
    won: Floats
    """What came: 1 for who won."""
    early: npt.NDArray[np.bool_]
    """Whether they are in the first half of their match."""


def moments(matches: Sequence[Record], courses: Sequence[Course]) -> Moments:
    rows = [
        ([each.mean for each in moment.chances], moment.dollars, moment.turn, won, number < len(found.moments) / 2)
        for record, found in zip(matches, courses, strict=True)
        for won in [[share.won for share in found.shares]]
        for number, moment in enumerate(found.moments)
    ]
    chances, dollars, turns, won, early = map(np.array, zip(*rows, strict=True))
    return Moments(chances, dollars.astype(float), turns.astype(float), won, early)


def by_dollars(fitted: Moments) -> Any:
    """Return a logistic fit of the winner on dollars and turns, whose slope is a parabola of the turn."""

    def chances(slopes: Floats, of: Moments) -> Floats:
        turns = of.turns / 30
        slope = slopes @ np.array([np.ones_like(turns), turns, turns**2])
        odds = np.exp(slope[:, None] * (of.dollars - of.dollars.max(axis=1, keepdims=True)))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    slopes = np.zeros(3)
    turns = fitted.turns / 30
    over = fitted.dollars - fitted.dollars.mean(axis=1, keepdims=True)
    for _ in range(3000):
        missed = ((fitted.won - chances(slopes, fitted)) * over).sum(axis=1)
        slopes += 0.2 * np.array([missed.mean(), (missed * turns).mean(), (missed * turns**2).mean()])
    return partial(chances, slopes)


def brier(chances: Floats, won: Floats) -> float:
    return float(((chances - won) ** 2).sum(axis=1).mean())


@pytest.mark.slow
@pytest.mark.parametrize("bot", [Trader, Farmer])
def test_chances_come_true_and_tell_more_than_dollars_do(bot: type[Bot[Any]]) -> None:
    rival = by_dollars(
        moments(
            others := records([bot] * 4, FITTED, seed=1), [course(record, play_outs=2, draws=1) for record in others]
        )
    )
    matches = records([bot] * 4, MATCHES, seed=2)
    found = moments(matches, [course(record, PLAY_OUTS, draws=1) for record in matches])
    theirs = rival(found)
    for part in (found.early | ~found.early, found.early, ~found.early):
        ours, fit = brier(found.chances[part], found.won[part]), brier(theirs[part], found.won[part])
        print(f"{bot.__name__}: Brier score {ours:.3f}, by dollars {fit:.3f}: {1 - ours / fit:.1%} better")
        assert ours < fit
    assert brier(found.chances, found.won) < 0.9 * brier(theirs, found.won)
    for low in np.arange(0, 1, 0.1):
        there = (found.chances >= low) & ((found.chances < low + 0.1) | (low > 0.85))
        foretold, came = found.chances[there], found.won[there]
        # Moments of a match have one result: of each match, the error counts once.
        match = np.repeat(np.cumsum(found.turns == 1)[:, None], 4, axis=1)[there]
        missed = [float((came - foretold)[match == each].sum()) for each in np.unique(match)]
        error = sqrt(sum(each**2 for each in missed)) / len(came)
        print(f"{low:.1f}: {len(came)} foretold {foretold.mean():.3f}, came {came.mean():.3f} +- {error:.3f}")
        assert abs(came.mean() - foretold.mean()) < 3 * error + 0.02


class Hasty(Trader):
    """Harvests a field that is one card short of a dollar more, in one of ten decisions where it could wait."""

    def plant_first(self, view: BohnanzaView) -> Choice:
        for field in view.harvestable:
            own = view.own_fields[field]
            assert own.kind
            rule = view.rules.kind(own.kind)
            if rule.dollars(own.count + 1) > rule.dollars(own.count) and self.random.random() < 0.1:
                return Harvest(field)
        return super().plant_first(view)


class Giving(Trader):
    """Gives a card that it grows itself away, in one of ten of its turns."""

    def trade(self, view: BohnanzaView) -> Choice:
        grows = [field.kind for field in view.own_fields]
        mine = [card for card, kind in enumerate(view.turned) if kind in grows]
        if mine and self.random.random() < 0.1:
            return Offer(tuple(seat for seat in range(self.seats) if seat != self.seat), turned=(mine[0],))
        return super().trade(view)

    def pick(self, view: BohnanzaView) -> Choice:
        offer = view.offer
        accepted = [answer.seat for answer in view.answers if answer.answer == "accept"]
        if offer and offer.turned and not offer.wants and accepted:
            return Pick(accepted[0])
        return super().pick(view)


class Confused(Trader):
    """Plants where it should not, in one of ten decisions with a choice."""

    def plant_aside(self, view: BohnanzaView) -> Choice:
        fields = [field for field in view.harvestable if view.own_fields[field].kind in view.own_aside]
        return Harvest(fields[0]) if fields and self.random.random() < 0.1 else super().plant_aside(view)


class Silent(Trader):
    """Declines what it would answer with a proposal of its own, in one of ten such decisions."""

    def answer(self, view: BohnanzaView) -> Choice:
        answer = super().answer(view)
        return Decline() if isinstance(answer, Counter) and self.random.random() < 0.1 else answer


class Shy(Trader):
    """Ends the trading where it would offer something, in one of ten such decisions."""

    def trade(self, view: BohnanzaView) -> Choice:
        return Stop() if self.random.random() < 0.1 else super().trade(view)


class Other(Trader):
    """By another name."""


FAULTS: dict[type[Bot[Any]], str] = {
    Hasty: "harvests",
    Giving: "picks another answer",
    Confused: "harvests",
    Silent: "declines an offer",
    Shy: "makes no offer",
}
FAULTY = 20  # matches


def faulty(bot: type[Bot[Any]]) -> MatchesReport:
    """Return the report of a bot among three traders, which plays each deal once, in each seat in turn."""
    matches = enumerate(records([bot, Trader, Trader, Trader], 4 * FAULTY, seed=4))
    once = [(f"{at // 4 + 1}.{at % 4}", record) for at, record in matches if at % 4 == at // 4 % 4]
    return report(bot.__name__, seated(once, bot.__name__), Trader)


@pytest.mark.slow
@pytest.mark.parametrize("bot", FAULTS)
def test_a_planted_fault_is_the_first_entry_of_a_report(bot: type[Bot[Any]]) -> None:
    first, *others = faulty(bot).to_do
    print(bot.__name__, *[(loss.kind, loss.decisions, loss.a_match) for loss in (first, *others)])
    assert first.kind == FAULTS[bot]


@pytest.mark.slow
def test_a_trader_is_told_of_nothing_and_few_of_its_moves_are_mistakes() -> None:
    found = faulty(Other)
    assert found.otherwise == ()
    print(*[(loss.kind, loss.decisions, loss.a_match) for loss in found.mistakes])
    assert sum(loss.decisions for loss in found.mistakes) < 2 * FAULTY


@pytest.mark.slow
def test_play_explains_the_lead_of_traders_over_farmers_and_luck_nothing() -> None:
    matches = records([Trader, Trader, Farmer, Farmer], MATCHES, seed=3)
    found = [course(record, play_outs=2) for record in matches]
    lead = [
        [share for name, share in zip(record.players, each.shares, strict=True) if name == "Trader"]
        for record, each in zip(matches, found, strict=True)
    ]
    parts = ("deal", "luck", "play", "others", "won")
    of_traders = [[sum(getattr(share, part) for share in shares) for shares in lead] for part in parts]
    means, errors = [fmean(each) for each in of_traders], [stdev(each) / sqrt(len(each)) for each in of_traders]
    for part, mean, error in zip(parts, means, errors, strict=True):
        print(f"{part}: {mean:+.3f} +- {error:.3f}")
    deal, luck, play, others, won = means
    assert abs(deal) < 3 * errors[0]
    assert abs(luck) < 3 * errors[1]
    assert play > 3 * errors[2]
    assert abs(play + others - (won - 0.5)) < 3 * errors[1] + 3 * errors[0]
