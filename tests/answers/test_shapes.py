"""Messages as the JSON that commands print."""

import hashlib

from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.answers import enum_name, shape
from beanproto.v1.league_pb2 import (
    DEAL_STATE_DONE,
    LEAGUE_STATE_RUNNING,
    Deal,
    Entrant,
    LeagueInfo,
    LeagueState,
    OptionValue,
    Standing,
)


def test_every_field_is_there_under_its_name_even_when_it_is_zero() -> None:
    assert list(shape(Standing())) == [field.name for field in Standing.DESCRIPTOR.fields]
    assert shape(Standing())["faults"] == 0


def test_an_absent_optional_field_is_null() -> None:
    assert shape(Standing())["interval"] is None
    assert shape(Standing(interval=0.0))["interval"] == 0.0


def test_an_absent_message_is_null_and_a_time_is_iso_8601() -> None:
    assert shape(Deal())["played"] is None
    assert shape(Deal(played=Timestamp(seconds=1_700_000_000)))["played"] == "2023-11-14T22:13:20Z"


def test_bytes_are_hex_large_numbers_numbers_and_lists_lists() -> None:
    deal = Deal(number=2**40, seed_digest=b"\x01\xff", table=[Entrant(bot="a", version=2)], state=DEAL_STATE_DONE)
    message = shape(deal)
    assert message["number"] == 2**40
    assert message["seed_digest"] == "01ff"
    assert message["table"] == [{"bot": "a", "version": 2}]
    assert message["state"] == "done"


def test_options_are_one_object() -> None:
    options = [OptionValue(name="max_rounds", number=6), OptionValue(name="deck", text="[[cards]]")]
    digest = hashlib.sha256(b"[[cards]]").hexdigest()
    assert shape(LeagueInfo(options=options))["options"] == {"max_rounds": 6, "deck": f"sha256:{digest}"}


def test_an_enum_is_shown_by_its_name_without_prefix() -> None:
    assert enum_name(LeagueState.DESCRIPTOR, LEAGUE_STATE_RUNNING) == "running"
