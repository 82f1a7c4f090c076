"""`beanleague web` and `site`: leagues in a browser, served or as files."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import grpc

from beanleague.cli.connection.session import Session, connected, trusting
from beanleague.cli.params import FOLDER, PATH, CliError, Command, failing, listening
from beanleague.cli.streams import echo, log_to_stderr
from beanleague.cli.views.output import console, quantity, writing
from beanleague.cli.views.progress import SiteProgress
from beanleague.extras import installation
from beanleague.service.access import Role
from beanleague.service.endpoint import Certificate, ServiceError, can_be_reached
from beanleague.web.settings import LOOPBACK_NAMES, SiteSettings
from beanproto.v1.league_pb2 import ROLE_VIEWER, ServerInfoRequest
from beanproto.v1.league_pb2_grpc import LeagueStub

_DEFAULT_ADDRESS = "127.0.0.1:8411"
_SAFE_IN_PATHS = re.compile("[A-Za-z0-9._-]+")
_WILDCARDS = frozenset({"0.0.0.0", "[::]"})  # noqa: S104 - compared with, not listened on


@dataclass(frozen=True, slots=True)
class Place:
    """Address and access of a site."""

    address: str
    """"host:port" to listen at."""
    names: tuple[str, ...] = ()
    """Host names of the site in addition to the one in `address`."""
    behind_proxy: bool = False
    """Whether the site is behind a proxy."""
    tls_cert: Path | None = None
    """Certificate (PEM), for TLS."""
    tls_key: Path | None = None
    """Private key of the certificate (PEM)."""
    contact: str = ""
    """Instructions for getting a token."""
    prefix: str = ""
    """Path prefix of the site, "" if it has a host of its own."""

    def __post_init__(self) -> None:
        if (self.tls_cert is None) is not (self.tls_key is None):
            raise click.UsageError("--tls-cert and --tls-key must be used together")

    @property
    def certificate(self) -> Certificate | None:
        """Certificate of the site; None without TLS."""
        return Certificate(self.tls_cert, self.tls_key) if self.tls_cert and self.tls_key else None

    @property
    def public(self) -> bool:
        """Whether the site can be reached from other machines.

        Raises:
            ServiceError: `address` is not an address.
        """
        return can_be_reached(self.address) or self.behind_proxy

    @property
    def guest(self) -> Role:
        """Role of visitors without a token if the site serves a database."""
        return Role.VIEWER if self.public else Role.ORGANISER

    def check(self) -> None:
        """Check that the site can be reached from other machines only securely.

        Raises:
            CliError: it would be reachable insecurely.
        """
        if self.address.startswith("unix:"):
            raise CliError(f"a site needs an address host:port, e.g. {_DEFAULT_ADDRESS}, not {self.address}")
        if self.public and not (self.tls_cert or self.behind_proxy):
            raise CliError(
                f"{self.address} is reachable from other machines, so the site needs a certificate (--tls-cert and "
                "--tls-key) or a proxy in front of it (--behind-proxy); docs/web.md shows both"
            )
        if not self.hosts:
            raise CliError("give the host name under which browsers reach the site, e.g. --name league.example.org")

    @property
    def hosts(self) -> frozenset[str]:
        """Host names of the site."""
        host = self.address.rpartition(":")[0].lower()
        named = {name.lower() for name in self.names}
        if not self.public:
            return LOOPBACK_NAMES | named
        return frozenset(named if self.behind_proxy or host in _WILDCARDS else named | {host})


def require_extra() -> None:
    """Check that the packages of the site are installed.

    Raises:
        CliError: some are missing.
    """
    try:
        import beanleague.web.app  # noqa: F401
    except ModuleNotFoundError:
        raise CliError(f"the site needs additional packages; install them with: {installation('web')}") from None


@contextmanager
def served_site(channel: grpc.Channel, place: Place) -> Iterator[str]:
    """Serve the site of a service; yield its URL.

    Raises:
        CliError: strangers could do more than look, since the site's token allows more.
        ServiceError: the address or the certificate cannot be used.
    """
    from beanleague.web.app import make_app
    from beanleague.web.serving import serving

    stub = LeagueStub(channel)
    role = stub.ServerInfo(ServerInfoRequest()).role
    if place.public and role != ROLE_VIEWER:
        raise CliError(
            "visitors could do more than view this site; use a server that requires tokens, and a viewer's token "
            "(beanleague token new NAME --role viewer)"
        )
    tls = place.certificate is not None
    settings = SiteSettings(
        place.hosts,
        tls=tls,
        behind_proxy=place.behind_proxy,
        public=place.public,
        contact=place.contact,
        prefix=place.prefix,
    )
    with serving(make_app(stub, settings, tables=channel), place.address, place.certificate) as url:
        yield url + place.prefix


def _prefix(_: click.Context, __: click.Parameter, value: str) -> str:
    """Normalise a path prefix to a leading "/" and no trailing one."""
    parts = [part for part in value.split("/") if part]
    if not all(_SAFE_IN_PATHS.fullmatch(part) and part.strip(".") for part in parts):
        raise click.BadParameter("write it as a URL path of letters, digits, '-', '_' and '.', e.g. /beans")
    return "".join(f"/{part}" for part in parts)


def web_options(command: Command) -> Command:
    """Add the options for the site's addresses to a command."""
    name = "Host name under which browsers reach the site, e.g. league.example.org; may be repeated."
    contact = "How to get a token, e.g. an e-mail address; shown on the sign-in page."
    prefix = "Prefix of all paths of the site if it shares its host with others, e.g. /beans."
    for option in (
        click.option("--prefix", default="", metavar="PATH", callback=_prefix, help=prefix),
        click.option("--contact", default="", metavar="TEXT", help=contact),
        click.option("--name", "names", multiple=True, metavar="NAME", help=name),
        click.option("--behind-proxy", is_flag=True, help="Expect a TLS proxy in front of the site; needs --name."),
    ):
        command = option(command)
    return command


@click.command("web")
@listening(_DEFAULT_ADDRESS, "Address to listen on (port 0: any free port).")
@click.option("--tls-cert", type=PATH, metavar="FILE", help="Certificate of the site (PEM), for TLS.")
@click.option("--tls-key", type=PATH, metavar="FILE", help="Private key of the certificate (PEM).")
@web_options
@trusting
@connected
def web(session: Session, listen: str, **how: Any) -> None:
    """Serve the web site until Ctrl-C.

    The site shows a database, or with --server the leagues of that server, with a viewer's token if the server requires
    tokens. A site that other machines can reach needs a certificate, or a proxy in front of it; visitors then sign in
    with a token to submit bots.
    """
    place = Place(listen, **how)
    require_extra()
    from beanleague.service.server import until_interrupted

    log_to_stderr(logging.WARNING)
    with failing(ServiceError):
        place.check()
        with (
            until_interrupted() as wait,
            # a busy service answers visitors with a request to wait
            session.service(guest=place.guest, patient=False) as channel,
            served_site(channel, place) as url,
        ):
            echo(f"Open {url} in a browser; it shows {session.place()}. Ctrl-C stops.")
            wait()
    echo("Stopped.")


_MIB = 2**20


@click.command("site")
@click.argument("folder", metavar="DIR", type=FOLDER)
@connected
def site(session: Session, folder: Path) -> None:
    """Write leagues, bots, matches and their replays as pages into DIR.

    Any web server can serve DIR, in any folder: the pages need no beanleague server. They show only public data. A
    later export writes only new data, and leaves the pages of matches unchanged.
    """
    require_extra()
    from beanleague.web.export import ExportError, export
    from beanleague.wire import WireError

    with (
        writing(folder, folder=True),
        failing(ExportError, WireError),
        session.league(guest=Role.VIEWER) as stub,
        SiteProgress(console()) as bar,
    ):
        counts = export(stub, folder, bar.show)
    for address in counts.dead:
        echo(f"A page links to {address}, which does not exist.", err=True)
    if not counts.files:
        echo(f"{folder} is up to date.")
        return
    matches = quantity(counts.matches, "match", "matches")
    echo(f"Wrote {quantity(counts.files, 'file')} ({counts.bytes / _MIB:.1f} MiB), including {matches}.")
    echo(f"Start at {folder / 'index.html'}")
