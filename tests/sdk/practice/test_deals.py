"""Deals: by several processes, and with two bots in each other's place."""

import math
import os
from statistics import fmean, stdev
from typing import Any

import pytest

from beanbot import Action, Bot, View
from beanbot.bohnanza import BohnanzaBot
from beanbot.practice import PracticeError, play, prepare
from beanbot.practice.deals import play_deals
from beanbot.practice.result import as_text
from beanleague.games import Record
from tests.sdk.helpers import Dull


class Erring(Dull):
    """Chooses by its own luck, and fails now and then."""

    def decide(self, view: View) -> Action:
        if self.random.random() < 0.1:
            raise ValueError("unlucky")
        return self.random.choice(view.legal())


def played(workers: int) -> tuple[list[object], list[tuple[str, str]], list[tuple[str, Record]]]:
    """Return the results, reports and records of five deals."""
    bots: list[type[Bot[Any]]] = [Erring, Dull]
    playing = prepare(bots, game="duel", seats=2, seed=3, options=None)
    reports: list[tuple[str, str]] = []
    records: list[tuple[str, Record]] = []
    deals = play_deals(
        playing,
        range(1, 6),
        report=lambda *call: reports.append(call),
        keep=lambda *call: records.append(call),
        workers=workers,
    )
    results = [(match.outcome, match.entrants, match.faults) for deal in deals for match in deal]
    return list(results), reports, records


def headlines(reports: list[tuple[str, str]]) -> list[str]:
    return [problem.splitlines()[0] for _, problem in reports]


def test_several_processes_give_the_results_reports_and_records_of_one() -> None:
    one, two = played(1), played(2)
    assert one[0] == two[0]
    assert headlines(one[1]) == headlines(two[1]) != []
    assert one[2] == two[2]
    assert [name for name, _ in one[2]] == [f"{deal}.{rotation}" for deal in range(1, 6) for rotation in range(2)]


def test_more_processes_than_deals_do_no_harm() -> None:
    assert play([Dull], game="duel", games=2, workers=4).matches == 2


def test_the_end_of_a_process_is_an_error_that_names_the_deal() -> None:
    class Leaving(Dull):
        def match_started(self) -> None:
            os._exit(7)

    with pytest.raises(PracticeError, match="a process ended with status 7 in deal 1"):
        play([Leaving], game="duel", games=4, workers=2)


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
    assert (paired.places.score, paired.places.elo) == (0.5, 0)


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
    result = play([Lucky, Dull, Same], game="duel", games=32, paired=True, workers=2)
    assert result.paired
    assert result.paired.deals == 8
    assert math.isclose(result.paired.dollars, fmean(differences))
    assert math.isclose(result.paired.dollars_error, 1.96 * stdev(differences) / math.sqrt(8))
    assert f"; {fmean(differences):+.2f} ± " in as_text(result)


def test_who_is_in_the_others_place_is_compared_by_places_first() -> None:
    result = play([BohnanzaBot, Dull, Same], game="bohnanza", games=24, paired=True)
    assert result.paired
    better = result.paired.places
    assert better.score > 0.5
    assert better.deals == 4
    line = f"BohnanzaBot in place of Dull, 4 deals: the better place in {better.score:.1%} of the pairs of matches, "
    assert line in as_text(result)


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(PracticeError, match="name both, and then at least one"):
        play([Dull, Same], paired=True)
    with pytest.raises(PracticeError, match="all bots play the same deals"):
        play([Dull, Same, Lucky], game="bean-thief-easy", paired=True)
