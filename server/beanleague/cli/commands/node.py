"""`beanleague node`: a machine that plays deals for runs on others."""

from __future__ import annotations

import click

from beanleague.cli.errors import CliError
from beanleague.cli.params.cluster import ADDRESS_VARIABLE, Files, run_until_signal, with_files
from beanleague.cli.params.options import Count
from beanleague.cli.views.text import counted

_MAX_WORKERS = 1024


@click.command("node")
@click.option(
    "--scheduler",
    required=True,
    envvar=ADDRESS_VARIABLE,
    show_envvar=True,
    metavar="ADDRESS",
    help="Address of the cluster's scheduler, tls://HOST:PORT.",
)
@with_files
@click.option("--workers", type=Count(1, _MAX_WORKERS), help="Number of worker processes. Default: one per core.")
@click.option("--name", default="", help="What the node is called. Default: the name of this machine.")
@click.option(
    "--host",
    default="",
    metavar="ADDRESS",
    help="The address of this machine at which the scheduler reaches it. Default: that which leads to the scheduler.",
)
def node(scheduler: str, files: Files, workers: int | None, name: str, host: str) -> None:
    """Play deals for the runs that use a scheduler, until Ctrl-C.

    While the scheduler is gone, the node waits for it. Bots are kept in the user's cache folder. A node runs bots as
    other machines do: under a sandbox, and without one only those that the run trusts.
    """
    from beanleague.league.run.cluster.settings import ClusterError, require_extra

    try:
        settings = files.settings(scheduler)
        require_extra()
        settings.security()
        from beanleague.league.bots.cache import default_bundles
        from beanleague.league.run.cluster.node import serve_node
        from beanleague.referee.this_node import default_workers

        workers = workers or default_workers()
        _warn_if_unconfined()
        click.echo(f"A node with {counted(workers, 'worker')}; Ctrl-C stops.")
        run_until_signal(serve_node(settings, workers=workers, cache=default_bundles(), name=name, host=host, say=_say))
    except ClusterError as error:
        raise CliError(str(error)) from None
    click.echo("Stopped.")


def _say(sentence: str) -> None:
    click.echo(sentence[:1].upper() + sentence[1:] + ".")


def _warn_if_unconfined() -> None:
    """Say so if this machine cannot close the network to bots."""
    from beanleague.referee.messages import Limits
    from beanleague.referee.sandbox.layers import CONFINING
    from beanleague.referee.sandbox.probe import examine

    if not any(examine(layer, Limits()).sandbox for layer in CONFINING):
        click.echo(
            "No sandbox works here, so the network cannot be closed to bots: this node plays only deals of bots that "
            "the run trusts; see 'beanleague doctor'.",
            err=True,
        )
