"""A recorded match shown at a terminal, step by step, at a speed, or all at once."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from beanleague.cli.replay.families import picture, tell
from beanleague.cli.replay.keys import Keys
from beanleague.cli.replay.player import Player
from beanleague.cli.replay.screen import Screen, fitted_picture
from beanleague.cli.replay.steps import Step, steps
from beanleague.games import Record, View
from beanleague.games.core import TurnStarted

_LOOK = 0.05  # seconds between two looks at keys and clock while playing
_IDLE = 0.25  # the same while waiting, to notice that the terminal changed its size
_LINES = 200  # told lines kept above the footer, more than any terminal shows
DEFAULT_SPEED = 1.0  # turns a second


def print_all(console: Console, record: Record) -> None:
    """Print the whole match: for every turn the table as it begins, then what happens."""
    for step in steps(record):
        for happening, line in tell(step, record.players):
            if isinstance(happening, TurnStarted):
                console.print()
                console.print(picture(step.table, record.players, "", console.width))
                console.print()
            else:
                console.print(line)


def show(console: Console, record: Record, title: str, *, speed: float | None) -> None:
    """Show the match on a whole screen, driven by keys; with `speed` (turns a second) it plays by itself and leaves."""
    every = list(steps(record))
    told = [[line for _, line in tell(step, record.players)] for step in every]
    player = Player([step.table.public.turn for step in every], speed=speed or DEFAULT_SPEED, playing=speed is not None)
    unattended = speed is not None
    with Keys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        shown: tuple[object, ...] | None = None
        before = time.monotonic()
        while not player.done:
            state = (player.at, player.playing, player.speed, console.size)
            if state != shown:
                live.update(_screen(console, record, title, every, told, player), refresh=True)
                shown = state
            key = keys.wait(_LOOK if player.playing else _IDLE)
            now = time.monotonic()
            player.tick(now - before)
            before = now
            if key is not None:
                unattended = False
                player.press(key)
            elif unattended and player.at_end:
                break
    _print_end(console, record, every[player.at], title)


def _screen(
    console: Console,
    record: Record,
    title: str,
    every: Sequence[Step[View]],
    told: Sequence[Sequence[Text]],
    player: Player,
) -> Screen:
    lines = [line for step in told[max(0, player.at - _LINES) : player.at + 1] for line in step][-_LINES:]
    drawn = fitted_picture(console, every[player.at].table, record.players, title)
    return Screen(drawn, lines, len(told[player.at]), _footer(player))


def _footer(player: Player) -> Text:
    place = "end" if player.at_end else f"playing {player.speed:g} turns/s" if player.playing else "paused"
    keys = "→ ← step  ↓ ↑ turn  space play  + - speed  Home End  q quit"
    return Text.assemble((f" {place} ", "reverse"), (f"  {keys}", "dim"))


def _print_end(console: Console, record: Record, step: Step[View], title: str) -> None:
    """Leave on the terminal where the replay was left."""
    console.print(picture(step.table, record.players, title, console.width))
    if step.move == len(record.moves):
        for _, line in list(tell(step, record.players))[-1:]:
            console.print(line)
