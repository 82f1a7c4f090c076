from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.submission import check, submit
from beanleague.league.errors import BundleError, LeagueError, RefusedError
from beanleague.model import Fault, FaultKind, PlayedMatch
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import MatchTask
from beanleague.referee.this_node import part_of_the_cores
from beanleague.store import Store
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle, keep, zipped
from tests.matches import changed

ANSWERS_BADLY = """from beanbot import run
from beanbot.bohnanza import BohnanzaBot
class Mine(BohnanzaBot):
    def answer(self, view):
        return Acccept()
run(Mine)
"""
CRASHES = "import sys\nsys.exit('the beans are gone')\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store


@pytest.fixture
def cache(tmp_path: Path) -> BundleCache:
    return BundleCache(tmp_path / "cache")


def failing(faults: int, decisions: int, reason: str = "there is no field 7") -> FakePools:
    """Return a referee by which seat 0 had so many faults in so many decisions, and the other seats none in none."""

    def failed(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        if len(task.bots) > 3:
            return play(task, bots)
        fault = Fault(0, 0, FaultKind.ILLEGAL, reason, False)
        made = changed(play(task, bots), decisions=(decisions, 0, 0), forfeited=(True,) * 3)
        return replace(made, faults=(fault,) * faults)

    return FakePools(failed, logs="oh\n")


@pytest.mark.parametrize(
    ("helper", "reason", "named"),
    [
        ("queue.py", "ImportError: cannot import name 'SimpleQueue' from 'queue' (/bot/queue.py)", True),
        ("random/__init__.py", "AttributeError: module 'random' has no attribute 'Random'", True),
        ("queue.py", "there is no field 7", False),
        ("beans.py", "ImportError: cannot import name 'SimpleQueue' from 'beans'", False),
    ],
)
def test_a_file_that_hides_a_module_is_named_where_that_module_is_missed(
    store: Store, cache: BundleCache, helper: str, reason: str, *, named: bool
) -> None:
    toml = 'name = "ann"\ngames = ["bohnanza"]\ncommand = ["python", "bot.py"]\n'
    with pytest.raises(RefusedError) as refused:
        submit(zipped({"bot.toml": toml, "bot.py": "", helper: ""}), store, cache, failing(1, 0, reason))
    hint = f"{helper.removesuffix('/__init__.py')}: shadows a module of Python with the same name"
    assert (hint in str(refused.value)) == named


def test_a_good_bot_is_kept_as_a_version(store: Store, cache: BundleCache) -> None:
    pools, tried = FakePools(play), list[str]()
    pools.before = lambda _: tried.append(Path(pools.bots[0].folder, "bot.py").read_text())
    first = submit(bundle("ann"), store, cache, pools)
    second = submit(bundle("ann", "better"), store, cache, pools)
    assert (first.version.number, second.version.number) == (1, 2)
    assert first.created
    assert first.report.problems == ()
    trials = first.report.trials
    assert [(trial.ruleset, trial.seats) for trial in trials] == [("bohnanza", 3), ("bohnanza", 5)]
    assert {(trial.faults, trial.refused) for trial in trials} == {((), "")}
    assert all(trial.decisions > 10 for trial in trials)
    assert [bot.name for bot in pools.bots] == ["ann", "random"]
    assert [task.bots for task in pools.tasks] == [(0, 1, 1), (1, 0, 1, 0, 0)] * 2
    assert tried[-1] == "better"


def test_trials_leave_half_of_the_cores_to_others(cache: BundleCache) -> None:
    pools = FakePools(play)
    check(bundle("ann"), cache, pools)
    assert pools.cores == part_of_the_cores(2)


def test_nothing_that_is_tried_stays_on_the_disk(tmp_path: Path, store: Store, cache: BundleCache) -> None:
    check(bundle("ann"), cache, FakePools())
    submit(bundle("ann"), store, cache, FakePools())
    with pytest.raises(RefusedError):
        submit(bundle("bob"), store, cache, failing(4, 4))
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_same_files_again_are_the_version_they_were_and_are_not_tried(store: Store, cache: BundleCache) -> None:
    submit(bundle("ann"), store, cache, FakePools())
    pools = FakePools()
    again = submit(bundle("ann"), store, cache, pools)
    assert not again.created
    assert again.version.number == 1
    assert pools.started == 0


@pytest.mark.parametrize(
    ("pools", "why"),
    [
        (
            failing(4, 200),
            (
                "it had 4 faults in 200 decisions of its trial match of bohnanza with 3 seats: "
                "in seat 0 when asked PLANT_FIRST, there is no field 7"
            ),
        ),
        (
            failing(1, 5),
            (
                "it had 1 fault in 5 decisions of its trial match of bohnanza with 3 seats: "
                "in seat 0 when asked PLANT_FIRST, there is no field 7"
            ),
        ),
        (failing(3, 0), "it could not start its trial match of bohnanza with 3 seats: there is no field 7"),
    ],
)
def test_a_bot_with_faults_is_not_admitted_and_the_author_sees_why(
    store: Store, cache: BundleCache, pools: FakePools, why: str
) -> None:
    with pytest.raises(RefusedError) as error:
        submit(bundle("ann"), store, cache, pools)
    assert str(error.value) == f"ann is not admitted: {why}\nIt wrote:\n  oh\n  oh\n  oh\n  oh\n  last words"
    assert store.bots.newest() == ()
    report = check(bundle("ann"), cache, pools)
    assert [problem.what for problem in report.problems] == [why]
    assert pools.closed == pools.started == 2


def test_a_fault_of_the_house_bot_is_not_blamed_on_the_bot(cache: BundleCache) -> None:
    def failed(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        faults = (Fault(2, 0, FaultKind.ILLEGAL, "there is no seat 4", False),)
        return replace(play(task, bots), faults=faults)

    assert check(bundle("ann"), cache, FakePools(failed)).problems == ()


def test_after_a_crash_nothing_more_is_played(cache: BundleCache) -> None:
    def failed(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        return replace(play(task, bots), faults=(Fault(0, 0, FaultKind.CRASH, "ended", True),))

    pools = FakePools(failed)
    check(bundle("ann"), cache, pools)
    assert len(pools.tasks) == 1


def test_a_mistake_in_answer_is_found_and_shown_once_with_its_place(cache: BundleCache) -> None:
    """With real processes."""
    report = check(bundle("ann", ANSWERS_BADLY), cache, start_workers)
    (mistake,) = report.trials[0].distinct
    assert mistake.decision == "ANSWER"
    assert mistake.count == len(report.trials[0].faults) > 1
    assert mistake.fault.reason == "NameError: name 'Acccept' is not defined (bot.py, line 5, in answer)"


def test_a_bot_that_hangs_is_said_to_hang_where_it_first_did(cache: BundleCache) -> None:
    def hung(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        faults = [Fault(0, move, FaultKind.TIMEOUT, f"no answer within {11 - move} s", False) for move in range(4)]
        return replace(play(task, bots), faults=tuple(faults))

    (trial,) = check(bundle("ann"), cache, FakePools(hung)).trials
    (mistake,) = trial.distinct
    assert (mistake.decision, mistake.count) == ("PLANT_FIRST", 4)
    assert mistake.fault.reason == "no answer within 11 s"
    log = "[x, move 0] bohnanza, seat 0 of 3, turn 1, PLANT_FIRST: no answer for 5 s (bot.py, line 8, in trade)\n"
    (trial,) = check(bundle("ann"), cache, FakePools(hung, logs=log)).trials
    assert trial.distinct[0].fault.reason == "no answer within 11 s (bot.py, line 8, in trade)"
    assert "no answer within 11 s (bot.py, line 8, in trade)" in trial.refused


def test_a_fault_at_the_largest_table_alone_is_enough(store: Store, cache: BundleCache) -> None:
    def crowded(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        fault = Fault(4, 0, FaultKind.ILLEGAL, "there is no seat 4", False)
        return replace(play(task, bots), faults=(fault,) if len(task.bots) == 5 else ())

    with pytest.raises(RefusedError, match=r"trial match of bohnanza with 5 seats: .* there is no seat 4"):
        submit(bundle("ann"), store, cache, FakePools(crowded))


def test_every_game_is_tried_at_its_smallest_and_its_largest_table(store: Store, cache: BundleCache) -> None:
    pools = FakePools(play)
    submit(bundle("ann", games=["dice", "bean-thief-easy", "duel"]), store, cache, pools)
    tried = [(task.ruleset, len(task.bots)) for task in pools.tasks]
    assert tried == [("dice", 2), ("dice", 5), ("bean-thief-easy", 1), ("duel", 2), ("duel", 2)]


def test_a_bad_bundle_is_reported_or_refused_without_a_trial(store: Store, cache: BundleCache) -> None:
    pools = FakePools()
    bad = zipped({"bot.toml": "name = 1"})
    report = check(bad, cache, pools)
    assert report.bundle is None
    assert [problem.where for problem in report.problems] == ["bot.toml: games", "bot.toml: command", "bot.toml: name"]
    with pytest.raises(BundleError, match=r"bot.toml: games: is missing; .* \(and 2 more\)"):
        submit(bad, store, cache, pools)
    assert pools.started == 0


def test_a_trial_that_is_not_wanted_any_more_is_broken_off(cache: BundleCache) -> None:
    pools = FakePools()
    with pytest.raises(LeagueError, match="cancelled"):
        check(bundle("ann"), cache, pools, wanted=lambda: not pools.started)
    assert pools.closed == 1


def test_a_trial_that_the_platform_spoils_is_played_again_and_in_the_end_given_up(cache: BundleCache) -> None:
    pools = FakePools(void=lambda _: "" if len(pools.tasks) > 2 else "the worker ended")
    assert check(bundle("ann"), cache, pools).problems == ()
    pools = FakePools(void=lambda _: "the worker ended")
    with pytest.raises(LeagueError, match="failed, through no fault of the bot: the worker ended"):
        check(bundle("ann"), cache, pools)
    assert pools.closed == 1


def test_a_real_bot_that_exits_at_once_is_refused_with_what_it_said(store: Store, cache: BundleCache) -> None:
    """With real processes."""
    with pytest.raises(RefusedError, match="could not start its trial match of bohnanza with 3 seats") as error:
        submit(bundle("ann", CRASHES), store, cache, start_workers)
    assert "the beans are gone" in str(error.value)


@pytest.mark.parametrize("name", ["--help", "-2-3", "007", "nan", "null"])
def test_a_new_bot_may_not_have_a_name_that_is_something_else_elsewhere(
    store: Store, cache: BundleCache, name: str
) -> None:
    with pytest.raises(BundleError, match=rf"bot\.toml: name: '{name}' is not a valid name: .* begins with a letter"):
        submit(bundle(name), store, cache, FakePools(play))
    (problem,) = check(bundle(name), cache, FakePools(play)).problems
    assert problem.where == "bot.toml: name"


def test_a_bot_that_has_such_a_name_gets_new_versions(store: Store, cache: BundleCache) -> None:
    keep(store, bundle("-2-3"))
    assert submit(bundle("-2-3", "x = 1\n"), store, cache, FakePools(play)).version.label == "-2-3@2"
    assert check(bundle("-2-3"), cache, FakePools(play), known=store.bots.has).problems == ()
