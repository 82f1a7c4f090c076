"""Bosses and mules among real traders are found; honest bots, strong ones included, are not."""

import pytest

from beanleague.league.integrity import judge
from beanleague.league.schedule.schedule import Table
from tests.league.integrity.arena import HONEST, Arena, League
from tests.league.schedule.helpers import tables

TABLE: Table = (0, 1, 2, 3)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    return Arena(tmp_path_factory.mktemp("bots"))


def found(league: League, deals: int | None = None) -> list[tuple[str, str]]:
    """Return the names of givers and receivers found in the first deals."""
    names = league.names
    return [(names[pair.giver], names[pair.receiver]) for pair in judge(league.of(deals), league.spread) if pair.found]


def with_mule(arena: Arena, mule: str, seed: int, deals: int) -> League:
    return arena.play(["boss", mule, "trader", "stingy"], [TABLE] * deals, seed)


def test_a_mule_is_found_and_named_first(arena: Arena) -> None:
    league = with_mule(arena, "gives", 1, 6)
    assert found(league) == [("gives", "boss")]
    pair = judge(league.of(), league.spread)[0]
    assert pair.excess > 1
    assert pair.conspicuous


def test_the_same_bots_without_a_mule_are_not(arena: Arena) -> None:
    assert found(arena.play(["boss", "hasty", "trader", "stingy"], [TABLE] * 6, 1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("mule", ["gives", "swaps", "gives-third"])
@pytest.mark.parametrize("seed", range(1, 11))
def test_each_mule_is_found_within_40_deals(arena: Arena, mule: str, seed: int) -> None:
    assert found(with_mule(arena, mule, seed, 40))[0] == (mule, "boss")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_none_of_36_honest_pairs_is_found_however_often_one_looks(arena: Arena, seed: int) -> None:
    """Ten bots, nine of which trade; each two meet in 16 of the 120 deals."""
    league = arena.play(HONEST, tables(len(HONEST), 4, 120), seed)
    assert {deals: found(league, deals) for deals in (40, 80, 120)} == {40: [], 80: [], 120: []}


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "deals", "bots"), [(3, 100, 6), (4, 40, 4), (5, 40, 5)])
@pytest.mark.parametrize("seed", range(1, 5))
def test_nor_at_other_tables(arena: Arena, seats: int, deals: int, bots: int, seed: int) -> None:
    names = ("trader", "stingy", "random", "proud", "hasty", "generous")[:bots]
    assert found(arena.play(names, tables(bots, seats, deals), seed)) == []
