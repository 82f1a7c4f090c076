"""`beanleague cluster` and `node`: leagues on several machines."""

from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path

import click

from beanleague.cli import params
from beanleague.cli.streams import echo
from beanleague.cli.views.output import quantity, writing
from beanleague.league.errors import LeagueError
from beanleague.league.run.cluster.settings import CA, CERT, KEY, ClusterError, ClusterSettings, require_extra
from beanleague.service.endpoint import ServiceError, can_be_reached

_DEFAULT_ADDRESS = "127.0.0.1:8786"


def _tls_options(command: params.Command) -> params.Command:
    """Add the options for certificate files to a command: a folder, or single files (see `_files`)."""
    for option in (
        click.option("--tls-key", type=params.PATH, metavar="FILE", help="Private key of the certificate (PEM)."),
        click.option("--tls-cert", type=params.PATH, metavar="FILE", help="Certificate of this machine (PEM)."),
        click.option(
            "--tls-ca",
            type=params.PATH,
            metavar="FILE",
            help="Certificate of the cluster's authority (PEM), instead of DIR.",
        ),
        params.cluster_folder(),
    ):
        command = option(command)
    return command


def _files(cluster_tls: Path | None, **each: Path | None) -> tuple[Path, ...]:
    """Return the files of the cluster's authority, certificate and key; empty if none are given."""
    files = tuple(filter(None, (each["tls_ca"], each["tls_cert"], each["tls_key"])))
    typed = click.get_current_context().get_parameter_source("cluster_tls") is click.core.ParameterSource.COMMANDLINE
    if files and typed:
        raise click.UsageError("--cluster-tls cannot be used with --tls-ca, --tls-cert or --tls-key")
    if len(files) in {1, 2}:
        raise click.UsageError("--tls-ca, --tls-cert and --tls-key must be used together")
    if cluster_tls and not files:
        return tuple(cluster_tls / name for name in (CA, CERT, KEY))
    return files


def _run_until_signal(work: Coroutine[object, object, None]) -> None:
    """Run `work` in the main thread until SIGINT or SIGTERM cancels it. A second signal ends the process at once."""
    import asyncio
    import signal

    signals = (signal.SIGINT, signal.SIGTERM)

    async def run() -> None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def end() -> None:
            for number in signals:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)
            task.cancel()

        for number in signals:
            loop.add_signal_handler(number, end)
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())


@click.group("cluster", cls=params.Group)
def cluster() -> None:
    """Play leagues on several machines: make certificates, run the scheduler.

    'beanleague node' is run on each machine that plays; see docs/cluster.md.
    """


@cluster.command("certs")
@click.argument("folder", type=params.PATH, metavar="DIR")
@click.option(
    "--days", type=params.Count(1, 36_500), default=365, show_default=True, help="Days until the certificates expire."
)
def certs(folder: Path, days: int) -> None:
    """Create certificates for a cluster in the new folder DIR.

    Copy it to every machine of the cluster, and nowhere else: key.pem allows running programs on all of them.
    """
    with params.failing(ClusterError), writing(folder, folder=True):
        require_extra()
        from beanleague.league.run.cluster.certs import make_certs

        make_certs(folder, days=days)
    echo(f"Created {folder}: ca.pem, cert.pem and key.pem, valid for {days} days. Copy it to every machine.")


@cluster.command("scheduler")
@params.listening(
    _DEFAULT_ADDRESS, "Address to listen on; 0.0.0.0:8786 for all addresses of this machine, which needs certificates."
)
@_tls_options
def scheduler(listen: str, **tls: Path | None) -> None:
    """Run the scheduler of a cluster until Ctrl-C.

    Runs and nodes connect to it. A run ends when its scheduler does, and can be continued; nodes wait for a new
    scheduler.
    """
    files = _files(**tls)
    if "://" in listen:
        raise params.CliError(f"{listen!r} is not an address to listen on; write HOST:PORT, e.g. {_DEFAULT_ADDRESS}")
    with params.failing(ServiceError):
        reachable = can_be_reached(listen)
    if reachable and not files:
        raise params.CliError(
            f"{listen} is reachable from other machines, and anybody there could run programs on all machines of "
            "the cluster; create certificates with 'beanleague cluster certs DIR', and pass them with "
            "--cluster-tls DIR"
        )
    with params.failing(ClusterError):
        settings = ClusterSettings(f"{'tls' if files else 'tcp'}://{listen}", *files)
        require_extra()
        from beanleague.league.run.cluster.scheduler import schedule

        _run_until_signal(schedule(settings, say=echo))
    echo("Stopped.")


_MAX_WORKERS = 1024


@click.command("node")
@click.option(
    "--scheduler",
    required=True,
    envvar=params.ADDRESS_VARIABLE,
    show_envvar=True,
    metavar="ADDRESS",
    help="Address of the cluster's scheduler, tls://HOST:PORT.",
)
@_tls_options
@click.option(
    "--workers", type=params.Count(1, _MAX_WORKERS), help="Number of worker processes. Default: one per core."
)
@click.option("--name", default="", help="Name of the node. Default: the host name.")
@click.option(
    "--host",
    default="",
    metavar="ADDRESS",
    help="Address of this machine for the scheduler. Default: the one on the route to the scheduler.",
)
def node(scheduler: str, workers: int | None, name: str, host: str, **tls: Path | None) -> None:
    """Play deals for runs that use a scheduler, until Ctrl-C.

    The node waits while the scheduler is unreachable. Bots are kept in the user's cache folder. They run under a
    sandbox; where none works, only bots that the run trusts play.
    """
    with params.failing(ClusterError, LeagueError):
        settings = ClusterSettings(scheduler, *_files(**tls))
        require_extra()
        settings.security()
        from beanleague.league.bots.cache import default_bundles
        from beanleague.league.run.cluster.node import serve_node
        from beanleague.referee.messages import Limits
        from beanleague.referee.sandbox.layers import CONFINING
        from beanleague.referee.sandbox.probe import examine
        from beanleague.referee.this_node import default_workers

        workers = workers or default_workers()
        if not any(examine(layer, Limits()).sandbox for layer in CONFINING):
            echo(
                "No sandbox works here, so bots cannot be kept off the network: this node plays only deals of "
                "bots that the run trusts; see 'beanleague doctor'.",
                err=True,
            )
        echo(f"Node with {quantity(workers, 'worker')}; Ctrl-C stops it.")

        def say(sentence: str) -> None:
            echo(sentence[:1].upper() + sentence[1:] + ".")

        _run_until_signal(serve_node(settings, workers=workers, cache=default_bundles(), name=name, host=host, say=say))
    echo("Stopped.")
