"""`beanleague token`: who may use a server that other machines can reach."""

from __future__ import annotations

import time

import click

from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.groups import Group
from beanleague.cli.params.options import Count, OneOf
from beanleague.cli.views.output import Output, with_output
from beanleague.cli.views.tables import tokens_table
from beanproto.v1.league_pb2 import ListTokensRequest, NewTokenRequest, RevokeTokenRequest, Role

_ROLES = tuple(name.removeprefix("ROLE_").lower() for name in Role.keys() if name != "ROLE_UNSPECIFIED")  # noqa: SIM118


@click.group("token", cls=Group)
def token() -> None:
    """Create, list and revoke access tokens.

    A server that other machines can reach ('beanleague serve') requires a token with every call.
    A viewer may read everything, an author may also submit bots, an organiser may do everything.
    """


@token.command("new")
@click.argument("name")
@click.option("--role", type=OneOf(_ROLES), required=True, help="What the holder of the token may do.")
@click.option("--days", type=Count(min=1), help="Days until the token expires. Default: it never expires.")
@with_output
@connected
def new(session: Session, name: str, role: str, days: int | None, out: Output) -> None:
    """Create a token for NAME and print it. It is not stored and cannot be shown again.

    The bots of an author belong to NAME, and still do when NAME gets another token.
    """
    request = NewTokenRequest(name=name, role=Role.Value(f"ROLE_{role.upper()}"), days=days or 0)
    with session.league() as stub:
        answer = stub.NewToken(request)
    if not out.as_json:
        click.echo(f"Token of {name} ({role}). Send it in secret; {name} sets BEANLEAGUE_TOKEN to it.", err=True)
    out.show(answer, [answer.token])


@token.command("list")
@with_output
@connected
def list_tokens(session: Session, out: Output) -> None:
    """List all tokens, including revoked and expired ones, newest first."""
    with session.league() as stub:
        answer = stub.ListTokens(ListTokensRequest())
    hint = f"No tokens yet; create one with: {session.command('token new NAME --role viewer')}"
    out.show(answer, [tokens_table(answer.tokens, time.time()) if answer.tokens else hint])


@token.command("revoke")
@click.argument("name")
@with_output
@connected
def revoke(session: Session, name: str, out: Output) -> None:
    """Revoke the token of NAME, at once and for good. The bots of NAME stay."""
    with session.league() as stub:
        answer = stub.RevokeToken(RevokeTokenRequest(name=name))
    out.show(answer, [f"The token of {name} is revoked."])
