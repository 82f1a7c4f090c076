"""The version of the bots' protocol."""

from __future__ import annotations

from beanproto.v1 import referee_pb2 as pb

PROTOCOL = 2
"""The version of `referee.proto` that referee and SDK speak. A message that would be misread needs a new one."""


def wrong_protocol(hello: pb.Hello) -> str:
    """Return why a bot with this `hello` cannot play, and what to do; "" if it can."""
    if hello.protocol == PROTOCOL:
        return ""
    return (
        f"the bot speaks version {hello.protocol or 1} of the protocol, and this referee version {PROTOCOL}: build the "
        f"bot with the referee.proto of this server's release, and set Hello.protocol to {PROTOCOL}"
    )
