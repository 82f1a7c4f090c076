"""`beanbot analyse RECORD`: print the course of a match, the effects of luck and play, and mistakes.

RECORD is a file, a match of a league as LEAGUE/MATCH, or - for standard input. With `--report BOT` it is a folder of
records, a file with one record per line, or - for such lines.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any

from beanbot._runtime.again import AtError
from beanbot.analysis.course import PLAY_OUTS, VERSION, AnalysisError, Course, course, has_shares
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.analysis.report import Seated, report, seated
from beanbot.analysis.telling import markdown, report_object
from beanbot.policies.trader import Trader
from beanbot.practice.at import record_of
from beanleague.files import FileError, named, opened, read, without_mark
from beanleague.games import Record, RecordError, record_from_json
from beanleague.games.records.record import MAX_BYTES
from beanleague.signs import at_words, make_legible

LEAST_PLAY_OUTS = 10
MOST_ELO = 10_000
MOST_MISTAKES = 3  # number of mistakes shown for one seat
PROGRESS_S = 1.0
"""Interval of progress lines in seconds; a match that is analysed sooner has none."""
TURN = 0.1  # minimum change of a chance that marks a turning point


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a match cannot be analysed, else 0. Wrong usage exits with 2."""
    make_legible(sys.stdout, sys.stderr)
    parser = _parser()
    parsed = parser.parse_args(arguments)
    if parsed.since and not parsed.report:
        parser.error("--since needs a report; name a bot with --report")
    if parsed.against and not parsed.report:
        parser.error("--against needs a report; name a bot with --report")
    try:
        if parsed.report:
            print(*map(_printable, _report(parsed)), sep="\n")
        else:
            told = _load_json(parsed.record) if parsed.show else _analysis(parsed)
            told |= {"mistakes": _largest(told, parsed.seat)}
            print(*([json.dumps(told)] if parsed.json else map(_printable, lines(told))), sep="\n")
    except (AtError, AnalysisError, FileError, OSError) as error:
        print(at_words(f"analyse: {error}", sys.stderr), file=sys.stderr)
        return 1
    except RecordError as error:
        print(at_words(f"analyse: this is not a record of a match: {error}", sys.stderr), file=sys.stderr)
        return 1
    return 0


def _printable(line: str) -> str:
    """Return a line without control characters, since strangers choose the names in records."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)


def _analysis(parsed: argparse.Namespace) -> dict[str, Any]:
    """Return the analysis of a match, with the mistakes of all seats or of a single one."""
    record = record_of(parsed.record)
    if parsed.ratings and (len(parsed.ratings) != record.seats or record.seats == 1):
        raise AnalysisError(f"{len(parsed.ratings)} ratings are given for a match of {record.seats} seats")
    _check_seat(parsed.seat, record.seats)
    seats = [each for each in range(record.seats) if parsed.seat in {None, each}] if has_shares(record) else []
    progress = _Progress(record, seats)
    found = course(record, parsed.play_outs, progress=progress.step)
    made = [mistake for seat in seats for mistake in mistakes(record, seat, progress=progress.step)]
    return as_object(record, found, made, parsed.ratings)


class _Progress:
    """Progress of the analysis of a match, printed as lines on stderr."""

    def __init__(self, record: Record, seats: Sequence[int]) -> None:
        """Steps are the moves of the record and the decisions of `seats`, whose mistakes are found."""
        decisions = sum(move.seat in seats and not move.by_default for move in record.moves)
        self._done, self._total = 0, len(record.moves) + decisions
        self._printed = time.monotonic()

    def step(self) -> None:
        """Count a step; print a line if none was printed for `PROGRESS_S`."""
        self._done += 1
        if time.monotonic() - self._printed >= PROGRESS_S:
            self._printed = time.monotonic()
            print(f"progress: {self._done} of {self._total} decisions", file=sys.stderr, flush=True)


def _load_json(source: str) -> dict[str, Any]:
    """Return an analysis printed earlier with `--json`.

    Raises:
        AnalysisError: if the source is not an analysis, or one of another version.
    """
    try:
        told: dict[str, Any] = json.loads(read(source, MAX_BYTES))
        if (version := told["version"]) != VERSION:
            raise AnalysisError(f"the output of version {version} of the analysis cannot be read by version {VERSION}")
        list(lines(told))
    except FileError as error:
        raise AnalysisError(f"{named(source)} {error}") from None
    except (ValueError, TypeError, AttributeError, LookupError):
        raise AnalysisError(f"{source} is not output of --json") from None
    return told


def _check_seat(seat: int | None, seats: int) -> None:
    if seat is not None and not 0 <= seat < seats:
        raise AnalysisError(f"seat {seat} does not exist: the match has seats 0 to {seats - 1}")


def _largest(told: Mapping[str, Any], seat: int | None) -> list[Mapping[str, Any]]:
    """Return the mistakes of all seats, or the largest of one seat."""
    made: list[Mapping[str, Any]] = told["mistakes"]
    if seat is None:
        return made
    _check_seat(seat, len(told["players"]))
    own = [mistake for mistake in made if mistake["seat"] == seat]
    return sorted(own, key=lambda mistake: -mistake["loss"]["mean"])[:MOST_MISTAKES]


def _report(parsed: argparse.Namespace) -> Iterator[str]:
    """Yield the report of a bot, as Markdown or JSON."""
    bot, since, against = parsed.report, parsed.since, parsed.against
    matches = list(named_records(parsed.record))
    played, beside = (seated(_records_for(matches, name), name) for name in (bot, against))
    early = [one for one in played if since and _version(one) < since]
    played = [one for one in played if _version(one) >= since]
    if not played:
        raise AnalysisError(f"{bot}{f' since version {since}' * bool(since)} did not play in any of these matches")
    if against and not beside:
        raise AnalysisError(f"{against} did not play in any of these matches")
    looked = 0

    def progress() -> None:
        nonlocal looked
        looked += 1
        print(f"progress: {looked} of {len(played) + len(early)} matches", file=sys.stderr, flush=True)

    found = report(bot, played, Trader, progress, against=against, beside=beside)
    before = report(bot, early, Trader, progress) if early else None
    if parsed.json:
        yield json.dumps(report_object(found, before))
    else:
        yield from markdown(found, before)


def _records_for(matches: Iterable[tuple[str, Record, Sequence[str]]], bot: str) -> list[tuple[str, Record]]:
    """Return the matches that count for the report on `bot`, with their names."""
    return [(name, record) for name, record, bots in matches if not bots or bot in bots]


def _version(one: Seated) -> int:
    version = one.record.players[one.seat].partition("@")[2]
    return int(version) if version.isdecimal() else 0


def named_records(source: str) -> Iterator[tuple[str, Record, Sequence[str]]]:
    """Yield (name, record, bots) for each match. `bots`: bots whose reports include it, empty for all.

    The source is a folder, or lines as written by `beanleague match export`; a line may name the bots in `for`.

    Raises:
        AnalysisError: if a line is not a record.
    """
    if Path(source).is_dir():
        for file in sorted(Path(source).glob("*.json")):
            yield str(file), record_of(str(file)), ()
        return
    with opened(source) as lines:
        for number, line in enumerate(lines, 1):
            try:
                fields = json.loads(line if number > 1 else without_mark(line))
                match, bots = str(fields.pop("match", number)), list(map(str, fields.pop("for", ())))
                yield match, record_from_json(json.dumps(fields)), bots
            except (ValueError, AttributeError, TypeError, RecordError, FileError):
                raise AnalysisError(f"line {number} of {source} is not a record of a match") from None


def as_object(
    record: Record, found: Course, made: Sequence[MistakenMove], ratings: Sequence[float] = ()
) -> dict[str, Any]:
    """Return the analysis as a JSON object, rounded to four digits. `ratings`: ratings of the seats, if known."""
    told = {
        "version": VERSION,
        "ruleset": record.ruleset,
        "players": list(record.players),
        **asdict(found),
        "by_strength": found.by_strength(ratings) if ratings else [],
        "turning_points": found.turning_points(),
        "mistakes": [asdict(mistake) for mistake in made],
    }
    return {name: _round(value) for name, value in told.items()}


def _round(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {name: _round(each) for name, each in value.items()}
    return [_round(each) for each in value] if isinstance(value, list | tuple) else value


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an analysis, given as an object of `as_object`."""
    players = [f"{seat} {player}" for seat, player in enumerate(told["players"])]
    moments = told["moments"]
    strengths = told["by_strength"]
    width = max(8, *map(len, players))
    across = max(width, 16 if strengths else 10)
    yield f"{told['ruleset']}, chances to win in per cent if all play equally well from there"
    yield f"{'(in brackets: as well as their ratings say), ' if strengths else ''}and the place to expect"
    yield ""
    yield "turn  move  " + "  ".join(player.rjust(across) for player in players)
    for number, moment in enumerate(moments):
        before = moments[number - 1] if number in told["turning_points"] else None
        cells = [_chance(moment, before, seat) for seat in range(len(players))]
        if strengths:
            cells = [f"{cell} ({100 * chance:.0f})" for cell, chance in zip(cells, strengths[number], strict=True)]
        cells = [f"{cell}{place['mean']:5.1f}" for cell, place in zip(cells, moment["places"], strict=True)]
        yield f"{moment['turn']:4}  {moment['move']:4}  " + "  ".join(cell.rjust(across) for cell in cells)
    error = 100 * max(chance["error"] for moment in moments for chance in moment["chances"])
    yield ""
    yield f"Standard error at most {error:.0f}, by {told['play_outs']} play-outs a turn; + and - at turning points."
    yield ""
    if not told["shares"]:
        yield "All seats were played on by the defaults of the SDK. Luck and play are told apart in the trading games."
        return
    yield "What made the chance to win what it came to, in per cent:"
    yield "  ".join(("".ljust(width), "  deal", "  luck", "decisions", "   won"))
    for player, share in zip(players, told["shares"], strict=True):
        deal, luck, decisions = share["deal"], share["luck"], share["play"] + share["others"]
        parts = [f"{100 * deal:+6.0f}", f"{100 * luck:+6.0f}", f"{100 * decisions:+9.0f}"]
        yield "  ".join((player.ljust(width), *parts, f"{100 * share['won']:6.0f}"))
    yield f"From {100 / len(players):.0f} for each. Luck: cards drawn, by any seat. Decisions: those of all seats,"
    yield "against what a quick trader would have decided."
    yield ""
    if not told["mistakes"]:
        yield "No mistake stands out."
        return
    yield "Mistakes, with what they lost of the chance to win in per cent, from what the seat knew:"
    for mistake in sorted(told["mistakes"], key=lambda mistake: (mistake["seat"], -mistake["loss"]["mean"])):
        lost = f"{100 * mistake['loss']['mean']:.0f} ± {100 * mistake['loss']['error']:.0f}"
        where = f"turn {mistake['turn']}, move {mistake['move']}, {mistake['kind']}"
        yield f"{players[mistake['seat']].ljust(width)}  {where}: {lost}"
        yield f"{''.ljust(width)}    played: {mistake['played']}"
        yield f"{''.ljust(width)}    better: {mistake['better']}"


def _chance(moment: Mapping[str, Any], before: Mapping[str, Any] | None, seat: int) -> str:
    now = moment["chances"][seat]["mean"]
    changed = now - before["chances"][seat]["mean"] if before else 0.0
    mark = "" if abs(changed) < TURN else "+ " if changed > 0 else "- "
    return f"{mark}{100 * now:.0f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="beanbot analyse",
        description="Say how a match went: the chances of each seat turn by turn, and what luck and play made of it.",
    )
    parser.add_argument("record", metavar="RECORD", help="a file, a match of a league as LEAGUE/MATCH, or - to read it")
    parser.add_argument(
        "--play-outs",
        type=_play_outs,
        default=PLAY_OUTS,
        metavar="N",
        help=f"games played to their end from each turn (default: {PLAY_OUTS})",
    )
    parser.add_argument(
        "--ratings",
        type=_ratings,
        default=(),
        metavar="R,R,...",
        help="Elo ratings of the seats, for the chances of players of that strength",
    )
    parser.add_argument(
        "--report",
        metavar="BOT",
        help="report on this bot, NAME or NAME@VERSION, over many matches: figures, losses against trader's "
        "decisions, and advice. RECORD is a folder of records, or a file with one in each line",
    )
    parser.add_argument(
        "--since",
        type=int,
        default=0,
        metavar="VERSION",
        help="with --report: compare this version and later ones with earlier ones",
    )
    parser.add_argument(
        "--against",
        default="",
        metavar="BOT",
        help="with --report: compare with the figures of this bot in the same records",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--show", action="store_true", help="RECORD is output of --json; print it as text")
    parser.add_argument(
        "--version", action="version", version=str(VERSION), help="print the version of the analysis, and exit"
    )
    parser.add_argument(
        "--seat",
        type=int,
        metavar="N",
        help=f"show only the {MOST_MISTAKES} largest mistakes of this seat; seats count from 0",
    )
    return parser


def _ratings(text: str) -> tuple[float, ...]:
    try:
        ratings = tuple(map(float, text.split(",")))
    except ValueError:
        ratings = (inf,)
    if not all(abs(rating) < MOST_ELO for rating in ratings):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of ratings, such as 1500,1620,1410")
    return ratings


def _play_outs(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < LEAST_PLAY_OUTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {LEAST_PLAY_OUTS}")
    return number


if __name__ == "__main__":
    sys.exit(main())
