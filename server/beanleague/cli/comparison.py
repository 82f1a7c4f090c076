"""How a comparison of two bots is told."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.tables import bot_name
from beanproto.v1.league_pb2 import VERDICT_BETTER, VERDICT_NOT_BETTER, ComparisonProgress

_CELLS = 40  # of the bar between the bounds


def verdict_line(progress: ComparisonProgress) -> str:
    """Return what is known, in a line or two without colours."""
    a, b = bot_name(progress.a), bot_name(progress.b)
    figures = (
        f"{progress.deals:,} deals, {progress.matches:,} matches, LLR {progress.llr:.2f} "
        f"({progress.lower:.2f} .. {progress.upper:.2f}), Elo {elo_text(progress)}"
    )
    if progress.verdict == VERDICT_BETTER:
        return f"{a} is better than {b} (by {progress.elo1:g} Elo rather than {progress.elo0:g}).\n{figures}"
    if progress.verdict == VERDICT_NOT_BETTER:
        return f"{a} is not better than {b} (by {progress.elo0:g} Elo rather than {progress.elo1:g}).\n{figures}"
    return f"{a} against {b}: {figures}"


def elo_text(progress: ComparisonProgress) -> str:
    """Return the difference in Elo with its 95 % interval, as far as it is known."""
    if not progress.HasField("elo"):
        return "unknown: one bot won everything" if progress.deals else "unknown"
    least = f"{progress.elo_least:+.0f}" if progress.HasField("elo_least") else "-inf"
    most = f"{progress.elo_most:+.0f}" if progress.HasField("elo_most") else "+inf"
    return f"{progress.elo:+.0f} (95 %: {least} .. {most})"


def comparison_page(progress: ComparisonProgress) -> RenderableType:
    """Return the picture of a comparison: where the log likelihood ratio is between its bounds."""
    share = (progress.llr - progress.lower) / (progress.upper - progress.lower) if progress.upper else 0.5
    at = round(min(max(share, 0.0), 1.0) * (_CELLS - 1))
    bar = "─" * at + "●" + "─" * (_CELLS - 1 - at)
    return Group(
        Text.assemble((bot_name(progress.a), "bold"), " against ", (bot_name(progress.b), "bold")),
        Text.assemble(
            "not better ",
            (f"{progress.lower:.2f} ", "dim"),
            (bar, "cyan"),
            (f" {progress.upper:.2f}", "dim"),
            " better",
        ),
        Text(f"LLR {progress.llr:.2f}, Elo {elo_text(progress)}"),
        Text(
            f"{progress.deals:,} deals, {progress.matches:,} matches, {progress.matches_per_second:,.1f} matches/s",
            "dim",
        ),
    )
