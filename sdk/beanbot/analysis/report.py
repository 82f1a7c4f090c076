"""What many matches say of a bot: its figures beside those of others, where it loses, and what to look at first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from beanbot.analysis.course import Expected, expected, game_of
from beanbot.analysis.market import won
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.analysis.yardstick import otherwise
from beanbot.bohnanza import BohnanzaBot
from beanleague.games import Record
from beanleague.games.bohnanza import Answered
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Harvested
from beanleague.games.records.trade_flow import trade_flows

EXAMPLES = 3
"""Decisions, or deals, that are shown of a kind: those that lost most."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat of the bot."""

    match: str
    """The name of the match."""
    record: Record
    seat: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a match, on average."""

    name: str
    own: Expected
    others: Expected
    """Of all other seats of these matches."""


@dataclass(frozen=True, slots=True)
class Example:
    """A decision to look at."""

    match: str
    decision: MistakenMove


@dataclass(frozen=True, slots=True)
class Loss:
    """Decisions of one kind, and what they lost."""

    kind: str
    decisions: int
    matches: int
    """Those in which there was one."""
    a_match: Expected
    """Of the chance to win."""
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class WorstDeal:
    """A match in which others made more of the same seat of the same deal."""

    match: str
    seat: int
    dollars: int
    others: float
    """What others made of it."""


@dataclass(frozen=True, slots=True)
class MatchesReport:
    """Of a bot."""

    bot: str
    yardstick: str
    matches: int
    """A seat of the bot in a match counts as one."""
    figures: tuple[Figure, ...]
    seats: tuple[tuple[int, Expected], ...]
    """By seat: dollars above the mean of the table."""
    opponents: tuple[tuple[str, Expected], ...]
    """By opponent, the best first: dollars ahead of it."""
    otherwise: tuple[Loss, ...]
    """What it decided otherwise than the yardstick; that which lost most first."""
    mistakes: tuple[Loss, ...]
    """Mistakes that stand out; those that lost most first."""
    worst: tuple[WorstDeal, ...]

    @property
    def to_do(self) -> list[Loss]:
        """What to look at first: what it decides worse than the yardstick, by more than its error."""
        return [loss for loss in self.otherwise if loss.a_match.mean > loss.a_match.error]


def seated(matches: Iterable[tuple[str, Record]], bot: str) -> list[Seated]:
    """Return the seats of `bot`, "name" or "name@version", in matches that are given with their names."""
    return [
        Seated(name, record, seat)
        for name, record in matches
        for seat, player in enumerate(record.players)
        if bot in {player, player.partition("@")[0]}
    ]


def report(
    bot: str, played: Sequence[Seated], yardstick: type[BohnanzaBot], progress: Callable[[], object] = lambda: None
) -> MatchesReport:
    """Return the report of a bot from at least one match. A match takes seconds of CPU; then `progress` is called.

    Raises:
        AnalysisError: as `beanbot.analysis.course.course`.
    """
    own: dict[str, list[float]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    seats: dict[int, list[float]] = defaultdict(list)
    opponents: dict[str, list[float]] = defaultdict(list)
    for record, seat in ((one.record, one.seat) for one in played):
        rivals = [other for other in range(record.seats) if other != seat]
        for name, values in _figures(record):
            own[name].append(values[seat])
            others[name] += [values[other] for other in rivals]
        seats[seat].append(record.scores[seat] - fmean(record.scores))
        for other in rivals:
            opponents[record.players[other].partition("@")[0]].append(record.scores[seat] - record.scores[other])
    others_decided: list[tuple[str, Sequence[MistakenMove]]] = []
    found: list[tuple[str, Sequence[MistakenMove]]] = []
    for one in played:
        others_decided.append((one.match, otherwise(one.record, one.seat, yardstick)))
        found.append((one.match, mistakes(one.record, one.seat)))
        progress()
    ahead = [(name, expected(values)) for name, values in opponents.items()]
    return MatchesReport(
        bot,
        yardstick.__name__.lower(),
        len(played),
        tuple([Figure(name, expected(values), expected(others[name])) for name, values in own.items()]),
        tuple([(seat, expected(values)) for seat, values in sorted(seats.items())]),
        tuple(sorted(ahead, key=lambda each: each[1].mean)),
        _losses(others_decided),
        _losses(found),
        _worst(played),
    )


def _figures(record: Record) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield figures of a match, each by seat."""
    game = game_of(record)
    assert isinstance(game, Bohnanza)
    kind, seats = game.rules.kind, range(record.seats)
    yield "won, %", [100 * part for part in won(record.places)]
    yield "place", record.places
    yield "dollars", record.scores
    harvests = [[event for event in record.events if type(event) is Harvested and event.seat == seat] for seat in seats]
    short = [[kind(each.kind).dollars(each.cards + 1) > each.dollars for each in own] for own in harvests]
    yield "harvests", [len(own) for own in harvests]
    yield "dollars a harvest", [fmean([each.dollars for each in own] or [0]) for own in harvests]
    yield "harvests one card short of more, %", [100 * fmean(own or [0]) for own in short]
    flows = trade_flows(record.seats, record.events)
    given = [[flow for flow in flows if flow.giver == seat] for seat in seats]
    received = [[flow for flow in flows if flow.receiver == seat] for seat in seats]
    yield "trades", [sum(flow.trades for flow in own) for own in given]
    yield "cards given", [sum(flow.cards for flow in own) for own in given]
    yield "cards received", [sum(flow.cards for flow in own) for own in received]
    yield "dollars that others gained by them", [sum(flow.cents for flow in own) / 100 for own in given]
    yield "dollars gained by those received", [sum(flow.cents for flow in own) / 100 for own in received]
    asked = [[event.answer for event in record.events if type(event) is Answered and event.seat == at] for at in seats]
    yield "offers answered, %", [100 * fmean([answer != "decline" for answer in own] or [0]) for own in asked]
    if record.ms:
        times = list(zip(record.moves, record.ms, strict=True))
        yield "seconds of thinking", [sum(ms for made, ms in times if made.seat == seat) / 1000 for seat in seats]


def _losses(found: Sequence[tuple[str, Sequence[MistakenMove]]]) -> tuple[Loss, ...]:
    """Return what was found in each match, by kind."""
    losses = []
    for kind in {each.kind for _, made in found for each in made}:
        of = [[Example(name, each) for each in made if each.kind == kind] for name, made in found]
        all_of = sorted([each for made in of for each in made], key=lambda each: -each.decision.loss.mean)
        a_match = expected([sum(each.decision.loss.mean for each in made) for made in of])
        losses.append(Loss(kind, len(all_of), sum(map(bool, of)), a_match, tuple(all_of[:EXAMPLES])))
    return tuple(sorted(losses, key=lambda loss: (-loss.a_match.mean, loss.kind)))


def _worst(played: Sequence[Seated]) -> tuple[WorstDeal, ...]:
    """Return the seats of which others made most more, in other rotations of the deal that are there."""
    deals: dict[bytes, list[Record]] = defaultdict(list)
    for one in played:
        deals[one.record.seed].append(one.record)
    found = []
    for one in played:
        own = one.record.players[one.seat]
        others = [each.scores[one.seat] for each in deals[one.record.seed] if each.players[one.seat] != own]
        if others:
            found.append(WorstDeal(one.match, one.seat, one.record.scores[one.seat], fmean(others)))
    return tuple(sorted(found, key=lambda deal: deal.dollars - deal.others)[:EXAMPLES])
