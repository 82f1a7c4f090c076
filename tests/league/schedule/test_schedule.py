"""Schedules, and that bots of one owner are kept apart while there are enough others."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pytest
from sqlalchemy import select, update

from beanleague.league.create import create_league, join
from beanleague.league.schedule.owners import SharedOwner, groups_of, shared_owners
from beanleague.league.schedule.schedule import (
    MAX_CYCLE,
    Schedule,
    ScheduleError,
    Table,
    all_seatings,
    circle,
    comparison_seatings,
    count_tables,
    rotations,
)
from beanleague.league.schedule.seeds import bot_luck, deal_seed, new_secret, seed_digest
from beanleague.league.schedule.tables import Gauntlet
from beanleague.model import LeagueRequest
from beanleague.store import Store
from beanleague.store.tables import BOT
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run, submit_late
from tests.league.schedule.helpers import Running, tables


@dataclass(frozen=True)
class Balance:
    """Fewest and most games of a bot and meetings of a pair, and the largest differences of each in any prefix."""

    games: tuple[int, int]
    meetings: tuple[int, int]
    games_apart: int
    meetings_apart: int


def balance(bots: int, played: Sequence[Table]) -> Balance:
    games, meetings = np.zeros(bots, int), np.zeros((bots, bots), int)
    pairs = np.triu_indices(bots, 1)
    games_apart = meetings_apart = 0
    for table in played:
        assert len(set(table)) == len(table)
        games[list(table)] += 1
        for a, b in combinations(sorted(table), 2):
            meetings[a, b] += 1
        games_apart = max(games_apart, int(np.ptp(games)))
        meetings_apart = max(meetings_apart, int(np.ptp(meetings[pairs])))
    met = meetings[pairs]
    return Balance((int(games.min()), int(games.max())), (int(met.min()), int(met.max())), games_apart, meetings_apart)


class TestBalancedTables:
    @pytest.mark.parametrize(
        ("bots", "seats", "number", "games", "meetings"),
        [
            (8, 4, 14, 7, (3, 3)),
            (9, 3, 12, 4, (1, 1)),
            (20, 4, 95, 19, (2, 4)),
            (20, 4, 475, 95, (14, 16)),
            pytest.param(100, 4, 4950, 198, (5, 7), marks=pytest.mark.slow),
        ],
    )
    def test_bots_play_equally_often_and_meet_about_as_often(
        self, bots: int, seats: int, number: int, games: int, meetings: tuple[int, int]
    ) -> None:
        found = balance(bots, tables(bots, seats, number))
        assert found.games == (games, games)
        assert meetings[0] <= found.meetings[0] <= found.meetings[1] <= meetings[1]

    @pytest.mark.parametrize(("bots", "seats"), [(13, 4), (20, 4), (23, 5), (31, 3), (40, 7)])
    def test_every_prefix_is_nearly_balanced(self, bots: int, seats: int) -> None:
        found = balance(bots, tables(bots, seats, 300))
        assert found.games_apart <= 1
        assert found.meetings_apart <= 4


class TestCycles:
    @pytest.mark.parametrize(("bots", "seats"), [(5, 3), (6, 4), (8, 4), (9, 5), (12, 4), (7, 7)])
    def test_all_tables_are_played_before_one_is_repeated(self, bots: int, seats: int) -> None:
        cycle = comb(bots, seats)
        played = tables(bots, seats, 2 * cycle)
        assert set(Counter(played[:cycle]).values()) == {1}
        assert set(Counter(played).values()) == {2}

    @pytest.mark.parametrize(("bots", "seats"), [(6, 4), (9, 3), (12, 4)])
    def test_every_prefix_is_nearly_balanced(self, bots: int, seats: int) -> None:
        found = balance(bots, tables(bots, seats, comb(bots, seats)))
        assert found.games_apart <= 2
        assert found.meetings_apart <= 4

    @pytest.mark.parametrize(
        ("bots", "seats", "budget"), [(9, 3, 126), (10, 3, 180), (7, 4, 100), (9, 7, 54), (6, 4, 20), (8, 4, 99)]
    )
    def test_tables_beyond_the_last_whole_cycle_are_balanced_too(self, bots: int, seats: int, budget: int) -> None:
        played = tables(bots, seats, budget)
        whole = budget - budget % comb(bots, seats)
        assert len(played) == budget
        assert len(set(Counter(played[:whole]).values())) == 1
        assert np.ptp(balance(bots, played).games) <= 1

    def test_a_league_made_longer_completes_the_cycle_it_had_no_room_for(self) -> None:
        played = tables(6, 4, 20)
        longer = Schedule(6, 4, played, cycles=True, total=45)
        played += [longer.next() for _ in range(25)]
        assert set(Counter(played).values()) == {3}

    def test_more_tables_than_a_cycle_may_have_are_balanced_instead(self) -> None:
        assert comb(45, 3) > MAX_CYCLE
        schedule = Schedule(45, 3, cycles=True)
        assert balance(45, [schedule.next() for _ in range(60)]).games == (4, 4)


class TestTwoSeats:
    @pytest.mark.parametrize("bots", [2, 3, 8, 9])
    def test_everybody_meets_everybody_once_in_a_cycle(self, bots: int) -> None:
        pairs = comb(bots, 2)
        for played in (tables(bots, 2, 2 * pairs), [*circle(bots)] * 2):
            assert set(played[:pairs]) == set(combinations(range(bots), 2))
            assert sorted(played[pairs:]) == sorted(played[:pairs])

    def test_an_even_number_of_bots_plays_in_rounds(self) -> None:
        played = tables(10, 2, 45)
        for start in range(0, 45, 5):
            assert sorted(bot for pair in played[start : start + 5] for bot in pair) == list(range(10))

    @pytest.mark.parametrize("bots", [7, 8, 25])
    def test_games_differ_by_one_at_most(self, bots: int) -> None:
        assert balance(bots, tables(bots, 2, 3 * comb(bots, 2) // 2)).games_apart <= 1


class TestRunningLeague:
    @pytest.mark.parametrize("cycles", [False, True])
    def test_a_league_that_was_stopped_goes_on_as_if_it_had_not_been(self, cycles: bool) -> None:
        whole = Schedule(9, 4, cycles=cycles)
        expected = [whole.next() for _ in range(60)]
        for stop in (0, 1, 17, 41):
            resumed = Schedule(9, 4, expected[:stop], cycles=cycles)
            assert [resumed.next() for _ in range(60 - stop)] == expected[stop:]

    @pytest.mark.parametrize("cycles", [False, True])
    def test_a_league_resumed_after_a_bot_joined_goes_on_alike(self, cycles: bool) -> None:
        whole = Running(7, 3, cycles=cycles)
        for _ in range(20):
            whole.next()
        whole.join()
        whole.retire(2)
        for _ in range(5):
            whole.next()
        resumed = Schedule(8, 3, whole.played, retired=[2], cycles=cycles)
        assert [resumed.next() for _ in range(30)] == [whole.next() for _ in range(30)]

    @pytest.mark.parametrize("cycles", [False, True])
    @pytest.mark.parametrize("newcomers", [1, 2, 3])
    def test_newcomers_catch_up_and_balance_is_kept_from_there_on(self, newcomers: int, cycles: bool) -> None:
        schedule = Running(20, 4, cycles=cycles)
        for _ in range(95):
            schedule.next()
        for _ in range(newcomers):
            schedule.join()
        for number in range(400):
            schedule.next()
            if number > 150:
                assert np.ptp(schedule.games) <= 1
                assert np.ptp(schedule.meetings[np.triu_indices(20 + newcomers, 1)]) <= 4

    @pytest.mark.parametrize("cycles", [False, True])
    def test_newcomers_meet_each_other_no_more_than_others_while_they_catch_up(self, cycles: bool) -> None:
        schedule = Running(20, 4, cycles=cycles)
        for _ in range(475):
            schedule.next()
        schedule.join()
        schedule.join()
        while np.ptp(schedule.games) > 2:
            schedule.next()
            meetings = schedule.meetings
            assert meetings[20, 21] <= meetings[20:, :20].max() + 1

    @pytest.mark.parametrize(("bots", "seats"), [(5, 4), (5, 3), (6, 2)])
    def test_a_small_league_is_even_once_a_newcomer_has_caught_up(self, bots: int, seats: int) -> None:
        """Nobody makes up for the tables that were played before it came."""
        schedule = Running(bots, seats, cycles=True)
        for _ in range(10):
            schedule.next()
        schedule.join()
        schedule.retire(1)
        for number in range(80):
            schedule.next()
            assert number < 50 or np.ptp(np.delete(schedule.games, 1)) <= 1

    @pytest.mark.parametrize(("bots", "seats"), [(5, 3), (6, 3), (6, 4), (7, 5), (8, 4), (9, 7)])
    def test_with_few_bots_left_over_meetings_stay_even_without_cycles(self, bots: int, seats: int) -> None:
        schedule = Running(bots, seats)
        for _ in range(600):
            schedule.next()
        assert np.ptp(schedule.meetings[np.triu_indices(bots, 1)]) <= 3

    @pytest.mark.parametrize(("bots", "seats"), [(8, 4), (9, 3), (12, 4)])
    def test_newcomers_that_met_too_often_while_they_caught_up_make_up_for_it(self, bots: int, seats: int) -> None:
        """Meetings become those of least squares among all with as many for each bot, which differ: of the old ones
        some were with bots that left."""
        schedule = Running(bots, seats)
        for _ in range(200):
            schedule.next()
        for old in (0, 1):
            schedule.retire(old)
            schedule.join()
        for _ in range(800):
            schedule.next()
        meetings = schedule.meetings[2:, 2:]
        own = meetings.sum(axis=0)
        part = (own - own.sum() / (2 * bots - 2)) / (bots - 2)
        assert np.abs(meetings - np.add.outer(part, part))[np.triu_indices(bots, 1)].max() <= 2

    def test_a_league_that_doubles_becomes_even(self) -> None:
        schedule = Running(4, 4)
        for _ in range(50):
            schedule.next()
        for _ in range(4):
            schedule.join()
        for _ in range(200):
            schedule.next()
        assert np.ptp(schedule.games) <= 1

    def test_a_newcomer_sits_at_every_table_until_it_has_caught_up(self) -> None:
        schedule = Running(6, 3)
        for _ in range(40):
            schedule.next()
        newcomer = schedule.join()
        tables_until_even = 0
        while np.ptp(schedule.games) > 1:
            assert newcomer in schedule.next()
            tables_until_even += 1
        assert 20 < tables_until_even < 40

    def test_a_retired_bot_is_seated_no_more_and_the_rest_stay_balanced(self) -> None:
        schedule = Running(8, 3)
        for _ in range(30):
            schedule.next()
        schedule.retire(5)
        rest = [schedule.next() for _ in range(70)]
        assert all(5 not in table for table in rest)
        assert np.ptp(np.delete(schedule.games, 5)) <= 1

    def test_tables_chosen_elsewhere_are_made_up_for(self) -> None:
        schedule = Running(8, 4)
        for _ in range(6):
            schedule.play((0, 1, 2, 3))
        for _ in range(50):
            schedule.next()
        assert np.ptp(schedule.games) <= 1
        assert np.ptp(schedule.meetings[np.triu_indices(8, 1)]) <= 4

    @pytest.mark.parametrize("bad", [(0, 1, 1), (0, 1, 4), (-1, 0, 1)])
    def test_a_history_with_a_table_that_is_none_is_refused(self, bad: Table) -> None:
        with pytest.raises(ScheduleError, match="must seat distinct bots"):
            Schedule(4, 3, [(0, 1, 2), bad])

    def test_tables_that_nobody_can_fill_are_refused(self) -> None:
        with pytest.raises(ScheduleError, match="3 bots cannot fill 4 seats; submit 1 more"):
            tables(3, 4, 10)
        with pytest.raises(ScheduleError, match="2 or more"):
            Schedule(3, 1)

    def test_too_few_bots_left_are_reported(self) -> None:
        schedule = Schedule(3, 3, retired=[1])
        with pytest.raises(ScheduleError, match="2 bots are left for 3 seats"):
            schedule.next()
        with pytest.raises(ScheduleError, match="no bot 3"):
            Schedule(3, 3, retired=[3])


class TestSeatings:
    def test_rotations_give_everybody_every_seat_once(self) -> None:
        assert rotations((4, 7, 9)) == [(4, 7, 9), (7, 9, 4), (9, 4, 7)]

    def test_all_seatings_of_three_are_six(self) -> None:
        seatings = all_seatings((0, 1, 2))
        assert len(set(seatings)) == 6
        assert seatings[0] == (0, 1, 2)

    @pytest.mark.parametrize(
        ("seats", "fillers", "matches"), [(2, (), 2), (3, (), 6), (4, (), 4), (5, (), 10), (3, (2,), 6), (4, (2, 3), 8)]
    )
    def test_two_bots_compared_share_the_seats_equally(
        self, seats: int, fillers: tuple[int, ...], matches: int
    ) -> None:
        seatings = comparison_seatings(0, 1, seats, fillers)
        assert len(set(seatings)) == matches
        for seat in range(seats):
            taken = Counter(seating[seat] for seating in seatings)
            assert taken[0] == taken[1] > 0
            assert len({taken[filler] for filler in fillers}) <= 1

    def test_fillers_must_leave_room_for_two(self) -> None:
        with pytest.raises(ScheduleError, match="no room"):
            comparison_seatings(0, 1, 3, (2, 3))


SECRET = b"0123456789abcdef"


def test_a_seed_and_its_digest_are_what_the_documentation_says() -> None:
    """docs/fairness.md, "Checking it yourself"."""
    assert deal_seed(SECRET, 12) == hmac.new(SECRET, b"deal/12", hashlib.sha256).digest()
    assert deal_seed(SECRET, 12).hex() == "5d939bc7f4791458a7f763c5380a29863fdcf0c49bf347587a6b9aa19379650e"
    assert seed_digest(deal_seed(SECRET, 12)) == hashlib.sha256(deal_seed(SECRET, 12)).digest()


def test_luck_differs_by_deal_rotation_and_seat() -> None:
    assert bot_luck(SECRET, 12, 3, 1) == hmac.new(SECRET, b"luck/12/3/1", hashlib.sha256).digest()[:16]
    lucks = {bot_luck(SECRET, d, r, s) for d in range(12) for r in range(4) for s in range(4)}
    assert len(lucks) == 12 * 4 * 4


def test_master_secrets_are_long_and_differ() -> None:
    assert len(new_secret()) == 32
    assert new_secret() != new_secret()


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
        schedule = Running(len(groups), seats, groups=groups, cycles=cycles, total=100)
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
            again = Schedule(len(groups), seats, history[:done], groups=groups, cycles=cycles, total=40)
            assert [again.next() for _ in range(40 - done)] == history[done:]


class TestBalance:
    def test_pairs_of_different_owners_meet_about_equally_often(self) -> None:
        groups = numbers((2,) * 10)
        schedule = Running(20, 4, groups=groups)
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
        schedule = Running(8, 4)
        for _ in range(40):
            schedule.next()
        schedule.join(group=0)
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

    def test_a_league_reports_owners_whose_bots_must_share_tables(self, make_league: MakeLeague) -> None:
        store = make_league(bots=5, seats=4, deals=9)
        owned(store, self.OWNERS)
        found = shared_owners(store.leagues.get("spring"), store.leagues.entrants(1))
        assert found == (SharedOwner("ann", 2, False),)
        store.leagues.suspend(1, 2, "forfeits")
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
