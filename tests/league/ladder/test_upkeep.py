"""What is done for ladders beside playing them: pairs are compared by night, old records lose their events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from beanleague.games.records.verify import with_events
from beanleague.league.ladder import upkeep
from beanleague.league.ladder.upkeep import look_after, shorten_old
from beanleague.league.verify.verification import verify_league
from beanleague.model import MatchFilter, NightlyCheck
from beanleague.service.access import Access
from beanleague.service.backend import Backend, Settings
from beanleague.service.matches import MatchCalls
from beanleague.service.pairs import show_integrity
from beanleague.store import Store
from beanleague.wire import record_from_bytes, unpacked
from beanproto.v1 import league_pb2 as pb
from tests.league import fakepool
from tests.league.helpers import store_with_bots
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play

LATER = 4_000_000_000.0
NIGHTS = 3


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a ladder of a day, of real matches."""
    file = tmp_path_factory.mktemp("ladder") / "a.db"
    with store_with_bots(file, 6) as store:
        create(store)
        play(store, Until(12, play=fakepool.play))
        store.database.checkpoint()
    return file.read_bytes()


@pytest.fixture
def store(tmp_path: Path, played: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(upkeep, "PORTION_DEALS", 3)
    (tmp_path / "a.db").write_bytes(played)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store


def shorten(store: Store, before: float = LATER) -> int:
    """Shorten two portions of three deals, if they are old; return up to which deal it is done."""
    for _ in range(2):
        shorten_old(store, store.leagues.get("spring"), before)
    return store.ladders.get(1).shortened


def records(store: Store) -> dict[tuple[int, int], bytes]:
    found = store.matches.list(1, MatchFilter(limit=1000))
    return {key: store.matches.get(1, *key)[1] for key in ((match.deal, match.rotation) for match in found)}


def without(store: Store) -> set[int]:
    """Return the deals whose records have no events."""
    return {deal for (deal, _), packed in records(store).items() if not record_from_bytes(unpacked(packed)).events}


def findings(store: Store, *statements: str) -> set[str]:
    with store.database.write() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    reports = [*verify_league(store, "spring", workers=0)]
    return {finding.column for report in reports for finding in report.findings}


def test_pairs_are_compared_once_for_each_day(store: Store) -> None:
    clock = Clock()
    look_after(store, store.leagues.get("spring"), 0, clock())
    (first,) = store.ladders.checks(1, NIGHTS)
    traded = len(store.trades.by_deal(1))
    assert traded
    assert (first.day, first.deals, first.givers) == (1, traded, ())
    look_after(store, store.leagues.get("spring"), 0, clock())
    assert store.ladders.checks(1, NIGHTS) == (first,)
    clock.now += DAY_S
    play(store, Until(8, play=fakepool.play), clock)
    look_after(store, store.leagues.get("spring"), 0, clock())
    by_both = len(store.trades.by_deal(1))
    assert by_both > traded
    assert [(check.day, check.deals) for check in store.ladders.checks(1, NIGHTS)] == [(2, by_both), (1, traded)]


def test_what_was_found_by_night_is_told_with_what_is_found_now(store: Store) -> None:
    check = NightlyCheck(day=1, made=5.0, deals=300, givers=(2,), receivers=(4,), cents=(331,))
    store.ladders.keep_check(1, check)
    store.ladders.keep_check(1, check)  # another server, a moment later
    (night,) = show_integrity(store, "spring").nights
    (pair,) = night.pairs
    assert (night.day, night.deals, pair.giver.bot, pair.receiver.bot, pair.excess) == (1, 300, "bot2", "bot4", 3.31)


def test_old_records_lose_their_events_and_played_again_are_what_they_were(store: Store) -> None:
    before = records(store)
    assert shorten(store) == 6
    after = records(store)
    assert without(store) == {1, 2, 3, 4, 5, 6}
    assert len(before) == len(after) > 24
    for key, record in after.items():
        assert with_events(record_from_bytes(unpacked(record))) == record_from_bytes(unpacked(before[key]))
        assert len(record) < len(before[key]) or key[0] > 6


def test_who_opens_an_old_match_gets_its_events(store: Store) -> None:
    def opened() -> pb.GetMatchResponse:
        with closing(Backend(Settings(str(store.database.url)))) as backend:
            context: grpc.ServicerContext = None  # type: ignore[assignment]  # this call does not look at it
            return MatchCalls(backend, Access(None)).GetMatch(pb.GetMatchRequest(match="spring/1.2"), context)

    before = opened()
    shorten(store)
    assert opened() == before
    assert before.record.events


def test_deals_that_are_not_old_keep_them(store: Store) -> None:
    assert shorten(store, before=0.0) == 0
    third = max(deal.played for deal in store.deals.list(1)[:3] if deal.played)
    assert shorten(store, before=third) == 0
    assert without(store) == set()


def test_it_goes_on_where_it_was_whoever_does_it(store: Store) -> None:
    league = store.leagues.get("spring")
    shorten_old(store, league, LATER)
    with Store(str(store.database.url)) as other:
        shorten_old(other, league, LATER)
    assert without(store) == {1, 2, 3, 4, 5, 6}


def test_a_ladder_without_a_bound_or_of_other_rules_keeps_all(store: Store) -> None:
    league = store.leagues.get("spring")
    look_after(store, league, 0, LATER)
    look_after(store, replace(league, rules=1), 30, LATER)
    assert without(store) == set()
    look_after(store, league, 30, LATER)
    assert without(store) == {1, 2, 3}


def test_a_record_that_its_moves_do_not_give_stays_as_it_is(store: Store) -> None:
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE match SET record = x'3f' WHERE deal = 2 AND rotation = 0")
    assert shorten(store) == 6
    assert store.matches.get(1, 2, 0)[1] == b"?"


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE match SET record = (SELECT record FROM match WHERE deal = 2) WHERE deal = 1", "match.record"),
        ("UPDATE match SET record = zeroblob(9) WHERE deal = 1 AND rotation = 2", "match.record"),
        ("UPDATE match_seat SET score = score + 1 WHERE deal = 2 AND rotation = 0 AND seat = 1", "match_seat.score"),
        ("UPDATE trade_flow SET cents = cents + 1 WHERE deal = 3", "trade_flow.cents"),
    ],
)
def test_a_shortened_ladder_is_verified(store: Store, change: str, column: str) -> None:
    shorten(store)
    assert findings(store) == set()
    assert column in findings(store, change)
