"""The error of messages that cannot be understood, and the names of faults."""

from __future__ import annotations

from beanproto.v1 import referee_pb2 as pb


class WireError(Exception):
    """A message that does not say what it should; the text says what is wrong with it."""


FAULT_NUMBER = {name.removeprefix("FAULT_KIND_").lower(): number for name, number in pb.FaultKind.items() if number}
"""The number of each kind of fault, by the names of `beanleague.referee.match.FaultKind`."""

FAULT_NAME = {number: name for name, number in FAULT_NUMBER.items()}
"""The other way round."""
