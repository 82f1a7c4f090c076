"""Two bots in each other's place, in the same deals."""

from __future__ import annotations

import math
from statistics import fmean, stdev

import pytest

from beanbot import Action, View
from beanbot.bohnanza import BohnanzaBot
from beanbot.practice import PracticeError, play, prepare
from beanbot.practice.jobs import play_deals
from beanbot.practice.report import as_text
from tests.sdk.helpers import Dull


class Same(Dull):
    """Plays as `Dull` does."""


class Lucky(Dull):
    """Chooses by its own luck."""

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal()[:2])


def test_both_play_every_deal_in_the_same_seats_and_company() -> None:
    playing = prepare([Dull, Same, BohnanzaBot], game="bohnanza", seats=3, seed=1, options=None, paired=True)
    (deal,) = play_deals(playing, [1], report=lambda *_: None)
    seated = [[entrant.name for entrant in match.entrants] for match in deal]
    assert seated[:2] == [["Dull", "BohnanzaBot", "BohnanzaBot"], ["BohnanzaBot", "Dull", "BohnanzaBot"]]
    assert [["Dull" if name == "Same" else name for name in table] for table in seated[3:]] == seated[:3]
    assert [match.outcome for match in deal[:3]] == [match.outcome for match in deal[3:]]


def test_bots_that_play_alike_differ_by_nothing() -> None:
    paired = play([Dull, Same, BohnanzaBot], games=18, paired=True).paired
    assert paired
    assert (paired.deals, paired.dollars, paired.dollars_error, paired.wins) == (3, 0, 0, 0)


def test_the_interval_is_that_of_differences_by_deal() -> None:
    playing = prepare([Lucky, Dull, Same], game="duel", seats=2, seed=1, options=None, paired=True)
    differences = [
        fmean(
            sum(
                (1 if name == "Lucky" else -1) * match.outcome.scores[seat] / 100
                for seat, name in enumerate(entrant.name for entrant in match.entrants)
                if name != "Same"
            )
            for match in deal
        )
        * 2
        for deal in play_deals(playing, range(1, 9), report=lambda *_: None)
    ]
    result = play([Lucky, Dull, Same], game="duel", games=32, paired=True, jobs=2)
    assert result.paired
    assert result.paired.deals == 8
    assert math.isclose(result.paired.dollars, fmean(differences))
    assert math.isclose(result.paired.dollars_error, 1.96 * stdev(differences) / math.sqrt(8))
    assert f"Lucky in place of Dull, 8 deals: {fmean(differences):+.2f} ± " in as_text(result)


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(PracticeError, match="name both, and then at least one"):
        play([Dull, Same], paired=True)
    with pytest.raises(PracticeError, match="all bots play the same deals"):
        play([Dull, Same, Lucky], game="bean-thief-easy", paired=True)
