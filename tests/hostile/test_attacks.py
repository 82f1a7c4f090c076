"""Whatever a bot does costs its own seat and nothing else: attacks in bots/, beside honest bots."""

from __future__ import annotations

from beanleague.games.records.verify import verify
from beanleague.referee.sandbox.layers import ABOUT, Layer
from tests.hostile.arena import (
    CLASSES,
    NOT_STOPPED,
    Arena,
    actions,
    attacks,
    devices_are_as_they_were,
    keeps_access_times,
    secret_is_whole,
)
from tests.hostile.table import UNKNOWN, committed
from tests.matches import column
from tests.processes import left_in
from tests.referee.helpers import record_of

LISTED = {
    Layer.LANDLOCK: {
        "counts_processes_of_the_host": "which process numbers are in use",
        **({"writes_access_times": "when files were last read"} if keeps_access_times() else {}),
    }
}
"""What layers do not stop, and the words by which `beanleague doctor` says so."""


def test_every_attack_is_of_one_class() -> None:
    assert sorted(name for names in CLASSES.values() for name in names) == sorted(attacks())


def test_the_others_play_as_beside_a_bot_that_never_came(arena: Arena, attack: str) -> None:
    match = arena.outcomes[attack].match
    assert {fault.seat for fault in match.faults} <= {1}
    assert (match.seats[0].forfeited, match.seats[2].forfeited) == (False, False)
    assert verify(record_of(match)).problem == ""
    assert actions(match) == actions(arena.idle)
    assert column(match, "score") == column(arena.idle, "score")


def test_what_children_think_is_charged_whether_or_not_anybody_waits_for_them(arena: Arena) -> None:
    outcome = arena.outcomes["thinks_in_children"]
    charged = outcome.word == "forfeits: timeout"
    assert charged or "Operation not permitted" in outcome.log, outcome.log


def test_it_is_stopped_or_the_doctor_says_that_it_is_not(arena: Arena, attack: str) -> None:
    outcome = arena.outcomes[attack]
    listed = LISTED.get(arena.layer, {}).get(attack)
    assert (outcome.word == NOT_STOPPED) == bool(listed), outcome.log
    assert listed is None or listed in ABOUT[arena.layer].lacks


def test_the_documentation_tells_whether_it_is_stopped(arena: Arena, attack: str) -> None:
    """How it is stopped depends on the machine: on which of several limits is met first."""
    documented = committed()[arena.layer].get(attack, UNKNOWN)
    assert documented != UNKNOWN, "write it anew: python -m tests.hostile.table"
    assert (documented == NOT_STOPPED) == (arena.outcomes[attack].word == NOT_STOPPED)


def test_the_documentation_tells_of_no_other_attack() -> None:
    assert all(set(column) == set(attacks()) for column in committed().values())


def test_the_host_is_as_it_was(arena: Arena) -> None:
    assert secret_is_whole(arena)
    assert arena.dialled == 0
    assert devices_are_as_they_were()
    for file in attacks().values():
        assert left_in(file.parent) == []
        assert not (file.parent / "note").exists()


def test_each_match_says_under_which_layer_it_was_played(arena: Arena) -> None:
    assert {outcome.match.layer for outcome in arena.outcomes.values()} == {arena.layer}
