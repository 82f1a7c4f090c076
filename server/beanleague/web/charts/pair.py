"""Two bots against each other: how much better one is, and where a sequential test stands between its bounds."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.web.charts.scale import Scale
from beanproto.v1.league_pb2 import ComparisonProgress, PairScore

_MIN_ELO = 40.0
_MARGIN = 1.15


@dataclass(frozen=True, slots=True)
class EloBar:
    """A difference on a line from 0 to 100, whose middle is no difference."""

    at: float | None
    """Where it is; None if it is not known."""
    left: float
    """Where its interval begins."""
    right: float
    """Where its interval ends."""
    most: int
    """The difference at the end of the line, in Elo."""


@dataclass(frozen=True, slots=True)
class RatioBar:
    """The log likelihood ratio on a line from 0 to 100: the lower bound is at 10, the upper at 90."""

    at: float
    """Where the ratio is."""
    zero: float
    """Where 0 is."""


def elo_bar(score: PairScore) -> EloBar:
    """Return the bar of a pair: its interval reaches the end of the line where it has none."""
    known = [abs(getattr(score, name)) for name in ("elo", "elo_least", "elo_most") if score.HasField(name)]
    most = max([_MIN_ELO, *(value * _MARGIN for value in known)])
    scale = Scale(-most, most)
    return EloBar(
        at=scale.at(score.elo) if score.HasField("elo") else None,
        left=scale.at(score.elo_least) if score.HasField("elo_least") else 0.0,
        right=scale.at(score.elo_most) if score.HasField("elo_most") else 100.0,
        most=round(most),
    )


def ratio_bar(test: ComparisonProgress) -> RatioBar:
    """Return where a test stands."""
    reach = (test.upper - test.lower) / 8
    scale = Scale(test.lower - reach, test.upper + reach)
    return RatioBar(scale.at(test.llr), scale.at(0.0))
