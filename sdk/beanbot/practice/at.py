"""A bot put before one decision of a recorded match, with all that it had seen and its luck."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from pdb import Pdb
from time import perf_counter
from typing import Any

from beanbot._runtime.asking import Failure, ask, attempt, turn_and_decision
from beanbot._runtime.program import BotProgram
from beanbot.bot import Bot, Choice, seat_bot
from beanleague.games import Action, Game, IllegalActionError, Record, View, new_game
from beanleague.games.core.lists import in_turn

MAX_LEGAL = 40  # of the legal actions that are listed


class AtError(Exception):
    """Raised when a bot cannot be put before a decision; the message says why."""


@dataclass(slots=True)
class Moment:
    """A bot before a decision."""

    record: Record
    """The match."""
    move: int
    """Index of the move in it that is to be decided."""
    bot: Bot[Any]
    """The bot, which has been asked for all earlier decisions of its seat."""
    view: View
    """What it is to decide."""
    earlier: int = 0
    """Number of earlier decisions."""
    others: list[int] = field(default_factory=list)
    """Indices of the moves that it decided otherwise, not counting default moves. The match went on as recorded."""


def moment(record: Record, move: int, program: BotProgram) -> Moment:
    """Return the bot of `program` before `move`, in the seat that made it.

    Raises:
        AtError: if there is no such move, the bot does not play the game or cannot be made, or the record cannot be
            played again.
    """
    if not 0 <= move < len(record.moves):
        raise AtError(f"the match has no move {move}; it has moves 0 to {len(record.moves) - 1}")
    bot_class = program.class_for(record.ruleset)
    if bot_class is None:
        raise AtError(f"{program.name} does not play {record.ruleset}")
    seat = record.moves[move].seat
    luck = record.luck[seat] if record.luck else b""
    bot = attempt(seat_bot, bot_class, ruleset=record.ruleset, seat=seat, seats=record.seats, luck=luck)
    if isinstance(bot, Failure):
        raise AtError(f"{program.name} cannot be made:\n{bot.details}")
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    reached = Moment(record, move, bot, game.view(seat))
    try:
        _replay(game, reached)
    except IllegalActionError as error:
        raise AtError(f"the record cannot be played again: {error}; `beanleague match verify` says more") from None
    reached.view = game.view(seat, news=bot.news)
    return reached


def _replay(game: Game, reached: Moment) -> None:
    """Play the match up to the moment, and ask the bot whenever a league would."""
    seat = reached.record.moves[reached.move].seat
    plan: Iterator[Action] = iter(())
    for index, played in enumerate(reached.record.moves[: reached.move]):
        asked = True
        if played.seat == seat:
            action = next(plan, None)
            if action is not None and (played.by_default or action == played.action):
                asked = False  # it follows in the list that the bot decided before, or failed in it
            elif game.trading and not reached.bot.trades:
                asked = False
            else:
                plan = _decided(game, reached)
                reached.earlier += 1
                action = next(plan, None)
                if action != played.action and not played.by_default:
                    reached.others.append(index)
            if action != played.action:
                plan = iter(())
        game.apply(played.seat, played.action, asked=asked)


def _decided(game: Game, reached: Moment) -> Iterator[Action]:
    """Yield what the bot decides now, and then what of its list would follow."""
    actions = ask(reached.bot, game.view(reached.bot.seat, news=reached.bot.news))
    return iter(()) if isinstance(actions, Failure) else in_turn(game, reached.bot.seat, actions)


def show(file: Path, record: Record, move: int, program: BotProgram, *, debug: bool) -> None:
    """Print the view at `move` of the match in `file`, the legal actions, what the bot answers, and its time.

    With `debug`, stop in the first line of the bot's own code that the decision comes to.

    Raises:
        AtError: as `moment`.
    """
    with chdir(program.folder or "."):
        reached = moment(record, move, program)
        seat = record.moves[move].seat
        print(
            f"{file}, move {move} ({record.ruleset}, seat {seat} of {record.seats}{turn_and_decision(reached.view)}): "
            f"{program.name} in place of {record.players[seat]}\n\n{reached.view}\n"
        )
        legal = reached.view.legal()
        print(f"{len(legal)} legal actions (of offers and counters, a useful selection):")
        print(*(f"  {action}" for action in legal[:MAX_LEGAL]), sep="\n")
        if len(legal) > MAX_LEGAL:
            print(f"  and {len(legal) - MAX_LEGAL} more")
        if debug:
            reached.bot.decide = _debugged(reached.bot)  # type: ignore[method-assign, assignment]
        start = perf_counter()
        answer = ask(reached.bot, reached.view)
        seconds = perf_counter() - start
    print(f"\n{program.name} answers after {1000 * seconds:.2f} ms:")
    print(answer.details if isinstance(answer, Failure) else "\n".join(f"  {action}" for action in answer))
    print(f"In the match {record.players[seat]} played:\n  {record.moves[move].action}")
    if reached.others:
        print(
            f"Of the {reached.earlier} decisions before, {program.name} made {len(reached.others)} otherwise, "
            f"the first at move {reached.others[0]}; the match went on as recorded."
        )


def _debugged(bot: Bot[Any]) -> Callable[[View], Choice | None]:
    """Return the method `decide` of `bot`, under a debugger that passes over this library and the rules."""
    decide = bot.decide

    def debugged(view: View) -> Choice | None:
        return Pdb(skip=["beanbot", "beanbot.*", "beanleague.*"]).runcall(decide, view)

    return debugged
