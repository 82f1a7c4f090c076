"""Records as messages: those that are stored must be read, and written alike, for ever."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from beanleague.games import record_from_json
from beanleague.wire import record_from_bytes, record_to_pb

GOLDEN = Path(__file__).parents[1] / "games" / "records" / "golden"
DIGEST = "d4588684be9348e2f7134a27ee9ea78148acee4fa83973602984834983de9293"
"""Of the messages of all golden records; it changes with these alone."""


def test_the_message_of_a_record_never_changes() -> None:
    digest = sha256()
    for path in sorted(GOLDEN.glob("*.json")):
        record = record_from_json(path.read_text("utf-8"))
        data = record_to_pb(record).SerializeToString(deterministic=True)
        assert record_from_bytes(data) == record
        digest.update(data)
    assert digest.hexdigest() == DIGEST
