"""A recorded match shown at a terminal, step by step, at a speed, or all at once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from beanleague.cli.replay.families import describe, harvests, help_on_worth, picture, trades
from beanleague.cli.replay.player import Keys, ReplayPosition
from beanleague.cli.replay.steps import Entry, ReplayTable, Step, seen_from, steps
from beanleague.games import Fault, Record, View
from beanleague.games.core import TurnStarted

_PLAYING_INTERVAL_S = 0.05  # between checks of keys and clock while playing
_PAUSED_INTERVAL_S = 0.25  # the same while paused, to notice that the terminal changed its size
_MAX_LINES = 200  # kept above the footer, more than any terminal shows
_KEYS = "? help  q quit  →← step  ↓↑ turn  space play  +- speed  Home End"
_HELP = """\
  → ←         a step on, back; Enter and Backspace too
  ↓ ↑         a turn on, back; Page Down and Page Up too
  Home End    the beginning, the end
  t h f       the next trade, harvest, fault; T H F the one before
  space       play, or stop
  + -         play faster, slower
  ?           this help, and what beans are worth
  q           quit"""
DEFAULT_SPEED = 1.0  # turns per second
_MIN_LINES = 4  # below the table
_FEWER_CARDS = (16, 10, 6, 3)  # of every hand; tried in this order on a low terminal


def print_all(console: Console, record: Record, *, seat: int | None = None) -> None:
    """Print the whole match: for every turn the table before its first move, with its number, then what happens.

    `seat`: print what this seat saw; None for everything.
    """
    for step in _steps(record, seat):
        for entry, line in describe(step, record.players):
            if isinstance(entry, TurnStarted):
                console.print()
                console.print(picture(step.table, record.players, f"move {step.move}", console.width))
                console.print()
            else:
                console.print(line)


def _steps(record: Record, seat: int | None) -> Iterator[Step[View]]:
    return steps(record) if seat is None else seen_from(seat, steps(record))


def show(console: Console, record: Record, title: str, *, speed: float | None, seat: int | None = None) -> None:
    """Show the match on a whole screen, driven by keys.

    With `speed` (turns per second) it plays by itself, and returns at the end if no key was pressed.
    `seat`: show what this seat saw; None for everything.
    """
    all_steps = list(_steps(record, seat))
    step_lines = [[line for _, line in describe(step, record.players)] for step in all_steps]
    player = ReplayPosition(
        [step.table.public.turn for step in all_steps],
        landmarks=landmarks(all_steps),
        speed=speed or DEFAULT_SPEED,
        playing=speed is not None,
    )
    unattended = speed is not None
    with Keys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        shown: tuple[object, ...] | None = None
        before = time.monotonic()
        while not player.done:
            state = (player.at, player.playing, player.speed, player.note, player.help, console.size)
            if state != shown:
                live.update(_screen(console, record, title, all_steps, step_lines, player), refresh=True)
                shown = state
            key = keys.wait(_PLAYING_INTERVAL_S if player.playing else _PAUSED_INTERVAL_S)
            now = time.monotonic()
            player.tick(now - before)
            before = now
            if key is not None:
                unattended = False
                player.press(key)
            elif unattended and player.at_end:
                break
    _print_end(console, record, all_steps[player.at], title)


def _screen(
    console: Console,
    record: Record,
    title: str,
    all_steps: Sequence[Step[View]],
    step_lines: Sequence[Sequence[Text]],
    player: ReplayPosition,
) -> Screen:
    lines = [line for step in step_lines[max(0, player.at - _MAX_LINES) : player.at + 1] for line in step][-_MAX_LINES:]
    step = all_steps[player.at]
    if player.help:
        return Screen(Text(_HELP), list(help_on_worth(step.table.public).split()), len(lines), _footer(player))
    drawn = fitted_picture(console, step.table, record.players, f"{title}, move {step.move}", step.before)
    return Screen(drawn, lines, len(step_lines[player.at]), _footer(player))


def _footer(player: ReplayPosition) -> Text:
    place = "end" if player.at_end else f"playing {player.speed:g} turns/s" if player.playing else "paused"
    note = f" {player.note} " if player.note else ""
    return Text.assemble((f" {place} ", "reverse"), (note, "yellow"), (f" {_KEYS}", "dim"))


def _print_end(console: Console, record: Record, step: Step[View], title: str) -> None:
    """Print the table at which the replay was left."""
    console.print(picture(step.table, record.players, f"{title}, move {step.move}", console.width))
    if step.move == len(record.moves):
        for _, line in list(describe(step, record.players))[-1:]:
            console.print(line)


def landmarks(all_steps: Sequence[Step[Any]]) -> dict[str, tuple[int, ...]]:
    """Return the positions among `all_steps` of those with a trade, a harvest or a fault, by these words, ascending."""
    classes: dict[str, tuple[type[Entry], ...]] = {
        "trade": trades(all_steps[0].table),
        "harvest": harvests(all_steps[0].table),
        "fault": (Fault,),
    }
    return {
        name: tuple([at for at, step in enumerate(all_steps) if any(isinstance(each, kinds) for each in step.entries)])
        for name, kinds in classes.items()
    }


def fitted_picture(
    console: Console, table: ReplayTable[Any], names: Sequence[str], title: str, before: ReplayTable[Any] | None = None
) -> RenderableType:
    """Return the table with as many cards of each hand as leave room for lines below it, changes marked."""
    room = console.height - _MIN_LINES - 2
    drawn = picture(table, names, title, console.width, before=before)
    for cards in _FEWER_CARDS:
        if len(console.render_lines(drawn)) <= room:
            break
        drawn = picture(table, names, title, console.width, cards=cards, before=before)
    return drawn


class Screen:
    """A whole screen: the table, the newest lines, and a footer, cut to the height of the terminal."""

    def __init__(self, board: RenderableType, lines: Sequence[Text], fresh: int, footer: Text) -> None:
        """`lines`: oldest first; the last `fresh` of them are new in this step, and the others are dimmed."""
        self._board = board
        self._lines = lines
        self._fresh = fresh
        self._footer = footer

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or options.max_height
        free = options.update(height=None)
        top = console.render_lines(self._board, free)[: max(0, height - 1 - _MIN_LINES)]
        room = max(0, height - len(top) - 2)
        lines = [*top, [Segment("")], *self._log(console, free, room)]
        lines = lines[: height - 1]
        lines += [[Segment("")]] * (height - 1 - len(lines))
        footer = self._footer.copy()
        footer.truncate(options.max_width, overflow="ellipsis")
        lines += console.render_lines(footer, free)[:1]
        for index, line in enumerate(lines):
            yield from line
            if index < len(lines) - 1:
                yield Segment.line()

    def _log(self, console: Console, options: ConsoleOptions, room: int) -> list[list[Segment]]:
        lines: list[list[Segment]] = []
        for age, text in enumerate(reversed(self._lines)):
            if len(lines) >= room:
                break
            shown = text
            if age >= self._fresh:
                shown = text.copy()
                shown.stylize("dim")
            lines = [*console.render_lines(shown, options), *lines]
        return lines[-room:] if room else []
