"""`python -m beanbot.analyse RECORD`: prints the course of a match, what luck and play made of it, and mistakes.

RECORD is a file, a match of a league as LEAGUE/MATCH, or - for standard input. With `--report BOT` it is the folder of
many records, a file of them, one a line, or - for such lines.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from beanbot._runtime.again import AtError
from beanbot.analysis.course import PLAY_OUTS, VERSION, AnalysisError, Course, TurnChances, course
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.analysis.report import Seated, report, seated
from beanbot.analysis.telling import markdown
from beanbot.policies.trader import Trader
from beanbot.practice.at import record_of
from beanleague.games import Record, RecordError, record_from_json

LEAST_PLAY_OUTS = 10
MOST_MISTAKES = 3  # of a seat that asks for its own
TURN = 0.1  # changes of a seat's chance that are marked at turning points


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if a match cannot be analysed, else 0. Wrong usage exits with 2."""
    parser = _parser()
    parsed = parser.parse_args(arguments)
    if parsed.since and not parsed.report:
        parser.error("--since is of a report; name a bot with --report")
    try:
        if parsed.report:
            print(*_report(parsed.record, parsed.report, parsed.since, as_json=parsed.json), sep="\n")
        else:
            record = record_of(parsed.record)
            found = course(record, parsed.play_outs)
            made = _made(record, parsed.seat) if found.shares else []  # mistakes are found where shares are
            told = [json.dumps(as_object(record, found, made))] if parsed.json else lines(record, found, made)
            print(*told, sep="\n")
    except (AtError, AnalysisError, OSError) as error:
        print(f"analyse: {error}", file=sys.stderr)
        return 1
    except RecordError as error:
        print(f"analyse: this is not a record of a match: {error}", file=sys.stderr)
        return 1
    return 0


def _made(record: Record, seat: int | None) -> list[MistakenMove]:
    """Return the mistakes of all seats, or the largest of one."""
    if seat is None:
        return [mistake for each in range(record.seats) for mistake in mistakes(record, each)]
    if not 0 <= seat < record.seats:
        raise AnalysisError(f"seat {seat} does not exist: the match has seats 0 to {record.seats - 1}")
    return sorted(mistakes(record, seat), key=lambda mistake: -mistake.loss.mean)[:MOST_MISTAKES]


def _report(source: str, bot: str, since: int, *, as_json: bool) -> Iterator[str]:
    """Yield the report of `bot`, as Markdown or JSON."""
    played = seated(named_records(source), bot)
    early = [one for one in played if since and _version(one) < since]
    played = [one for one in played if _version(one) >= since]
    if not played:
        raise AnalysisError(f"{bot}{f' since version {since}' * bool(since)} did not play in any of these matches")
    looked = 0

    def progress() -> None:
        nonlocal looked
        looked += 1
        print(f"progress: {looked} of {len(played) + len(early)} matches", file=sys.stderr, flush=True)

    found = report(bot, played, Trader, progress)
    before = report(bot, early, Trader, progress) if early else None
    if as_json:
        yield json.dumps({"version": VERSION, **asdict(found), "before": before and asdict(before)})
    else:
        yield from markdown(found, before)


def _version(one: Seated) -> int:
    version = one.record.players[one.seat].partition("@")[2]
    return int(version) if version.isdecimal() else 0


def named_records(source: str) -> Iterator[tuple[str, Record]]:
    """Yield matches with their names: those of a folder, or of lines such as `beanleague match export` writes.

    Raises:
        AnalysisError: if a line is no record.
    """
    if Path(source).is_dir():
        for file in sorted(Path(source).glob("*.json")):
            yield str(file), record_of(str(file))
        return
    with sys.stdin.buffer if source == "-" else Path(source).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                fields = json.loads(line)
                match = str(fields.pop("match", number))
                yield match, record_from_json(json.dumps(fields))
            except (ValueError, AttributeError, TypeError, RecordError):
                raise AnalysisError(f"line {number} of {source} is not a record of a match") from None


def as_object(record: Record, found: Course, made: Sequence[MistakenMove]) -> dict[str, object]:
    """Return what was found as JSON."""
    return {
        "version": VERSION,
        "ruleset": record.ruleset,
        "players": list(record.players),
        **asdict(found),
        "turning_points": found.turning_points(),
        "mistakes": [asdict(mistake) for mistake in made],
    }


def lines(record: Record, found: Course, made: Sequence[MistakenMove]) -> Iterator[str]:
    """Yield what was found, for people."""
    players = [f"{seat} {player}" for seat, player in enumerate(record.players)]
    width = max(8, *map(len, players))
    yield f"{record.ruleset}, chances to win in per cent if all play equally well from there"
    yield ""
    yield "turn  move  " + "  ".join(player.rjust(width) for player in players)
    turning = found.turning_points()
    for number, moment in enumerate(found.moments):
        before = found.moments[number - 1] if number in turning else None
        cells = (_chance(moment, before, seat).rjust(width) for seat in range(record.seats))
        yield f"{moment.turn:4}  {moment.move:4}  " + "  ".join(cells)
    error = max(chance.error for moment in found.moments for chance in moment.chances)
    yield ""
    yield f"Standard error at most {100 * error:.0f}, by {found.play_outs} play-outs a turn; + and - at turning points."
    yield ""
    if not found.shares:
        yield "All seats were played on by the defaults of the SDK. Luck and play are told apart in the trading games."
        return
    yield "What made the chance to win what it came to, in per cent:"
    yield "  ".join(("".ljust(width), "  deal", "  luck", "  play", "others", "   won"))
    for player, share in zip(players, found.shares, strict=True):
        parts = [f"{100 * part:+6.0f}" for part in (share.deal, share.luck, share.play, share.others)]
        yield "  ".join((player.ljust(width), *parts, f"{100 * share.won:6.0f}"))
    yield f"From {100 / record.seats:.0f} for each. Play: decisions in which a seat had a part, against what a quick"
    yield "trader would have decided; others: those of others alone."
    yield ""
    if not made:
        yield "No mistake stands out."
        return
    yield "Mistakes, with what they lost of the chance to win in per cent, from what the seat knew:"
    for mistake in sorted(made, key=lambda mistake: (mistake.seat, -mistake.loss.mean)):
        lost = f"{100 * mistake.loss.mean:.0f} ± {100 * mistake.loss.error:.0f}"
        yield f"{players[mistake.seat].ljust(width)}  turn {mistake.turn}, move {mistake.move}, {mistake.kind}: {lost}"
        yield f"{''.ljust(width)}    played: {mistake.played}"
        yield f"{''.ljust(width)}    better: {mistake.better}"


def _chance(moment: TurnChances, before: TurnChances | None, seat: int) -> str:
    now = moment.chances[seat].mean
    changed = now - before.chances[seat].mean if before else 0.0
    mark = "" if abs(changed) < TURN else "+ " if changed > 0 else "- "
    return f"{mark}{100 * now:.0f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m beanbot.analyse",
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
        "--report",
        metavar="BOT",
        help="what many matches say of this bot, NAME or NAME@VERSION: figures, where it loses against trader's "
        "decisions, and what to look at. RECORD is a folder of records, or a file with one in each line",
    )
    parser.add_argument(
        "--since", type=int, default=0, metavar="VERSION", help="with --report: of this version on, beside earlier ones"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--seat",
        type=int,
        metavar="N",
        help=f"of the mistakes, only the {MOST_MISTAKES} largest of this seat; seats count from 0",
    )
    return parser


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
