"""How a run of a league is shown: a bar and moving standings on a terminal, else a line now and then."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from beanleague.cli.views.amounts import counted, part
from beanleague.cli.views.tables import standings_table
from beanproto.v1.league_pb2 import RUN_STATE_DONE, RUN_STATE_STARTING, Progress, Standing

_LEAST_SECONDS = 1.0  # between two lines
_MOST_SECONDS = 5.0
_STEPS = 10  # lines at every tenth of the deals
_BAR = 30  # cells


class RunView(Protocol):
    """What shows a run; entered while it goes on."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, progress: Progress) -> None:
        """Show how far the run is."""

    def stopped(self, progress: Progress) -> None:
        """Show how far the run was when it was stopped, with the standings."""


class LiveView:
    """A bar with the time left, the speed, and the standings as they move."""

    def __init__(self, console: Console, title: str) -> None:
        self._title = title
        self._standings: Sequence[Standing] = ()
        self._live = Live(console=console, auto_refresh=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, progress: Progress) -> None:
        """Draw the progress in place of what was there."""
        if progress.standings:
            self._standings = progress.standings
        self._live.update(run_panel(self._title, progress, self._standings), refresh=True)

    def stopped(self, progress: Progress) -> None:
        """Draw what is left."""
        self.show(progress)


class PlainView:
    """A line every few seconds and at every tenth of the league, then the standings. `to_stderr`: keep stdout free."""

    def __init__(self, console: Console, title: str, *, to_stderr: bool = False) -> None:
        self._console = console
        self._title = title
        self._to_stderr = to_stderr
        self._told_at = -_MOST_SECONDS
        self._told_step = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def show(self, progress: Progress) -> None:
        """Print a line if it is time for one; at the end the standings too."""
        since = progress.seconds - self._told_at
        step = _STEPS * progress.deals_done // max(1, progress.deals_total)
        done = progress.state == RUN_STATE_DONE
        if done or since >= _MOST_SECONDS or (step > self._told_step and since >= _LEAST_SECONDS):
            self._told_at, self._told_step = progress.seconds, step
            click.echo(f"{self._title}: {progress_line(progress)}", err=self._to_stderr)
        if done:
            self.stopped(progress)

    def stopped(self, progress: Progress) -> None:
        """Print the standings."""
        if not self._to_stderr:
            self._console.print()
            self._console.print(standings_table(progress.standings))


def progress_line(progress: Progress) -> str:
    """Return how far a run is, in a line without colours."""
    if progress.state == RUN_STATE_STARTING:
        return "starting the bots"
    told = [_deals(progress), *_speed(progress), *_host_delay(progress)]
    if progress.state != RUN_STATE_DONE and progress.HasField("seconds_left"):
        told.append(f"{clock(progress.seconds_left)} left")
    return ", ".join(told)


def run_panel(title: str, progress: Progress, standings: Sequence[Standing]) -> RenderableType:
    """Return the picture of a run: bar, figures and standings."""
    share = progress.deals_done / max(1, progress.deals_total)
    bar = Table.grid(padding=(0, 2, 0, 0))
    bar.add_row(
        Text(title, "bold"),
        ProgressBar(total=max(1, progress.deals_total), completed=progress.deals_done, width=_BAR),
        Text(f"{share:.0%}", "bold"),
        Text(_left(progress)),
    )
    so_far = "in all" if progress.state == RUN_STATE_DONE else "so far"
    figures = [_deals(progress), *_speed(progress), f"{clock(progress.seconds)} {so_far}"]
    figures += _host_delay(progress)
    if progress.voided_deals:
        figures.append(f"{counted(progress.voided_deals, 'deal')} played again after faults of the platform")
    parts: list[RenderableType] = [bar, Text(", ".join(figures), "dim")]
    if standings:
        parts += [Text(), standings_table(standings)]
    return Group(*parts)


def _left(progress: Progress) -> str:
    if progress.state == RUN_STATE_DONE:
        return "done"
    if progress.state == RUN_STATE_STARTING:
        return "starting the bots"
    return f"{clock(progress.seconds_left)} left" if progress.HasField("seconds_left") else ""


def _deals(progress: Progress) -> str:
    return part(progress.deals_done, progress.deals_total, "deal")


def _speed(progress: Progress) -> list[str]:
    if not progress.matches_per_second:
        return []
    return [f"{progress.matches_per_second:,.1f} matches/s", f"{progress.decisions_per_second:,.0f} decisions/s"]


def _host_delay(progress: Progress) -> list[str]:
    """Tell what the machine kept the bots waiting, once the run is over."""
    if progress.state != RUN_STATE_DONE or progress.host_delay < 1:
        return []
    return [f"bots waited {clock(progress.host_delay)} for a CPU, which is not charged to them"]


def clock(seconds: float) -> str:
    """Return a time as minutes and seconds, or hours, e.g. "4:07" or "1:04:07"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
