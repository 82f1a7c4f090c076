"""`python -m beanbot.analyse RECORD`: prints the course of a match, what luck and play made of it, and mistakes.

RECORD is a file, a match of a league as LEAGUE/MATCH, or - for standard input.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from beanbot.analysis.course import PLAY_OUTS, VERSION, AnalysisError, Course, TurnChances, course
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.practice.at import AtError, record_of
from beanleague.games import Record, RecordError, record_from_json

LEAST_PLAY_OUTS = 10
TURN = 0.1  # changes of a seat's chance that are marked at turning points


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if the match cannot be analysed, else 0. Wrong usage exits with 2."""
    parsed = _parser().parse_args(arguments)
    try:
        record = record_from_json(sys.stdin.buffer.read()) if parsed.record == "-" else record_of(parsed.record)
        found = course(record, parsed.play_outs)
        made = [mistake for seat in range(record.seats) for mistake in mistakes(record, seat)]
    except (AtError, AnalysisError, OSError) as error:
        print(f"analyse: {error}", file=sys.stderr)
        return 1
    except RecordError as error:
        print(f"analyse: this is not a record of a match: {error}", file=sys.stderr)
        return 1
    if parsed.json:
        print(json.dumps(as_object(record, found, made)))
    else:
        print(*lines(record, found, made), sep="\n")
    return 0


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
    mark = "" if abs(changed) < 0.1 else "+ " if changed > 0 else "- "
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
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
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
