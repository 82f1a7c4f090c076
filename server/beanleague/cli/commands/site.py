"""`beanleague site`: leagues as pages for any static host."""

from __future__ import annotations

from pathlib import Path

import click

from beanleague.cli.commands.web import require_extra
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError
from beanleague.cli.views.output import console
from beanleague.cli.views.site_progress import SiteProgress
from beanleague.cli.views.text import counted

_MIB = 2**20


@click.command("site")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@connected
def site(session: Session, folder: Path) -> None:
    """Write leagues, bots, matches and their replays as pages into DIR.

    Any web server can serve DIR, in whatever folder: the pages ask no server for anything. They show
    what every viewer may see. The next time only what is new is written; the pages of matches are left
    alone.
    """
    require_extra()
    from beanleague.service.access import Role
    from beanleague.web.export import ExportError, export
    from beanleague.wire import WireError

    try:
        with session.league(guest=Role.VIEWER) as stub, SiteProgress(console()) as bar:
            counts = export(stub, folder, bar.show)
    except (ExportError, WireError) as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"cannot write {error.filename or folder}: {error.strerror}") from None
    for address in counts.dead:
        click.echo(f"Nothing is at {address}, to which a page has a link.", err=True)
    if not counts.files:
        click.echo(f"{folder} is up to date.")
        return
    matches = counted(counts.matches, "match", "matches")
    click.echo(f"Wrote {counted(counts.files, 'file')} ({counts.bytes / _MIB:.1f} MiB), {matches} among them.")
    click.echo(f"Begin at {folder / 'index.html'}")
