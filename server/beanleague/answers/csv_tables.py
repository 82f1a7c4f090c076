"""Answers as CSV, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from beanleague.names import format_bot
from beanproto.v1.league_pb2 import Deal, RatingsResponse, Standing

_CSV_FIELDS = (
    *("rank", "bot", "version", "rating", "interval", "best_rank", "worst_rank", "provisional", "deals", "matches"),
    *("mean_score", "wins", "win_share", "faults", "fault_share", "forfeits", "least", "most", "anchor", "suspended"),
)
_DEAL_FIELDS = ("deal", "table", "seed_digest", "seed", "voids", "published", "played", "node")


def standings_csv(standings: Sequence[Standing]) -> str:
    """Return the standings as CSV; unknown values are empty."""
    rows = []
    for standing in standings:
        win_share = standing.wins / standing.matches if standing.matches else ""
        computed = {"win_share": win_share}
        computed |= {name: "" for name in ("interval", "least", "most") if not standing.HasField(name)}
        rows.append([computed[name] if name in computed else getattr(standing, name) for name in _CSV_FIELDS])
    return _csv([_CSV_FIELDS, *rows])


def matrix_csv(rated: RatingsResponse) -> str:
    """Return both matrices as CSV, a line for each ordered pair of bots; unknown values are empty."""
    names = [format_bot(standing.bot, standing.version) for standing in rated.standings]
    rows: list[Sequence[object]] = [("bot", "opponent", "better", "pair_score")]
    for name, row in zip(names, rated.matrix, strict=True):
        for opponent, better, score in zip(names, row.better, row.pair_score, strict=True):
            if name != opponent:
                rows.append((name, opponent, better if better >= 0 else "", score if score >= 0 else ""))
    return _csv(rows)


def deals_csv(deals: Iterable[Deal]) -> str:
    """Return deals as CSV. The table is by seat in rotation 0; seed and node are empty until a deal is played."""
    rows: list[Sequence[object]] = [_DEAL_FIELDS]
    for deal in deals:
        table = " ".join(format_bot(entrant.bot, entrant.version) for entrant in deal.table)
        times = (getattr(deal, name).ToJsonString() if deal.HasField(name) else "" for name in ("published", "played"))
        rows.append((deal.number, table, deal.seed_digest.hex(), deal.seed.hex(), deal.voids, *times, deal.node.name))
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
