"""What is done for ladders beside playing them: pairs are compared by night, old records are packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import grpc
import pytest
import sqlalchemy as sa

from beanleague.games.records.verify import with_events
from beanleague.league.ladder import upkeep
from beanleague.league.ladder.upkeep import look_after, pack_old
from beanleague.model import MatchFilter, NightlyCheck
from beanleague.service import keeper
from beanleague.service.access import Access
from beanleague.service.backend import Backend, Settings
from beanleague.service.matches import MatchCalls
from beanleague.service.pairs import show_integrity
from beanleague.service.server import embedded
from beanleague.store import ConflictError, DatabaseError, Store, archive
from beanleague.store.archive import Key
from beanleague.wire import record_from_bytes, records_of, times_from_bytes, unpacked
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league import fakepool
from tests.league.fakepool import FakePools
from tests.league.helpers import repeatable_secrets, store_with_bots, verified
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play

LATER = 4_000_000_000.0
NIGHTS = 3

T = TypeVar("T")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a ladder of a day, of real matches."""
    file = tmp_path_factory.mktemp("ladder") / "a.db"
    with repeatable_secrets("a ladder of a day"), store_with_bots(file, 6) as store:
        create(store)
        play(store, Until(12, play=fakepool.play))
        store.database.checkpoint()
    return file.read_bytes()


@pytest.fixture
def store(tmp_path: Path, played: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(upkeep, "BLOCK_MATCHES", 12)  # of three deals
    (tmp_path / "a.db").write_bytes(played)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store


def pack(store: Store, before: float = LATER) -> list[int]:
    """Pack two blocks of three deals, if they are old; return how many matches each block has."""
    for _ in range(2):
        pack_old(store, store.leagues.get("spring"), before)
    return [block.matches for block in store.archive.blocks(1)]


def records(store: Store) -> dict[Key, bytes]:
    found = store.matches.list(1, MatchFilter(limit=1000))
    return {key: store.matches.get(1, *key)[1] for key in ((match.deal, match.rotation) for match in found)}


def without_events(store: Store) -> set[Key]:
    """Return the matches whose records have no events."""
    return {key for key, packed in records(store).items() if not record_from_bytes(unpacked(packed)).events}


def pin(store: Store, match: str, *, undo: bool = False) -> None:
    calls(store, lambda service, context: service.PinMatch(pb.PinMatchRequest(match=match, undo=undo), context))


def opened(store: Store, match: str) -> pb.GetMatchResponse:
    return calls(store, lambda service, context: service.GetMatch(pb.GetMatchRequest(match=match), context))


def calls(store: Store, call: Callable[[MatchCalls, grpc.ServicerContext], T]) -> T:
    with closing(Backend(Settings(str(store.database.url)))) as backend:
        return call(MatchCalls(backend, Access(None)), None)  # type: ignore[arg-type]  # these do not look at it


def findings(store: Store, *statements: str, replay: bool = False) -> set[str]:
    with store.database.write() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    reports = [*verified(store, "spring", workers=0, replay=replay)]
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


def test_what_is_packed_is_played_again_to_the_very_record(store: Store) -> None:
    before = records(store)
    assert pack(store) == [12, 12]
    after = records(store)
    assert after.keys() == before.keys()
    assert without_events(store) == {(deal, rotation) for deal in range(1, 7) for rotation in range(4)}
    for key, record in after.items():
        assert with_events(record_from_bytes(unpacked(record))) == record_from_bytes(unpacked(before[key]))


def test_a_packed_record_is_in_its_block_alone(store: Store) -> None:
    before = records(store)
    pack(store)
    with store.database.read() as connection:
        rows = connection.exec_driver_sql("SELECT deal, rotation, record FROM match").all()
    held = {key for number in (1, 2) for key in records_of(store.archive.data(1, number), range(1, 7))}
    assert {(deal, rotation) for deal, rotation, record in rows if not record} == held
    assert all(record == before[deal, rotation] for deal, rotation, record in rows if record)


def test_who_opens_an_old_match_gets_its_events(store: Store) -> None:
    before = opened(store, "spring/1.2")
    pack(store)
    assert opened(store, "spring/1.2") == before
    assert before.record.events


def test_thinking_times_are_those_of_packed_matches_too(store: Store) -> None:
    def times() -> list[object]:
        return [times_from_bytes(unpacked(row[2])) for row in store.matches.newest_records(1, 0, 1000)]

    before = times()
    pack(store)
    assert times() == before


def test_deals_that_are_not_old_stay_whole(store: Store) -> None:
    assert pack(store, before=0.0) == []
    third = max(deal.played for deal in store.deals.list(1)[:3] if deal.played)
    assert pack(store, before=third) == []
    assert without_events(store) == set()


def test_a_block_is_made_once_whoever_makes_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    league, keep = store.leagues.get("spring"), store.archive.keep

    def later(*block: Any) -> None:
        with Store(str(store.database.url)) as other:
            pack_old(other, league, LATER)
        keep(*block)

    monkeypatch.setattr(store.archive, "keep", later)
    with pytest.raises(ConflictError):
        pack_old(store, league, LATER)
    assert [block.last for block in store.archive.blocks(1)] == [3]
    monkeypatch.undo()
    look_after(store, league, 30, LATER)


def test_who_is_stopped_or_fails_in_the_middle_leaves_all_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    league, answers = store.leagues.get("spring"), iter([True, True, False])
    pack_old(store, league, LATER, lambda: next(answers))
    monkeypatch.setattr(archive, "_set_record", lambda *_: sa.text("UPDATE match SET nothing = 1"))
    with pytest.raises(DatabaseError):
        pack_old(store, league, LATER)
    assert (store.archive.blocks(1), without_events(store)) == ((), set())


def test_a_ladder_without_a_bound_or_of_other_rules_keeps_all(store: Store) -> None:
    league = store.leagues.get("spring")
    look_after(store, league, 0, LATER)
    look_after(store, replace(league, rules=1), 30, LATER)
    assert without_events(store) == set()
    look_after(store, league, 30, LATER)
    assert {deal for deal, _ in without_events(store)} == {1, 2, 3}


def test_a_run_packs_old_records_of_its_ladder_meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "time", SimpleNamespace(time=lambda: LATER))
    url, cache = str(store.database.url), Path(str(store.database.file)).parent / "cache"
    with embedded(url, cache=cache, start_pool=FakePools()) as channel:
        run = LeagueStub(channel).RunLeague(pb.RunLeagueRequest(name="spring", keep_days=30))
        for _ in run:  # until it is cancelled
            if store.archive.blocks(1):
                break
        run.cancel()  # type: ignore[no-untyped-call, unused-ignore]
    assert store.archive.blocks(1)


def test_a_record_that_its_moves_do_not_give_stays_as_it_is(store: Store) -> None:
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE match SET record = x'3f' WHERE deal = 2 AND rotation = 0")
    assert pack(store) == [11, 12]
    assert store.matches.get(1, 2, 0)[1] == b"?"


def test_a_pinned_match_stays_whole(store: Store) -> None:
    pin(store, "spring/1.2")
    assert pack(store) == [11, 12]
    assert (1, 2) not in without_events(store)
    assert (opened(store, "spring/1.2").info.pinned, opened(store, "spring/1.3").info.pinned) == (True, False)
    assert findings(store, replay=True) == set()
    pin(store, "spring/1.2", undo=True)  # its block was made without it
    assert (1, 2) not in without_events(store)
    assert not opened(store, "spring/1.2").info.pinned
    assert findings(store) == set()


def test_a_match_that_is_pinned_once_it_is_packed_is_whole_again(store: Store) -> None:
    before = records(store)
    pack(store)
    pin(store, "spring/1.2")
    pin(store, "spring/1.2")
    whole = store.matches.get(1, 1, 2)[1]
    assert record_from_bytes(unpacked(whole)) == record_from_bytes(unpacked(before[1, 2]))
    assert findings(store) == set()
    pin(store, "spring/1.2", undo=True)
    assert (1, 2) in without_events(store)
    assert findings(store) == set()


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE record_block SET data = (SELECT data FROM record_block WHERE number = 1)", "record_block.digest"),
        ("UPDATE record_block SET data = zeroblob(9) WHERE number = 2", "record_block.data"),
        ("UPDATE record_block SET matches = 5 WHERE number = 1", "record_block.matches"),
        ("UPDATE record_block SET first = 2 WHERE number = 1", "record_block.first"),
        ("DELETE FROM record_block WHERE number = 1", "record_block.number"),
        ("INSERT INTO pinned_match VALUES (1, 2, 1)", "match.record"),
    ],
)
def test_a_change_of_what_is_packed_is_found(store: Store, change: str, column: str) -> None:
    pack(store)
    assert column in findings(store, change)


def test_what_is_packed_is_played_again_when_a_ladder_is_verified(store: Store) -> None:
    pack(store)
    changes = {
        "match": "UPDATE match SET record = x'' WHERE deal = (SELECT max(deal) FROM match) AND rotation = 0",
        "match.record": "UPDATE match SET record = (SELECT max(record) FROM match WHERE deal > 6) WHERE deal = 1",
        "match_seat.score": "UPDATE match_seat SET score = score + 1 WHERE (deal, rotation, seat) = (2, 0, 1)",
        "trade_flow.cents": "UPDATE trade_flow SET cents = cents + 1",
    }
    assert findings(store, *changes.values(), replay=True) >= changes.keys()
