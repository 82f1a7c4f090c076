"""What goes wrong in a way that people are told about: one or two lines, no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import grpc


class CliError(click.ClickException):
    """The thing asked for failed; the message says what, where, and what to do. Exit code 1."""

    exit_code = 1


class Stopped(click.ClickException):
    """The user stopped what was going on; the message says how to go on. Exit code 130, as shells count SIGINT."""

    exit_code = 130


def rpc_failure(error: grpc.RpcError, server: str | None) -> CliError:
    """Return what to tell about a call that failed. `server`: the address asked, None for the embedded one."""
    import grpc

    if not isinstance(error, grpc.Call):
        return CliError(f"the call failed: {error}")
    details = error.details() or "no reason was given"
    match error.code():
        case grpc.StatusCode.UNAVAILABLE if server:
            return CliError(
                f"cannot reach a server at {server}; start one with 'beanleague serve', or leave out --server "
                "(and BEANLEAGUE_SERVER)"
            )
        case grpc.StatusCode.INTERNAL | grpc.StatusCode.UNKNOWN:
            where = f"the server at {server}" if server else "beanleague"
            return CliError(f"{where} failed: {details}")
        case grpc.StatusCode.UNIMPLEMENTED:
            return CliError(f"the server at {server} does not know this; it may be of another version")
        case _:
            return CliError(details)
