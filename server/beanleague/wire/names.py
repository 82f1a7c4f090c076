"""The names that numbers on the wire stand for."""

from __future__ import annotations

from beanleague.wire.codec import Names
from beanproto.v1 import referee_pb2 as pb

KINDS = Names(pb.Kind.DESCRIPTOR)
"""Bean kinds."""

FAULTS = Names(pb.FaultKind.DESCRIPTOR)
"""Kinds of faults, as `beanleague.model.FaultKind` calls them."""
