"""Whole matches of real processes: whatever a bot does costs its own seat only. One file in bots/ for each fault."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.games.records.verify import verify
from beanleague.model import FaultKind, PlayedMatch
from beanleague.referee.messages import BotSpec, Limits, VoidMatch
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.launch import why_no_programs
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine, groups_here
from tests.processes import left_in
from tests.referee.helpers import BOTS, QUICK, bot, finish, layers_with_programs, play, record_of, starts_programs, task

GOOD = "plays_well"
FATAL = [
    ("never_connects", FaultKind.DISCONNECTED),
    ("exits_at_import", FaultKind.CRASH),
    ("answers_garbage", FaultKind.DISCONNECTED),
    ("crashes_in_a_match", FaultKind.CRASH),
    ("ends_the_stream", FaultKind.DISCONNECTED),
    ("says_no_hello", FaultKind.MALFORMED),
    ("speaks_version_1", FaultKind.MALFORMED),
    ("sends_too_much", FaultKind.DISCONNECTED),
]
STRIKES = [
    ("answers_without_action", FaultKind.MALFORMED),
    ("answers_with_unknown_kinds", FaultKind.MALFORMED),
    ("answers_late", FaultKind.TIMEOUT),
    ("acts_illegally", FaultKind.ILLEGAL),
    ("reports_errors", FaultKind.ERROR),
    ("sleeps_forever", FaultKind.TIMEOUT),
]


REASONS = {
    "exits_at_import": "the process exited with 7",
    "crashes_in_a_match": "the process was killed by signal 11",
}
MISSING = 98
"""The bot of which there is no program."""
NO_STARTER = 99
"""A bot that cannot start, and has not been tried yet."""
ONE_BY_ONE = [file for file, _ in (*FATAL, *STRIKES)] + ["kills_itself"]


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """A worker with a good bot, which is number 0 and 1, and those that match_with() seats."""
    bots = [bot(0, GOOD), bot(1, GOOD), *(bot(number, file) for number, file in enumerate(ONE_BY_ONE, 2))]
    bots += [replace(bot(MISSING, GOOD), command=("no-such-program",)), bot(NO_STARTER, "exits_at_import")]
    with WorkerPool(bots, QUICK, workers=1, in_flight=1) as pool:
        yield pool


def match_with(file: str, pool: WorkerPool) -> PlayedMatch:
    """Play one match in which seat 1 is the bot in `file`."""
    number = ONE_BY_ONE.index(file) + 2
    pool.submit(task(number, [0, number, 1]))
    return finish(pool, 1)[0][number]


def check_only_seat_one_suffers(result: PlayedMatch) -> None:
    assert {fault.seat for fault in result.faults} <= {1}
    record = record_of(result)
    assert verify(record).problem == ""
    assert all(move.seat == 1 for move in record.moves if move.by_default)


@pytest.mark.parametrize(("file", "kind"), FATAL)
def test_a_bot_that_cannot_go_on_forfeits_at_once(pool: WorkerPool, file: str, kind: FaultKind) -> None:
    result = match_with(file, pool)
    check_only_seat_one_suffers(result)
    assert [(fault.kind, fault.forfeited) for fault in result.faults] == [(kind, True)]
    assert result.faults[0].reason == REASONS.get(file, result.faults[0].reason)
    assert result.seats[1].place == 3


@pytest.mark.parametrize(("file", "kind"), STRIKES)
def test_a_bot_that_fails_again_and_again_forfeits_after_its_strikes(
    pool: WorkerPool, file: str, kind: FaultKind
) -> None:
    result = match_with(file, pool)
    check_only_seat_one_suffers(result)
    assert {fault.kind for fault in result.faults} == {kind}
    assert [seat.forfeited for seat in result.seats] == [False, True, False]
    assert result.seats[1].place == 3


def test_a_match_in_which_a_bot_is_killed_is_void_unless_its_task_forgives_no_kills(pool: WorkerPool) -> None:
    """The referee cannot see who did it, so a bot could make matches void by killing itself."""
    number = ONE_BY_ONE.index("kills_itself") + 2
    pool.submit(task(1, [0, number, 1]))
    pool.submit(replace(task(2, [0, number, 1]), unforgiven=frozenset({number})))
    voids: list[VoidMatch] = []
    results = finish(pool, 2, voids)[0]
    assert voids == [VoidMatch(1, "somebody killed the bot in seat 1", killed=number)]
    check_only_seat_one_suffers(results[2])
    assert [(fault.kind, fault.reason) for fault in results[2].faults] == [
        (FaultKind.CRASH, "the process was killed by signal 9")
    ]


def test_a_bot_is_forgiven_one_kill_by_all_workers_together_and_crashes_at_the_next() -> None:
    """In whatever deal and lane: else it could choose which of its matches count."""
    voids: list[VoidMatch] = []
    specs = [bot(0, GOOD), bot(1, GOOD), bot(2, "kills_itself")]
    with WorkerPool(specs, QUICK, workers=2, in_flight=1) as pool:
        for number in range(4):
            pool.submit(replace(task(number, [0, 2, 1], deal=number), lane=number))
        results = finish(pool, 4, voids)[0]
    assert [(void.why, void.killed) for void in voids] == [("somebody killed the bot in seat 1", 2)]
    assert [fault.kind for result in results.values() for fault in result.faults] == [FaultKind.CRASH] * 3
    for result in results.values():
        check_only_seat_one_suffers(result)


def test_a_bot_whose_decisions_are_too_long_together_forfeits_though_each_is_in_time() -> None:
    specs = [bot(1, GOOD), bot(2, "thinks_slowly")]
    with WorkerPool(specs, replace(QUICK, match_ms=600), workers=1, in_flight=1) as pool:
        pool.submit(task(1, [1, 2]))
        result = finish(pool, 1)[0][1]
    check_only_seat_one_suffers(result)
    assert [(fault.kind, fault.reason, fault.forfeited) for fault in result.faults] == [
        (FaultKind.TIMEOUT, "thought for more than 0.6 s in this match", True)
    ]
    assert result.seats[1].decisions >= 4


def test_stderr_of_a_bot_is_reported_and_capped() -> None:
    specs = [bot(1, GOOD), bot(2, "floods_stderr"), bot(3, "exits_at_import")]
    with WorkerPool(specs, QUICK, workers=1, in_flight=1) as pool:
        pool.submit(task(1, [1, 2, 3]))
        results, logs = finish(pool, 1)
        logs += pool.close()
    assert {fault.seat for fault in results[1].faults} == {2}
    written = {number: "".join(log.text for log in logs if log.number == number) for number in (1, 2, 3)}
    assert written[1] == ""
    assert QUICK.stderr_bytes <= len(written[2]) <= QUICK.stderr_bytes + 100
    assert written[2].endswith("bytes; the rest is left out]\n")
    assert written[3] == "no, thank you\n"


def test_each_line_a_bot_writes_names_the_match_and_the_move_it_worked_on() -> None:
    with WorkerPool([bot(1, GOOD), bot(2, "says_what_it_decides")], QUICK, workers=1, in_flight=1) as pool:
        for number in (1, 2):
            pool.submit(replace(task(number, [1, 2], deal=number), label=f"l/{number}.0"))
        results, logs = finish(pool, 2)
        logs += pool.close()
    lines = "".join(log.text for log in logs if log.number == 2).splitlines()
    expected = []
    for number in (1, 2):
        moves = [index for index, move in enumerate(record_of(results[number]).moves) if move.seat == 1]
        expected += [f"[l/{number}.0, move {move}] decision {i}" for i, move in enumerate(moves, 1)]
    assert lines == ["hello", *expected]


def test_a_bot_that_cannot_start_is_not_started_for_every_match(pool: WorkerPool) -> None:
    for number in range(5):
        pool.submit(task(number, [0, NO_STARTER, 1], deal=number))
    results = finish(pool, 5)[0]
    reasons = [results[number].faults[0].reason for number in range(5)]
    assert reasons[:3] == ["the process exited with 7"] * 3
    assert reasons[3:] == ["failed to start 3 times in a row, and is not started again in this run"] * 2
    assert all([seat.forfeited for seat in result.seats] == [False, True, False] for result in results.values())


def test_a_command_that_does_not_exist_is_a_crash(pool: WorkerPool) -> None:
    pool.submit(task(1, [0, MISSING, 1]))
    result = finish(pool, 1)[0][1]
    check_only_seat_one_suffers(result)
    assert result.faults[0].kind is FaultKind.CRASH


def test_nothing_a_bot_started_outlives_the_pool(tmp_path: Path) -> None:
    shutil.copytree(BOTS, tmp_path / "bots")
    leaves_children = replace(bot(2, "leaves_children"), folder=str(tmp_path / "bots"))
    result = play([bot(1, GOOD), leaves_children], [task(1, [1, 2])], layers=layers_with_programs())[1]
    assert result.faults == ()
    assert left_in(tmp_path / "bots") == []


START_PROGRAMS = {
    "first.py": """
import subprocess
from rawbot import dull, play
subprocess.run(["true"], check=True)
play(lambda request, start: [dull(request, start)])
""",
    "in_a_match.py": """
import os
from rawbot import dull, play
play(lambda request, start: [dull(request, start)] if os.posix_spawnp("true", ["true"], {}) else [])
""",
    "to_decide.py": """
import subprocess
from beanbot import Bot, run

class Decides(Bot):
    def decide(self, view):
        subprocess.run(["true"], check=True)
        return view.default()

run(Decides)
""",
    "script.sh": "true\ntrue | python3 plays_well.py\n",
}
"""Bots that start programs: before they connect, in a match, whenever they decide, and in another language."""
EPERM = "PermissionError: [Errno 1] Operation not permitted"
REFUSED_STARTS = [
    f"crash: the process exited with 1: {EPERM} (first.py, line 4, in <module>)",
    "crash: the process exited with 1",
    f"error: {EPERM} (to_decide.py, line 7, in decide)",
    "crash: the process exited with 2",
]


@pytest.mark.parametrize("layer", CONFINING)
def test_a_bot_that_starts_programs_plays_or_is_told_why_it_may_not(layer: Layer, tmp_path: Path) -> None:
    if why_not := examine(layer, QUICK).why_not:
        pytest.skip(why_not)
    folder = shutil.copytree(BOTS, tmp_path / "bots")
    specs = [bot(0, GOOD)]
    for number, (file, code) in enumerate(START_PROGRAMS.items(), 1):
        (folder / file).write_text(code)
        command = ("sh" if file.endswith(".sh") else "python", file)
        specs.append(BotSpec(number, file, str(folder), command))
    with WorkerPool(specs, Limits(), workers=1, in_flight=1, layers=[layer]) as pool:
        pool.submit(task(1, range(5)))
        results, logs = finish(pool, 1)
        logs += pool.close()
    reasons = {fault.seat: f"{fault.kind}: {fault.reason}" for fault in results[1].faults}
    if starts_programs(layer):
        assert reasons == {}
        return
    told = f"; bots cannot start programs on this host: {why_no_programs(layer, groups_here(QUICK))}"
    assert reasons == {seat: f"{reason}{told}" for seat, reason in enumerate(REFUSED_STARTS, 1)}
    for seat, reason in reasons.items():
        assert reason in "".join(log.text for log in logs if log.number == seat)
