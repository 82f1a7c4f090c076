"""The games' types as protobuf messages and back: the only package that knows both."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by

if TYPE_CHECKING:
    from beanleague.wire.codec import WireError
    from beanleague.wire.events import (
        PROTOCOL,
        action_from_pb,
        action_to_pb,
        event_from_pb,
        event_to_pb,
        wrong_protocol,
    )
    from beanleague.wire.fields import FAULTS
    from beanleague.wire.records import (
        FAULT,
        options_from_pb,
        options_to_pb,
        record_from_bytes,
        record_from_pb,
        record_to_pb,
        times_from_bytes,
        unpacked,
    )
    from beanleague.wire.views import rules_from_pb, rules_to_pb, view_from_pb, view_to_pb
else:
    __getattr__ = exported_by(
        __name__,
        "codec",
        "events",
        "fields",
        "records",
        "views",
    )

__all__ = [
    "FAULT",
    "FAULTS",
    "PROTOCOL",
    "WireError",
    "action_from_pb",
    "action_to_pb",
    "event_from_pb",
    "event_to_pb",
    "options_from_pb",
    "options_to_pb",
    "record_from_bytes",
    "record_from_pb",
    "record_to_pb",
    "rules_from_pb",
    "rules_to_pb",
    "times_from_bytes",
    "unpacked",
    "view_from_pb",
    "view_to_pb",
    "wrong_protocol",
]
