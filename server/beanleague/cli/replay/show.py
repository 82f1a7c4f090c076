"""Display of a recorded match: step by step with keys, at a speed, or all at once."""

import os
import select
import sys
import termios
import time
import tty
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from beanleague.cli.replay.lines import describe, drawing_module, help_on_worth, picture
from beanleague.cli.replay.steps import Entry, ReplayTable, Step, seen_from, steps
from beanleague.games import Fault, Record, View
from beanleague.games.core import TurnStarted

_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NAMES = {
    **{f"\x1b{begin}{letter}".encode(): name for begin in "[O" for letter, name in _ARROWS.items()},
    b"\x1b[1~": "home",
    b"\x1b[4~": "end",
    b"\x1b[5~": "pageup",
    b"\x1b[6~": "pagedown",
    b"\r": "enter",
    b"\n": "enter",
    b" ": "space",
    b"\x7f": "backspace",
    b"\x08": "backspace",
    b"\x04": "q",
}
_MAX_READ = 16  # maximum bytes read at a time


class Keys:
    """Keys pressed at standard input, a terminal; leaving the context restores its settings.

    Ctrl-C still interrupts.
    """

    def __init__(self) -> None:
        self._terminal = sys.stdin.fileno()
        self._before: list[object] = []
        self._read = b""

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    def wait(self, seconds: float) -> str | None:
        """Return the next key by name ("right", "enter", "q", ...), None if no key is pressed in time."""
        if not self._read:
            ready, _, _ = select.select([self._terminal], [], [], seconds)
            if not ready:
                return None
            self._read = os.read(self._terminal, _MAX_READ)
            if not self._read:
                return "q"
        known = (len(code) for code in _NAMES if self._read.startswith(code))
        length = max(known, default=len(self._read) if self._read.startswith(b"\x1b") else 1)
        key, self._read = self._read[:length], self._read[length:]
        return _NAMES.get(key, key.decode("utf-8", "replace"))


_MAX_SPEED = 64.0  # maximum speed in turns per second
_MIN_SPEED = 0.125
# keys that jump to the next event of a kind; capital letters go back
_LANDMARK_KEYS = {"t": "trade", "h": "harvest", "f": "fault"}


class ReplayPosition:
    """A position in a replay.

    `turns`: turn of each step, ascending. `landmarks`: steps with a key, ascending, by "trade", "harvest" and "fault".
    `speed`: turns per second while `playing`.
    """

    def __init__(
        self, turns: Sequence[int], *, landmarks: Mapping[str, Sequence[int]], speed: float, playing: bool
    ) -> None:
        self._turns = turns
        self._landmarks = landmarks
        self._due = 0.0
        self.at = 0
        self.speed = speed
        self.playing = playing
        self.done = False
        self.note = ""
        self.help = False

    @property
    def at_end(self) -> bool:
        """Whether the last step is shown."""
        return self.at == len(self._turns) - 1

    def press(self, key: str) -> None:
        """Carry out `key`, or explain in `note` why it has no effect; unknown keys are ignored."""
        self.note = ""
        self.help = key == "?" and not self.help
        match key:
            case "q":
                self.done = True
            case "space":
                self.playing = not self.playing and not self.at_end
                self._due = 0.0
            case "+" | "=":
                self.speed = min(_MAX_SPEED, self.speed * 2)
            case "-":
                self.speed = max(_MIN_SPEED, self.speed / 2)
            case "right" | "enter":
                self._go(self.at + 1)
            case "left" | "backspace":
                self._go(self.at - 1)
            case "down" | "pagedown":
                self._go(bisect_right(self._turns, self._turns[self.at]))
            case "up" | "pageup":
                self._go(bisect_left(self._turns, self._turns[max(0, self.at - 1)]))
            case "home":
                self._go(0)
            case "end":
                self._go(len(self._turns) - 1)
            case _ if key.lower() in _LANDMARK_KEYS:
                self._go_to_landmark(_LANDMARK_KEYS[key.lower()], back=key.isupper())
            case _:
                pass

    def tick(self, seconds: float) -> None:
        """Advance the clock by `seconds`; while playing, all turns take the same time."""
        if not self.playing:
            return
        self._due += seconds * self.speed
        while not self.at_end:
            share = 1 / self._turns.count(self._turns[self.at])
            if self._due < share:
                return
            self._due -= share
            self.at += 1
        self.playing = False

    def _go(self, step: int) -> None:
        self.at = min(max(step, 0), len(self._turns) - 1)
        self.playing = False

    def _go_to_landmark(self, name: str, *, back: bool) -> None:
        steps = self._landmarks[name]
        found = steps[: bisect_left(steps, self.at)][-1:] if back else steps[bisect_right(steps, self.at) :][:1]
        if found:
            self._go(found[0])
        else:
            self.note = f"no {name} {'before' if back else 'after'} this"


_PLAYING_INTERVAL_S = 0.05  # interval of checking keys and clock while playing
_PAUSED_INTERVAL_S = 0.25  # interval of checking keys and terminal size while paused
_MAX_LINES = 200  # lines kept above the footer, more than any terminal shows
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
DEFAULT_SPEED = 1.0  # speed in turns per second
_MIN_LINES = 4  # minimum number of lines below the table
_FEWER_CARDS = (16, 10, 6, 3)  # cards shown per hand, tried in this order on a low terminal


def print_all(console: Console, record: Record, *, seat: int | None = None) -> None:
    """Print the whole match: for every turn the table before its first move, then the events.

    `seat`: print the view of this seat; None for everything.
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
    """Show the match on the full screen, controlled by keys.

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
    left = all_steps[player.at]  # print the last step, since leaving the full screen clears it
    console.print(picture(left.table, record.players, f"{title}, move {left.move}", console.width))
    if left.move == len(record.moves):
        for line in step_lines[player.at][-1:]:
            console.print(line)


def _screen(
    console: Console,
    record: Record,
    title: str,
    all_steps: Sequence[Step[View]],
    step_lines: Sequence[Sequence[Text]],
    player: ReplayPosition,
) -> "Screen":
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


def landmarks(all_steps: Sequence[Step[Any]]) -> dict[str, tuple[int, ...]]:
    """Return the ascending positions in `all_steps` of trades, harvests and faults, by these words."""
    module = drawing_module(all_steps[0].table)
    classes: dict[str, tuple[type[Entry], ...]] = {
        "trade": module.TRADES,
        "harvest": module.HARVESTS,
        "fault": (Fault,),
    }
    return {
        name: tuple([at for at, step in enumerate(all_steps) if any(isinstance(each, kinds) for each in step.entries)])
        for name, kinds in classes.items()
    }


def fitted_picture(
    console: Console, table: ReplayTable[Any], names: Sequence[str], title: str, before: ReplayTable[Any] | None = None
) -> RenderableType:
    """Return the table, changes marked, with as many cards per hand as leave room for the lines below."""
    room = console.height - _MIN_LINES - 2
    drawn = picture(table, names, title, console.width, before=before)
    for cards in _FEWER_CARDS:
        if len(console.render_lines(drawn)) <= room:
            break
        drawn = picture(table, names, title, console.width, cards=cards, before=before)
    return drawn


class Screen:
    """Full-screen display: table, latest lines, and footer, cut to the height of the terminal."""

    def __init__(self, board: RenderableType, lines: Sequence[Text], fresh: int, footer: Text) -> None:
        """`lines`: oldest first; the last `fresh` belong to this step, the others are dimmed."""
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
