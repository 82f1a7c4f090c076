"""What practice shows: a row for each bot, and how any two of them compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, log10, sqrt
from statistics import fmean, stdev

from beanbot.practice.match import MatchResult
from beanleague.games import Outcome, ruleset
from beanleague.games.dice import SoloOutcome

Deal = tuple[MatchResult, ...]
"""The matches of one deal: one for each rotation of the table, or against the Bean Thief one for each bot."""

_ELO_A_LOGIT = 400 / log(10)
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class BotRow:
    """One bot over all its seats in all matches.

    `played`: seats it took; with several seats in a match, each counts. `dollars`, `place`: the mean a seat.
    `win_share`: first places, shared when tied, a seat. `faults`, `decisions`: in all. `seconds`: spent deciding.
    """

    name: str
    played: int
    dollars: float
    win_share: float
    place: float
    faults: int
    decisions: int
    seconds: float

    @property
    def decisions_per_second(self) -> float:
        """Decisions a second of its own time."""
        return self.decisions / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Pairing:
    """How two bots compare when they meet in a match, or play the same deal against the Bean Thief.

    `deals`: in which they met. `score`: the part of their meetings that `first` was placed better, ties half.
    `error`: the standard error of `score`, from deal to deal; 0 with fewer than two deals.
    """

    first: str
    second: str
    deals: int
    score: float
    error: float

    @property
    def elo(self) -> float:
        """By how much `first` is better, in Elo points; 0 or 1 counts as if half of one more deal went otherwise."""
        edge = 0.5 / (self.deals + 1)
        score = min(max(self.score, edge), 1 - edge)
        return 400 * log10(score / (1 - score))

    @property
    def elo_error(self) -> float | None:
        """Half the width of the 95 % interval around `elo`; None if the deals do not differ, so that none is known."""
        if not self.error:
            return None
        return _NORMAL_95 * _ELO_A_LOGIT * self.error / (self.score * (1 - self.score))


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """What came out. `rows`: the bots, most dollars first. `pairings`: every two bots that met, in that order too."""

    game: str
    seats: int
    deals: int
    matches: int
    rows: tuple[BotRow, ...]
    pairings: tuple[Pairing, ...]

    def row(self, name: str) -> BotRow:
        """Return the row of a bot; KeyError if it did not play."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)


def summarise(game: str, seats: int, deals: Sequence[Deal]) -> PracticeResult:
    """Return what `deals`, at least one, show."""
    matches = [match for deal in deals for match in deal]
    names = dict.fromkeys(entrant.name for match in matches for entrant in match.entrants)
    dollar = ruleset(game).dollar
    rows = sorted((_row(name, matches, dollar) for name in names), key=lambda row: -row.dollars)
    pairings = (_pairing(one.name, other.name, deals) for one, other in combinations(rows, 2))
    return PracticeResult(
        game, seats, len(deals), len(matches), tuple(rows), tuple(pairing for pairing in pairings if pairing)
    )


def _row(name: str, matches: Sequence[MatchResult], dollar: int) -> BotRow:
    seated = [(match, seat) for match in matches for seat, entrant in enumerate(match.entrants) if entrant.name == name]
    return BotRow(
        name=name,
        played=len(seated),
        dollars=fmean(match.outcome.scores[seat] / dollar for match, seat in seated),
        win_share=fmean(_win_share(match.outcome.places, seat) for match, seat in seated),
        place=fmean(match.outcome.places[seat] for match, seat in seated),
        faults=sum(match.faults[seat] for match, seat in seated),
        decisions=sum(match.decisions[seat] for match, seat in seated),
        seconds=sum(match.seconds[seat] for match, seat in seated),
    )


def _win_share(places: tuple[int, ...], seat: int) -> float:
    return 1 / places.count(1) if places[seat] == 1 else 0.0


def _pairing(first: str, second: str, deals: Sequence[Deal]) -> Pairing | None:
    scores = [fmean(met) for deal in deals if (met := _meetings(first, second, deal))]
    if not scores:
        return None
    error = stdev(scores) / sqrt(len(scores)) if len(scores) > 1 else 0.0
    return Pairing(first, second, len(scores), fmean(scores), error)


def _meetings(first: str, second: str, deal: Deal) -> list[float]:
    """Return for every two seats they took in the same match: 1 if `first` was placed better, 0.5 for a tie, else 0.

    Against the Bean Thief: for the matches of the two. A win is better than a loss, then a larger lead is.
    """
    met = []
    if all(isinstance(match.outcome, SoloOutcome) for match in deal):
        leads = {match.entrants[0].name: _lead(match.outcome) for match in deal}
        if first in leads and second in leads:
            met.append((leads[first] > leads[second]) + 0.5 * (leads[first] == leads[second]))
        return met
    for match in deal:
        names = [entrant.name for entrant in match.entrants]
        places = match.outcome.places
        for one, name in enumerate(names):
            if name == first:
                for other, rival in enumerate(names):
                    if rival == second:
                        met.append((places[one] < places[other]) + 0.5 * (places[one] == places[other]))
    return met


def _lead(outcome: Outcome) -> tuple[bool, int]:
    """Return whether the bot won, and its lead over the Thief."""
    thief = outcome.thief if isinstance(outcome, SoloOutcome) else 0
    return outcome.places[0] == 1, outcome.scores[0] - thief
