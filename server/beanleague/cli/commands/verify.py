"""`beanleague league verify`: everything stored of a league against everything else."""

from __future__ import annotations

import click

from beanleague.answers.shapes import Json, shape
from beanleague.cli.connection.completion import leagues
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.params.options import Count
from beanleague.cli.views.output import Output, console, with_output
from beanleague.cli.views.text import count_of, counted
from beanproto.v1.league_pb2 import VerifyLeagueRequest, VerifyProgress


@click.command("verify")
@click.argument("name", shell_complete=leagues)
@click.option(
    "--workers", type=Count(min=1), help="Number of processes that play matches again. Default: one per core."
)
@click.option(
    "--no-replay",
    is_flag=True,
    help="Play no match again: compute ratings, totals, suspensions and tables from the stored results.",
)
@with_output
@connected
def verify(session: Session, name: str, workers: int | None, no_replay: bool, out: Output) -> None:
    """Check everything that is stored of the league NAME.

    Plays every match again by the rules, and compares records, results, faults, seeds, digests, the
    master secret, tables, suspensions, totals, ratings and the bots' bundles with each other. Lists what
    differs, and where; the exit code is 1 if anything does.
    """
    from beanleague.cli.connection.following import follow
    from beanleague.cli.views.verification import VerificationView, verification_page

    request = VerifyLeagueRequest(league=name, workers=workers or 0, no_replay=no_replay)

    def stopped(last: VerifyProgress | None) -> Stopped:
        done = last or VerifyProgress()
        return Stopped(f"stopped after {count_of(done.matches_done, done.matches_total, 'match', 'matches')}")

    view = VerificationView(console(), as_json=out.as_json)
    try:
        with session.league() as stub, view:
            last = follow(lambda: stub.VerifyLeague(request), view.show, stopped)
    except KeyboardInterrupt:  # before the call began
        raise Stopped("stopped") from None
    if last is None or not last.done:
        raise CliError(f"the verification of {name} ended early; start it again")
    data: dict[str, Json] = {
        "league": name,
        "verified": not last.finding_count,
        "matches": last.matches_done,
        "finding_count": last.finding_count,
        "findings": [shape(finding) for finding in view.findings],
    }
    out.show(data, verification_page(last, view.findings, replayed=not no_replay))
    if last.finding_count:
        raise CliError(f"{name} is not as it was played: {counted(last.finding_count, 'finding')}")
