"""What goes wrong in a way that people are told about: one or two lines, no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import grpc

    from beanleague.cli.connection.remote import Remote


class CliError(click.ClickException):
    """The thing asked for failed; the message says what, where, and what to do. Exit code 1."""

    exit_code = 1


class Stopped(click.ClickException):
    """The user stopped what was going on; the message says how to go on. Exit code 130, as shells count SIGINT."""

    exit_code = 130


def rpc_failure(error: grpc.RpcError, remote: Remote | None) -> CliError:
    """Return what to tell about a call that failed. `remote`: the server asked, None for the embedded one."""
    import grpc

    if not isinstance(error, grpc.Call):
        return CliError(f"the call failed: {error}")
    details = error.details() or "no reason was given"
    match error.code():
        case grpc.StatusCode.UNAVAILABLE if remote:
            return CliError(remote.why_unreachable(details))
        case grpc.StatusCode.RESOURCE_EXHAUSTED if remote and "Concurrent RPC" in details:  # in the words of gRPC
            return CliError(f"the server at {remote.server} has too much to do; try again in a moment")
        case grpc.StatusCode.INTERNAL | grpc.StatusCode.UNKNOWN:
            where = f"the server at {remote.server}" if remote else "beanleague"
            return CliError(f"{where} failed: {details}")
        case grpc.StatusCode.UNIMPLEMENTED if remote:
            return CliError(f"the server at {remote.server} does not know this; it may be of another version")
        case _:
            return CliError(details)
