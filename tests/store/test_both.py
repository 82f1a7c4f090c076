"""What holds on every kind of database alike."""

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from beanleague.model import League
from beanleague.store import MissingError, Store, TakenError
from beanleague.store.tables import ENTRANT, LEAGUE
from tests.databases import PostgreSQL
from tests.store.helpers import add_bots, add_league, deal, digest, manifest
from tests.together import raised_at_once

ABOVE_32_BITS = 2**31


class TestTexts:
    def test_a_nul_in_a_reason_stops_nobody(self, store: Store, league: League) -> None:
        assert store.deals.voided(league.id, 3, "the worker said \0") == 1
        assert [void.deal for void in store.deals.voids(league.id, limit=9)] == [3]

    def test_a_nul_in_the_reason_of_a_fault_stops_nobody(self, store: Store, league: League) -> None:
        played = deal(1, faults=[(0, 0)])
        fault = replace(played.matches[0].faults[0], reason="the bot said \0")
        match = replace(played.matches[0], faults=(fault,))
        store.deals.commit(league.id, [replace(played, matches=(match, *played.matches[1:]))])
        assert store.leagues.get("spring").deals_done == 1

    def test_nothing_has_a_name_with_a_nul(self, store: Store) -> None:
        for look in (store.leagues.get, store.bots.versions, store.tokens.revoke):
            with pytest.raises(MissingError):
                look("a\0b")


class TestLargeNumbers:
    def test_totals_outgrow_32_bits(self, store: Store, league: League) -> None:
        with store.database.write() as connection:
            large = dict.fromkeys(("deals", "matches", "score", "wins", "decisions", "faults"), ABOVE_32_BITS - 1)
            connection.execute(update(ENTRANT).where(ENTRANT.c.number == 0).values(large))
            connection.execute(update(LEAGUE).values(matches_done=ABOVE_32_BITS))
        store.deals.commit(league.id, [deal(1, faults=[(0, 0)])])
        totals = store.leagues.totals(league.id)[0]
        assert min(totals.deals, totals.matches, totals.score, totals.wins, totals.faults) >= ABOVE_32_BITS
        assert store.leagues.get("spring").matches_done == ABOVE_32_BITS + 3

    def test_all_rows_are_read_whatever_the_numbers_of_their_deals(self, store: Store, league: League) -> None:
        assert [len(deals) for deals in store.audit.deals(league.id, 4)] == [4, 4, 2]


class TestOneWriter:
    def test_many_may_open_an_empty_database_at_once(self, tmp_path: Path) -> None:
        assert raised_at_once(6, Store(f"sqlite:///{tmp_path / 'new.db'}").close) == []

    def test_many_may_open_an_empty_database_of_a_server_at_once(self, postgresql: PostgreSQL) -> None:
        url = postgresql.url(postgresql.create())
        assert raised_at_once(6, lambda: Store(url).close()) == []

    def test_of_those_who_make_a_token_of_one_name_at_once_one_gets_it(self, store: Store) -> None:
        refused = raised_at_once(6, lambda: store.tokens.new("ann", "author"))
        assert [type(error) for error in refused] == [TakenError] * 5
        assert len(store.tokens.list()) == 1

    def test_those_who_submit_one_bot_at_once_all_get_its_one_version(self, store: Store) -> None:
        made = []
        assert raised_at_once(6, lambda: made.append(store.bots.add(manifest("ann"), digest("ann"), b"zip"))) == []
        assert {version.number for version, _ in made} == {1}
        assert [new for _, new in made].count(True) == 1

    def test_of_those_who_create_a_league_of_one_name_at_once_one_does(self, store: Store) -> None:
        bots = add_bots(store, 3)
        refused = raised_at_once(4, lambda: add_league(store, bots))
        assert [type(error) for error in refused] == [TakenError] * 3


class TestReading:
    def test_a_reader_sees_one_state_throughout(self, store: Store, league: League) -> None:
        done = select(LEAGUE.c.deals_done)
        with store.database.read() as connection:
            before = connection.scalar(done)
            store.deals.commit(league.id, [deal(1)])
            assert connection.scalar(done) == before == 0
        assert store.leagues.get("spring").deals_done == 1

    def test_a_reader_who_stops_early_is_in_nobodys_way(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [deal(1), deal(2)])
        with contextlib.closing(store.matches.by_deal(league.id)) as deals:  # type: ignore[type-var]
            assert next(iter(deals))
        store.deals.commit(league.id, [deal(3)])


def test_a_conflict_names_the_deal(store: Store, league: League) -> None:
    store.deals.commit(league.id, [deal(3)])
    calls: list[tuple[list[int], int]] = [([1, 3], 3), ([2, 2], 2), ([4, 11], 11)]
    for numbers, refused in calls:
        with pytest.raises(Exception, match=f"deal {refused} is already played, or was never scheduled"):
            store.deals.commit(league.id, [deal(number) for number in numbers])
