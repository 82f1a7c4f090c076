"""A bot at the decisions of a recorded match, with its full history and luck."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from beanbot._runtime.again import AskedAgain, AtError, asked_again
from beanbot._runtime.asking import Failure, ask, attempt, turn_and_decision
from beanbot._runtime.loading import LoadError, load_bot
from beanbot._runtime.program import BotProgram, Home
from beanbot.bot import Bot, seat_bot
from beanleague.files import STANDARD, FileError, named, read
from beanleague.games import (
    Action,
    Record,
    RecordError,
    View,
    record_from_json,
)
from beanleague.games.core.words import by_seat
from beanleague.games.families import text_of, words_of
from beanleague.games.records.record import MAX_BYTES
from beanleague.games.records.replay import set_up

_LEAGUES_MATCH = re.compile(r"[^/\s-][^/\s]*/\d+\.\d+")
MAX_LEGAL = 40  # maximum legal actions listed


@dataclass(frozen=True, slots=True)
class Moment:
    """A bot at a decision of a recorded match."""

    bot: Bot[Any]
    """Bot that has already been asked for all earlier decisions of the seat."""
    view: View
    """View at the decision."""
    earlier: Sequence[AskedAgain]
    """Earlier decisions of the seat. The match went on as recorded, whatever the bot decided."""

    @property
    def others(self) -> list[int]:
        """Indices of earlier moves that the bot decides differently from the record."""
        return [asked.move for asked in self.earlier if asked.otherwise]


def moment(record: Record, move: int, program: BotProgram) -> Moment:
    """Return the bot of `program` before `move`, in the seat that made it.

    Raises:
        AtError: if the move does not exist, the bot does not play the game or cannot be created, or the record cannot
            be replayed.
    """
    if not 0 <= move < len(record.moves):
        raise AtError(f"the match has no move {move}; its moves are 0 to {len(record.moves) - 1}")
    bot = _bot_in(record, record.moves[move].seat, program)
    game = set_up(record)
    earlier = asked_again(record.moves[:move], game, bot)
    return Moment(bot, game.view(bot.seat, news=bot.news), earlier)


def decisions(record: Record, program: BotProgram) -> tuple[int, Sequence[AskedAgain]]:
    """Return the seat of the bot of `program`, in any version, and its decisions asked again.

    Raises:
        AtError: if the bot did not play; see also `moment`.
    """
    names = [player.partition("@")[0] for player in record.players]
    if program.name not in names:
        raise AtError(f"{program.name} did not play in this match, but {', '.join(record.players)}; name a move")
    bot = _bot_in(record, names.index(program.name), program)
    game = set_up(record)
    return bot.seat, asked_again(record.moves, game, bot)


def record_of(name: str) -> Record:
    """Return the match `name`: from a file, from standard input (-), or exported from a league by `beanleague`.

    Raises:
        AtError: if it is not a record, or the league has no such match.
        OSError: if the file cannot be read.
    """
    file = Path(name)
    if name != STANDARD and not file.exists() and _LEAGUES_MATCH.fullmatch(name):
        import subprocess

        done = subprocess.run(_exporting(name), capture_output=True, check=False)
        if done.returncode:
            raise AtError(done.stderr.decode("utf-8", "replace").strip().removeprefix("Error: "))
        written = done.stdout
    else:
        try:
            written = read(name, MAX_BYTES)
        except FileError as error:
            raise AtError(f"{named(name)} {error}") from None
    try:
        return record_from_json(written)
    except RecordError as error:
        raise AtError(f"{name} is not a record of a match: {error}") from None


def _exporting(name: str) -> list[str]:
    """Return the command line that exports a match; the current folder stays off its import path."""
    return [sys.executable, "-P", "-m", "beanleague", "match", "export", name]  # noqa: TID251


def _bot_in(record: Record, seat: int, program: BotProgram) -> Bot[Any]:
    bot_class = program.class_for(record.ruleset)
    if bot_class is None:
        raise AtError(f"{program.name} does not play {record.ruleset}")
    luck = record.luck[seat] if record.luck else b""
    bot = attempt(
        seat_bot,
        bot_class,
        ruleset=record.ruleset,
        seat=seat,
        seats=record.seats,
        luck=luck,
        settings=program.settings,
    )
    if isinstance(bot, Failure):
        raise AtError(f"{program.name} cannot be created:\n{bot.details}")
    return bot


def _in_words(action: Action, view: View, seats: int) -> str:
    """Return `action` in the sentences of replays; an illegal action without a sentence is shown as its code."""
    words = words_of(view.rules, player=True)
    words.look(view)
    try:
        return by_seat(words.choice(action, view), seats)
    except LookupError:  # no such card or field, or an action of another game
        return str(action)


def _lines(actions: Iterable[Action], view: View, seats: int) -> str:
    """Return actions as bots write them, each next to its sentence."""
    shown = [(str(action), _in_words(action, view, seats)) for action in actions]
    width = max((len(code) for code, _ in shown), default=0)
    return "\n".join(f"  {code}" if code == said else f"  {code:{width}}  {said}" for code, said in shown)


def show_all(name: str, record: Record, program: BotProgram) -> None:
    """Print all decisions of the bot in the match `name`, and its different decisions now.

    Raises:
        AtError: see `decisions`.
    """
    with (program.home or Home(Path.cwd())).entered():
        seat, made = decisions(record, program)
    print(
        f"{name} ({record.ruleset}, seat {seat} of {record.seats}): {program.name} in place of {record.players[seat]}\n"
    )

    def words_of(action: Action, view: View) -> str:
        return _in_words(action, view, record.seats)

    rows = [
        (
            str(asked.move),
            turn_and_decision(asked.view).removeprefix(", "),
            f"{words_of(asked.played.action, asked.view)}{' (by default)' if asked.played.by_default else ''}",
            ("an error" if asked.action is None else words_of(asked.action, asked.view)) if asked.otherwise else "",
        )
        for asked in made
    ]
    rows.insert(0, ("move", "decision", "played", "now"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, *texts in rows:
        shown = (text.ljust(width) for text, width in zip(texts, widths[1:], strict=True))
        print("  ".join((number.rjust(widths[0]), *shown)).rstrip())
    others = sum(asked.otherwise for asked in made)
    print(f"\n{len(made)} decisions, {others} of them different now; to see one: --at {name}:MOVE")


def show_each(record: Record, move: int, first: BotProgram, others: Sequence[str], *, as_json: bool) -> None:
    """Print the recorded action of `move`, and the decisions of `first` and of `others`, as `load_bot` takes them.

    For other bots that cannot be asked, print the reason. With `as_json`, print JSON.

    Raises:
        AtError: for `first`, see `moment`.
    """
    view, does = _answer(record, move, first)
    head = f"Move {move} ({record.ruleset}, seat {record.moves[move].seat}{turn_and_decision(view)}):"
    played = _in_words(record.moves[move].action, view, record.seats)
    rows = [("played", played), (first.name, does)]
    for bot in others:
        name = Path(bot).name
        try:
            program = load_bot(bot)
            name = program.name
            rows.append((name, _answer(record, move, program)[1]))
        except (AtError, LoadError) as error:
            *_, why = str(error).splitlines()
            rows.append((name, f"cannot be asked: {why}"))
    if as_json:
        bots = [{"bot": who, "does": does} for who, does in rows[1:]]
        print(json.dumps({"move": move, "seat": record.moves[move].seat, "played": played, "bots": bots}))
        return
    width = max(len(who) for who, _ in rows)
    print(head, *(f"  {who:{width}}  {does}" for who, does in rows), sep="\n")


def _answer(record: Record, move: int, program: BotProgram) -> tuple[View, str]:
    """Return the view at `move`, and the decision of a bot in words.

    Raises:
        AtError: see `moment`.
    """
    with (program.home or Home(Path.cwd())).entered():
        reached = moment(record, move, program)
        answer = ask(reached.bot, reached.view)
    actions = [] if isinstance(answer, Failure) else [_in_words(each, reached.view, record.seats) for each in answer]
    return reached.view, "; ".join(actions) or "an error"


def show(name: str, record: Record, move: int, program: BotProgram, *, debug: bool) -> None:
    """Print the view at `move` of the match `name`, the legal actions, and the bot's answer with its time.

    With `debug`, stop at the first line of the bot's own code in this decision.

    Raises:
        AtError: see `moment`.
    """
    with (program.home or Home(Path.cwd())).entered():
        reached = moment(record, move, program)
        seat = reached.bot.seat
        print(
            f"{'The match' if name == '-' else name}, move {move} ({record.ruleset}, seat {seat} of {record.seats}"
            f"{turn_and_decision(reached.view)}): {program.name} in place of {record.players[seat]}\n\n"
            f"{text_of(reached.view)}\n"
        )
        legal = reached.view.legal()
        print(f"{len(legal)} legal actions (of offers and counters, a useful selection):")
        print(_lines(legal[:MAX_LEGAL], reached.view, record.seats))
        if len(legal) > MAX_LEGAL:
            print(f"  and {len(legal) - MAX_LEGAL} more")
        if debug:
            from beanbot.practice.debugging import debugged

            reached.bot.decide = debugged(reached.bot)  # type: ignore[method-assign, assignment]
        start = perf_counter()
        answer = ask(reached.bot, reached.view)
        seconds = perf_counter() - start
    print(f"\n{program.name} answers after {1000 * seconds:.2f} ms:")
    print(answer.details if isinstance(answer, Failure) else _lines(answer, reached.view, record.seats))
    print(f"In the match {record.players[seat]} played:")
    print(_lines([record.moves[move].action], reached.view, record.seats))
    if reached.others:
        print(
            f"Of the {len(reached.earlier)} decisions before, {program.name} made {len(reached.others)} "
            f"differently, the first at move {reached.others[0]}; the match went on as recorded."
        )
