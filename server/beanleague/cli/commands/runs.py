"""`beanleague league run`, `watch`, `stop` and `verify`: playing, following and checking leagues."""

import sys
from typing import TYPE_CHECKING, Any

import click
import grpc

from beanleague.answers import Json, shape
from beanleague.cli.commands.options import in_flight, reporting_on, workers
from beanleague.cli.connection.session import Session, clustered, trusting
from beanleague.cli.params import CliError, Count, Stopped, stopping
from beanleague.cli.views.output import Output, console, count_of, quantity
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


@click.command("watch")
@reporting_on
def watch(session: Session, name: str, out: Output) -> None:
    """Follow the run of the league NAME, wherever it is played. Ctrl-C stops watching, not the run."""
    with stopping("stopped"), session.league() as stub:
        last = _follow_run(session, stub, name, out)
    out.show({"league": name, **shape(last)}, [])


def _follow_run(session: Session, stub: "LeagueStub", name: str, out: Output) -> pb.Progress:
    """Follow the run of a league to its end; return the last progress.

    Raises:
        Stopped: Ctrl-C or SIGTERM; the run continues.
        CliError: the connection was lost.
        grpc.RpcError: the league is not being run, or its run ended early.
    """
    from beanleague.cli.connection.following import follow
    from beanleague.cli.views.progress import run_view

    gone = f"no longer watching; the run goes on. Stop it with: {session.command('league stop', name)}"
    with run_view(name, out) as view:
        last = follow(lambda: stub.FollowRun(pb.FollowRunRequest(name=name)), view.show, lambda _: Stopped(gone))
    if last is None or last.state != pb.RUN_STATE_DONE:
        raise CliError(f"the server no longer reports the run of {name}; see: {session.command('league show', name)}")
    return last


@click.command("stop")
@reporting_on
def stop(session: Session, name: str, out: Output) -> None:
    """Stop the run of the league NAME, wherever it is played. Finished deals are kept."""
    info = session.call(lambda stub: stub.StopRun(pb.StopRunRequest(name=name)))
    deals = count_of(info.deals_done, info.deals_total, "deal")
    again = session.run_command(name, "ladder run" if info.has_entries else "league run")
    elsewhere = "" if session.server else " (and with --cluster, if it was played on one)"
    stopped = f"stopped after {deals}; continue with: {again}{elsewhere}"
    text = stopped if info.endless or info.deals_done < info.deals_total else f"done: {deals}"
    out.show({"league": name, "deals_done": info.deals_done, "deals_total": info.deals_total}, [text])


@click.command("run")
@workers
@in_flight()
@click.option("--fresh", is_flag=True, help="Start new bot processes for every match.")
@click.option("--detach", is_flag=True, help="Return at once; the server continues. Only with --server.")
@click.option("--verbose", "-v", is_flag=True, help="Also print the number of bot starts, and requests per message.")
@trusting
@reporting_on
@clustered
def run(session: Session, out: Output, name: str, detach: bool, verbose: bool, **how: Any) -> None:
    """Play the remaining deals of the league NAME. Ctrl-C stops the run; the same command continues it."""
    request = pb.RunLeagueRequest(name=name, detach=detach, **how)
    if detach and session.server is None:
        raise click.UsageError(
            "--detach leaves the run to a server: start one with 'beanleague serve', and name it with --server"
        )
    with stopping(f"stopped; continue with: {session.run_command(name)}"), session.league() as stub:
        if detach:
            begun = next(iter(stub.RunLeague(request)), None)
            if begun is None:
                raise CliError(
                    f"the server is shutting down; when it is back, run: {session.run_command(name)} --detach"
                )
            watching = session.command("league watch", name)
            out.show({"league": name, **shape(begun)}, [f"{name} is being run by the server; see: {watching}"])
            return
        last = play_or_watch(session, stub, request, out)
    costs = f"{quantity(last.starts, 'start')} of bots, {last.batch:.1f} requests a message to a bot"
    # Everything else is already in the output of the run.
    out.show({"league": name, **shape(last)}, [costs] if verbose else [])


def play_or_watch(
    session: Session, stub: "LeagueStub", request: pb.RunLeagueRequest, out: Output, words: str = "league run"
) -> pb.Progress:
    """Play a league, or on request follow its run elsewhere; return the last progress report. `words`: see `play`."""
    from beanleague.cli.connection.following import play
    from beanleague.cli.views.progress import run_view

    name = request.name
    try:
        return play(session, stub, request, run_view(name, out), words)
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise  # nobody can answer a question without a terminal
        info = stub.ShowLeague(pb.ShowLeagueRequest(name=name))
        question = f"{name} is already being run by {info.run_by}. Watch it?"
        if info.state != pb.LEAGUE_STATE_RUNNING or not click.confirm(question, default=True, err=True):
            raise
    return _follow_run(session, stub, name, out)


@click.command("verify")
@click.option("--workers", type=Count(min=1), help="Number of processes for replaying matches. Default: one per core.")
@click.option(
    "--no-replay",
    is_flag=True,
    help="Do not replay matches: compute ratings, totals, suspensions and tables from the stored results.",
)
@click.option("--day", type=Count(min=1), help="Check only this past day of a ladder, which may still be played.")
@reporting_on
def verify(session: Session, out: Output, name: str, **how: Any) -> None:
    """Check all stored data of the league or ladder NAME while it is not being run.

    Replays every match by the rules, and compares records, results, faults, seeds, digests, the
    master secret, tables, suspensions, totals, ratings and the bots' bundles with each other. Lists what
    differs, and where; the exit code is 1 if anything does.

    With --day, the check starts from the checkpoint at the beginning of that day of a ladder, and covers the day's
    plans, seeds and results, and its final checkpoint and ratings.
    """
    from beanleague.cli.connection.following import follow
    from beanleague.cli.views.progress import VerificationView, verification_page

    request = pb.VerifyLeagueRequest(league=name, **how)

    def stopped(last: pb.VerifyProgress | None) -> Stopped:
        done = last or pb.VerifyProgress()
        return Stopped(f"stopped after {count_of(done.matches_done, done.matches_total, 'match', 'matches')}")

    view = VerificationView(console(), as_json=out.as_json)
    with stopping("stopped"), session.league() as stub, view:
        last = follow(lambda: stub.VerifyLeague(request), view.show, stopped)
    if last is None or not last.done:
        raise CliError(f"the verification of {name} ended early; run it again")
    data: dict[str, Json] = {
        "league": name,
        "verified": not last.finding_count,
        "matches": last.matches_done,
        "finding_count": last.finding_count,
        "findings": [shape(finding) for finding in view.findings],
    }
    out.show(data, verification_page(last, view.findings, replayed=not request.no_replay))
    if last.finding_count:
        raise CliError(f"{name} differs from what was played: {quantity(last.finding_count, 'finding')}")
