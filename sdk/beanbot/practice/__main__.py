"""`beanbot practice`: play bots against each other and print their results."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from functools import cache
from pathlib import Path

from beanbot._runtime.again import AtError
from beanbot._runtime.loading import LoadError, load_bot
from beanbot._runtime.program import BotProgram
from beanbot.practice import PracticeError, PracticeResult, PracticeRow, paired_names, prepare, summarise
from beanbot.practice.alarms import DebuggerLeftError
from beanbot.practice.at import record_of, show, show_all, show_each
from beanbot.practice.result import as_json as json_of, as_text
from beanbot.practice.workers import WorkerDiedError, play_deals
from beanleague.files import FileError, read, write_new
from beanleague.games import GameError, Option, Record, record_to_json
from beanleague.signs import at_words, make_legible

HANGS_AFTER_S = 10.0
"""Seconds after which a decision counts as hanging; a league allows 11 s by default, and only once in a match."""


_MAX_DECK_BYTES = 400_000  # maximum size of a file, more than any deck
MAX_REPORTS = 3  # maximum reports per bot during play; the first is repeated at the end


def _typed_option(text: str) -> tuple[str, int | str]:
    """Return the name and value in `text`, which is NAME=VALUE; for "deck", the text of the file VALUE.

    Raises:
        argparse.ArgumentTypeError: if it is not NAME=VALUE, or the file cannot be read.
    """
    name, _, value = text.partition("=")
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE, e.g. max_rounds=6")
    if name == "deck":
        try:
            return name, read(value, _MAX_DECK_BYTES).decode()
        except FileError as error:
            raise argparse.ArgumentTypeError(f"the deck {value} {error}") from None
        except OSError as error:
            raise argparse.ArgumentTypeError(f"cannot read the deck {value}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise argparse.ArgumentTypeError(f"the deck {value} is not UTF-8 text") from None
    try:
        return name, int(value)
    except ValueError:
        return name, value


def _typed_setting(text: str) -> tuple[str, object]:
    """Return the name and value in `text`, which is NAME=VALUE; a value that is not TOML is a string.

    Raises:
        argparse.ArgumentTypeError: if it is not NAME=VALUE.
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE, e.g. depth=3")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


class _RecordFolder:
    """A folder of records named DEAL.ROTATION.json; existing files are never overwritten."""

    def __init__(self, path: Path) -> None:
        """Create the folder unless it exists.

        Raises:
            OSError: it cannot be created.
        """
        path.mkdir(parents=True, exist_ok=True)
        self._path = path

    def keep(self, name: str, record: Record) -> None:
        """Write the record of the match `name`.

        Raises:
            OSError: the file exists, or cannot be written.
        """
        write_new(self._path / f"{name}.json", record_to_json(record))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if the bots cannot play or one forfeits, else 0. Wrong usage exits with 2."""
    make_legible(sys.stdout, sys.stderr)
    parser = _parser()
    parsed = parser.parse_args(arguments)
    if wrong := _wrong_usage(parsed):
        parser.error(wrong)
    reports = _Reports()
    try:
        with _breakpoints():
            if parsed.at:
                _show_decisions(parsed)
                return 0
            with redirect_stdout(sys.stderr):  # bots' prints stay out of the results, as in a league
                result = _practise(parsed, dict(parsed.option), reports)
    except DebuggerLeftError:
        print("practice: ended in the debugger", file=sys.stderr)
        return 1
    except LoadError as problem:
        print(*filter(None, (problem.details, _sentence(problem))), sep="\n", file=sys.stderr)
        return 1
    except (PracticeError, WorkerDiedError, AtError, GameError) as problem:
        print(_sentence(problem), file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as problem:
        print(f"practice: cannot open {problem.filename}: {problem.strerror}", file=sys.stderr)
        return 1
    if result is None:
        return 1
    _print_result(result, reports, as_json=parsed.json)
    return int(any(row.forfeits for row in result.rows))


def _sentence(problem: Exception) -> str:
    """Return the error as it is printed."""
    return at_words(f"practice: {problem}", sys.stderr)


def _breakpoints() -> AbstractContextManager[None]:
    """Return a context in which `breakpoint()` stops in a debugger, if somebody is at a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return nullcontext()
    from beanbot.practice.debugging import breakpoints

    return breakpoints()


def _wrong_usage(parsed: argparse.Namespace) -> str:
    """Return the problem with arguments that do not go together, with the remedy; "" if they do."""
    if len(dict(parsed.option)) < len(parsed.option):
        return "an option of the game is given twice; give it once"
    if parsed.pdb and (not parsed.at or parsed.at[1] is None):
        return "--pdb stops at a decision; say which with --at MATCH:MOVE"
    if parsed.at and len(parsed.bots) > 1 and (parsed.pdb or parsed.at[1] is None):
        return "--at MATCH and --pdb are for one bot; name one, or a decision with --at MATCH:MOVE"
    return ""


def _show_decisions(parsed: argparse.Namespace) -> None:
    """Print the decisions of bots in the recorded match of --at: one decision of each bot, or all of one bot."""
    name, move = parsed.at
    if move is not None and (len(parsed.bots) > 1 or parsed.json):
        first = load_bot(parsed.bots[0], dict(parsed.set))
        show_each(record_of(name), move, first, parsed.bots[1:], as_json=parsed.json)
        return
    (program,) = _load(parsed)
    if move is None:
        show_all(name, record_of(name), program)
    else:
        show(name, record_of(name), move, program, debug=parsed.pdb)


def _print_result(result: PracticeResult, reports: _Reports, *, as_json: bool) -> None:
    """Print the results; text includes the first traceback of each bot with faults, bots that forfeited last."""
    if as_json:
        print(json.dumps(json_of(result), indent=2, ensure_ascii=False))
        return
    print(as_text(result))
    failed = [row for row in result.rows if row.faults]
    for row in sorted(failed, key=lambda row: row.forfeits):
        print(f"\n{_verdict(row)}\n{reports.first[row.name]}")


def _verdict(row: PracticeRow) -> str:
    forfeits = f"forfeited {row.forfeits} of {row.played} seats, as it would in a league" if row.forfeits else ""
    return f"{row.name} had {row.faults} fault{'s' * (row.faults > 1)}{' and ' * bool(forfeits)}{forfeits}. The first:"


def _practise(parsed: argparse.Namespace, options: Mapping[str, Option], reports: _Reports) -> PracticeResult | None:
    """Return the results; after Ctrl-C of the deals played so far, or None if no deal was played."""
    playing = prepare(
        _load(parsed),
        game=parsed.game,
        seats=parsed.seats,
        seed=parsed.seed,
        options=options,
        move_ms=parsed.move_ms or 0,
        hangs_s=HANGS_AFTER_S if parsed.move_ms is None else 0,
        paired=parsed.paired,
        lenient=parsed.lenient,
    )
    keep = _RecordFolder(parsed.record).keep if parsed.record else None
    numbers = range(1, 1 + parsed.deals)
    played = []
    try:
        for deal in play_deals(playing, numbers, report=reports.show, keep=keep, workers=parsed.workers):
            played.append(deal)  # noqa: PERF402  # an interrupted list() would lose the deals so far
    except KeyboardInterrupt as stop:
        at = traceback.extract_tb(stop.__traceback__)[-1]
        print(f"practice: stopped in {at.filename}, line {at.lineno}, in {at.name}", file=sys.stderr)
    return summarise(playing.game, playing.seats, played, paired=paired_names(playing)) if played else None


def _load(parsed: argparse.Namespace) -> list[BotProgram]:
    """Return the bots, the first with the given settings; a bot given again is the same object."""
    first, *others = parsed.bots
    load = cache(load_bot)
    return [load_bot(first, dict(parsed.set)) if parsed.set else load(first), *map(load, others)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="beanbot practice",
        description="Play bots against each other in one process, every deal once in each rotation of the seats.",
    )
    parser.add_argument(
        "bots", nargs="+", metavar="BOT", help="a Python file, a folder with bot.toml, or a house bot, e.g. farmer"
    )
    parser.add_argument(
        "--deals", type=_positive, default=20, help="number of deals, each in all rotations (default: 20)"
    )
    parser.add_argument(
        "--seats", type=_positive, help="number of seats at the table (default: one per bot, if the game allows it)"
    )
    parser.add_argument("--game", default="bohnanza", help="id of the ruleset (default: bohnanza)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        type=_typed_option,
        metavar="NAME=VALUE",
        help="option of the game, e.g. max_rounds=6 or deck=FILE; may be repeated",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=_typed_setting,
        metavar="NAME=VALUE",
        help="play the first bot with this value in place of the one in [settings] of its bot.toml; may be repeated",
    )
    parser.add_argument("--seed", default="1", metavar="TEXT", help="seed of all chance: any text (default: 1)")
    parser.add_argument(
        "--record",
        type=Path,
        metavar="DIR",
        help="write the record of each match there as DEAL.ROTATION.json, for 'beanleague match replay'",
    )
    parser.add_argument(
        "--paired",
        action="store_true",
        help="compare the first two bots: both play every deal, in each other's place, against the others",
    )
    parser.add_argument(
        "--lenient", action="store_true", help="let bots play on after the fourth fault of a match, which forfeits it"
    )
    parser.add_argument("--workers", type=_positive, default=1, metavar="N", help="number of processes (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--move-ms",
        type=_limit,
        metavar="N",
        help="interrupt decisions after N milliseconds and show where the bot was; 0: never (default: 10 seconds)",
    )
    parser.add_argument(
        "--at",
        type=_moment,
        metavar="MATCH|FILE[:MOVE]",
        help="ask the bot, or several, for this decision of a match, e.g. spring/12.0:34, or of a record's file, and "
        "show the view and the answers; without MOVE, list the decisions of the bot, with changed answers",
    )
    parser.add_argument("--pdb", action="store_true", help="with --at: stop there in the debugger")
    return parser


def _moment(text: str) -> tuple[str, int | None]:
    name, _, move = text.rpartition(":")
    return (name, int(move)) if name and move.isdecimal() else (text, None)


def _limit(text: str) -> int:
    return 0 if text == "0" else _positive(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


class _Reports:
    """Printer of the first few problems of each bot."""

    def __init__(self) -> None:
        self._shown: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        """First problem by bot."""

    def show(self, name: str, problem: str) -> None:
        self.first.setdefault(name, problem)
        self._shown[name] += 1
        if self._shown[name] <= MAX_REPORTS:
            print(f"{name}: {problem}\n", file=sys.stderr)
        if self._shown[name] == MAX_REPORTS:
            print(f"{name}: further problems are counted but not shown\n", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
