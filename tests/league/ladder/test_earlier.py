"""Ladders of earlier versions, which chose opponents instead of drawing companions."""

import zlib

import numpy as np
import pytest
import sqlalchemy as sa

from beanleague.league.counting import count
from beanleague.league.errors import RequestError
from beanleague.league.ladder.changing import succeed
from beanleague.league.ladder.inputs import field_of, is_drawn
from beanleague.league.standings import standings
from beanleague.model import LadderState
from beanleague.store import Store
from beanleague.store.tables import EPOCH
from tests.league.helpers import verified
from tests.league.ladder.playing import Until, play


@pytest.fixture
def earlier(store: Store) -> Store:
    """A store whose ladder has epochs as earlier versions kept them: number, state, rating and half-width."""
    with store.database.write() as connection:
        for epoch in store.ladders.epochs(1):
            rows = [(number, 0, each.rating, each.half_width) for number, each in field_of(epoch.entries).items()]
            entries = zlib.compress(np.array(rows, "<i4").T.tobytes())
            connection.execute(sa.update(EPOCH).where(EPOCH.c.number == epoch.number).values(entries=entries))
        connection.exec_driver_sql("DELETE FROM rating_snapshot")
    return store


def test_all_deals_count_one_in_their_standings(earlier: Store) -> None:
    league = earlier.leagues.get("spring")
    assert not is_drawn(earlier, league)
    assert count(earlier, league).deals == league.deals_done
    assert all(each.rating.effective is None for each in standings(earlier, league, running=False))


def test_what_was_known_of_their_entries_can_still_be_read(earlier: Store) -> None:
    (last,) = earlier.ladders.last_epochs(1, 1)
    assert {each.deals for each in field_of(last.entries).values()} == {0}


def test_they_are_not_played_on_or_verified(earlier: Store) -> None:
    with pytest.raises(RequestError, match="the tables of spring were chosen by an earlier version"):
        play(earlier, Until(5))
    with pytest.raises(RequestError, match="the tables of spring were chosen by an earlier version of Beanleague"):
        [*verified(earlier, "spring", workers=0)]


def test_a_ladder_whose_tables_are_drawn_follows_them(earlier: Store) -> None:
    assert succeed(earlier, earlier.leagues.get("spring")) == "spring-2"
    closed = earlier.ladders.get(1)
    assert (closed.state, closed.reason) == (
        LadderState.CLOSED,
        "tables are drawn now, since ratings need to know how probable they were; spring-2 goes on with the same bots",
    )
    assert is_drawn(earlier, earlier.leagues.get("spring-2"))
