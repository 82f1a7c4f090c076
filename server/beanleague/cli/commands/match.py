"""`beanleague match`: look at matches, replay and verify them."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import click
from rich.text import Text

from beanleague.cli.connection.session import Session, connected
from beanleague.cli.errors import CliError
from beanleague.cli.params.game_options import options_line, shown_option
from beanleague.cli.params.options import Speed, as_json
from beanleague.cli.replay.sources import Match, fetch, find
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.shapes import shape
from beanleague.cli.views.tables import matches_table, moment, results_table
from beanleague.games import record_to_json, verify
from beanproto.v1.league_pb2 import ListMatchesRequest

_PAGE = 20


@click.group("match")
def match() -> None:
    """Look at matches, replay and verify them.

    A match is written LEAGUE/DEAL.ROTATION, e.g. spring/12.0.
    """


@match.command("list")
@click.argument("league")
@click.option("--bot", metavar="NAME[@VERSION]", default="", help="Only matches of this bot.")
@click.option("--deal", type=click.IntRange(min=1), help="Only matches of this deal.")
@click.option("--faults", is_flag=True, help="Only matches with a fault (of --bot, if given).")
@click.option("--oldest", is_flag=True, help="From the first deal on, not from the last one back.")
@click.option("--after", metavar="MATCH", default="", help="Begin after this match.")
@click.option("--limit", type=click.IntRange(1, 1000), default=_PAGE, show_default=True, help="At most so many.")
@as_json
@connected
def list_matches(
    session: Session,
    league: str,
    bot: str,
    deal: int | None,
    faults: bool,
    oldest: bool,
    after: str,
    limit: int,
    as_json: bool,
) -> None:
    """List matches of LEAGUE that were played, the newest first."""
    with session.league() as stub:
        found = stub.ListMatches(
            ListMatchesRequest(
                league=league,
                bot=bot,
                deal=deal or 0,
                with_faults=faults,
                after=after,
                limit=limit,
                newest_first=not oldest,
            )
        )
    if as_json:
        print_json(shape(found))
    elif not found.matches:
        click.echo("No such matches.")
    else:
        console().print(matches_table(found.matches))
        if found.next_after:
            click.echo(f"\nMore: add --after {found.next_after}")


@match.command("show")
@click.argument("match_id", metavar="MATCH")
@as_json
@connected
def show_match(session: Session, match_id: str, as_json: bool) -> None:
    """Show how MATCH ended: seats, dollars, places, options, seed and faults."""
    with session.league() as stub:
        found = fetch(stub, match_id)
    record, info = found.record, found.info
    assert info is not None
    options = {
        name: list(value) if isinstance(value, tuple) else shown_option(name, value)
        for name, value in sorted(record.options.items())
    }
    if as_json:
        faults = [
            {"seat": f.seat, "move": f.move, "kind": f.kind, "reason": f.reason, "forfeited": f.forfeited}
            for f in record.faults
        ]
        print_json(
            {
                **shape(info),
                "seed": record.seed.hex(),
                "seed_digest": found.seed_digest.hex(),
                "options": options,  # type: ignore[dict-item]
                "moves": len(record.moves),
                "events": len(record.events),
                "faults": faults,  # type: ignore[dict-item]
            }
        )
        return
    page = console()
    page.print(Text.assemble((info.match, "bold"), f"  {info.ruleset}  {moment(info.played)}"))
    page.print()
    page.print(results_table(info))
    page.print()
    page.print(f"options {options_line(options)}")
    page.print(f"seed    {record.seed.hex()}")
    page.print(f"digest  {found.seed_digest.hex()}")
    for fault in record.faults:
        text = f"move {fault.move}, seat {fault.seat}: {fault.kind}: {fault.reason}"
        page.print(Text(text + ("; forfeited" if fault.forfeited else ""), "red"))


@match.command("replay")
@click.argument("source", metavar="MATCH|FILE")
@click.option("--speed", type=Speed(), help="Play by itself, so many turns a second.")
@click.option("--plain", is_flag=True, help="Print everything at once, e.g. into a pipe.")
@connected
def replay(session: Session, source: str, speed: float | None, plain: bool) -> None:
    """Show a match turn by turn.

    One sees fields, hands, offers and answers, and dollars.

    Right and left (or Enter and Backspace) go a step, down and up a turn, space plays, + and - change
    the speed, q leaves. With no terminal it is printed as with --plain.
    """
    from beanleague.cli.replay.show import print_all, show

    found = find(session, source)
    screen = console()
    if plain or not (screen.is_terminal and sys.stdin.isatty()):
        print_all(screen, found.record)
    else:
        show(screen, found.record, found.title, speed=speed)


@match.command("export")
@click.argument("match_id", metavar="MATCH")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write this file. Default: to stdout."
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@connected
def export(session: Session, match_id: str, output: Path | None, force: bool) -> None:
    """Write MATCH as one JSON record.

    It holds all of the match: 'match verify' and 'match replay' read it without a database.
    """
    if output and output.exists() and not force:
        raise CliError(f"{output} exists already; choose another file, or replace it with --force")
    with session.league() as stub:
        text = record_to_json(fetch(stub, match_id).record)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        _write_whole(output, text)
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
    click.echo(f"Wrote {output}", err=True)


def _write_whole(path: Path, text: str) -> None:
    """Write `text` so that `path` never holds only a part of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, "utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@match.command("verify")
@click.argument("source", metavar="MATCH|FILE")
@as_json
@connected
def verify_match(session: Session, source: str, as_json: bool) -> None:
    """Say whether the rules reproduce a match.

    It is played again from its seed and moves, and every event, score and place is compared. The seed
    of a league's match is compared with the digest that was published before play, too.
    """
    found = find(session, source)
    verdict = verify(found.record)
    problem = verdict.problem or _seed_problem(found)
    if as_json:
        print_json(
            {
                "match": found.title,
                "reproduced": not problem,
                "problem": problem,
                "move": verdict.move,
                "event": verdict.event,
                "events": len(found.record.events),
                "seed_digest": hashlib.sha256(found.record.seed).hexdigest(),
            }
        )
        if problem:
            raise SystemExit(1)
    elif problem:
        raise CliError(f"{found.title} is not reproduced: {problem}")
    else:
        record = found.record
        click.echo(
            f"{found.title}: all of {len(record.moves)} moves, {len(record.events)} events, scores and places are "
            f"reproduced.\nSeed digest: {hashlib.sha256(record.seed).hexdigest()}"
        )


def _seed_problem(found: Match) -> str:
    if found.info is None or hashlib.sha256(found.record.seed).digest() == found.seed_digest:
        return ""
    return f"its seed has not the digest {found.seed_digest.hex()}, which was published before it was played"
