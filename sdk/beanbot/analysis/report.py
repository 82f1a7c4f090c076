"""What many matches say of a bot: its figures beside those of others, where it loses, and what to look at first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from beanbot.analysis.course import Expected, expected
from beanbot.analysis.figures import figures
from beanbot.analysis.harvests import EarlyHarvest, Harvests
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.analysis.yardstick import otherwise
from beanbot.bohnanza import BohnanzaBot
from beanleague.games import Record

EXAMPLES = 3
"""Decisions, harvests or deals that are shown of a kind: those that lost most."""
ERRORS = 2
"""What waiting gained is more than so many of its standard errors: some forty kinds and sizes are looked at."""


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
    against: Expected | None
    """Of the bot that stands beside it, in matches of its own; None if none does."""


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
class HarvestExample:
    """A harvest to look at."""

    match: str
    harvest: EarlyHarvest


@dataclass(frozen=True, slots=True)
class EarlyHarvests:
    """Harvests of fields of one kind and size, a card or two short of their next dollar."""

    kind: str
    cards: int
    short: int
    harvests: int
    matches: int
    """Those in which there was one."""
    came: float
    """Cards that would have come by waiting, on average."""
    a_match: Expected
    """Dollars that waiting would have gained."""
    examples: tuple[HarvestExample, ...]


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
    """Who was asked for the bot's decisions."""
    against: str
    """The bot whose figures stand beside its own; "" if none does."""
    matches: int
    """A seat of the bot in a match counts as one."""
    against_matches: int
    """Likewise, of the bot beside it."""
    figures: tuple[Figure, ...]
    seats: tuple[tuple[int, Expected], ...]
    """By seat: dollars above the mean of the table."""
    opponents: tuple[tuple[str, Expected], ...]
    """By opponent, the best first: dollars ahead of it."""
    otherwise: tuple[Loss, ...]
    """What it decided otherwise than the yardstick; that which lost most first."""
    mistakes: tuple[Loss, ...]
    """Mistakes that stand out; those that lost most first."""
    early: tuple[EarlyHarvests, ...]
    """What waiting with harvests would have brought; the most first."""
    worst: tuple[WorstDeal, ...]

    @property
    def to_do(self) -> list[Loss]:
        """What to look at first: what it decides worse than the yardstick, by more than its error."""
        return [loss for loss in self.otherwise if loss.a_match.mean > loss.a_match.error]

    @property
    def too_early(self) -> list[EarlyHarvests]:
        """What it harvests too early, by more than the error of what waiting gained."""
        return [each for each in self.early if each.a_match.mean > ERRORS * each.a_match.error][:EXAMPLES]


def seated(matches: Iterable[tuple[str, Record]], bot: str) -> list[Seated]:
    """Return the seats of `bot`, "name" or "name@version", in matches that are given with their names."""
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
    """Return the report of a bot from at least one match. A match takes seconds of CPU; then `progress` is called.

    Args:
        bot: Its name.
        played: Its seats, at least one.
        yardstick: The bot that is asked for its decisions.
        progress: Called after each match.
        against: The name of the bot whose figures stand beside its own.
        beside: The seats of that bot, in matches of its own.

    Raises:
        AnalysisError: as `beanbot.analysis.course.course`.
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
    own, others, better = (_figures(counted, each) for each in (played, rivals, beside))
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


def _figures(counted: Mapping[str, Mapping[str, Sequence[float]]], seats: Iterable[Seated]) -> dict[str, list[float]]:
    """Return the figures of seats by name, from those of matches."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in seats:
        for name, values in counted[one.match].items():
            found[name].append(values[one.seat])
    return found


def early_harvests(harvests: Mapping[str, Harvests], played: Sequence[Seated]) -> tuple[EarlyHarvests, ...]:
    """Return the harvests of seats that were a card or two short, by kind and size; where waiting gained most first.

    `harvests`: those of each match, by its name.
    """
    found: dict[tuple[str, int], dict[int, list[EarlyHarvest]]] = defaultdict(lambda: defaultdict(list))
    for number, one in enumerate(played):
        for harvest in harvests[one.match].early(one.seat):
            found[harvest.kind, harvest.cards][number].append(harvest)
    early = []
    for (kind, cards), made in found.items():
        examples = [HarvestExample(played[number].match, each) for number, own in made.items() for each in own]
        examples.sort(key=lambda example: -example.harvest.gained)
        gained = expected([sum(each.gained for each in made.get(number, ())) for number in range(len(played))])
        came = fmean([example.harvest.came for example in examples])
        short = examples[0].harvest.short
        early.append(EarlyHarvests(kind, cards, short, len(examples), len(made), came, gained, (*examples[:EXAMPLES],)))
    return tuple(sorted(early, key=lambda each: (-each.a_match.mean, each.kind, each.cards)))


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
