"""`beanleague cluster`: certificates and the scheduler of a cluster."""

from __future__ import annotations

from pathlib import Path

import click

from beanleague.cli.errors import CliError
from beanleague.cli.groups import Group
from beanleague.cli.params.cluster import PATH, Files, run_until_signal, with_files
from beanleague.cli.params.options import Count

_DEFAULT_ADDRESS = "127.0.0.1:8786"


@click.group("cluster", cls=Group)
def cluster() -> None:
    """Play leagues on several machines: make certificates, run the scheduler.

    'beanleague node' is run on each machine that plays; see docs/cluster.md.
    """


@cluster.command("certs")
@click.argument("folder", type=PATH, metavar="DIR")
@click.option("--days", type=Count(1, 36_500), default=365, show_default=True, help="Days until they expire.")
def certs(folder: Path, days: int) -> None:
    """Make certificates for a cluster in the new folder DIR.

    Copy it to every machine of the cluster, and to nobody else: whoever has key.pem can run programs on all of
    them.
    """
    from beanleague.league.run.cluster.settings import ClusterError, require_extra

    try:
        require_extra()
        from beanleague.league.run.cluster.certs import make_certs

        make_certs(folder, days=days)
    except ClusterError as error:
        raise CliError(str(error)) from None
    click.echo(f"Made {folder}: ca.pem, cert.pem and key.pem, valid for {days} days. Copy it to every machine.")


@cluster.command("scheduler")
@click.option(
    "--listen",
    default=_DEFAULT_ADDRESS,
    show_default=True,
    metavar="HOST:PORT",
    help="Address to listen on; 0.0.0.0:8786 for all addresses of this machine, which needs certificates.",
)
@with_files
def scheduler(listen: str, files: Files) -> None:
    """Run the scheduler of a cluster until Ctrl-C.

    Runs and nodes connect to it. A run ends when its scheduler does, and can be continued; nodes wait for a new
    scheduler.
    """
    from beanleague.league.run.cluster.settings import ClusterError, require_extra

    _check_reach(listen, files)
    try:
        settings = files.settings(f"{'tls' if files.ca else 'tcp'}://{listen}")
        require_extra()
        from beanleague.league.run.cluster.scheduler import schedule

        run_until_signal(schedule(settings, say=click.echo))
    except ClusterError as error:
        raise CliError(str(error)) from None
    click.echo("Stopped.")


def _check_reach(listen: str, files: Files) -> None:
    """See that `listen` is an address, and one that others can reach only with certificates."""
    from beanleague.service.endpoint import ServiceError, can_be_reached

    if "://" in listen:
        raise CliError(f"{listen!r} is not an address to listen on; write HOST:PORT, e.g. {_DEFAULT_ADDRESS}")
    try:
        reachable = can_be_reached(listen)
    except ServiceError as error:
        raise CliError(str(error)) from None
    if reachable and not files.ca:
        raise CliError(
            f"{listen} can be reached by others, who could run programs on all machines of the cluster; make "
            "certificates with 'beanleague cluster certs DIR', and pass them with --cluster-tls DIR"
        )
