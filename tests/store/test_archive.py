"""Blocks of old records, and matches that stay whole, in both databases."""

from dataclasses import replace

import pytest

from beanleague.games.records.record import Record
from beanleague.model import League, RecordBlock
from beanleague.store import ConflictError, Store
from beanleague.wire import block_of, record_from_bytes, record_to_pb, unpacked
from tests.store.helpers import deal

RECORD = Record(
    "bohnanza",
    3,
    b"seed",
    {},
    ("a@1", "b@1", "c@1"),
    moves=(),
    events=(),
    scores=(1, 2, 3),
    places=(3, 2, 1),
    faults=(),
)
BLOCK = RecordBlock(number=1, first=1, last=2, matches=2, digest=b"digest")
HELD = {(1, 0): RECORD, (2, 1): replace(RECORD, scores=(3, 2, 1))}
THIRD = {(3, 0): RECORD}


def serialised(records: dict[tuple[int, int], Record]) -> dict[tuple[int, int], bytes]:
    return {key: record_to_pb(record).SerializeToString() for key, record in records.items()}


@pytest.fixture
def packed(store: Store, league: League) -> Store:
    """A store of three played deals; a block of the first two holds two of their matches."""
    store.deals.commit(league.id, [deal(1), deal(2), deal(3)])
    store.archive.keep(league.id, BLOCK, block_of(serialised(HELD)), HELD)
    return store


def record(store: Store, key: tuple[int, int]) -> Record:
    return record_from_bytes(unpacked(store.matches.get(1, *key)[1]))


def test_records_are_read_from_their_block_or_else_from_the_matches(packed: Store) -> None:
    assert {key: record(packed, key) for key in HELD} == HELD
    assert packed.matches.get(1, 1, 1)[1] == b"record 1.1"
    assert packed.archive.emptied_matches(1, 1, 3) == HELD.keys()
    rows = {
        (match["deal"], match["rotation"]): match["record"]
        for deals in packed.audit.deals(1, 2)
        for _, of in deals
        for match in of["match"]
    }
    assert {key: record_from_bytes(unpacked(rows[key])) for key in HELD} == HELD
    assert rows[3, 0] == b"record 3.0"


def test_blocks_follow_each_other_and_each_is_made_once(packed: Store) -> None:
    with pytest.raises(ConflictError, match="block 1 does not follow the last block"):
        packed.archive.keep(1, BLOCK, block_of({}), {(3, 0): RECORD})
    assert packed.matches.get(1, 3, 0)[1] == b"record 3.0"
    second = replace(BLOCK, number=2, first=3, last=3, matches=0)
    packed.archive.keep(1, second, block_of({}), ())
    assert packed.archive.blocks(1) == (BLOCK, second)
    assert packed.archive.blocks(1, last=1) == (second,)


def test_a_pinned_match_is_whole_until_it_is_not_pinned_any_more(packed: Store) -> None:
    packed.archive.pin(1, (1, 0), b"whole")
    packed.archive.pin(1, (3, 0), b"another")  # it is whole anyway
    packed.archive.keep(1, replace(BLOCK, number=2, first=3, last=3), block_of(serialised(THIRD)), THIRD)
    assert packed.archive.pinned_matches(1) == {(1, 0), (3, 0)}
    assert [packed.matches.get(1, *key)[1] for key in ((1, 0), (3, 0))] == [b"whole", b"record 3.0"]
    for key in ((1, 0), (3, 0)):
        packed.archive.unpin(1, key)
    assert not packed.archive.pinned_matches(1)
    assert record(packed, (1, 0)) == record(packed, (3, 0)) == RECORD
