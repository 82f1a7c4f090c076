"""Practice with several processes."""

from __future__ import annotations

import os
from typing import Any

import pytest

from beanbot import Action, Bot, View
from beanbot.practice import PracticeError, play, prepare
from beanbot.practice.jobs import play_deals
from beanleague.games import Record
from tests.sdk.helpers import Dull


class Erring(Dull):
    """Chooses by its own luck, and fails now and then."""

    def decide(self, view: View) -> Action:
        if self.random.random() < 0.1:
            raise ValueError("unlucky")
        return self.random.choice(view.legal())


def played(jobs: int) -> tuple[list[object], list[tuple[str, str]], list[tuple[str, Record]]]:
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
        jobs=jobs,
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
    assert play([Dull], game="duel", games=2, jobs=4).matches == 2


def test_the_end_of_a_process_is_an_error_that_names_the_deal() -> None:
    class Leaving(Dull):
        def match_started(self) -> None:
            os._exit(7)

    with pytest.raises(PracticeError, match="a process ended with status 7 in deal 1"):
        play([Leaving], game="duel", games=4, jobs=2)
