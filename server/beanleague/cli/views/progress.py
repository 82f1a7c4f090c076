"""Progress of long calls: a live display on a terminal, otherwise a line every few seconds.

Used for runs of leagues with live standings, verification, and the export of a site.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from beanleague.cli.streams import echo
from beanleague.cli.views.league import nodes_line, owners_together, playing_table, waits
from beanleague.cli.views.output import Output, SafeConsole, console, count_of, duration, quantity
from beanleague.cli.views.tables import standings_table
from beanleague.names import replace_controls
from beanproto.v1.league_pb2 import RUN_STATE_DONE, RUN_STATE_STARTING, Finding, Progress, Standing, VerifyProgress

_MIN_INTERVAL_S = 1.0  # minimum seconds between two lines
_STEPS = 10  # a line for every tenth of the deals
_BAR_CELLS = 30
_MAX_NODES = 12  # maximum nodes shown; a cluster may have hundreds
_DRAW_INTERVAL_S = 0.1
_LINE_INTERVAL_S = 5.0


def can_draw(console: SafeConsole) -> bool:
    """Return whether the console can draw over earlier output."""
    return console.is_terminal and not console.is_dumb_terminal and console.fits()


class LiveOutput:
    """Context manager for output in progress: drawings that replace each other, or appended lines.

    `draw`: whether to draw. `transient`: whether the last drawing disappears. `to_stderr`: whether lines go to stderr.
    """

    def __init__(self, console: Console, *, draw: bool, transient: bool = False, to_stderr: bool = True) -> None:
        self.draws = draw
        self._live = Live(console=console, auto_refresh=False, transient=transient) if draw else None
        self._to_stderr = to_stderr
        self._printed_at = 0.0
        self._printed = ""

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def _draw(self, page: RenderableType) -> None:
        """Draw over the previous drawing."""
        if self._live:
            self._live.update(page, refresh=True)

    def _print_if_due(self, line: str, seconds: float, interval: float = _LINE_INTERVAL_S) -> bool:
        """Print a line if it is new and `interval` seconds have passed since the last one. `seconds`: current time."""
        due = line != self._printed and seconds - self._printed_at >= interval
        if due:
            self._printed_at, self._printed = seconds, line
            echo(replace_controls(line), err=self._to_stderr)
        return due


class RunView(LiveOutput):
    """Display of a run: a bar with the remaining time, the speed, and live standings.

    Without drawings, a line every few seconds and at every tenth of the league, then the standings. `to_stderr`: lines
    go to stderr and no standings are printed, which keeps stdout free. `standings`: whether these stay on the screen at
    the end.
    """

    def __init__(
        self, console: Console, title: str, *, draw: bool, to_stderr: bool = False, standings: bool = True
    ) -> None:
        super().__init__(console, draw=draw, transient=not standings, to_stderr=to_stderr)
        self._console = console
        self._title = title
        self._prints_standings = standings and not to_stderr
        self._standings: Sequence[Standing] = ()
        self._printed_at = -_LINE_INTERVAL_S
        self._printed_step = -1

    def show(self, progress: Progress) -> None:
        """Draw the progress over the previous drawing, or print a line if one is due; at the end also the standings."""
        if self.draws:
            self._standings = progress.standings or self._standings
            self._draw(run_panel(self._title, progress, self._standings))
            return
        step = _STEPS * progress.deals_done // max(1, progress.deals_total)
        done = progress.state == RUN_STATE_DONE
        soon = 0.0 if done else _MIN_INTERVAL_S if step > self._printed_step else _LINE_INTERVAL_S
        if self._print_if_due(f"{self._title}: {progress_line(progress)}", progress.seconds, soon):
            self._printed_step = step
        if done:
            self.stopped(progress)

    def stopped(self, progress: Progress) -> None:
        """Show the progress and the standings of a stopped run."""
        if self.draws:
            self.show(progress)
        elif self._prints_standings:
            self._console.print()
            self._console.print(standings_table(progress.standings))


def run_view(title: str, out: Output, *, standings: bool = True) -> RunView:
    """Return the display of a run that suits standard output; `standings`: whether these stay at the end."""
    screen = console()
    draw = can_draw(screen) and not out.as_json
    return RunView(screen, title, draw=draw, to_stderr=out.as_json, standings=standings)


def progress_line(progress: Progress) -> str:
    """Return the progress of a run as a line without colours."""
    if progress.state == RUN_STATE_STARTING:
        return ", ".join([*(progress.remarks or ["starting the bots"]), *owners_together(progress.shared_owners)])
    parts = [_deals(progress), *_speed(progress), *nodes_line(progress.nodes), *_host_delay(progress)]
    if progress.state != RUN_STATE_DONE and progress.HasField("seconds_left") and not waits(progress):
        parts.append(f"{duration(progress.seconds_left)} left")
    return "; ".join([", ".join(parts), *progress.remarks])


def run_panel(title: str, progress: Progress, standings: Sequence[Standing]) -> RenderableType:
    """Return the display of a run: bar, numbers and standings."""
    share = Text(f"{progress.deals_done / max(1, progress.deals_total):.0%}", "bold")
    bar = _bar(title, progress.deals_done, progress.deals_total, share, Text(_time_text(progress)))
    so_far = "in all" if progress.state == RUN_STATE_DONE else "so far"
    numbers = [_deals(progress), *_speed(progress), f"{duration(progress.seconds)} {so_far}"]
    numbers += _host_delay(progress)
    if progress.voided_deals:
        numbers.append(f"{quantity(progress.voided_deals, 'deal')} replayed after platform failures")
    parts: list[RenderableType] = [bar, Text(", ".join(numbers), "dim")]
    parts += [Text(line, "yellow") for line in (*owners_together(progress.shared_owners), *progress.remarks)]
    if progress.nodes:
        parts += [Text(), Text(*nodes_line(progress.nodes)), playing_table(progress.nodes[:_MAX_NODES])]
        if (more := len(progress.nodes) - _MAX_NODES) > 0:
            parts.append(Text(f"and {quantity(more, 'more node')}", "dim"))
    if standings:
        parts += [Text(), standings_table(standings)]
    return Group(*parts)


def _bar(title: str, done: int, total: int, *more: Text) -> Table:
    """Return one line with a progress bar, followed by `more`."""
    total = max(1, total)
    line = Table.grid(padding=(0, 2, 0, 0))
    line.add_row(Text(title, "bold"), ProgressBar(total=total, completed=min(done, total), width=_BAR_CELLS), *more)
    return line


def _time_text(progress: Progress) -> str:
    if progress.state == RUN_STATE_DONE:
        return "done"
    if waits(progress):
        return "waiting"
    if progress.state == RUN_STATE_STARTING:
        return "starting the bots"
    return f"{duration(progress.seconds_left)} left" if progress.HasField("seconds_left") else ""


def _deals(progress: Progress) -> str:
    return count_of(progress.deals_done, progress.deals_total, "deal")


def _speed(progress: Progress) -> list[str]:
    if not progress.matches_per_second:
        return []
    return [f"{progress.matches_per_second:,.1f} matches/s", f"{progress.decisions_per_second:,.0f} decisions/s"]


def _host_delay(progress: Progress) -> list[str]:
    """Return the time that bots waited for a CPU, known after the end of the run."""
    if progress.state != RUN_STATE_DONE or progress.host_delay < 1:
        return []
    return [f"bots waited {duration(progress.host_delay)} for a CPU (not charged to them)"]


class SiteProgress(LiveOutput):
    """Progress of a site export on stderr: a counter on a terminal, otherwise a line every few seconds."""

    def __init__(self, console: SafeConsole) -> None:
        super().__init__(console, draw=can_draw(console), transient=True)
        self._drawn_at = self._printed_at = time.monotonic()

    def show(self, done: int, total: int) -> None:
        """Show that `done` of `total` matches of a league have been written."""
        now = time.monotonic()
        line = f"Writing {count_of(done, total, 'match', 'matches')}"
        if not self.draws:
            self._print_if_due(line, now)
        elif now - self._drawn_at >= _DRAW_INTERVAL_S:
            self._drawn_at = now
            self._draw(Text(line))


class VerificationView(LiveOutput):
    """Display of a verification: a bar on a terminal, otherwise a line on stderr every few seconds."""

    def __init__(self, console: SafeConsole, *, as_json: bool) -> None:
        super().__init__(console, draw=can_draw(console) and not as_json, transient=True)
        self.findings: list[Finding] = []
        """Findings so far."""

    def show(self, progress: VerifyProgress) -> None:
        """Draw the progress over the previous drawing, or print a line if one is due."""
        self.findings += progress.findings
        if self.draws:
            checked = Text(_verification_line(progress))
            self._draw(_bar(progress.league, progress.matches_done, progress.matches_total, checked))
        elif not progress.done:
            self._print_if_due(f"{progress.league}: {_verification_line(progress)}", progress.seconds)


def _verification_line(progress: VerifyProgress) -> str:
    """Return the progress of a verification as a line without colours."""
    done, total = progress.matches_done, progress.matches_total
    parts = [f"{count_of(done, total, 'match', 'matches')} verified"]
    if progress.finding_count:
        parts.append(quantity(progress.finding_count, "finding"))
    if 0 < done < total:
        parts.append(f"{duration(progress.seconds / done * (total - done))} left")
    return ", ".join(parts)


def verification_page(last: VerifyProgress, findings: Sequence[Finding], *, replayed: bool) -> Iterator[RenderableType]:
    """Yield the findings of a verification. `last`: its last report; `replayed`: whether it replayed the matches."""
    for finding in findings:
        yield Text.assemble((f"{finding.where}  ", "bold"), (finding.column, "red"), f"\n  {finding.problem}")
    if last.finding_count > len(findings):
        yield f"... and {last.finding_count - len(findings):,} more"
    if not last.finding_count:
        matches = quantity(last.matches_total, "match", "matches")
        if replayed:
            agrees = "replayed; all stored data agrees with them and with each other"
        else:
            agrees = "not replayed; ratings, totals, suspensions and tables follow from their results"
        yield f"{last.league}: {matches} {agrees}."
