"""What a report says of a bot over all trial matches."""

from __future__ import annotations

from beanleague.answers.trials import Mistake, mistakes, warnings
from beanproto.v1.league_pb2 import BotReport, Trial, TrialFault
from beanproto.v1.referee_pb2 import RecordedFault


def trial(seats: int, *made: tuple[int, str, int]) -> Trial:
    """A trial with mistakes: the move, the reason, and how often."""
    distinct = [
        TrialFault(fault=RecordedFault(move=move, reason=reason), decision="TRADE", count=count)
        for move, reason, count in made
    ]
    return Trial(ruleset="bohnanza", seats=seats, distinct=distinct, log="warning: a\nhello\nwarning: b\n")


REPORT = BotReport(trials=[trial(3, (7, "boom", 2), (9, "bang", 1)), trial(5, (4, "boom", 3))])


def test_each_mistake_is_named_once_with_its_count_over_all_trials() -> None:
    assert mistakes(REPORT) == (
        Mistake("bohnanza, 3 seats, move 7", "TRADE", "boom", 5),
        Mistake("bohnanza, 3 seats, move 9", "TRADE", "bang", 1),
    )


def test_each_warning_is_given_once() -> None:
    assert warnings(REPORT) == ("a", "b")
