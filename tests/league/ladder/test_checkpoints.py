"""Ladders that go on from a checkpoint, compared with ladders that read everything."""

from dataclasses import replace

import numpy as np
import pytest

from beanleague.league.counting import UNKNOWN, Compared, ladder_counts, weigh_deals
from beanleague.league.ladder.checkpoints import (
    TURNS,
    LadderCounts,
    counted_from,
    differences,
    newest_counts,
    parts_from,
    parts_of,
)
from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ladder.inputs import epoch_of
from beanleague.league.ratings.fit import fit
from beanleague.league.ratings.ratings import half_widths, rate
from beanleague.league.schedule.plans import Meetings, plan_epoch
from beanleague.model import League, members
from beanleague.store import DamagedError, Store


@pytest.fixture
def league(store: Store) -> League:
    return store.leagues.get("spring")


def change(store: Store, statement: str) -> None:
    with store.database.write() as connection:
        connection.exec_driver_sql(statement)


def everything(store: Store, league: League) -> LadderCounts:
    """Return what is counted where there are no checkpoints."""
    change(store, "DELETE FROM ladder_checkpoint")
    return ladder_counts(store, league)


def same(one: LadderDeals, other: LadderDeals) -> bool:
    """Whether two give the same weights of the same results, in a field of all entries but the first."""
    given = [deals.weighted(range(1, 7), list(range(7))) for deals in (one, other)]
    parts = [[*(getattr(each.encounters(4), name) for name in ("keys", "wins", "met"))] for each in given]
    return all(map(np.array_equal, *parts))


def test_what_was_counted_is_what_all_deals_give(store: Store, league: League) -> None:
    resumed, whole = ladder_counts(store, league), everything(store, league)
    assert resumed.deals.count == whole.deals.count == league.deals_done
    assert (resumed.deals.played == whole.deals.played).all()
    assert same(resumed.deals, whole.deals)
    assert resumed.meetings.tables == whole.meetings.tables
    for turns in TURNS:
        assert +getattr(resumed.meetings, turns) == +getattr(whole.meetings, turns)


def test_ratings_and_half_widths_are_the_same(store: Store, league: League) -> None:
    entrants = store.leagues.entrants(1)
    one, other = (
        weigh_deals(found.deals, entrants) for found in (ladder_counts(store, league), everything(store, league))
    )
    assert rate(one, league.anchor).bots == rate(other, league.anchor).bots
    assert np.array_equal(half_widths(one, fit(one)), half_widths(other, fit(other)))


def test_an_entry_outside_of_the_field_is_compared_with_nobody(store: Store, league: League) -> None:
    entrants = store.leagues.entrants(1)
    (gone,) = {entrant.number for entrant in entrants} - {*members(entrants)}
    numbers = list(range(7))
    better, _ = Compared(store, league).matrix(numbers, numbers)
    known = {(one, other) for one in numbers for other in numbers if better[one][other] != UNKNOWN}
    assert known == {(one, other) for one in numbers for other in numbers if one != other and gone not in {one, other}}


def test_plans_of_the_next_day_are_the_same(store: Store, league: League) -> None:
    newest = store.ladders.checkpoints(1)[-1]
    tables, groups, day = store.deals.tables(1), list(range(7)), store.ladders.days(1)[-1]
    whole = Meetings()
    for table in tables[: newest.deals]:
        whole.add(table, table[0])
    whole.today.clear()
    for number in store.deals.drop_times(1):
        whole.drop(tables[number - 1])
    epochs = [epoch_of(epoch, 4, groups) for epoch in store.ladders.epochs(1, after_deal=newest.deals)]
    for meetings in (newest_counts(store, league).meetings, whole):
        again = (table for epoch in epochs for table in plan_epoch(epoch, meetings, day.secret))
        assert tuple(again) == tables[newest.deals :]


def test_deals_before_it_are_not_read(store: Store, league: League) -> None:
    before = ladder_counts(store, league)
    newest = store.ladders.checkpoints(1)[-1].deals
    change(store, f"UPDATE deal SET entrants = '[]', results = x'', played = NULL WHERE number <= {newest}")
    after = ladder_counts(store, league)
    assert differences(parts_from(before, 7), parts_from(after, 7)) == []
    assert all(deal.number > newest for deal in store.deals.unplayed(1))


def test_one_that_was_changed_is_not_gone_on_from(store: Store, league: League) -> None:
    change(store, "UPDATE ladder_checkpoint SET position = position + 1 WHERE day = 2")
    with pytest.raises(
        DamagedError, match="spring cannot continue: the checkpoint of day 2 is not the one that was stored"
    ):
        ladder_counts(store, league)


def test_one_of_more_entries_than_there_are_is_refused(store: Store, league: League) -> None:
    parts = parts_of(store.ladders.checkpoint_data(1, 2))
    with pytest.raises(DamagedError, match="a checkpoint of spring has 7 entries, but the ladder has 6"):
        counted_from(parts, replace(league, entrants=6))
    with pytest.raises(DamagedError, match="a checkpoint of spring is damaged"):
        counted_from({**parts, "epoch": parts["epoch"][1:]}, league)


def test_each_has_the_entries_deals_and_epochs_of_its_end(store: Store) -> None:
    one, two = store.ladders.checkpoints(1)
    assert (one.day, two.day, one.entrants, two.entrants) == (1, 2, 7, 7)
    assert one.deals < two.deals < len(store.deals.tables(1))
    assert [epoch.day for epoch in store.ladders.epochs(1)][one.epochs - 1 : one.epochs + 1] == [1, 2]


def test_ratings_of_each_end_of_a_day_stay(store: Store) -> None:
    kept = [snapshot.deals for snapshot in store.ratings.history(1)]
    assert {made.position for made in store.ladders.checkpoints(1)} <= set(kept)
