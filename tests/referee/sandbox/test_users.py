"""The users of bots: no two processes have the same, and a number tells a bot nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from beanleague.referee.sandbox import users as module
from beanleague.referee.sandbox.users import BotUsers
from tests.waiting import TIMEOUT_S, ending

FIRST = 0x7000_0000 + os.getpid() % 2**16 * 2**10
"""Numbers that no worker draws while the tests run side by side, but for one in a million."""
BLOCK = 256

HOLDER = f"""
import sys, time
from beanleague.referee.sandbox.users import BotUsers
users = BotUsers(needed=True, among=range({FIRST}, {FIRST + BLOCK}))
print(users.take(), flush=True)
time.sleep(3600)
"""


def users_of(blocks: int = 1) -> BotUsers:
    return BotUsers(needed=True, among=range(FIRST, FIRST + blocks * BLOCK))


@pytest.fixture
def users() -> Iterator[BotUsers]:
    made = users_of()
    yield made
    made.close()


def taken(users: BotUsers, number: int) -> list[int]:
    found = [users.take() for _ in range(number)]
    return [user for user in found if user is not None]


def test_no_two_bots_of_two_workers_have_the_same_user_and_more_than_there_are_is_an_error(users: BotUsers) -> None:
    users.close()
    one, other = users_of(2), users_of(2)
    found = taken(one, BLOCK) + taken(other, BLOCK)
    assert sorted(found) == list(range(FIRST, FIRST + 2 * BLOCK))
    for worker in (one, other):
        with pytest.raises(OSError, match="no user ID is left for another bot"):
            worker.take()
    one.close()
    assert len(taken(other, BLOCK)) == BLOCK, "it may hold what the other gave up"
    other.close()


def test_a_user_is_drawn_again_once_it_is_given_back(users: BotUsers) -> None:
    found = taken(users, BLOCK)
    users.give_back(found[3])
    assert users.take() == found[3]


def test_users_are_drawn_at_random(users: BotUsers) -> None:
    first = taken(users, 16)
    users.close()
    again = users_of()
    assert taken(again, 16) != first
    again.close()


def test_the_users_of_a_worker_that_is_killed_are_free_at_once() -> None:
    with ending(subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE)) as holder:
        assert holder.stdout
        assert FIRST <= int(holder.stdout.readline()) < FIRST + BLOCK
        with pytest.raises(OSError, match="no user ID is left"):
            users_of().take()
        holder.kill()
    free = users_of()
    assert free.take() is not None
    free.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root starts processes of other users")
def test_a_user_is_not_drawn_before_its_last_process_has_been_reaped() -> None:
    users = BotUsers(needed=True, among=range(FIRST, FIRST + 2))
    found = taken(users, 2)
    process = subprocess.Popen(["/bin/true"], user=found[0])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    users.give_back(found[0])
    with pytest.raises(OSError, match="no user ID is left"):
        users.take()
    process.wait(TIMEOUT_S)
    assert users.take() == found[0]
    users.close()


def test_bots_of_an_ordinary_user_and_of_a_container_with_one_user_have_none_of_their_own() -> None:
    assert BotUsers(needed=False).take() is None
    assert BotUsers(needed=True, among=range(1, 1)).take() is None


@pytest.mark.parametrize(
    ("uid_map", "room"),
    [
        ("         0          0 4294967295\n", range(0x4000_0000, 0x8000_0000)),
        ("0 100000 65536\n", range(32_768, 65_536)),
        ("0 1000 1\n1 100000 65536\n", range(32_769, 65_537)),
        ("0 1000 1\n", range(1, 1)),
    ],
)
def test_bots_get_numbers_far_from_those_of_people(uid_map: str, room: range) -> None:
    assert module._room(uid_map) == room
