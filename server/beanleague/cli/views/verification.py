"""The progress of a verification, and what it found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from beanleague.cli.views.live import LiveOutput, can_draw
from beanleague.cli.views.text import count_of, counted, duration
from beanproto.v1.league_pb2 import Finding, VerifyProgress

_BAR_CELLS = 30


class VerificationView(LiveOutput):
    """Shows a verification: a bar on a terminal, otherwise a line on stderr every few seconds."""

    def __init__(self, console: Console, *, as_json: bool) -> None:
        super().__init__(console, draw=can_draw(console) and not as_json, transient=True)
        self.findings: list[Finding] = []
        """What was found so far."""

    def show(self, progress: VerifyProgress) -> None:
        """Draw the progress over the previous one, or print a line if one is due."""
        self.findings += progress.findings
        if self.draws:
            bar = Table.grid(padding=(0, 2, 0, 0))
            total = max(1, progress.matches_total)
            bar.add_row(
                Text(progress.league, "bold"),
                ProgressBar(total=total, completed=min(progress.matches_done, total), width=_BAR_CELLS),
                Text(progress_line(progress)),
            )
            self._draw(bar)
        elif not progress.done:
            self._print_if_due(f"{progress.league}: {progress_line(progress)}", progress.seconds)


def progress_line(progress: VerifyProgress) -> str:
    """Return the progress of a verification in a line without colours."""
    done, total = progress.matches_done, progress.matches_total
    parts = [f"{count_of(done, total, 'match', 'matches')} verified"]
    if progress.finding_count:
        parts.append(counted(progress.finding_count, "finding"))
    if 0 < done < total:
        parts.append(f"{duration(progress.seconds / done * (total - done))} left")
    return ", ".join(parts)


def verification_page(last: VerifyProgress, findings: Sequence[Finding], *, replayed: bool) -> Iterator[RenderableType]:
    """Yield what a verification found. `last`: its last report; `replayed`: whether it played the matches again."""
    for finding in findings:
        yield Text.assemble((f"{finding.where}  ", "bold"), (finding.column, "red"), f"\n  {finding.problem}")
    if last.finding_count > len(findings):
        yield f"... and {last.finding_count - len(findings):,} more"
    if not last.finding_count:
        matches = counted(last.matches_total, "match", "matches")
        if replayed:
            agrees = "played again; everything stored agrees with them, and with each other"
        else:
            agrees = "not played again; ratings, totals, suspensions and tables follow from their results"
        yield f"{last.league}: {matches} {agrees}."
