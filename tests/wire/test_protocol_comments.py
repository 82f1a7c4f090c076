"""The protocols are documented by their comments alone, so nothing in them goes without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise

import pytest

DEFINED = re.compile(r" *(?:message|enum|service|oneof|rpc) *(\w+)|.*?(\w+) = \d+;")
ONE_OF_MESSAGES = re.compile(r"    [A-Z]\w+ \w+ = \d+;$")  # in a oneof; the comment of the message says it


def uncommented(text: str) -> Iterator[str]:
    """The names that are defined with a comment neither above nor behind them."""
    for above, line in pairwise(text.splitlines()):
        defined = DEFINED.match(line) if not line.lstrip().startswith("//") else None
        if defined and "//" not in line and not above.lstrip().startswith("//") and not ONE_OF_MESSAGES.match(line):
            yield defined[1] or defined[2]


@pytest.mark.parametrize("name", ["referee", "league"])
def test_each_call_message_field_and_value_has_a_comment(name: str) -> None:
    text = resources.files("beanproto.v1").joinpath(f"{name}.proto").read_text("utf-8")
    assert list(uncommented(text)) == []


def test_a_missing_comment_is_noticed() -> None:
    text = """
message Bare {
  uint32 seat = 1;
  Kind kind = 2;  // of the card
  oneof action {
    Plant plant = 3;
    string error = 4;
  }
}
enum Answer {
  ANSWER_ACCEPT = 1;
}
service Referee {
  rpc Play(A) returns (B);
}
"""
    expected = ["Bare", "seat", "action", "error", "Answer", "ANSWER_ACCEPT", "Referee", "Play"]
    assert list(uncommented(text)) == expected
