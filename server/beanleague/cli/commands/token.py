"""`beanleague token`: who may use a server that others can reach."""

from __future__ import annotations

import time

import click

from beanleague.cli.connection.session import Session, connected
from beanleague.cli.params.options import Count, as_json
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.shapes import shape
from beanleague.cli.views.tables import tokens_table
from beanproto.v1.league_pb2 import ListTokensRequest, NewTokenRequest, RevokeTokenRequest, Role

_ROLES = tuple(name.removeprefix("ROLE_").lower() for name in Role.keys() if name != "ROLE_UNSPECIFIED")  # noqa: SIM118


class _OneOf(click.Choice[str]):
    """A choice whose absence is told in a line."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return what there is to choose from."""
        del param, ctx
        return f"Choose from {', '.join(self.choices)}."


@click.group("token")
def token() -> None:
    """Make and revoke tokens, which let others in.

    A server at an address that others can reach ('beanleague serve') demands one with every call.
    A viewer may look at everything, an author may submit bots too, an organiser may do all.
    """


@token.command("new")
@click.argument("name")
@click.option("--role", type=_OneOf(_ROLES), required=True, help="What its holder may do.")
@click.option("--days", type=Count(min=1), help="How long it is valid. Default: until it is revoked.")
@as_json
@connected
def new(session: Session, name: str, role: str, days: int | None, as_json: bool) -> None:
    """Make a token for NAME and print it. It is kept nowhere: this is the only time.

    The bots of an author belong to NAME, and stay theirs with a later token of that name.
    """
    request = NewTokenRequest(name=name, role=Role.Value(f"ROLE_{role.upper()}"), days=days or 0)
    with session.league() as stub:
        made = stub.NewToken(request)
    if as_json:
        print_json(shape(made))
        return
    click.echo(f"The token of {name}, {role}. Hand it over in secret; {name} puts it into BEANLEAGUE_TOKEN.", err=True)
    click.echo(made.token)


@token.command("list")
@as_json
@connected
def list_tokens(session: Session, as_json: bool) -> None:
    """List who has, or had, a token; the newest first."""
    with session.league() as stub:
        found = stub.ListTokens(ListTokensRequest())
    if as_json:
        print_json(shape(found))
    elif not found.tokens:
        click.echo(f"No tokens yet; make one with: {session.command('token new NAME --role viewer')}")
    else:
        console().print(tokens_table(found.tokens, time.time()))


@token.command("revoke")
@click.argument("name")
@as_json
@connected
def revoke(session: Session, name: str, as_json: bool) -> None:
    """Make the token of NAME invalid, for good and at once. Their bots stay."""
    with session.league() as stub:
        revoked = stub.RevokeToken(RevokeTokenRequest(name=name))
    if as_json:
        print_json(shape(revoked))
    else:
        click.echo(f"The token of {name} is not valid any more.")
