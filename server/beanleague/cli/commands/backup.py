"""`beanleague backup`: copy the database to a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError
from beanleague.cli.views.output import Output, with_output
from beanproto.v1.league_pb2 import BackupRequest

if TYPE_CHECKING:
    from beanproto.v1.league_pb2 import BackupPart


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@with_output
@connected
def backup(session: Session, file: Path, force: bool, out: Output) -> None:
    """Copy the whole database to FILE, also while leagues are run, and verify the copy.

    With --server this needs an organiser's token. FILE contains the secrets of leagues and is
    readable by you alone. To restore it, use it with --db.
    """
    if file.exists() and not force:
        raise CliError(f"{file} already exists; choose another file, or overwrite it with --force")
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with session.league() as stub:
            size, digest = _receive(stub.Backup(BackupRequest()), part)
        _check(part)
        part.replace(file)
    except OSError as error:
        raise CliError(f"cannot write {file}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    out.show({"file": str(file), "bytes": size, "sha256": digest}, [f"Wrote {file}: {size:,} bytes, verified."])


def _receive(parts: Iterable[BackupPart], file: Path) -> tuple[int, str]:
    """Write a backup to a new file; return its size and SHA-256.

    Raises:
        CliError: a part is missing or was changed on the way.
    """
    digest, size, sent = hashlib.sha256(), 0, ""
    number = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(number, "wb") as opened:
        for part in parts:
            opened.write(part.data)
            digest.update(part.data)
            size += len(part.data)
            sent = part.sha256
        opened.flush()
        os.fsync(opened.fileno())
    if sent != digest.hexdigest():
        raise CliError("the backup did not arrive whole; try again")
    return size, sent


def _check(file: Path) -> None:
    from beanleague.service.backend import check_backup
    from beanleague.service.endpoint import ServiceError

    try:
        check_backup(file)
    except ServiceError as error:
        raise CliError(str(error)) from None
