"""Bots of one owner are kept apart, while there are enough others."""

from collections import Counter
from collections.abc import Sequence
from math import comb

import pytest
from sqlalchemy import select, update

from beanleague.league.create import create_league, join
from beanleague.league.schedule.formats import Gauntlet
from beanleague.league.schedule.owners import SharedOwner, groups_of, shared_owners
from beanleague.league.schedule.schedule import Schedule, Table, count_tables
from beanleague.model import LeagueRequest
from beanleague.store import Store
from beanleague.store.tables import BOT
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run, submit_late

SIZES = [
    pytest.param((2, *[1] * 6), 4, id="one pair"),
    pytest.param((3, 3, 2, 2, *[1] * 10), 4, id="several owners"),
    pytest.param((2, 2, 2, 2), 4, id="all in pairs"),
    pytest.param((5, *[1] * 15), 4, id="as many as the tables take"),
    pytest.param((2, 3, *[1] * 5), 2, id="two seats"),
    pytest.param((2, 2, *[1] * 6), 5, id="five seats"),
]


def numbers(sizes: Sequence[int]) -> list[int]:
    return [group for group, size in enumerate(sizes) for _ in range(size)]


def clashes(table: Table, groups: Sequence[int]) -> int:
    return len(table) - len({groups[bot] for bot in table})


def games(tables: Sequence[Table]) -> Counter[int]:
    return Counter(bot for table in tables for bot in table)


@pytest.mark.parametrize(("sizes", "seats"), SIZES)
@pytest.mark.parametrize("cycles", [False, True])
class TestKeptApart:
    def test_no_table_seats_two_of_a_group_and_games_stay_level(
        self, sizes: tuple[int, ...], seats: int, cycles: bool
    ) -> None:
        groups = numbers(sizes)
        schedule = Schedule(len(groups), seats, groups=groups, cycles=cycles, total=100)
        for _ in range(100):
            assert not clashes(schedule.next(), groups)
            assert schedule.games.max() - schedule.games.min() <= 2

    def test_a_schedule_that_was_stopped_goes_on_as_if_it_had_not_been(
        self, sizes: tuple[int, ...], seats: int, cycles: bool
    ) -> None:
        groups = numbers(sizes)
        whole = Schedule(len(groups), seats, groups=groups, cycles=cycles, total=40)
        history = [whole.next() for _ in range(40)]
        for done in (1, 17, 39):
            again = Schedule.from_history(len(groups), seats, history[:done], groups=groups, cycles=cycles, total=40)
            assert [again.next() for _ in range(40 - done)] == history[done:]


class TestBalance:
    def test_pairs_of_different_owners_meet_about_equally_often(self) -> None:
        groups = numbers((2,) * 10)
        schedule = Schedule(20, 4, groups=groups)
        for _ in range(95):
            schedule.next()
        met = [schedule.meetings[a, b] for a in range(20) for b in range(a) if groups[a] != groups[b]]
        assert (min(met), max(met)) == (2, 4)

    def test_owners_with_as_many_bots_each_play_all_tables_left_to_them(self) -> None:
        groups = numbers((2, 2, 2, 2, 2))
        schedule = Schedule(10, 3, groups=groups, cycles=True, total=80)
        assert count_tables(groups, 3) == 80
        assert len({schedule.next() for _ in range(80)}) == 80

    def test_an_owner_with_more_than_its_share_of_the_bots_plays_less_with_each(self) -> None:
        groups = numbers((10, 1, 1, 1))
        schedule = Schedule(13, 4, groups=groups)
        played = [schedule.next() for _ in range(50)]
        assert not any(clashes(table, groups) for table in played)
        assert [games(played)[bot] for bot in range(13)] == [5] * 10 + [50] * 3

    def test_a_bot_that_joins_its_owner_catches_up_apart_from_it(self) -> None:
        schedule = Schedule(8, 4)
        for _ in range(40):
            schedule.next()
        schedule.add_bot(group=0)
        later = [schedule.next() for _ in range(160)]
        assert not any({0, 8} <= set(table) for table in later)
        assert schedule.games.max() - schedule.games.min() <= 1

    @pytest.mark.parametrize(
        ("sizes", "seats", "expected"),
        [((1,) * 8, 4, comb(8, 4)), ((2, *[1] * 6), 4, 55), ((2,) * 4, 4, 16), ((4, 4), 4, comb(8, 4))],
    )
    def test_tables_are_counted(self, sizes: tuple[int, ...], seats: int, expected: int) -> None:
        assert count_tables(numbers(sizes), seats) == expected


class TestTooFewOthers:
    @pytest.mark.parametrize(("sizes", "seats", "clash"), [((4, 4), 4, 2), ((6, 1, 1), 4, 1), ((6,), 3, 2)])
    def test_as_few_of_a_group_as_possible_share_a_table(self, sizes: tuple[int, ...], seats: int, clash: int) -> None:
        groups = numbers(sizes)
        for cycles in (False, True):
            schedule = Schedule(len(groups), seats, groups=groups, cycles=cycles, total=30)
            assert {clashes(schedule.next(), groups) for _ in range(30)} == {clash}

    def test_all_bots_of_one_owner_play_as_if_they_were_strangers(self) -> None:
        one, strangers = Schedule(6, 4, groups=[0] * 6), Schedule(6, 4)
        assert [one.next() for _ in range(20)] == [strangers.next() for _ in range(20)]


class TestGauntlets:
    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_the_hero_meets_no_bot_of_its_owner(self, seats: int) -> None:
        groups = [0, 1, 0, 3, 4, 5, 5]
        played: list[Table] = []
        while len(played) < 30:
            played.append(Gauntlet(7, 0, seats, 30, played, groups=groups).next())
        assert not any(clashes(table, groups) for table in played)
        assert games(played)[2] == 0

    @pytest.mark.parametrize("seats", [2, 3])
    def test_unless_there_are_too_few_others(self, seats: int) -> None:
        gauntlet = Gauntlet(4, 0, seats, 30, (), groups=[0, 0, 0, 0])
        assert games([gauntlet.next() for _ in range(30)])[1] == 30 * (seats - 1) // 3


def owned(store: Store, owners: Sequence[str]) -> None:
    """Give the bots of "spring" these owners."""
    with store.database.write() as connection:
        for name, owner in zip(connection.scalars(select(BOT.c.name).order_by(BOT.c.name)).all(), owners, strict=False):
            connection.execute(update(BOT).where(BOT.c.name == name).values(owner=owner))


class TestLeagues:
    """Of bots that were submitted with tokens."""

    OWNERS = ("ann", "ann", "", "", "ben", "ben")

    def test_a_league_keeps_owners_apart_also_when_stopped_and_joined(self, make_league: MakeLeague) -> None:
        store = make_league(bots=6, seats=3, deals=9)
        owned(store, self.OWNERS)
        league_run(store, FakePools()).play()
        submit_late(store)
        owned(store, (*self.OWNERS, "ann"))
        join(store, "spring", ["late"], deals=40)
        league_run(store, FakePools()).play()
        entrants = store.leagues.entrants(1)
        assert entrants[6].owner == "ann"
        groups = groups_of([entrant.owner for entrant in entrants])
        assert not any(clashes(table, groups) for table in store.deals.tables(1))
        assert shared_owners(store.leagues.get("spring"), entrants) == (
            SharedOwner("ann", 3, False),
            SharedOwner("ben", 2, False),
        )

    def test_it_says_when_they_must_share_tables(self, make_league: MakeLeague) -> None:
        store = make_league(bots=5, seats=4, deals=9)
        owned(store, self.OWNERS)
        found = shared_owners(store.leagues.get("spring"), store.leagues.entrants(1))
        assert found == (SharedOwner("ann", 2, False),)
        with store.database.write() as connection:
            connection.exec_driver_sql("UPDATE entrant SET suspended = 'forfeits' WHERE number = 2")
        found = shared_owners(store.leagues.get("spring"), store.leagues.entrants(1))
        assert found == (SharedOwner("ann", 2, True),)

    def test_mix_owners_turns_it_off(self, make_league: MakeLeague) -> None:
        store = make_league(bots=6, seats=3, deals=20, mix_owners=True)
        owned(store, self.OWNERS)
        league_run(store, FakePools()).play()
        assert any({0, 1} <= set(table) for table in store.deals.tables(1))
        assert shared_owners(store.leagues.get("spring"), store.leagues.entrants(1)) == ()

    def test_the_default_number_of_deals_is_that_of_the_tables_left(self, make_league: MakeLeague) -> None:
        store = make_league(bots=6, seats=3)
        owned(store, self.OWNERS)
        wish = LeagueRequest(name="all", ruleset="bohnanza", seats=3)
        assert create_league(store, wish).deals == 12
        mixed = LeagueRequest(name="mixed", ruleset="bohnanza", seats=3, mix_owners=True)
        assert create_league(store, mixed).deals == 20
        gauntlet = LeagueRequest(name="hero", ruleset="bohnanza", seats=3, gauntlet="bot0")
        assert create_league(store, gauntlet).deals == 5
