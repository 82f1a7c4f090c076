"""Tokens and roles as messages for people."""

from __future__ import annotations

from beanleague.league.errors import RequestError
from beanleague.model import Token
from beanleague.service.access import Role
from beanleague.service.messages import moment
from beanproto.v1 import league_pb2 as pb

_ROLE = {
    Role.VIEWER: pb.ROLE_VIEWER,
    Role.AUTHOR: pb.ROLE_AUTHOR,
    Role.ORGANISER: pb.ROLE_ORGANISER,
}


def role_from_pb(number: pb.Role.ValueType) -> Role:
    """Return the role that is meant.

    Raises:
        RequestError: none is.
    """
    for role, told in _ROLE.items():
        if told == number:
            return role
    raise RequestError("a token needs a role: viewer, author or organiser")


def token_to_pb(token: Token) -> pb.TokenInfo:
    """Tell what is known about a token."""
    return pb.TokenInfo(
        name=token.name,
        role=_ROLE[Role[token.role.upper()]],
        created=moment(token.created),
        expires=None if token.expires is None else moment(token.expires),
        revoked=None if token.revoked is None else moment(token.revoked),
    )
