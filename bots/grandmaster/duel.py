"""The duel: `Duelist` with play-outs of its offers and answers in games consistent with its view."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from beanbot.bot import seat_bot
from beanbot.duel import (
    AcceptGift,
    Action,
    Ahead,
    Choice,
    DeclineGift,
    DuelDecision,
    DuelView,
    Harvest,
    OfferGift,
)
from beanbot.search import Memory, determinise
from beanbot.search.duelist import Duelist, GiftMerchant, GiftOffer
from beanleague.games import Game
from beanleague.games.core.floats import float_sum

OFFERS = 4  # number of offers tried in play-outs, the best by Duelist's estimate
GAMES = 32  # games played per decision
ROUND = 4  # number of games after which hopeless choices are dropped
TURNS = 3  # number of turns per play-out: the current turn and the next two
ERROR = 1.0  # standard deviation in dollars of the difference of two of Duelist's estimates
HABIT = 1.0  # dollars by which the estimate favours Duelist's answer to an offer
LITTLE = 0.4  # maximum dollars that an early harvest may cost by Duelist's estimate
SURE = 2.0  # number of standard deviations by which a choice must be worse to be dropped
MIN_VARIANCE = 0.5  # minimum variance of play-outs, so that a few equal games prove little
HAND = 3  # number of hand cards valued at the end, since they are planted next
CENTS = 100  # cents in a dollar


class Trial(NamedTuple):
    """A choice tried in play-outs."""

    action: Action
    estimate: float
    """Value in dollars by Duelist's estimate."""
    leads: list[float]
    """Lead of this seat in dollars, at the end of each play-out."""


class DuelGrandmaster(Duelist):
    """Chooses gifts, answers and early harvests by their value two turns later, with `Duelist` in both seats."""

    def match_started(self) -> None:
        super().match_started()
        self.memory = Memory()

    def decide(self, view: DuelView) -> Choice:
        self.memory.see(view)
        return super().decide(view)

    def offer_gift(self, view: DuelView) -> Choice:
        offers: dict[Action, GiftOffer] = {
            OfferGift(offer.kind): offer for offer in self.merchant.offers(view)[:OFFERS]
        }
        found = self.best(view, [Trial(action, offer.value, []) for action, offer in offers.items()])
        return self.merchant.make(offers[found])

    def answer_gift(self, view: DuelView) -> Choice:
        usual = self.merchant.answer(view)
        other = DeclineGift() if isinstance(usual, AcceptGift) else AcceptGift()
        return self.best(view, [Trial(usual, HABIT, []), Trial(other, 0.0, [])])

    def plant_first(self, view: DuelView) -> Choice:
        return self.or_harvest(view, super().plant_first(view))

    def discard_bohnus(self, view: DuelView) -> Choice:
        usual = super().discard_bohnus(view)
        return self.or_harvest(view, usual) if view.seat == view.active else usual

    def or_harvest(self, view: DuelView, usual: Choice) -> Choice:
        """Return the usual choice, or an early harvest if that is better."""
        first = usual if isinstance(usual, Action) else usual[0]
        found = self.best(view, [Trial(first, 0.0, []), *self.harvests(view)])
        return usual if found == first else found

    def harvests(self, view: DuelView) -> list[Trial]:
        """Return harvests that are not needed for room, but cost little by Duelist's estimate."""
        now, trials = self.planners.of(view, view.seat).now, []
        for field in view.harvestable:
            ahead = Ahead(view)
            earns = ahead.earns(field)
            ahead.harvest(field)
            estimate = earns + self.planners.of(view, view.seat, ahead.own_fields).now - now
            if earns and estimate > -LITTLE:
                trials.append(Trial(Harvest(field), estimate, []))
        return trials

    def best(self, view: DuelView, trials: list[Trial]) -> Action:
        """Return the best choice in games consistent with the view, all choices with the same luck."""
        for number in range(1, GAMES + 1):
            if len(trials) == 1:
                break
            game, luck = determinise(view, self.memory, self.random), self.random.randbytes(16)
            for trial in trials:
                trial.leads.append(self.play_on(game.copy(luck), trial.action, view.turn + TURNS))
            if number % ROUND == 0:
                trials = hopeful(trials)
        return trials[0].action

    def play_on(self, game: Game, action: Action, until: int) -> float:
        """Play `action`, then to the turn `until`, and return the lead in dollars."""
        players = self.players()
        game.apply(self.seat, action)
        while not game.over:
            (seat,) = game.to_act()
            view = game.view(seat, news=False)
            assert isinstance(view, DuelView)
            if view.turn >= until and view.decision is DuelDecision.PLANT_FIRST:
                break
            choice = players[seat].decide(view)
            for step in (choice,) if isinstance(choice, Action) else choice:
                game.apply(seat, step)
                if game.over or game.to_act() != (seat,):
                    break
        return self.has(game, self.seat) - self.has(game, 1 - self.seat)

    def players(self) -> list[Duelist]:
        """Return the players of the play-outs; only this seat's player knows the opponent's habits."""
        players = []
        for seat in range(2):
            player = seat_bot(Duelist, ruleset=self.ruleset, seat=seat, seats=2, luck=b"")
            assert isinstance(player, Duelist)
            player.planners = self.planners
            player.merchant = GiftMerchant(seat, self.planners)
            players.append(player)
        players[self.seat].merchant.even_gain = self.merchant.even_gain
        return players

    def has(self, game: Game, seat: int) -> float:
        """Return the dollars of a seat, plus the values of its fields and first hand cards."""
        if game.outcome:
            return game.outcome.scores[seat] / CENTS
        view = game.view(seat, news=False)
        assert isinstance(view, DuelView)
        planner = self.planners.of(view, seat)
        fields = planner.best(planner.numbers(view.hand[:HAND]), ordered=True).value
        return view.dollars[seat] + sum(view.rules.bohnus[card].worth for card in view.earned[seat]) / CENTS + fields


def hopeful(trials: list[Trial]) -> list[Trial]:
    """Return the best choice, and others that may still turn out better."""
    best = max(trials, key=lambda trial: lead(trial, trials[0])[0])
    others = [trial for trial in trials if trial is not best]
    return [best, *(other for other in others if float_sum(lead(other, best)) > 0)]


def lead(trial: Trial, other: Trial) -> tuple[float, float]:
    """Return the lead of a choice over another in dollars, and `SURE` times its standard deviation.

    The lead is the mean of the estimate and of the play-outs, weighted by the inverse of their variances.
    """
    found = [one - another for one, another in zip(trial.leads, other.leads, strict=True)]
    known = 1 / (ERROR * ERROR)
    learnt = len(found) / max(variance(found), MIN_VARIANCE)
    mean = (known * (trial.estimate - other.estimate) + learnt * fmean(found)) / (known + learnt)
    return mean, SURE / sqrt(known + learnt)
