"""The results of practice: a row for each bot, and a comparison of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import fsum, inf, log, log10, sqrt
from statistics import fmean, stdev

from beanbot.practice.match import PracticeMatch, Slowest
from beanleague.games import Outcome
from beanleague.games.families import points_per_dollar

Deal = tuple[PracticeMatch, ...]
"""The matches of one deal: one per rotation of the table; in solo games one per bot."""

_HEADINGS = ("bot", "mean $", "wins", "mean place", "faults", "forfeits", "mean ms", "99 % ms")
_ELO_A_LOGIT = 400 / log(10)  # type: ignore[same-floats]  # shown as whole numbers
_LEAST_DEALS = 2  # minimum deals for an interval, without which no difference is reported
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """Results of one bot over all its seats in all matches."""

    name: str
    """Name of the bot."""
    played: int
    """Number of seats taken; several seats in one match each count."""
    dollars: float
    """Mean dollars per seat."""
    win_share: float
    """First places per seat, 0 to 1; a tie of n seats counts 1 / n for each."""
    place: float
    """Mean place per seat; 1 is best."""
    faults: int
    """Total number of faults."""
    forfeits: int
    """Number of seats that forfeited."""
    decisions: int
    """Total number of decisions."""
    seconds: float
    """Total time spent deciding."""
    seconds_99: float
    """99th percentile of the time of a decision."""
    slowest: Slowest | None
    """Slowest decision of the bot; None without decisions."""

    @property
    def decisions_per_second(self) -> float:
        """Decisions per second of the bot's own time; 0 without measured time."""
        return self.decisions / self.seconds if self.seconds else 0.0

    @property
    def mean_seconds(self) -> float:
        """Mean time of a decision; 0 without decisions."""
        return self.seconds / self.decisions if self.decisions else 0.0


@dataclass(frozen=True, slots=True)
class Pairing:
    """Comparison of two bots that met in matches, or played the same deals in a solo game."""

    first: str
    """Name of the bot with more dollars."""
    second: str
    """The name of the other bot."""
    deals: int
    """Number of deals in which the two bots met."""
    score: float
    """Share of meetings in which `first` had the better place, 0 to 1; a tie counts half."""
    error: float
    """Standard error of `score`, with deals as independent samples; 0 with fewer than two deals."""

    @property
    def elo(self) -> float:
        """Difference in strength in Elo points, in favour of `first`.

        A score of 0 or 1 has no finite Elo; it counts as if half of one more deal had gone the other way.
        """
        edge = 0.5 / (self.deals + 1)
        score = min(max(self.score, edge), 1 - edge)
        return 400 * log10(score / (1 - score))  # type: ignore[same-floats]  # shown as a whole number

    @property
    def elo_error(self) -> float | None:
        """Half the width of the 95 % interval of `elo`; None if all deals agree, which gives no estimate."""
        if not self.error:
            return None
        return _NORMAL_95 * _ELO_A_LOGIT * self.error / (self.score * (1 - self.score))


@dataclass(frozen=True, slots=True)
class Paired:
    """Comparison of two bots that played the same deals from the same seats, against the same opponents.

    The two share most of the luck of the cards, so a difference shows after fewer deals than in direct meetings.
    """

    first: str
    """Name of the bot that was given first."""
    second: str
    """Name of the other bot."""
    deals: int
    """Number of deals that both bots played."""
    dollars: float
    """Dollars per match of `first`, minus those of `second`."""
    dollars_error: float
    """Half the width of the 95 % interval of `dollars`, with deals as independent samples; infinite for a single
    deal."""
    wins: float
    """Win share of `first`, minus that of `second`: -1 to 1."""
    wins_error: float
    """Half the width of the 95 % interval of `wins`."""
    places: Pairing
    """Comparison by place; a meeting is a pair of matches with each bot once in the same seat."""


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """The results of all practice matches."""

    game: str
    """The id of the ruleset."""
    seats: int
    """Seats at the table."""
    deals: int
    """Number of deals played."""
    matches: int
    """Number of matches played."""
    rows: tuple[PracticeRow, ...]
    """A row for each bot, most dollars first."""
    pairings: tuple[Pairing, ...]
    """A comparison for each pair of bots that met, in the order of `rows`."""
    paired: Paired | None = None
    """Comparison of the two paired bots; None if `play` was called without `paired`."""

    def row(self, name: str) -> PracticeRow:
        """Return the row of the bot `name`.

        Raises:
            KeyError: if the bot did not play.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)


def summarise(game: str, seats: int, deals: Sequence[Deal], *, paired: tuple[str, str] | None = None) -> PracticeResult:
    """Summarise `deals`, at least one. `paired`: names of the two paired bots."""
    matches = [match for deal in deals for match in deal]
    names = dict.fromkeys(entrant.name for match in matches for entrant in match.entrants)
    dollar = points_per_dollar(game)
    rows = sorted((_row(name, matches, dollar) for name in names), key=lambda row: -row.dollars)
    pairings = (_pairing(one.name, other.name, deals) for one, other in combinations(rows, 2))
    return PracticeResult(
        game,
        seats,
        len(deals),
        len(matches),
        tuple(rows),
        tuple(pairing for pairing in pairings if pairing),
        _comparison(*paired, deals, dollar) if paired else None,
    )


def _row(name: str, matches: Sequence[PracticeMatch], dollar: int) -> PracticeRow:
    seated = [(match, seat) for match in matches for seat, entrant in enumerate(match.entrants) if entrant.name == name]
    times = sorted(chain.from_iterable(match.times[seat] for match, seat in seated))
    slowest = [slow for match, seat in seated if (slow := match.slowest[seat])]
    return PracticeRow(
        name=name,
        played=len(seated),
        dollars=fmean(match.outcome.scores[seat] / dollar for match, seat in seated),
        win_share=fmean(_win_share(match.outcome.places, seat) for match, seat in seated),
        place=fmean(match.outcome.places[seat] for match, seat in seated),
        faults=sum(match.faults[seat] for match, seat in seated),
        forfeits=sum(match.forfeited[seat] for match, seat in seated),
        decisions=sum(match.decisions[seat] for match, seat in seated),
        seconds=fsum(times),
        seconds_99=times[-(-len(times) * 99 // 100) - 1] if times else 0.0,
        slowest=max(slowest, key=lambda slow: slow.seconds, default=None),
    )


def _comparison(first: str, second: str, deals: Sequence[Deal], dollar: int) -> Paired:
    dollars, wins, placed = list[float](), list[float](), list[float]()
    for deal in deals:
        both = [(seat, one.outcome, other.outcome) for seat, one, other in _in_turn(deal)]
        dollars.append(fmean((one.scores[seat] - other.scores[seat]) / dollar for seat, one, other in both))
        wins.append(fmean(_win_share(one.places, seat) - _win_share(other.places, seat) for seat, one, other in both))
        places = [(one.places[seat], other.places[seat]) for seat, one, other in both]
        placed.append(fmean((one < other) + 0.5 * (one == other) for one, other in places))
    better = _pairing_of(first, second, placed)
    return Paired(first, second, len(deals), fmean(dollars), _margin(dollars), fmean(wins), _margin(wins), better)


def _in_turn(deal: Deal) -> Iterator[tuple[int, PracticeMatch, PracticeMatch]]:
    """Yield each seat with the matches in which the first and the second of two paired bots had it.

    The second half of the matches is the second bot's: names do not tell, since both may also be among their opponents.
    """
    half = len(deal) // 2
    for seat, (one, other) in enumerate(zip(deal[:half], deal[half:], strict=True)):
        yield seat, one, other


def _margin(values: Sequence[float]) -> float:
    """Return half the width of the 95 % interval of the mean of `values`."""
    return _NORMAL_95 * stdev(values) / sqrt(len(values)) if len(values) > 1 else inf


def _win_share(places: tuple[int, ...], seat: int) -> float:
    return 1 / places.count(1) if places[seat] == 1 else 0.0


def _pairing(first: str, second: str, deals: Sequence[Deal]) -> Pairing | None:
    scores = [fmean(met) for deal in deals if (met := _meetings(first, second, deal))]
    return _pairing_of(first, second, scores) if scores else None


def _pairing_of(first: str, second: str, scores: Sequence[float]) -> Pairing:
    """Return the comparison for a list of scores."""
    error = stdev(scores) / sqrt(len(scores)) if len(scores) > 1 else 0.0
    return Pairing(first, second, len(scores), fmean(scores), error)


def _meetings(first: str, second: str, deal: Deal) -> list[float]:
    """Return a score for each pair of seats of the two bots: 1 if `first` placed better, 0.5 for a tie, else 0.

    In solo games their separate matches are compared: a win beats a loss, then the larger lead wins.
    """
    met = []
    if all(match.outcome.rival is not None for match in deal):
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
    """Return whether the bot won, and its lead over its rival, for comparisons."""
    return outcome.places[0] == 1, outcome.scores[0] - (outcome.rival or 0)


def as_json(result: PracticeResult) -> dict[str, object]:
    """Return the results with the keys of `beanleague practice --json` that apply here."""
    return {
        "ruleset": result.game,
        "seats": result.seats,
        "deals_done": result.deals,
        "matches_done": result.matches,
        "standings": [
            {
                "bot": row.name,
                "matches": row.played,
                "mean_score": row.dollars,
                "wins": row.win_share * row.played,
                "mean_place": row.place,
                "faults": row.faults,
                "forfeits": row.forfeits,
                "mean_ms": 1000 * row.mean_seconds,
            }
            for row in result.rows
        ],
    }


def as_text(result: PracticeResult) -> str:
    """Return the table of bots, and a line for each pair of them."""
    lines = [f"{result.game}, {result.seats} seats, {result.deals} deals, {result.matches} matches", ""]
    cells = [
        (
            row.name,
            f"{row.dollars:.2f}",
            f"{row.win_share:.1%}",
            f"{row.place:.2f}",
            str(row.faults),
            str(row.forfeits),
            _ms(row.mean_seconds),
            _ms(row.seconds_99),
        )
        for row in result.rows
    ]
    lines += _columns([_HEADINGS, *cells])
    if result.pairings:
        lines.append("")
    lines += [
        f"{pairing.first} is placed before {pairing.second} in {pairing.score:.1%} of their meetings: {_elo(pairing)}"
        for pairing in result.pairings
    ]
    if result.paired:
        lines += ["", _comparison_text(result.paired)]
    slow = [(row.name, row.slowest) for row in result.rows if row.slowest]
    lines += ["", *(f"slowest decision of {name}: {_ms(worst.seconds)} ms at {worst.where}" for name, worst in slow)]
    return "\n".join(lines)


def _comparison_text(pair: Paired) -> str:
    if pair.deals < _LEAST_DEALS:
        return (
            f"{pair.first} in place of {pair.second}, one deal: {pair.dollars:+.2f} dollars a match; play more deals "
            "to know how much of that is chance"
        )
    return (
        f"{pair.first} in place of {pair.second}, {pair.deals} deals: the better place in {pair.places.score:.1%} of "
        f"the pairs of matches, {_elo(pair.places)}; {pair.dollars:+.2f} ± {pair.dollars_error:.2f} dollars a match, "
        f"{100 * pair.wins:+.1f} ± {100 * pair.wins_error:.1f} % of wins"
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.2f}"


def _elo(pairing: Pairing) -> str:
    if pairing.deals < _LEAST_DEALS:
        return "one deal says nothing of Elo"
    if pairing.elo_error is not None:
        return f"{pairing.elo:+.0f} ± {pairing.elo_error:.0f} Elo"
    if pairing.score in {0, 1}:
        return f"{'over' if pairing.score else 'under'} {pairing.elo:+.0f} Elo"
    return f"{pairing.elo:+.0f} Elo, the same in every deal"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_align, row, widths, range(len(row)))) for row in rows]


def _align(cell: str, width: int, column: int) -> str:
    """Align names to the left and numbers to the right."""
    return cell.rjust(width) if column else cell.ljust(width)
