"""`beanbot rotations RECORD...`: print each bot's result with the same cards, over the rotations of a deal.

RECORD is a file, a match of a league as LEAGUE/MATCH, or - for lines as written by `beanleague match export`. With
`--bot` it also prints the bot's worst game next to the one in which another bot earned most in the same seat.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from beanbot._runtime.again import AtError
from beanbot.analyse import named_records
from beanbot.analysis.course import AnalysisError
from beanbot.analysis.rotations import DealtSeat, SideBySide, compared, dealt_seats, side_by_side
from beanbot.practice.at import record_of
from beanleague.games import GameError, Record
from beanleague.games.families import points_per_dollar
from beanleague.signs import at_words, make_legible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if the matches cannot be compared, else 0. Wrong usage exits with 2."""
    make_legible(sys.stdout, sys.stderr)
    parsed = _parser().parse_args(arguments)
    try:
        matches = _matches(parsed.records)
        dealt = dealt_seats(matches.items())
        beside = _beside(matches, dealt, parsed) if parsed.bot else None
        if parsed.json:
            found = {"seats": [asdict(each) for each in dealt], "side_by_side": beside and asdict(beside)}
            print(json.dumps(found))
        else:
            print(*_lines(matches, beside), sep="\n")
    except (AtError, AnalysisError, GameError, OSError) as error:
        print(at_words(f"rotations: {error}", sys.stderr), file=sys.stderr)
        return 1
    return 0


def _matches(sources: Sequence[str]) -> dict[str, Record]:
    """Return the records by match name.

    Raises:
        AnalysisError: if the matches are not of the same deal.
    """
    found: dict[str, Record] = {}
    for source in sources:
        given = named_records(source) if source == "-" else [(source, record_of(source), ())]
        found.update((name, record) for name, record, _ in given)
    if len({record.seed for record in found.values()}) != 1:
        raise AnalysisError("these matches are not of one deal")
    return found


def _beside(matches: dict[str, Record], dealt: list[DealtSeat], parsed: argparse.Namespace) -> SideBySide:
    pair = compared(dealt, parsed.bot, parsed.against, parsed.seat)
    if pair is None:
        against = parsed.against or "another bot"
        raise AnalysisError(f"{parsed.bot} and {against} did not have the same seat in this deal")
    return side_by_side(*pair, (matches[pair[0].match], matches[pair[1].match]))


def _lines(matches: dict[str, Record], beside: SideBySide | None) -> Iterator[str]:
    """Yield the lines of the output: a row per rotation, and the turns of two games."""
    rows = [
        [match, *[f"{player} ${_dollars(record, record.scores[at])}" for at, player in enumerate(record.players)]]
        for match, record in matches.items()
    ]
    seats = max(len(row) for row in rows) - 1
    rows = [["match", *[f"seat {seat}" for seat in range(seats)]], *rows]
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(seats + 1)]
    for row in rows:
        yield "  ".join([text.ljust(width) for text, width in zip(row, widths, strict=False)]).rstrip()
    if beside is None:
        return
    own, other = beside.own, beside.other
    made = [_dollars(matches[each.match], each.score) for each in (own, other)]
    yield ""
    yield f"Seat {own.seat}: {own.player} made ${made[0]} in {own.match};"
    yield f"with the same cards {other.player} made ${made[1]} in {other.match}."
    yield ""
    yield f"They parted at move {beside.parted}:" if beside.played else "The two games are the same."
    yield from (f"  {played}" for played in beside.played)
    width = max(len(own.player), len(other.player))
    for turns in beside.turns:
        yield ""
        for player, turn in zip((own.player, other.player), turns, strict=True):
            head = f"turn {turn.turn:2}  {player.ljust(width)}  ${turn.dollars:<3}"
            yield f"{head} {turn.done[0] if turn.done else ''}".rstrip()
            yield from (f"{' ' * len(head)} {line}" for line in turn.done[1:])


def _dollars(record: Record, score: int) -> str:
    dollar = points_per_dollar(record.ruleset)
    return str(score) if dollar == 1 else f"{score / dollar:.2f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="beanbot rotations", description="Show what each bot made of the same cards.")
    parser.add_argument("records", metavar="RECORD", nargs="+", help="the matches of a deal, or - to read them")
    parser.add_argument("--bot", default="", metavar="NAME[@VERSION]", help="compare the games of this bot")
    parser.add_argument("--against", default="", metavar="NAME[@VERSION]", help="compare with the games of this bot")
    parser.add_argument(
        "--seat", type=int, metavar="N", help="seat to compare; by default the one in which --bot lost most"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser


if __name__ == "__main__":
    sys.exit(main())
