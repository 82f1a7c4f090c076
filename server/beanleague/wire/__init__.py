"""Conversion of the games' types to and from protobuf messages; no other package knows both."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by

if TYPE_CHECKING:
    from beanleague.wire.codec import *
    from beanleague.wire.records import *
    from beanleague.wire.views import *
else:
    __getattr__ = exported_by(__name__, "codec", "views", "records")  # `records` is large, and bots do not need it

__all__ = [
    "FAULT",
    "FAULTS",
    "PROTOCOL",
    "WireError",
    "action_from_pb",
    "action_to_pb",
    "block_of",
    "event_from_pb",
    "event_to_pb",
    "options_from_pb",
    "options_to_pb",
    "record_from_bytes",
    "record_from_pb",
    "record_to_pb",
    "records_of",
    "rules_from_pb",
    "rules_to_pb",
    "times_from_bytes",
    "unpacked",
    "view_from_pb",
    "view_to_pb",
    "with_all_events",
    "wrong_protocol",
]
