"""Two bots against each other: the progress and verdict of a comparison, and their results in a league."""

import time
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.views.league import nodes_line
from beanleague.cli.views.output import SafeConsole, bot_name, percent, quantity
from beanleague.cli.views.progress import LiveOutput, can_draw
from beanleague.cli.views.tables import TableColumn, TableOf, table_of
from beanproto.v1 import league_pb2 as pb

_BAR_CELLS = 40


class ComparisonView(LiveOutput):
    """Display of a running comparison: a drawing on a terminal, otherwise a line every few seconds.

    `to_stderr`: always print lines, to stderr.
    """

    def __init__(self, console: SafeConsole, *, to_stderr: bool) -> None:
        super().__init__(console, draw=can_draw(console) and not to_stderr, to_stderr=to_stderr)

    def show(self, progress: pb.ComparisonProgress) -> None:
        """Draw the progress, without the verdict, over the previous drawing, or print a line if one is due."""
        if self.draws:
            self._draw(comparison_page(progress))
        elif progress.verdict == pb.VERDICT_OPEN:
            self._print_if_due("; ".join([verdict_line(progress), *progress.remarks]), time.monotonic())


def verdict_line(progress: pb.ComparisonProgress) -> str:
    """Return the verdict, or the progress so far, in one or two lines without colours."""
    a, b = bot_name(progress.a), bot_name(progress.b)
    numbers = (
        f"{_size(progress)}, LLR {progress.llr:.2f} "
        f"({progress.lower:.2f} .. {progress.upper:.2f}), {_difference(progress)}"
    )
    sure = ", obviously" if progress.obvious else ""
    if progress.verdict == pb.VERDICT_BETTER:
        return f"{a} is better than {b}{sure} (by {progress.elo1:g} Elo rather than {progress.elo0:g}).\n{numbers}"
    if progress.verdict == pb.VERDICT_NOT_BETTER:
        return f"{a} is not better than {b}{sure} (by {progress.elo0:g} Elo rather than {progress.elo1:g}).\n{numbers}"
    return f"{a} against {b}: {numbers}"


def _difference(progress: pb.ComparisonProgress) -> str:
    """Return the difference of the two bots in Elo, and in dollars if the comparison is by dollars."""
    elo = f"Elo {elo_text(progress)}"
    if not progress.HasField("lead_least"):
        return elo
    return f"{elo}, ${progress.lead:+.2f} (95 %: {progress.lead_least:+.2f} .. {progress.lead_most:+.2f})"


def elo_text(progress: pb.ComparisonProgress | pb.PairScore) -> str:
    """Return the difference in Elo with its 95 % interval, as far as known."""
    if not progress.deals:
        return "unknown"
    if not progress.HasField("elo"):
        return "unknown: one bot won everything"
    least = f"{progress.elo_least:+z.0f}" if progress.HasField("elo_least") else "-inf"
    most = f"{progress.elo_most:+z.0f}" if progress.HasField("elo_most") else "+inf"
    return f"{progress.elo:+z.0f} (95 %: {least} .. {most})"


def comparison_page(progress: pb.ComparisonProgress) -> RenderableType:
    """Return the display of a comparison: the log likelihood ratio between its bounds."""
    share = (progress.llr - progress.lower) / (progress.upper - progress.lower) if progress.upper else 0.5
    at = round(min(max(share, 0.0), 1.0) * (_BAR_CELLS - 1))
    bar = "─" * at + "●" + "─" * (_BAR_CELLS - 1 - at)
    speed = f"{progress.matches_per_second:,.1f} matches/s"
    return Group(
        Text.assemble((bot_name(progress.a), "bold"), " against ", (bot_name(progress.b), "bold")),
        Text.assemble(
            "not better ",
            (f"{progress.lower:.2f} ", "dim"),
            (bar, "cyan"),
            (f" {progress.upper:.2f}", "dim"),
            " better",
        ),
        Text(f"LLR {progress.llr:.2f}, {_difference(progress)}"),
        Text(", ".join([_size(progress), speed, *nodes_line(progress.nodes)]), "dim"),
        *(Text(remark, "yellow") for remark in progress.remarks),
    )


def _size(progress: pb.ComparisonProgress) -> str:
    matches = f", {quantity(progress.matches, 'match', 'matches')}" if progress.matches or not progress.deals else ""
    return f"{quantity(progress.deals, 'deal')}{matches}"


def pair_page(answer: pb.ShowPairResponse) -> Iterator[RenderableType]:
    """Yield the results of two bots, the outcome of the test, and the deals with the largest differences."""
    a, b, score = bot_name(answer.test.a), bot_name(answer.test.b), answer.all
    if not score.deals:
        yield f"{a} and {b} have not played the same deal in {answer.test.league} yet."
        return
    least, most = (f"{end:+.2f}" for end in (score.lead_least, score.lead_most))
    known = f" (95 %: {least} .. {most})" if score.HasField("lead_least") else ""
    yield Text.assemble((a, "bold"), " against ", (b, "bold"), f" in {answer.test.league}")
    yield Text(
        f"{quantity(score.deals, 'deal')}: ahead in {percent(score.score)} of {quantity(score.pairs, 'pair')}, "
        f"Elo {elo_text(score)}, ${score.lead:+.2f}{known}"
    )
    yield Text(f"\nSequential test over these deals:\n{verdict_line(answer.test)}")
    for name, deals in ((a, answer.ahead), (b, answer.behind)):
        if deals:
            yield Text(f"\nDeals in which {name} was ahead by most dollars:")
            yield deals_table(deals)


deals_table: TableOf[pb.PairDeal] = table_of(
    TableColumn("deal", lambda d: str(d.deal), right=True),
    TableColumn("lead $", lambda d: f"{d.lead:+.2f}", right=True),
    TableColumn("ahead in", lambda d: percent(d.score), right=True),
    TableColumn("dollars by match", lambda d: "  ".join(map(_match, d.matches)), lesser=1),
)
"""Table of the deals in which two bots scored differently."""


def _match(match: pb.PairMatch) -> str:
    dollars = (f"{getattr(match, bot):g}" if match.HasField(bot) else "-" for bot in ("a", "b"))
    return f"{match.match.rpartition('/')[2]} {':'.join(dollars)}"
