"""What terminal and pages show of answers alike: columns of standings, notes on results, mistakes in trial matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

from beanleague.games import GameError, new_game
from beanleague.games.families import words_of
from beanproto.v1.league_pb2 import BotReport, MatchInfo, PastRating, Standing, TrialFault


class Kind(Enum):
    """What a value is, by which each medium knows how to write it."""

    OTHER = auto()
    """No figure, or one that is written in a way of its own."""
    NUMBER = auto()
    DOLLARS = auto()
    SHARE = auto()
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class StandingColumn:
    """A column of the standings: a field of `Standing`, which is also its key in JSON and its heading in CSV."""

    name: str
    """Name of the field."""
    kind: Kind = Kind.OTHER
    """What it holds."""
    title: str = ""
    """Its heading in a terminal."""
    heading: str = ""
    """Its heading on pages."""
    hint: str = ""
    """What the heading of pages means, if that is not plain."""


STANDING = {
    column.name: column
    for column in (
        StandingColumn("rank", Kind.NUMBER, "rank", "#"),
        StandingColumn("bot", Kind.OTHER, "bot", "Bot"),
        StandingColumn("version"),
        StandingColumn("rating", Kind.OTHER, "rating", "Rating"),
        StandingColumn("interval", Kind.OTHER, heading="95 % interval"),
        StandingColumn("best_rank", Kind.OTHER, "ranks"),
        StandingColumn("worst_rank"),
        StandingColumn("provisional"),
        StandingColumn("deals", Kind.NUMBER, "deals", "Deals"),
        StandingColumn("matches"),
        StandingColumn("mean_score", Kind.DOLLARS, "mean $", "$", "mean dollars a match"),
        StandingColumn("wins", Kind.NUMBER, "wins"),
        StandingColumn("win_share", Kind.SHARE, "win %", "Wins"),
        StandingColumn("faults"),
        StandingColumn("fault_share", Kind.SHARE, "faults", "Faults", "share of its matches in which it made a fault"),
        StandingColumn("forfeits", Kind.NUMBER, heading="Forfeits"),
        StandingColumn("least"),
        StandingColumn("most"),
        StandingColumn("anchor"),
        StandingColumn("suspended"),
        StandingColumn("owner", Kind.OTHER, "author"),
    )
}
"""All columns by name, in the order of CSV."""

PROVISIONAL = (
    "not reliable yet: fewer than 30 deals, or the distance to the next bots is not known to 50 Elo; more deals help"
)
"""What "?" after a rating means, and what cures it."""

_SEED = bytes(16)  # of a game that nobody plays, set up for its words


def tie_note(matches: Iterable[MatchInfo]) -> str:
    """Return why players with equal money have different places; "" if no two have in these matches."""
    ties = {
        tie: None
        for match in matches
        if len({seat.score for seat in match.seats}) < len({(seat.score, seat.place) for seat in match.seats})
        for tie in (_tie(match.ruleset, len(match.seats)),)
        if tie
    }
    return f"Of equal money, {' or '.join(ties)} comes first; who forfeited comes last." if ties else ""


@cache
def _tie(ruleset: str, seats: int) -> str:
    try:
        return words_of(new_game(ruleset, seats=seats, seed=_SEED).view(0, news=False).rules).tie
    except GameError:  # the service may know more games than this program
        return ""


def rating_ends(rated: Standing | PastRating) -> tuple[float | None, float | None]:
    """Return the ends of what a rating may be with 95 % confidence; None where it has none."""
    if rated.HasField("interval"):
        return rated.rating - rated.interval, rated.rating + rated.interval
    return rated.least if rated.HasField("least") else None, rated.most if rated.HasField("most") else None


_WARNING = "warning: "  # begins a line of a log that is advice of the bots' library to the author


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a bot in its trial matches."""

    where: str
    """The match and the move in which it was made first."""
    decision: str
    """What the bot was asked, e.g. "TRADE"; "" if that is not known."""
    reason: str
    """What was wrong."""
    count: int
    """How often it was made, in all trial matches."""


def warnings(report: BotReport) -> tuple[str, ...]:
    """Return what the bots' library warned of, each sentence once."""
    lines = (line for trial in report.trials for line in trial.log.splitlines())
    return tuple(dict.fromkeys(line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)))


def mistakes(report: BotReport) -> tuple[Mistake, ...]:
    """Return the mistakes that are not alike, in the order in which they were made first."""
    made: dict[tuple[str, str], list[tuple[str, TrialFault]]] = {}
    for trial in report.trials:
        for mistake in trial.distinct:
            where = f"{trial.ruleset}, {trial.seats} seats, move {mistake.fault.move}"
            made.setdefault((mistake.decision, mistake.fault.reason), []).append((where, mistake))
    return tuple(
        Mistake(found[0][0], decision, reason, sum(mistake.count for _, mistake in found))
        for (decision, reason), found in made.items()
    )
