"""The course of a match with a person at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from beanleague.cli.play.phrases import HELP, PhraseError, action_of
from beanleague.cli.play.words import QUESTIONS, action_words
from beanleague.cli.replay.families import describe, picture
from beanleague.cli.replay.seat import table_of
from beanleague.cli.replay.steps import ReplayTable, Step, steps
from beanleague.games import Action, IllegalActionError, Record, View
from beanleague.games.bohnanza import Accept, Counter, Offer, Pick
from beanleague.games.dice import Save
from beanleague.seat import GuestSeat, Over, check_action
from beanleague.wire.guests import Began, Faulted, GuestAsked

_MAX_WAYS = 9  # of giving the same kinds, or of saving dice, that have numbers


class LeftError(Exception):
    """Raised when the person leaves the table."""


def play(console: Console, seat: GuestSeat, ask: Callable[[str], str]) -> Record | None:
    """Play the match of `seat`; return its record, None if the stream ended without one.

    `ask`: shows a prompt and returns what was typed.

    Raises:
        LeftError: the person left.
        grpc.RpcError: as of `GuestSeat`.
        WireError: as of `GuestSeat`.
    """
    names: tuple[str, ...] = ()
    before: ReplayTable[View] | None = None
    for heard in seat:
        match heard:
            case Began():
                names = tuple(f"{name} (you)" if i == heard.seat else name for i, name in enumerate(heard.names))
                console.print(Text(f"You have seat {heard.seat} in a match of {heard.ruleset}. ? is for help."))
            case GuestAsked():
                view: View = replace(heard.view)  # type: ignore[type-var]  # read whole: views are dataclasses
                before = _show(console, view, names, before)
                seat.play(_decide(console, view, names, ask))
            case Faulted():
                console.print(
                    Text(f"This could not be used: {heard.reason}. A simple action was played instead.", "red")
                )
            case Over():
                _end(console, heard.record, names)
                return heard.record
            case _:
                pass
    return None


def _show(console: Console, view: View, names: Sequence[str], before: ReplayTable[View] | None) -> ReplayTable[View]:
    """Print what happened since the last question, and the table."""
    table = table_of(view, len(names))
    for _, line in describe(Step(0, before or table, table, tuple(view.news)), names):
        console.print(line)
    console.print()
    console.print(picture(table, names, "", console.width, before=before))
    return table


def _decide(console: Console, view: View, names: Sequence[str], ask: Callable[[str], str]) -> Action:
    offered = _offered(view)
    console.print(Text(QUESTIONS.get(view.decision.name, view.decision.name), "bold"))
    for number, action in enumerate(offered, 1):
        console.print(Text(f"  {number:2}  {action_words(action, view, names)}"))
    while True:
        typed = ask("> ").strip()
        if typed.lower() in {"q", "quit"}:
            raise LeftError
        if typed in {"?", "h", "help"}:
            console.print(Text(HELP))
        elif typed == "t":
            console.print(picture(table_of(view, len(names)), names, "", console.width))
        elif typed.isascii() and typed.isdecimal() and 1 <= int(typed[:4]) <= len(offered):
            return offered[int(typed[:4]) - 1]
        elif typed:
            try:
                action = action_of(typed, view)
                check_action(view, action)
            except (PhraseError, IllegalActionError) as problem:
                console.print(Text(f"{problem}.", "yellow"))
            else:
                return action


def _offered(view: View) -> list[Action]:
    """Return the actions that have numbers; offers, counters and other ways to save dice are typed."""
    found: list[Action] = []
    ways: dict[type[Action], int] = {}
    for action in sorted(view.legal(), key=lambda action: -len(action.dice) if isinstance(action, Save) else 0):
        ways[type(action)] = ways.get(type(action), 0) + 1
        limited = isinstance(action, Accept | Pick | Save) and ways[type(action)] > _MAX_WAYS
        if not (isinstance(action, Offer | Counter) or limited):
            found.append(action)
    return found


def _end(console: Console, record: Record, names: Sequence[str]) -> None:
    """Print the last table, with everything on it, and the result."""
    *_, last = steps(record)
    console.print()
    console.print(picture(last.table, names, "", console.width))
    for _, line in list(describe(last, names))[-1:]:
        console.print(line)
