"""What analysis says is true: of hundreds of matches that it was not made from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import chdtrc

from beanbot.analysis.course import Course, Expected, course
from beanbot.analysis.mistakes import ACCEPTS, FIRST, LEAST, MORE, TO_END, MistakenMove, mistakes
from beanbot.analysis.report import MatchesReport, Seated, report, seated
from beanbot.analysis.weighing import Weighing
from beanbot.bohnanza import BohnanzaView, Choice, Counter, Decision, Decline, Harvest, Offer, Pick, Stop
from beanbot.bot import Bot
from beanbot.policies.farmer import Farmer
from beanbot.policies.trader import Trader
from beanbot.practice import deals
from beanleague.games import Record

Floats = npt.NDArray[np.float64]

MATCHES = 120
PLAY_OUTS = 60
FITTED = 200  # other matches, which the rival is fitted to
BINS = 10  # of chances
REJECTED = 0.025  # of two families, one is rejected with 5 % although the chances of both come true


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


@dataclass(frozen=True, slots=True)
class Missed:
    """How far what came is from what was foretold."""

    bins: Floats
    """By bin: the number of chances; what was foretold and what came on average; the error of their difference."""
    p: float
    """The probability that chances which come true miss so far, over all bins."""


def missed(found: Moments) -> Missed:
    """Compare what came with what was foretold, by bins of chances: by a chi-squared test over all of them.

    Of chances that come true, those of two moments of a match miss together by the variance of the later one. So the
    covariance of what the bins miss follows from the chances alone. All that is missed in a match adds up to 0: one
    bin says nothing new.
    """
    bins = np.eye(BINS)[np.minimum((found.chances * BINS).astype(int), BINS - 1)]
    misses = np.einsum("msb,ms->b", bins, found.won - found.chances)
    covariance = np.zeros((BINS, BINS))
    for match in np.split(np.arange(len(found.turns)), np.flatnonzero(found.turns == 1)[1:]):
        chances, there = found.chances[match], bins[match]
        variance = chances[:, :, None] * np.eye(chances.shape[1]) - chances[:, :, None] * chances[:, None, :]
        later = np.maximum.outer(np.arange(len(match)), np.arange(len(match)))
        covariance += np.einsum("msb,mnst,ntc->bc", there, variance[later], there, optimize=True)
    count = bins.sum(axis=(0, 1))
    foretold, came = (np.einsum("msb,ms->b", bins, each) / count for each in (found.chances, found.won))
    distance = misses[1:] @ np.linalg.solve(covariance[1:, 1:], misses[1:])
    rows = np.column_stack([count, foretold, came, np.sqrt(np.diag(covariance)) / count])
    return Missed(rows, float(chdtrc(BINS - 1, distance)))


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
    calibration = missed(found)
    for number, foretold, came, error in calibration.bins:
        print(f"{number:.0f} foretold {foretold:.3f}, came {came:.3f} +- {error:.3f}")
    print(f"{bot.__name__}: p = {calibration.p:.3f}")
    assert calibration.p > REJECTED


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
ANEW = 2000  # games played to their end, by which each mistake is weighed again


def played_once(bot: type[Bot[Any]]) -> list[Seated]:
    """Return matches of a bot among three traders, of each deal one, in each seat in turn."""
    matches = enumerate(records([bot, Trader, Trader, Trader], 4 * FAULTY, seed=4))
    once = [(f"{at // 4 + 1}.{at % 4}", record) for at, record in matches if at % 4 == at // 4 % 4]
    return seated(once, bot.__name__)


def faulty(bot: type[Bot[Any]]) -> MatchesReport:
    return report(bot.__name__, played_once(bot), Trader)


@pytest.mark.slow
@pytest.mark.parametrize("bot", FAULTS)
def test_a_planted_fault_is_the_first_entry_of_a_report(bot: type[Bot[Any]]) -> None:
    first, *others = faulty(bot).worse
    print(bot.__name__, *[(loss.kind, loss.decisions, loss.a_match) for loss in (first, *others)])
    assert first.kind == FAULTS[bot]


@pytest.mark.slow
def test_a_trader_is_told_of_nothing() -> None:
    assert faulty(Other).otherwise == ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A mistake that was found, and what the same decision lost in games that are played to their end."""

    match: str
    mistake: MistakenMove
    to_end: Expected

    @property
    def verdict(self) -> str:
        """Whether it is one, by two errors."""
        if self.to_end.mean > 2 * self.to_end.error:
            return "true"
        return "false" if self.to_end.mean < -2 * self.to_end.error else "not told"


def marks(of: Seated) -> Iterator[Mark]:
    """Weigh each mistake of a seat by games that none of its verdict were."""
    found = {mistake.move: mistake for mistake in mistakes(of.record, of.seat)}
    weighing = Weighing(of.record, of.seat)
    for move, view in weighing.decisions():
        if move in found:
            others = [*view.legal(), *(weighing.left_out(view, move, FIRST) if view.decision is Decision.TRADE else [])]
            better = next(action for action in others if weighing.in_words(action, view) == found[move].better)
            weighing.games(view, FIRST + MORE + TO_END)  # those of the verdict
            least = ACCEPTS if view.decision is Decision.TRADE else LEAST
            games, played = weighing.games(view, ANEW), of.record.moves[move].action
            yield Mark(of.match, found[move], weighing.loss(games, played, better, least, to_end=True))


@pytest.mark.slow
def test_a_trader_makes_few_mistakes_which_lose_on_average() -> None:
    found = [mark for seat in played_once(Other) for mark in marks(seat)]
    for mark in found:
        mistake = mark.mistake
        print(f"{mark.match}:{mistake.move}, turn {mistake.turn}, {mistake.kind}: {mistake.played}; {mistake.better}:")
        print(*[f"{loss.mean:+.3f} +- {loss.error:.3f}" for loss in (mistake.loss, mark.to_end)], mark.verdict)
    assert len(found) < 2 * FAULTY
    assert fmean([mark.to_end.mean for mark in found]) > 0


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
