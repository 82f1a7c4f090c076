"""How long decisions take in practice, and decisions that take too long."""

import signal
import subprocess
import sys
from array import array
from contextlib import suppress
from pathlib import Path
from textwrap import dedent

import pytest

from beanbot import Action, View
from beanbot.practice import __main__ as command
from beanbot.practice import deals, play, summarise
from beanbot.practice.match import AlarmError, PracticeMatch, PracticePlayer, Slowest, Watch
from beanbot.practice.result import as_text
from beanleague.games import Outcome, Record
from tests.sdk.helpers import Dull


def match(times: list[float], slowest: Slowest) -> PracticeMatch:
    """Return a match in which one bot decided in these times."""
    entrants = (PracticePlayer("a", Dull),)
    return PracticeMatch(Outcome((3,), (1,)), entrants, (0,), (False,), (len(times),), (array("d", times),), (slowest,))


def test_mean_99_percent_and_the_slowest_are_of_all_decisions() -> None:
    worst = Slowest(2.0, "2.0, move 7")
    played = [(match([0.001] * 99, Slowest(0.001, "1.0, move 0")),), (match([0.005] * 100 + [2.0], worst),)]
    (row,) = summarise("bohnanza", 1, played).rows
    assert row.mean_seconds == pytest.approx((0.099 + 0.5 + 2) / 200)
    assert row.seconds_99 == 0.005
    assert row.slowest is worst
    assert "slowest decision of a: 2,000.00 ms at 2.0, move 7" in as_text(summarise("bohnanza", 1, played))


def test_every_decision_has_a_time_and_the_slowest_says_where_it_was() -> None:
    for result in next(deals([Dull], game="duel")):
        assert [len(times) for times in result.times] == list(result.decisions)
        for times, slowest in zip(result.times, result.slowest, strict=True):
            assert slowest
            assert slowest.seconds == max(times)
            assert slowest.where.startswith("1.")


LONG_MS = 600_000  # 10 minutes


class Stuck(Dull):
    """Never answers when it is to offer a gift for the first time."""

    stuck = False

    def decide(self, view: View) -> Action:
        if view.decision.name == "OFFER_GIFT" and not Stuck.stuck:
            Stuck.stuck = True
            while True:
                with suppress(Exception):
                    signal.raise_signal(signal.SIGALRM)  # the alarm itself would come too early on a busy machine
        assert self.move_ms == LONG_MS
        return view.default()


def test_a_decision_that_takes_too_long_is_interrupted_and_shown_with_its_stack() -> None:
    problems: list[str] = []
    kept: list[Record] = []
    Stuck.stuck = False
    (first, _) = next(
        deals(
            [Stuck, Dull], game="duel", move_ms=LONG_MS, report=lambda _, text: problems.append(text), keep=kept.append
        )
    )
    assert first.faults == (1, 0)
    assert "OFFER_GIFT" in problems[0]
    assert ", in decide\n" in problems[0]
    assert problems[0].endswith("TimeoutError: no answer within 600000 ms")
    assert problems[0].count("Traceback") == 1
    (fault,) = kept[0].faults
    assert fault.kind == "timeout"
    assert fault.reason.startswith("TimeoutError: no answer within 600000 ms (test_times.py, line ")


def test_a_bot_that_hangs_is_interrupted_when_it_is_looked_at_twice() -> None:
    watch = Watch()
    watch.look()
    watch.number += 1  # a decision begins
    watch.look()
    with pytest.raises(AlarmError):
        watch.look()
    watch.number += 1
    watch.look()
    watch.number += 1  # the next one
    watch.look()


def test_the_command_ends_bots_that_hang_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Hanging(BohnanzaBot):
            hung = False

            def plant_first(self, view):
                while not Hanging.hung:
                    try:
                        while True:
                            pass
                    finally:
                        Hanging.hung = True
                return super().plant_first(view)

        run(Hanging)
    """
    file = tmp_path / "hanging.py"
    file.write_text(dedent(code))
    monkeypatch.setattr(command, "HANGS_AFTER_S", 0.1)
    assert command.main([str(file), "--deals", "1", "--option", "max_rounds=1"]) == 0
    errors = capfd.readouterr().err
    assert "no answer for a long time; --move-ms sets a limit" in errors
    assert ", in plant_first\n" in errors


def test_a_bot_that_cannot_be_interrupted_ends_practice_with_its_stack(tmp_path: Path) -> None:
    code = """
        import signal
        from beanbot import practice
        from beanbot.practice import match
        from beanbot.bohnanza import BohnanzaBot

        match.GRACE_S = 0.2

        class Deaf(BohnanzaBot):
            def decide(self, view):
                signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
                while True:
                    pass

        practice.play([Deaf], games=1, move_ms=20)
    """
    file = tmp_path / "deaf.py"
    file.write_text(dedent(code))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "in decide" in done.stderr


def test_practice_without_a_limit_sets_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "setitimer", None)
    assert play([Dull], game="duel", games=1).matches == 2
