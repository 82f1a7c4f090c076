"""Two bots of a league against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from beanleague.cli.views.comparison import elo_text, verdict_line
from beanleague.cli.views.tables import FittedTable, TableColumn
from beanleague.cli.views.text import bot_name, counted, percent
from beanproto.v1.league_pb2 import PairDeal, PairMatch, ShowPairResponse


def pair_page(answer: ShowPairResponse) -> Iterator[RenderableType]:
    """Yield how the two did, what the test says, and the deals in which they differ most."""
    a, b, score = bot_name(answer.test.a), bot_name(answer.test.b), answer.all
    if not score.deals:
        yield f"{a} and {b} have not played the same deal in {answer.test.league} yet."
        return
    least, most = (f"{end:+.2f}" for end in (score.lead_least, score.lead_most))
    known = f" (95 %: {least} .. {most})" if score.HasField("lead_least") else ""
    yield Text.assemble((a, "bold"), " against ", (b, "bold"), f" in {answer.test.league}")
    yield Text(
        f"{counted(score.deals, 'deal')}: ahead in {percent(score.score)} of {counted(score.pairs, 'pair')}, "
        f"Elo {elo_text(score)}, ${score.lead:+.2f}{known}"
    )
    yield Text(f"\nSequential test over these deals:\n{verdict_line(answer.test)}")
    for name, deals in ((a, answer.ahead), (b, answer.behind)):
        if deals:
            yield Text(f"\nDeals in which {name} was ahead by most dollars:")
            yield deals_table(deals)


def deals_table(deals: Sequence[PairDeal]) -> FittedTable[PairDeal]:
    """Return a table of deals in which two bots differed."""
    return FittedTable(
        [
            TableColumn("deal", lambda d: str(d.deal), right=True),
            TableColumn("lead $", lambda d: f"{d.lead:+.2f}", right=True),
            TableColumn("ahead in", lambda d: percent(d.score), right=True),
            TableColumn("dollars by match", lambda d: "  ".join(map(_match, d.matches)), lesser=1),
        ],
        deals,
    )


def _match(match: PairMatch) -> str:
    dollars = (f"{getattr(match, bot):g}" if match.HasField(bot) else "-" for bot in ("a", "b"))
    return f"{match.match.rpartition('/')[2]} {':'.join(dollars)}"
