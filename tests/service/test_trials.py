"""Trials wait in the queue, report while they run, and are told within bounds."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from beanleague.games import Fault
from beanleague.league.bots.submission import Report, Trial
from beanleague.league.errors import Problem
from beanleague.model import FaultKind
from beanleague.service import trials
from beanleague.service.access import RefusedCallError, exhausted
from beanleague.service.backend import TrialQueue, Turn
from beanleague.service.trials import in_turn

FAULT = Fault(1, 3, FaultKind.ILLEGAL, "no such field", forfeited=False)
TRIAL = Trial("bohnanza", 3, 40, (), (), (), "", "")


def work(seen: Callable[[str], None], _: Turn) -> str:
    seen("half")
    return "whole"


def wanted() -> bool:
    return True


class TestTurn:
    def test_reports_come_before_the_result(self) -> None:
        assert list(in_turn(TrialQueue(1), "ann", wanted, work)) == ["half", "whole"]

    def test_places_come_until_it_is_ones_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trials, "_LOOK_S", 0.0)
        queue = TrialQueue(1)
        with queue.turn("ben"):
            told: Iterator[int | str] = in_turn(queue, "ann", wanted, work)
            assert (next(told), next(told)) == (1, 1)
        assert list(told) == ["half", "whole"]

    def test_who_leaves_the_queue_runs_nothing(self) -> None:
        queue, ran = TrialQueue(1), list[str]()
        with queue.turn("ben"):
            assert list(in_turn(queue, "ann", lambda: False, lambda _, __: ran.append("ran"))) == []
        assert ran == []

    def test_an_error_of_the_work_comes_after_its_reports(self) -> None:
        def fail(seen: Callable[[str], None], _: Turn) -> str:
            seen("half")
            raise exhausted("no")

        told = in_turn(TrialQueue(1), "ann", wanted, fail)
        assert next(told) == "half"
        with pytest.raises(RefusedCallError, match="no"):
            next(told)

    def test_a_turn_ends_with_its_work(self) -> None:
        queue = TrialQueue(1)
        list(in_turn(queue, "ann", wanted, work))
        with queue.turn("ben") as turn:
            assert queue.ahead(turn, -1, 0) == 0


class TestReport:
    def test_faults_beyond_twenty_are_only_counted(self) -> None:
        faults = tuple(replace(FAULT, move=move) for move in range(25))
        message = trials._report_to_pb(Report(None, (), (replace(TRIAL, faults=faults, forfeited=(1,)),)))
        (trial,) = message.trials
        assert (trial.fault_count, len(trial.faults), list(trial.forfeited_seats)) == (25, 20, [1])

    def test_problems_of_a_bundle_without_a_manifest_are_all_told(self) -> None:
        problems = (Problem("bot.toml", "is missing"), Problem("bot.py", "is empty"))
        message = trials._report_to_pb(Report(None, problems))
        assert [(each.where, each.what) for each in message.problems] == [
            ("bot.toml", "is missing"),
            ("bot.py", "is empty"),
        ]
        assert not message.HasField("manifest")
