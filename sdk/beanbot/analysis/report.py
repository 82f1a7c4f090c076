"""Report on a bot from many matches: comparison with opponents, losses, and the most important things to fix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from beanbot.analysis.course import Expected, expected
from beanbot.analysis.harvests import EarlyHarvest, Harvests
from beanbot.analysis.market import won
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.analysis.yardstick import otherwise
from beanbot.bohnanza import BohnanzaBot
from beanleague.games import Record
from beanleague.games.bohnanza import Answered, Offered, Traded
from beanleague.games.core.floats import float_sum
from beanleague.games.records.trade_flow import trade_flows

EXAMPLES = 3
"""Maximum number of examples per kind of decision, harvest or deal: the most costly ones, from different matches if
possible."""
ERRORS = 2
"""Minimum gain from waiting in standard errors; high, since some forty kinds and sizes are compared."""
SIZES = (("1 or 2 cards", 1, 2), ("3 or 4 cards", 3, 4), ("5 or 6 cards", 5, 6), ("7 cards or more", 7, 99))
"""Sizes of harvested fields: label, minimum and maximum number of cards."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat of the reported bot in a match."""

    match: str
    """Name of the match."""
    record: Record
    seat: int


@dataclass(frozen=True, slots=True)
class Figure:
    """Mean of a figure over matches."""

    name: str
    own: Expected
    others: Expected
    """Mean of all other seats in the same matches."""
    against: Expected | None
    """Mean of the comparison bot, in its own matches; None if there is none."""


@dataclass(frozen=True, slots=True)
class Example:
    """A decision shown as an example."""

    match: str
    decision: MistakenMove


@dataclass(frozen=True, slots=True)
class Loss:
    """Decisions of one kind, and their cost."""

    kind: str
    decisions: int
    matches: int
    """Number of matches with at least one such decision."""
    a_match: Expected
    """Loss in the probability of winning, per match."""
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class HarvestExample:
    """A harvest shown as an example."""

    match: str
    harvest: EarlyHarvest


_Shown = TypeVar("_Shown", bound=Example | HarvestExample)


@dataclass(frozen=True, slots=True)
class EarlyHarvests:
    """Harvests of fields of one kind and size, one or two cards short of the next dollar."""

    kind: str
    cards: int
    short: int
    harvests: int
    matches: int
    """Number of matches with at least one such harvest."""
    came: float
    """Mean number of cards that waiting would have brought."""
    a_match: Expected
    """Dollars gained by waiting, per match."""
    examples: tuple[HarvestExample, ...]


@dataclass(frozen=True, slots=True)
class WorstDeal:
    """A match in which others earned more with the same seat of the same deal."""

    match: str
    seat: int
    dollars: int
    others: float
    """Mean earnings of the other seats."""


@dataclass(frozen=True, slots=True)
class MatchesReport:
    """Report on one bot."""

    bot: str
    yardstick: str
    """Name of the bot whose decisions serve as yardstick."""
    against: str
    """Name of the comparison bot; "" if there is none."""
    matches: int
    """Number of matches, counted once for each seat of the bot."""
    against_matches: int
    """Number of matches of the comparison bot, counted once for each seat that it holds."""
    figures: tuple[Figure, ...]
    seats: tuple[tuple[int, Expected], ...]
    """By seat: dollars above the mean of the table."""
    opponents: tuple[tuple[str, Expected], ...]
    """By opponent, best result first: dollars ahead of the opponent."""
    otherwise: tuple[Loss, ...]
    """Decisions that differ from the yardstick's, most costly first."""
    mistakes: tuple[Loss, ...]
    """Significant mistakes, most costly first."""
    early: tuple[EarlyHarvests, ...]
    """Gains from waiting with harvests, largest first."""
    worst: tuple[WorstDeal, ...]

    @property
    def worse(self) -> list[Loss]:
        """Decisions that are worse than the yardstick's by more than the error, as the first things to fix."""
        return [loss for loss in self.otherwise if loss.a_match.mean > loss.a_match.error]

    @property
    def too_early(self) -> list[EarlyHarvests]:
        """Kinds of harvests that are too early: waiting gains more than `ERRORS` standard errors."""
        return [each for each in self.early if each.a_match.mean > ERRORS * each.a_match.error][:EXAMPLES]


def seated(matches: Iterable[tuple[str, Record]], bot: str) -> list[Seated]:
    """Return the seats of `bot`, "name" or "name@version", in matches given as (name, record)."""
    return [
        Seated(name, record, seat)
        for name, record in matches
        for seat, player in enumerate(record.players)
        if bot in {player, player.partition("@")[0]}
    ]


def report(
    bot: str,
    played: Sequence[Seated],
    yardstick: type[BohnanzaBot],
    progress: Callable[[], object] = lambda: None,
    *,
    against: str = "",
    beside: Sequence[Seated] = (),
) -> MatchesReport:
    """Return the report of a bot from at least one match. Each match takes seconds of CPU.

    Args:
        bot: Name of the bot.
        played: Its seats, at least one.
        yardstick: Bot class that its decisions are compared with.
        progress: Called after each match.
        against: Name of a bot whose figures are compared.
        beside: Seats of that bot, in its own matches.

    Raises:
        AnalysisError: see `beanbot.analysis.course.course`.
    """
    harvests = {one.match: Harvests(one.record) for one in (*played, *beside)}
    counted = {one.match: dict(figures(one.record, harvests[one.match])) for one in (*played, *beside)}
    seats: dict[int, list[float]] = defaultdict(list)
    opponents: dict[str, list[float]] = defaultdict(list)
    rivals: list[Seated] = []
    for one in played:
        record, seat = one.record, one.seat
        seats[seat].append(record.scores[seat] - fmean(record.scores))
        for other, player in enumerate(record.players):
            if other != seat:
                rivals.append(Seated(one.match, record, other))
                opponents[player.partition("@")[0]].append(record.scores[seat] - record.scores[other])
    own, others, better = (_of_seats(counted, each) for each in (played, rivals, beside))
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
        against,
        len(played),
        len(beside),
        tuple(
            [
                Figure(name, expected(values), expected(others[name]), expected(better[name]) if better else None)
                for name, values in own.items()
                if name in better or not better
            ]
        ),
        tuple([(seat, expected(values)) for seat, values in sorted(seats.items())]),
        tuple(sorted(ahead, key=lambda each: each[1].mean)),
        _losses(others_decided),
        _losses(found),
        early_harvests(harvests, played),
        _worst(played),
    )


def _of_seats(counted: Mapping[str, Mapping[str, Sequence[float]]], seats: Iterable[Seated]) -> dict[str, list[float]]:
    """Return the figures of the given seats by name, from the figures of their matches."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in seats:
        for name, values in counted[one.match].items():
            found[name].append(values[one.seat])
    return found


def figures(record: Record, harvests: Harvests) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield the name of each figure of a match, and its value for each seat."""
    yield "won, %", [100 * part for part in won(record.places)]
    yield "place", record.places
    yield "dollars", record.scores
    yield from _harvest_figures(record.seats, harvests)
    yield from _trade_figures(record)
    if record.ms:
        times = list(zip(record.moves, record.ms, strict=True))
        seats = range(record.seats)
        yield "seconds of thinking", [float_sum(ms for made, ms in times if made.seat == seat) / 1000 for seat in seats]


def _harvest_figures(seats: int, harvests: Harvests) -> Iterator[tuple[str, Sequence[float]]]:
    crops = [[crop for crop in harvests.crops if crop.seat == seat] for seat in range(seats)]
    for source in ("hand", "turned over", "trade"):
        shares = [
            [crop.dollars * sum(card.source == source for card in crop.cards) / len(crop.cards) for crop in own]
            for own in crops
        ]
        yield f"dollars by cards: {source}", [float_sum(own) for own in shares]
    at_end = [[crop.dollars for crop in own if crop.move is None] for own in crops]
    yield "dollars of fields left at the end", [sum(own) for own in at_end]
    yield "harvests", [len(own) for own in crops]
    for size, least, most in SIZES:
        yield f"harvests of {size}", [sum(least <= len(crop.cards) <= most for crop in own) for own in crops]
    yield "dollars a harvest", [fmean([crop.dollars for crop in own] or [0]) for own in crops]
    short = [[harvests.dollars(crop.kind, len(crop.cards) + 1) > crop.dollars for crop in own] for own in crops]
    yield "harvests one card short of more, %", [100 * fmean(own or [0]) for own in short]
    yield "cards that forced a harvest", [sum(harvests.forced_by(crop) is not None for crop in own) for own in crops]
    nothing = [[len(crop.cards) for crop in own if not crop.dollars] for own in crops]
    yield "cards planted that earned nothing", [sum(own) for own in nothing]


def _trade_figures(record: Record) -> Iterator[tuple[str, Sequence[float]]]:
    seats = range(record.seats)
    offered, taken = [0] * record.seats, [0] * record.seats
    asked, agreed, picked = ([0] * record.seats for _ in range(3))
    for event in record.events:
        if type(event) is Offered:
            offered[event.seat] += 1
        elif type(event) is Answered:
            asked[event.seat] += 1
            agreed[event.seat] += event.answer != "decline"
        elif type(event) is Traded:
            taken[event.seat] += 1
            picked[event.partner] += 1
    yield "offers and calls", offered
    yield "offers and calls that led to a trade, %", _percent(taken, offered)
    yield "offers answered, %", _percent(agreed, asked)
    yield "answers that led to a trade, %", _percent(picked, agreed)
    flows = trade_flows(record.seats, record.events)
    given = [[flow for flow in flows if flow.giver == seat] for seat in seats]
    received = [[flow for flow in flows if flow.receiver == seat] for seat in seats]
    yield "trades", [float_sum(flow.trades for flow in own) for own in given]
    yield "cards given", [float_sum(flow.cards for flow in own) for own in given]
    yield "cards received", [float_sum(flow.cards for flow in own) for own in received]
    yield "dollars that others gained by them", [sum(flow.cents for flow in own) / 100 for own in given]
    yield "dollars gained by those received", [sum(flow.cents for flow in own) / 100 for own in received]


def _percent(parts: Sequence[int], wholes: Sequence[int]) -> list[float]:
    return [100 * part / whole if whole else 0.0 for part, whole in zip(parts, wholes, strict=True)]


def early_harvests(harvests: Mapping[str, Harvests], played: Sequence[Seated]) -> tuple[EarlyHarvests, ...]:
    """Return the harvests one or two cards short, by kind and size, largest gain from waiting first.

    `harvests`: the harvests of each match, by its name.
    """
    found: dict[tuple[str, int], dict[int, list[EarlyHarvest]]] = defaultdict(lambda: defaultdict(list))
    for number, one in enumerate(played):
        for harvest in harvests[one.match].early(one.seat):
            found[harvest.kind, harvest.cards][number].append(harvest)
    early = []
    for (kind, cards), made in found.items():
        examples = [HarvestExample(played[number].match, each) for number, own in made.items() for each in own]
        examples.sort(key=lambda example: -example.harvest.gained)
        gained = expected([float_sum(each.gained for each in made.get(number, ())) for number in range(len(played))])
        came = fmean([example.harvest.came for example in examples])
        short = examples[0].harvest.short
        shown = _of_different_matches(examples, lambda each: each.harvest.turn)
        early.append(EarlyHarvests(kind, cards, short, len(examples), len(made), came, gained, shown))
    return tuple(sorted(early, key=lambda each: (-each.a_match.mean, each.kind, each.cards)))


def _losses(found: Sequence[tuple[str, Sequence[MistakenMove]]]) -> tuple[Loss, ...]:
    """Group the decisions of all matches by kind."""
    losses = []
    for kind in {each.kind for _, made in found for each in made}:
        of = [[Example(name, each) for each in made if each.kind == kind] for name, made in found]
        all_of = sorted([each for made in of for each in made], key=lambda each: -each.decision.loss.mean)
        a_match = expected([float_sum(each.decision.loss.mean for each in made) for made in of])
        examples = _of_different_matches(all_of, lambda each: each.decision.turn)
        losses.append(Loss(kind, len(all_of), sum(map(bool, of)), a_match, examples))
    return tuple(sorted(losses, key=lambda loss: (-loss.a_match.mean, loss.kind)))


def _of_different_matches(examples: Iterable[_Shown], turn: Callable[[_Shown], int]) -> tuple[_Shown, ...]:
    """Return up to `EXAMPLES` examples: the first of each match, then, if too few, the first of other turns."""
    by_match: dict[str, _Shown] = {}
    by_turn: dict[tuple[str, int], _Shown] = {}
    for each in examples:
        first = by_match.setdefault(each.match, each)
        if turn(each) != turn(first):
            by_turn.setdefault((each.match, turn(each)), each)
    return tuple([*by_match.values(), *by_turn.values()][:EXAMPLES])


def _worst(played: Sequence[Seated]) -> tuple[WorstDeal, ...]:
    """Return the matches in which the bot earned least compared with others in its seat in other rotations."""
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
