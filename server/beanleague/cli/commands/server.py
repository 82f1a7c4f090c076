"""`beanleague serve`, `token` and `backup`: serving a database, its users, and copies of it."""

import hashlib
import logging
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from beanleague.cli.commands.options import keep_days, reporting
from beanleague.cli.commands.web import Place, require_extra, served_site, web_options
from beanleague.cli.connection.session import Session, clustered, connected, trusting
from beanleague.cli.params import FILE, FOLDER, PATH, CliError, Count, Group, OneOf, failing, listening
from beanleague.cli.streams import echo, log_to_stderr
from beanleague.cli.views.output import Output, check_new, check_place, local_time, quantity, writing
from beanleague.cli.views.tables import tokens_table
from beanleague.files import STANDARD, is_stream, replacing, write_new
from beanleague.names import NAME_RULE, is_new_name
from beanleague.service.access import Role
from beanleague.service.endpoint import ServiceError
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanleague.service.server import Serving

_ALL_INTERFACES = frozenset({"0.0.0.0", "[::]"})  # noqa: S104 - compared with, not listened on
_DEFAULT_ADDRESS = "127.0.0.1:7411"


@click.command("serve")
@listening(_DEFAULT_ADDRESS, "Address to listen on: HOST:PORT (port 0: any free port), or unix:/path.")
@click.option("--tls-cert", type=PATH, metavar="FILE", help="Certificate of the server (PEM), for TLS.")
@click.option("--tls-key", type=PATH, metavar="FILE", help="Private key of the certificate (PEM).")
@click.option("--web", metavar="HOST:PORT", help="Also serve the web site at this address.")
@web_options
@click.option("--require-tokens", is_flag=True, help="Require tokens even if only this machine can reach the server.")
@keep_days
@click.option("--no-analyse", is_flag=True, help="Do not analyse worst deals of bots in idle time.")
@trusting
@connected
@clustered
def serve(
    session: Session,
    listen: str,
    web: str | None,
    require_tokens: bool,
    keep_days: int,
    no_analyse: bool,
    **site: Any,
) -> None:
    """Serve the database to other commands until Ctrl-C.

    They use the server with --server or BEANLEAGUE_SERVER. At an address that other machines can
    reach, the server needs a certificate and requires tokens; see 'beanleague token'. With --web it
    also has a site, with the same certificate; see 'beanleague web'.
    """
    if session.server:
        raise click.UsageError("serve opens its own database; leave out --server (and unset BEANLEAGUE_SERVER)")
    place = _place(web, **site)
    with failing(ServiceError):
        run_pool = session.run_pool()
    url = session.store_url()
    from beanleague.service.server import served, until_interrupted

    log_to_stderr(logging.INFO)
    logging.getLogger("alembic").setLevel(logging.WARNING)  # messages about schema upgrades are not for users
    with failing(ServiceError):
        if web:
            place.check()
        with (
            until_interrupted() as wait,
            served(
                listen,
                url,
                certificate=place.certificate,
                require_tokens=require_tokens,
                run_pool=run_pool,
                trust_bots=session.trust_bots,
                ladders=True,
                keep_days=keep_days,
                analyse=not no_analyse,
            ) as serving,
        ):
            _print_usage(session, serving)
            with _site(serving, place) if web else nullcontext():
                wait()
    echo("Stopped.")


def _place(web: str | None, **site: Any) -> Place:
    """Return address and access of the site; the address is empty without --web.

    Raises:
        click.UsageError: options for a site without an address.
        CliError: packages for a site are missing.
    """
    place = Place(web or "", **site)
    if not web and (place.names or place.behind_proxy or place.contact or place.prefix):
        raise click.UsageError("--name, --behind-proxy, --contact and --prefix need --web")
    if web:
        require_extra()
    return place


@contextmanager
def _site(serving: "Serving", place: Place) -> Iterator[None]:
    """Serve the site at `place` in addition to the server."""
    guest = Role.VIEWER if serving.tokens else place.guest  # visitors get the rights of callers without a token
    with serving.for_guests(guest) as channel, served_site(channel, place) as url:
        echo(f"Open {url} in a browser.")
        yield


def _print_usage(session: Session, serving: "Serving") -> None:
    """Print the commands and settings for using the server."""
    echo(f"Serving at {serving.address}{' with TLS' if serving.tls else ''}; Ctrl-C stops.")
    host, _, port = serving.address.rpartition(":")
    address = f"NAME-OF-THIS-MACHINE:{port}" if host in _ALL_INTERFACES else serving.address
    server = shlex.quote(f"{'https://' if serving.tls else ''}{address}")
    echo(f"Use it with: beanleague --server {server} COMMAND")
    if serving.tokens and serving.without_tokens:
        command = session.command("token new NAME --role organiser")
        echo(f"No tokens exist yet; create one with: {command}")
    elif serving.tokens:
        echo("Every call needs a token.")


_ROLES = tuple(name.removeprefix("ROLE_").lower() for name in pb.Role.keys() if name != "ROLE_UNSPECIFIED")  # noqa: SIM118


@click.group("token", cls=Group)
def token() -> None:
    """Create, list and revoke access tokens.

    A server that other machines can reach ('beanleague serve') requires a token with every call.
    A viewer may read everything, an author may also submit bots, an organiser may do everything.
    """


@token.command("new")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--role", type=OneOf(_ROLES), required=True, help="Role of the token.")
@click.option("--days", type=Count(min=1), help="Days until the token expires. Default: it never expires.")
@click.option(
    "-o",
    "--out",
    "folder",
    metavar="DIR",
    type=FOLDER,
    help="Write a note for each NAME to this folder, with the token and how to use it, instead of printing tokens.",
)
@click.option("--site", metavar="URL", default="", help="Address of the site, for the notes.")
@reporting
def new(
    session: Session, names: tuple[str, ...], role: str, days: int | None, folder: Path | None, site: str, out: Output
) -> None:
    """Create a token for each NAME and print it. It is not stored and cannot be shown again.

    NAME becomes the author of the bots submitted with the token, and remains so with later tokens. With
    --server, a note contains the server's address.
    """
    if folder is None and (len(names) > 1 or site):
        raise click.UsageError("notes need a folder: add --out DIR, or give one NAME and no --site")
    requests = [
        pb.NewTokenRequest(name=name, role=pb.Role.Value(f"ROLE_{role.upper()}"), days=days or 0) for name in names
    ]
    if folder:
        files = _new_notes(folder, names)
        with session.league() as stub:
            for request, file in zip(requests, files, strict=True):
                _write_note(file, stub.NewToken(request), session, site)
        wrote = f"Wrote {quantity(len(files), 'note')} into {folder}. Send each privately to the person named in it."
        out.show({"notes": [str(file) for file in files]}, [wrote])
        return
    answer = session.call(lambda stub: stub.NewToken(requests[0]))
    if not out.as_json:
        name = names[0]
        echo(f"Token of {name} ({role}). Send it privately; {name} sets BEANLEAGUE_TOKEN to it.", err=True)
    out.show(answer, [answer.token])


def _new_notes(folder: Path, names: Sequence[str]) -> list[Path]:
    """Create the folder for notes and return the files to write, none of which may exist.

    Raises:
        CliError: a name is invalid or given twice, a note exists, or the folder cannot be created.
    """
    if str(folder) == STANDARD:
        raise CliError(
            "notes are written to a folder, not to standard output (-); name a folder (./- for one called -)"
        )
    files = [folder / f"{name}.txt" for name in names]
    for name, file in zip(names, files, strict=True):
        if names.count(name) > 1:
            raise CliError(f"{name} is given twice; give each name once")
        if not is_new_name(name):
            raise CliError(f"a token cannot be called {name!r:.80}: {NAME_RULE}")
        if file.exists():
            raise CliError(f"{file} already exists; leave {name} out, or choose another folder")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CliError(f"cannot create {folder}: {error.strerror}") from None
    return files


def _write_note(file: Path, made: pb.NewTokenResponse, session: Session, site: str) -> None:
    """Write the note for a new token into the new `file`, readable only by its owner.

    Raises:
        CliError: the file cannot be written.
    """
    text = "\n".join(_note(made, session, site.rstrip("/")))
    try:
        write_new(file, f"{text}\n", 0o600)
    except OSError as error:
        name = made.info.name
        raise CliError(
            f"cannot write {file}: {error.strerror}; revoke the token of {name}, and create another one"
        ) from None


def _note(made: pb.NewTokenResponse, session: Session, site: str) -> Iterator[str]:
    name = made.info.name
    author = made.info.role == pb.ROLE_AUTHOR
    until = f", until {local_time(made.info.expires)}" if made.info.HasField("expires") else ""
    yield from (f"The token of {name} for Beanleague:", "", f"    {made.token}", "")
    yield f"Keep it secret: whoever has it acts as {name}{until}."
    if site:
        yield from ("", f"In a browser, sign in with it: {site}/sign-in")
        if author:
            yield f"Write your first bot: {site}/guide"
    yield from ("", "At a command line, where Beanleague is installed:", "")
    if session.server:
        yield f"    export BEANLEAGUE_SERVER={shlex.quote(session.server)}"
    if session.tls_ca:
        authorities = shlex.quote(Path(session.tls_ca).name)
        yield f"    export BEANLEAGUE_TLS_CA={authorities}  # a file that comes with this note"
    yield f"    export BEANLEAGUE_TOKEN={made.token}"
    if not author:
        yield "    beanleague league list"
        return
    yield f"    beanleague bot new {name} --game bohnanza"
    yield f"    beanbot practice {name} farmer random"
    yield f"    beanleague bot submit {name}"
    yield from ("", f"Bot names are unique on a server: start yours with {name}.")


@token.command("list")
@reporting
def list_tokens(session: Session, out: Output) -> None:
    """List all tokens, including revoked and expired ones, newest first."""
    answer = session.call(lambda stub: stub.ListTokens(pb.ListTokensRequest()))
    hint = f"No tokens yet; create one with: {session.command('token new NAME --role viewer')}"
    out.show(answer, [tokens_table(answer.tokens) if answer.tokens else hint])


@token.command("revoke")
@click.argument("name")
@reporting
def revoke(session: Session, name: str, out: Output) -> None:
    """Revoke the token of NAME, at once and for good. The bots of NAME stay."""
    answer = session.call(lambda stub: stub.RevokeToken(pb.RevokeTokenRequest(name=name)))
    out.show(answer, [f"The token of {name} is revoked."])


@click.command("backup")
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@reporting
def backup(session: Session, file: Path, force: bool, out: Output) -> None:
    """Copy the whole database to FILE, even while leagues are being run, and verify the copy.

    With --server this needs an organiser's token. FILE contains the secrets of leagues, and only you can
    read it; - stands for standard output. To restore it, use it with --db.
    """
    from beanleague.service.backend import check_backup

    check_new(file, force=force)
    check_place(file)
    if str(file) == STANDARD or is_stream(file):
        with TemporaryDirectory(prefix="beanleague-backup-") as folder, writing(file):
            size, _ = _copy(session, Path(folder, "leagues.db"), check_backup)
            with Path(folder, "leagues.db").open("rb") as whole:
                _send(whole, file)
        echo(f"Wrote {size:,} bytes, verified.", err=True)
        return
    with writing(file), replacing(file) as part:
        size, digest = _copy(session, part, check_backup)
    out.show({"file": str(file), "bytes": size, "sha256": digest}, [f"Wrote {file}: {size:,} bytes, verified."])


def _copy(session: Session, file: Path, check: Callable[[Path, str], None]) -> tuple[int, str]:
    """Write a verified backup to a new file; return its size and SHA-256."""
    with session.league() as stub:
        size, digest = _receive(stub.Backup(pb.BackupRequest()), file)
    with failing(ServiceError):
        check(file, "what the server sent")
    return size, digest


def _send(whole: BinaryIO, file: Path) -> None:
    """Copy a verified backup to standard output, a pipe or a device.

    Raises:
        CliError: standard output is a terminal.
    """
    if str(file) != STANDARD:
        with file.open("wb") as stream:
            shutil.copyfileobj(whole, stream)
        return
    if sys.stdout.isatty():
        raise CliError(
            "a backup is binary and cannot go to a terminal; name a file, or pipe it to a program: backup - | PROGRAM"
        )
    shutil.copyfileobj(whole, sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _receive(parts: Iterable[pb.BackupPart], file: Path) -> tuple[int, str]:
    """Write a backup to a new file; return its size and SHA-256.

    Raises:
        CliError: a part is missing or damaged, or the disk is full.
    """
    digest, size, sent, announced = hashlib.sha256(), 0, "", 0
    free = shutil.disk_usage(file.parent).free
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as opened:
        for part in parts:
            announced = announced or part.size
            if announced > free:  # the server could otherwise send without end
                room = f"{file.parent.absolute()} has room for only {free:,}"
                raise CliError(f"the backup has {announced:,} bytes, but {room}; choose another disk")
            if size + len(part.data) > announced:
                raise CliError(f"the server sent more than the {announced:,} bytes that it announced")
            opened.write(part.data)
            digest.update(part.data)
            size += len(part.data)
            sent = part.sha256
        opened.flush()
        os.fsync(opened.fileno())
    if sent != digest.hexdigest():
        raise CliError("the backup is incomplete; try again")
    return size, sent
