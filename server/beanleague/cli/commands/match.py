"""`beanleague match`: list, show, compare rotations, replay, ask, analyse, export and verify matches."""

import gzip
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click
from rich.console import RenderableType
from rich.text import Text

from beanleague.answers import Json, matches, matches_csv, options_line, shape, shown_option, tie_note
from beanleague.cli.commands.options import bot_option, reporting
from beanleague.cli.connection.completion import leagues, match_ids, sources
from beanleague.cli.connection.session import Session, connected
from beanleague.cli.params import FILE, PATH, CliError, Count, Group, Speed, failing, split_version
from beanleague.cli.replay.sources import ShownMatch, fetch, find, open_in_browser, page_of
from beanleague.cli.streams import echo, echo_csv, echo_json
from beanleague.cli.views.output import Output, check_new, console, local_time, quantity, save, writing
from beanleague.cli.views.progress import SiteProgress
from beanleague.cli.views.tables import matches_table, results_table
from beanleague.files import STANDARD, replacing, write
from beanleague.games import record_to_json, verify
from beanleague.house_folder import HOUSE_BOTS, house_folder
from beanleague.interpreter import python
from beanleague.names import NameFormatError, parse_match, replace_controls
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_PAGE_ROWS = 20
_PROGRESS = "progress: "  # prefix of progress lines of beanbot.analyse, which are no errors


@click.group("match", cls=Group)
def match() -> None:
    """List, show, replay, ask about, analyse, export and verify matches.

    A match is written LEAGUE/DEAL.ROTATION, e.g. spring/12.0.
    """


@match.command("list")
@click.argument("league", shell_complete=leagues)
@bot_option("--bot", "Only matches of this bot.")
@click.option("--deal", type=Count(min=1), help="Only matches of this deal.")
@click.option("--faults", "with_faults", is_flag=True, help="Only matches with a fault (of --bot, if given).")
@click.option("--oldest", is_flag=True, help="List the oldest matches first.")
@click.option("--after", metavar="MATCH", shell_complete=match_ids, default="", help="Start after this match.")
@click.option("--limit", type=Count(min=1), help="Maximum number of rows. Default: 20; with --csv, all.")
@click.option("--lost", is_flag=True, help="Only matches in which --bot is not first.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a row for each seat.")
@reporting
def list_matches(
    session: Session, out: Output, bot: str, oldest: bool, limit: int | None, lost: bool, as_csv: bool, **fields: Any
) -> None:
    """List the matches of LEAGUE that were played, newest first."""
    if lost and not bot:
        raise click.UsageError("--lost needs --bot: it lists the matches that this bot did not win")
    if as_csv and out.as_json:
        raise click.UsageError("--csv and --json cannot be used together")
    asked = pb.ListMatchesRequest(bot=bot, newest_first=not oldest, **fields)
    wanted = limit or (None if as_csv else _PAGE_ROWS)
    with session.league() as stub:
        found = (info for info in matches(stub, asked, wanted) if not lost or _lost(info, bot))
        if as_csv:
            echo_csv(matches_csv(islice(found, limit)))
            return
        listed = list(islice(found, wanted))
        last = listed[-1].match if next(found, None) else ""
    more = [f"\nMore: add --after {last}"] if last else []
    answer = pb.ListMatchesResponse(matches=listed, next_after=last)
    out.show(answer, [matches_table(listed), *more] if listed else ["No matches found."])


def _lost(info: pb.MatchInfo, bot: str) -> bool:
    """Return whether no seat of `bot` ("name" or "name@version") came first."""
    name, version = split_version(bot)
    own = (seat for seat in info.seats if seat.bot == name and version in {0, seat.version})
    return all(seat.place > 1 for seat in own)


@match.command("show")
@click.argument("match_id", metavar="MATCH", shell_complete=match_ids)
@reporting
def show_match(session: Session, match_id: str, out: Output) -> None:
    """Show the result of MATCH: seats, dollars, places, options, seed and faults."""
    with session.league() as stub:
        found = fetch(stub, match_id)
    record, info = found.record, found.info
    assert info is not None
    options: dict[str, Json] = {
        name: list(value) if isinstance(value, tuple) else shown_option(name, value)
        for name, value in sorted(record.options.items())
    }
    data: dict[str, Json] = {
        **shape(info),
        "rules": record.rules,
        "node": record.node,
        "seed": record.seed.hex(),
        "seed_digest": found.seed_digest.hex(),
        "options": options,
        "moves": len(record.moves),
        "events": len(record.events),
        "faults": [asdict(fault) for fault in record.faults],
    }
    out.show(data, _match_page(found, info, options_line(options)))


def _match_page(found: ShownMatch, info: pb.MatchInfo, options: str) -> Iterator[RenderableType]:
    yield Text.assemble((info.match, "bold"), f"  {info.ruleset}  {local_time(info.played)}")
    yield ""
    yield results_table(info)
    if note := tie_note([info]):
        yield Text(note, "dim")
    yield ""
    yield Text(f"options {options}")
    yield Text(f"seed    {found.record.seed.hex()}")
    yield Text(f"digest  {found.seed_digest.hex()}")
    if info.pinned:
        yield Text("pinned: its record stays whole")
    for fault in found.record.faults:
        line = f"move {fault.move}, seat {fault.seat}: {fault.kind}: {fault.reason}"
        yield Text(line + ("; forfeited" if fault.forfeited else ""), "red")


@match.command("pin")
@click.argument("match_id", metavar="MATCH", shell_complete=match_ids)
@click.option("--undo", is_flag=True, help="Unpin the match, so that it is packed like others.")
@reporting
def pin(session: Session, match_id: str, undo: bool, out: Output) -> None:
    """Keep the whole record of MATCH, of a ladder, however old it becomes. For organisers.

    Other old records of a ladder are packed without their events, see --keep-days of 'beanleague serve'. A match that
    is packed already is played again to restore its events.
    """
    answer = session.call(lambda stub: stub.PinMatch(pb.PinMatchRequest(match=match_id, undo=undo)))
    state = "is pinned: its record stays whole" if answer.pinned else "is not pinned any more"
    out.show(answer, [f"{match_id} {state}."])


@match.command("rotations")
@click.argument("deal", metavar="LEAGUE/DEAL")
@bot_option("--bot", "Compare the games of this bot.")
@bot_option("--against", "Compare with the games of this bot.")
@click.option(
    "--seat", type=Count(min=0), metavar="N", help="Seat to compare. Default: the one in which --bot lost most."
)
@reporting
def rotations(session: Session, deal: str, out: Output, **whose: str | int | None) -> None:
    """Show all rotations of a deal side by side: a column for each seat, each bot's results from the same cards.

    With --bot, also compare its worst game with the best game of another bot in the same seat: the first different
    move, and trades, harvests and dollars turn by turn.
    """
    with session.league() as stub, failing(NameFormatError):
        league, number, _ = parse_match(f"{deal}.0")
        found = list(matches(stub, pb.ListMatchesRequest(league=league, deal=number)))
        if not found:
            raise CliError(f"no match of deal {deal} has been played")
        text = "".join(_line_of(stub, info.match) for info in found)
    words = [f"--{name}={value}" for name, value in whose.items() if value not in {None, ""}]
    say(text, "rotations", "-", *words, as_json=out.as_json)


@match.command("replay")
@click.argument("source", metavar="MATCH|FILE", shell_complete=sources)
@click.option("--speed", type=Speed(), help="Play automatically, at this number of turns per second.")
@click.option("--seat", type=Count(min=0), metavar="N", help="Show only what this seat saw; seats count from 0.")
@click.option("--plain", is_flag=True, help="Print everything at once; this is the default without a terminal.")
@click.option("--browser", is_flag=True, help="Open the match in the default browser, as a temporary file.")
@click.option(
    "--single-file",
    metavar="OUT",
    type=FILE,
    help="Write viewer and match as one HTML page, which needs no server and no network.",
)
@click.option("--course", is_flag=True, help="Draw the course of the match below it; see 'match analyse'.")
@click.option("--force", is_flag=True, help="Overwrite the file of --single-file if it exists.")
@connected
def replay(
    session: Session,
    source: str,
    seat: int | None,
    browser: bool,
    single_file: Path | None,
    course: bool,
    force: bool,
    **how: Any,
) -> None:
    """Show a match turn by turn, with all fields, hands, offers, answers and dollars.

    Keys: right and left (or Enter and Backspace) move by one step, down and up by one turn; t, h and f
    go to the next trade, harvest and fault, T, H and F to the one before, Home and End to the first and
    last step; space plays and pauses, + and - change the speed, ? shows help, q quits. Changes of a
    step are marked.

    With --browser or --single-file, the page contains the whole record, even with --seat. With --course it also shows
    how the match went; with both, only the largest mistakes of this seat.
    """
    in_page = browser or single_file
    if course and not in_page:
        raise click.UsageError("--course is drawn in a page only; add --browser or --single-file")
    found = find(session, source)
    if seat is not None:
        _check_seat(seat, found)
    if not in_page:
        watch(found, seat=seat, **how)
        return
    check_new(single_file, force=force)
    page = page_of(session, found, seat, _course(found, seat) if course else "null")
    if single_file:
        _write(single_file, page)
    if browser:
        file, opened = open_in_browser(page)
        echo(f"Opened {file}" if opened else f"No browser was found; open {file}", err=True)


def _check_seat(seat: int, found: ShownMatch) -> None:
    seats = len(found.record.players)
    if seat >= seats:
        raise CliError(f"seat {seat} does not exist: the match has seats 0 to {seats - 1}")


def _course(found: ShownMatch, seat: int | None) -> str:
    """Return the analysis of a match as JSON. `seat`: only mistakes of this seat."""
    return beanbot_output(record_to_json(found.record), "analyse", "-", "--json", *_of_seat(seat))


def watch(found: ShownMatch, *, speed: float | None = None, seat: int | None = None, plain: bool = False) -> None:
    """Show a match turn by turn, or all at once if `plain` or without a terminal."""
    from beanleague.cli.replay.show import print_all, show

    title = found.title if seat is None else f"{found.title} seen from seat {seat}"
    screen = console()
    if plain or not (screen.is_terminal and screen.fits() and sys.stdin.isatty()):
        print_all(screen, found.record, seat=seat)
    else:
        show(screen, found.record, title, speed=speed, seat=seat)


@match.command("analyse")
@click.argument("source", metavar="MATCH|FILE", shell_complete=sources)
@click.option(
    "--play-outs",
    type=Count(10, 10_000),
    help="Games played on to their end from each turn, on this machine. Default: 60.",
)
@click.option("--seat", type=Count(min=0), metavar="N", help="Show only the three largest mistakes of this seat.")
@reporting
def analyse(session: Session, source: str, play_outs: int | None, seat: int | None, out: Output) -> None:
    """Analyse a match: the course of the chances, and in a trading game the shares of luck and play.

    From each turn, a quick player in all seats plays the match to its end many times; the share of wins is the chance.
    This takes some seconds of CPU. The server analyses matches of leagues, and keeps the result. This machine analyses
    a FILE, a match with --play-outs, and for viewers a match without a stored analysis, as 'beanbot analyse' does.
    """
    match = find(session, source)
    found = _analysis_of(session, match) if match.info and not play_outs else ""
    how = ["--show"] if found else [f"--play-outs={play_outs}"] if play_outs else []
    say(found or record_to_json(match.record), "analyse", "-", *how, *_of_seat(seat), as_json=out.as_json)
    if match.info and not out.as_json:
        rotations = session.command("match rotations", match.title.rpartition(".")[0])
        echo(f"\nWhat other bots earned in the same seats: {rotations}")


def _analysis_of(session: Session, match: ShownMatch) -> str:
    """Return the analysis of a league's match as JSON; "" for a viewer, unless the server has stored one."""
    import grpc

    if match.analysis:
        return match.analysis
    with session.league() as stub:
        try:
            *_, last = stub.AnalyseMatch(pb.AnalyseMatchRequest(match=match.title))
        except grpc.RpcError as error:
            if isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.PERMISSION_DENIED:
                return ""
            raise
    return last.found


@match.command("ask")
@click.argument("source", metavar="MATCH|FILE", shell_complete=sources)
@click.argument("move", type=Count(min=0))
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, type=click.Choice(tuple(HOUSE_BOTS)))
@reporting
def ask(session: Session, source: str, move: int, bots: tuple[str, ...], out: Output) -> None:
    """Ask house bots for their decision at a MOVE of a match, knowing only what its seat knew.

    Moves count from 0, as in 'match replay'. With a single BOT its view is shown, too. Each bot first replays all
    earlier decisions of the seat, on this machine. 'beanbot practice BOT... --at MATCH:MOVE' asks your own bots as
    well.
    """
    # a house bot's name always means its own folder, never one in the current folder
    folders = [str(house_folder(name) or name) for name in bots]
    say(record_to_json(find(session, source).record), "practice", *folders, f"--at=-:{move}", as_json=out.as_json)


def _of_seat(seat: int | None) -> list[str]:
    return [] if seat is None else ["--seat", str(seat)]


def say(text: str, command: str, *words: str, as_json: bool) -> None:
    """Print the output of a beanbot command; see `beanbot_output`."""
    text = beanbot_output(text, command, *words, *["--json"] * as_json)
    if as_json:
        echo_json(text, nl=False)
    else:
        echo(replace_controls(text), nl=False)


def beanbot_output(text: str, command: str, *words: str) -> str:
    """Return the output of a beanbot command that reads the records `text`; show its progress.

    Raises:
        CliError: the command fails.
    """
    run = python("-m", f"beanbot.{command}", *words)
    problem = ""
    # this process already knows the terminal's encoding
    in_unicode = {**os.environ, "PYTHONIOENCODING": "utf-8:replace"}
    with TemporaryFile("w+", encoding="utf-8") as given, TemporaryFile("w+", encoding="utf-8") as answer:
        given.write(text)
        given.seek(0)
        with subprocess.Popen(
            run, stdin=given, stdout=answer, stderr=subprocess.PIPE, env=in_unicode, encoding="utf-8", errors="replace"
        ) as child:
            assert child.stderr
            for line in child.stderr:
                if line.startswith(_PROGRESS):
                    echo(replace_controls(line), nl=False, err=True)
                else:
                    problem += line
        answer.seek(0)
        if child.returncode:
            raise CliError(problem.strip().removeprefix(f"{command}: "))
        return answer.read()


@match.command("export")
@click.argument("match_id", metavar="[MATCH]", shell_complete=match_ids, default="")
@click.option("--league", metavar="NAME", shell_complete=leagues, default="", help="Write all matches of this league.")
@click.option(
    "-o",
    "--out",
    "output",
    metavar="FILE|DIR",
    type=PATH,
    help="File to write, - for stdout; with --league a folder, or a file that ends in .jsonl or .jsonl.gz.",
)
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@connected
def export(session: Session, match_id: str, league: str, output: Path | None, force: bool) -> None:
    """Write MATCH as a JSON record, or all matches of a league.

    The record is complete: 'match verify' and 'match replay' read it without a database. On stdout,
    characters that control terminals are escaped, which means the same in JSON.

    In a folder each match is DEAL.ROTATION.json, and existing files are kept: an interrupted export continues with the
    same command. In a file each line is a match, with its name before its record.
    """
    if bool(match_id) is bool(league):
        raise click.UsageError("name a match, or a league with --league")
    if league:
        if output is None:
            raise click.UsageError("name the output: --out DIR or --out FILE.jsonl.gz")
        _export_league(session, league, output, force=force)
        return
    check_new(output, force=force)
    with session.league() as stub:
        text = record_to_json(fetch(stub, match_id).record)
    if output is None or str(output) == STANDARD:
        echo_json(text, nl=False)
        return
    _write(output, text)


def _export_league(session: Session, league: str, output: Path, *, force: bool) -> None:
    if str(output) == STANDARD:
        with session.league() as stub:
            for info in matches(stub, pb.ListMatchesRequest(league=league)):
                echo_json(_line_of(stub, info.match), nl=False)
        return
    lines = output.name.endswith((".jsonl", ".jsonl.gz"))
    if lines:
        check_new(output, force=force)
    with session.league() as stub, SiteProgress(console()) as bar:
        total = stub.ShowLeague(pb.ShowLeagueRequest(name=league)).matches_done
        names = (info.match for info in matches(stub, pb.ListMatchesRequest(league=league)))
        write_all = _write_lines if lines else _write_folder
        with writing(output, folder=True):
            written = write_all(stub, names, output, lambda done: bar.show(done, total))
    there = "" if lines or written >= total else f"; {total - written:,} were there already"
    echo(f"Wrote {quantity(written, 'match', 'matches')} to {output}{there}", err=True)


def _write_folder(stub: "LeagueStub", names: Iterable[str], folder: Path, show: Callable[[int], None]) -> int:
    """Write each match to its own file unless that exists; return the number of files written.

    Raises:
        OSError: the folder or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for number, name in enumerate(names, 1):
        file = folder / f"{name.rpartition('/')[2]}.json"
        if not file.exists():
            write(file, record_to_json(fetch(stub, name).record))
            written += 1
        show(number)
    return written


def _write_lines(stub: "LeagueStub", names: Iterable[str], file: Path, show: Callable[[int], None]) -> int:
    """Write a line for each match, compressed if the file's name says so; return their number.

    Raises:
        OSError: the file cannot be written.
    """
    number = 0
    with replacing(file) as part:
        packed = file.suffix == ".gz"
        with gzip.open(part, "wt", 6, "utf-8") if packed else part.open("w", encoding="utf-8") as lines:  # noqa: TID251
            for number, name in enumerate(names, 1):
                lines.write(_line_of(stub, name))
                show(number)
    return number


def _line_of(stub: "LeagueStub", match: str) -> str:
    """Return a match as a line of JSON, its name before its record."""
    from beanleague.games.records.lines import record_to_line

    return record_to_line(fetch(stub, match).record, match)


def _write(output: Path, text: str) -> None:
    save(output, text)
    if str(output) != STANDARD:
        echo(f"Wrote {output}", err=True)


@match.command("verify")
@click.argument("source", metavar="MATCH|FILE", shell_complete=sources)
@reporting
def verify_match(session: Session, source: str, out: Output) -> None:
    """Check whether the rules reproduce a match.

    The match is played again from its seed and moves, and every event, score and place is compared.
    The seed of a league's match is also compared with the digest that was published before play.
    """
    found = find(session, source)
    record, verdict = found.record, verify(found.record)
    digest = hashlib.sha256(record.seed).hexdigest()
    problem = verdict.problem
    if not problem and found.info and digest != found.seed_digest.hex():
        problem = f"its seed does not match the digest {found.seed_digest.hex()} that was published before play"
    if problem and not out.as_json:
        raise CliError(f"the rules do not reproduce {found.title}: {problem}")
    counts = f"{len(record.moves)} moves, {len(record.events)} events"
    result = f"{found.title}: all {counts}, scores and places are reproduced.\nSeed digest: {digest}"
    data: dict[str, Json] = {
        "match": found.title,
        "reproduced": not problem,
        "problem": problem,
        "move": verdict.move,
        "event": verdict.event,
        "events": len(record.events),
        "seed_digest": digest,
    }
    out.show(data, [result])
    if problem:
        raise SystemExit(1)
