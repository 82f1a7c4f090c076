"""What the commands of a cluster share: options for its address and certificates, and how they run until a signal."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from beanleague.league.run.cluster.settings import ClusterSettings

Command = TypeVar("Command", bound=Callable[..., Any])

ADDRESS_VARIABLE = "BEANLEAGUE_CLUSTER"
PATH = click.Path(path_type=Path)

folder_option = click.option(
    "--cluster-tls",
    type=PATH,
    envvar="BEANLEAGUE_CLUSTER_TLS",
    show_envvar=True,
    metavar="DIR",
    help="Folder with ca.pem, cert.pem and key.pem, made by 'beanleague cluster certs'.",
)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a certificate, all or none."""

    ca: Path | None = None
    """The cluster's authority."""
    cert: Path | None = None
    """The certificate."""
    key: Path | None = None
    """Its private key."""

    def settings(self, address: str) -> ClusterSettings:
        """Return the settings for the scheduler at `address`.

        Raises:
            ClusterError: see `ClusterSettings`.
        """
        from beanleague.league.run.cluster.settings import ClusterSettings

        return ClusterSettings(address, self.ca, self.cert, self.key)


def with_files(command: Command) -> Command:
    """Give a command options for the files of a certificate: a folder, or each for itself; pass it `files`."""

    @wraps(command)
    def run(
        *args: Any,  # noqa: ANN401 - whatever else the command takes
        cluster_tls: Path | None,
        tls_ca: Path | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        context = click.get_current_context()
        each = (tls_ca, tls_cert, tls_key)
        typed = context.get_parameter_source("cluster_tls") is click.core.ParameterSource.COMMANDLINE
        if any(each) and typed:
            raise click.UsageError("--cluster-tls is instead of --tls-ca, --tls-cert and --tls-key", context)
        if any(each) and not all(each):
            raise click.UsageError("--tls-ca, --tls-cert and --tls-key must be used together", context)
        if any(each) or not cluster_tls:
            return command(*args, files=Files(*each), **others)
        from beanleague.league.run.cluster.settings import CA, CERT, KEY

        return command(*args, files=Files(*(cluster_tls / name for name in (CA, CERT, KEY))), **others)

    for option in (
        click.option("--tls-key", type=PATH, metavar="FILE", help="Private key of the certificate (PEM)."),
        click.option("--tls-cert", type=PATH, metavar="FILE", help="Certificate of this machine (PEM)."),
        click.option(
            "--tls-ca", type=PATH, metavar="FILE", help="Certificate of the cluster's authority (PEM), instead of DIR."
        ),
        folder_option,
    ):
        run = option(run)
    return run  # type: ignore[return-value]


def run_until_signal(work: Coroutine[object, object, None]) -> None:
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
