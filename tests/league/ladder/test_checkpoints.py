"""Ladders that go on from a checkpoint, compared with ladders that read everything."""

from dataclasses import replace

import numpy as np
import pytest

from beanleague.league.counting import counted
from beanleague.league.ladder.checkpoints import TURNS, Counted, begun, counted_from, differences, parts_of, summed_up
from beanleague.league.ladder.inputs import epoch_of
from beanleague.league.ratings.fit import fit
from beanleague.league.ratings.ratings import half_widths
from beanleague.league.schedule.plans import Meetings, planned
from beanleague.model import League
from beanleague.store import DamagedError, Store


@pytest.fixture
def league(store: Store) -> League:
    return store.leagues.get("spring")


def change(store: Store, statement: str) -> None:
    with store.database.write() as connection:
        connection.exec_driver_sql(statement)


def everything(store: Store, league: League) -> Counted:
    """Return what is counted where there are no checkpoints."""
    change(store, "DELETE FROM ladder_checkpoint")
    return counted(store, league)


def test_what_was_counted_is_what_all_deals_give(store: Store, league: League) -> None:
    resumed, whole = counted(store, league), everything(store, league)
    one, other = resumed.counters, whole.counters
    assert one.deals == other.deals == league.deals_done
    assert (one.deals_of == other.deals_of).all()
    for part in ("keys", "wins", "met"):
        assert np.array_equal(getattr(one.encounters(4), part), getattr(other.encounters(4), part))
    assert resumed.meetings.tables == whole.meetings.tables
    for turns in TURNS:
        assert +getattr(resumed.meetings, turns) == +getattr(whole.meetings, turns)
    assert [+resumed.meetings.met(bot) for bot in range(7)] == [+whole.meetings.met(bot) for bot in range(7)]


def test_ratings_are_the_same_and_half_widths_nearly(store: Store, league: League) -> None:
    """After 20 deals of a bot within 4 % in 25 ladders; after hundreds within 1 %, see `tests.league.ratings`."""
    resumed, whole = counted(store, league).counters, everything(store, league).counters
    one, other = fit(resumed), fit(whole)
    assert np.array_equal(one.strengths, other.strengths)
    assert np.abs(half_widths(resumed, one) / half_widths(whole, other) - 1).max() < 0.1


def test_plans_of_the_next_day_are_the_same(store: Store, league: League) -> None:
    newest = store.ladders.checkpoints(1)[-1]
    tables, groups = store.deals.tables(1), list(range(7))
    whole = Meetings()
    for table in tables[: newest.deals]:
        whole.add(table, table[0])
    for number in store.deals.dropped(1):
        whole.drop(tables[number - 1])
    epochs = [epoch_of(epoch, 4, groups) for epoch in store.ladders.epochs(1, after_deal=newest.deals)]
    for meetings in (begun(store, league).meetings, whole):
        assert tuple(table for epoch in epochs for table in planned(epoch, meetings)) == tables[newest.deals :]


def test_deals_before_it_are_not_read(store: Store, league: League) -> None:
    parts = summed_up(counted(store, league), league)
    newest = store.ladders.checkpoints(1)[-1].deals
    change(store, f"UPDATE deal SET entrants = '[]', results = x'', played = NULL WHERE number <= {newest}")
    assert differences(parts, summed_up(counted(store, league), league)) == []
    assert all(deal.number > newest for deal in store.deals.unplayed(1))


def test_one_that_was_changed_is_not_gone_on_from(store: Store, league: League) -> None:
    change(store, "UPDATE ladder_checkpoint SET position = position + 1 WHERE day = 2")
    with pytest.raises(DamagedError, match="spring cannot go on: the checkpoint of day 2 is not the one that was made"):
        counted(store, league)


def test_one_of_more_entries_than_there_are_is_refused(store: Store, league: League) -> None:
    parts = parts_of(store.ladders.checkpoint_data(1, 2))
    with pytest.raises(DamagedError, match="a checkpoint of spring has 7 entries, the ladder 6"):
        counted_from(parts, replace(league, entrants=6))
    with pytest.raises(DamagedError, match="a checkpoint of spring is damaged"):
        counted_from({**parts, "wins": parts["wins"][1:]}, league)


def test_each_has_the_entries_deals_and_epochs_of_its_end(store: Store) -> None:
    one, two = store.ladders.checkpoints(1)
    assert (one.day, two.day, one.entrants, two.entrants) == (1, 2, 7, 7)
    assert one.deals < two.deals < len(store.deals.tables(1))
    assert [epoch.day for epoch in store.ladders.epochs(1)][one.epochs - 1 : one.epochs + 1] == [1, 2]


def test_ratings_of_each_end_of_a_day_stay(store: Store) -> None:
    kept = [snapshot.deals for snapshot in store.ratings.history(1)]
    assert {made.position for made in store.ladders.checkpoints(1)} <= set(kept)
