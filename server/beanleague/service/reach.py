"""Who can reach an address."""

from __future__ import annotations

import ipaddress

from beanleague.service.errors import ServiceError


def can_be_reached(address: str) -> bool:
    """Whether others can reach this address. Names count as reachable, whatever they stand for now.

    Raises:
        ServiceError: if it is not an address.
    """
    if address.startswith("unix:"):
        return False
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isascii() and port.isdecimal() and len(port) < 6 and int(port) < 2**16):
        raise ServiceError(f"{address!r} is not an address; write host:port, e.g. 127.0.0.1:7411, or unix:/path")
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return True
