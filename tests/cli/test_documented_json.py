"""docs/cli.md lists every key of the JSON."""

import re
from pathlib import Path

import pytest

from beanproto.v1 import league_pb2, referee_pb2

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
ROW = re.compile(r"^\|(?: (?P<commands>[^|]+) \|)? `(?P<message>[A-Z]\w+)` \| (?P<keys>`.+`) \|$", re.MULTILINE)
LISTED = {row["message"]: re.findall(r"`(\w+)`", row["keys"]) for row in ROW.finditer(DOCS)}
MESSAGES = {**referee_pb2.DESCRIPTOR.message_types_by_name, **league_pb2.DESCRIPTOR.message_types_by_name}


@pytest.mark.parametrize("message", LISTED)
def test_the_keys_listed_are_the_fields_of_the_message(message: str) -> None:
    assert LISTED[message] == [field.name for field in MESSAGES[message].fields]


def test_every_message_inside_an_answer_is_listed() -> None:
    own = {"OptionValue", "Timestamp"}  # message in words
    inside = {field.message_type.name for name in LISTED for field in MESSAGES[name].fields if field.message_type}
    assert inside - own <= set(LISTED)


def test_the_keys_of_a_run_are_listed() -> None:
    keys = re.findall(r"`(\w+)`", DOCS[DOCS.index("print a `Progress`") : DOCS.index("Messages inside these")])
    assert keys == ["Progress", "league", *(field.name for field in MESSAGES["Progress"].fields)]
