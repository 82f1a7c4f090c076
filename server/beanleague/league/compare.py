"""Comparison of two bots, in a league of its own that ends when the result is clear, or from the deals of any league.

A comparison is stored as a league with its own format.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from beanleague.games import RULES_VERSION, Ruleset
from beanleague.league.create import MAX_DEALS, asked_game, check_plays, league_limits
from beanleague.league.errors import RequestError
from beanleague.league.ratings.scores import By, ComparisonError, DealScore, deal_score
from beanleague.league.ratings.sprt import Comparison, SequentialTest, Verdict
from beanleague.league.schedule import seeds
from beanleague.league.standings import Standing
from beanleague.model import COMPARISON, BotVersion, Entrant, League, NewLeague, PairDeal, PlayedDeal, SeatResult
from beanleague.names import parse_bot
from beanleague.store import MissingError, Store

_FIRST_DEALS = 1000
"""Number of deals up to which the test is evaluated after every deal; beyond it, only when the number has grown by a
hundredth, since leagues are long."""

_SEATS = 4  # default number of seats; A A B B is as fair as a table can be


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """A request to test whether `a` is better than `b`. Bots are written as "name" or "name@version"."""

    a: str
    """The first bot."""
    b: str
    """The second bot."""
    ruleset: str
    """Id of the ruleset."""
    test: SequentialTest
    """Hypotheses and error risks of the test."""
    seats: int = 0
    """Number of seats at the table; 0 for 4, or the nearest number that the game allows."""
    fillers: tuple[str, ...] = ()
    """Other bots that take one seat each."""


def comparison_league(store: Store, request: ComparisonRequest) -> League:
    """Return the league of a comparison: an earlier one for an equal request, or a new one.

    Raises:
        RequestError: if the bots cannot be compared like this.
        NameFormatError: if a bot is not written as "name" or "name@version".
        MissingError: if a bot does not exist.
    """
    game = asked_game(request.ruleset)
    versions = [store.bots.version(*parse_bot(bot)) for bot in (request.a, request.b, *request.fillers)]
    seats = _seats(game, request)
    _check(game, versions, seats, len(request.fillers))
    test = asdict(request.test)
    name = comparison_name(game.id, [version.id for version in versions], seats, test, RULES_VERSION)
    with store.alone():
        try:
            there = store.leagues.get(name)
        except MissingError:
            pass
        else:
            store.leagues.add(there.id, (), MAX_DEALS)  # reopen the league: an older formula may have ended it
            return store.leagues.get(name)
        return store.leagues.create(
            NewLeague(
                name=name,
                ruleset=game.id,
                seats=seats,
                limits=league_limits({}),
                secret=seeds.new_secret(),
                deals=MAX_DEALS,
                versions=tuple(version.id for version in versions),
                format=COMPARISON,
                test=test,
            )
        )


def _seats(game: Ruleset, request: ComparisonRequest) -> int:
    if game.most_seats < 2:
        raise RequestError(f"{game.id} has one seat, so two bots cannot meet in it; let both play in a league instead")
    seats = request.seats or max(game.least_seats, min(_SEATS, game.most_seats))
    if not game.least_seats <= seats <= game.most_seats:
        raise RequestError(f"{game.id} is for {game.least_seats} to {game.most_seats} seats, not {seats}")
    return seats


def _check(game: Ruleset, versions: Sequence[BotVersion], seats: int, fillers: int) -> None:
    if seats - fillers < 2:
        raise RequestError(f"{fillers} fillers at {seats} seats leave no room for the two bots; name fewer")
    if len({version.id for version in versions}) < len(versions):
        raise RequestError("a bot is named twice; the two bots and the fillers must all be different versions")
    for version in versions:
        check_plays(version.label, version.manifest.games, game.id)


def comparison_name(game: str, versions: Sequence[int], seats: int, test: Mapping[str, object], rules: int) -> str:
    """Return the name of a comparison. Equal requests under the same rules get the same name, and thus continue it."""
    asked = json.dumps([rules, game, versions, seats, dict(test)], sort_keys=True)
    return f"compare-{hashlib.sha256(asked.encode()).hexdigest()[:12]}"


class LiveComparison:
    """Counter for the deals of a comparison, in order; see `run.source.DealCounter`."""

    def __init__(self, store: Store, league: League) -> None:
        self._store = store
        self._league = league
        self._ready: dict[int, DealScore] = {}
        self._next = 1
        self.comparison = Comparison(SequentialTest(**league.test))
        numbers = (number for deals in store.matches.compact(league.id) for number in deals.numbers)
        for number, matches in zip(numbers, store.matches.by_deal(league.id), strict=True):
            self._ready[number] = self._score(matches)
        self._count()

    def add(self, deal: PlayedDeal) -> None:
        """Count a committed deal as soon as all earlier deals have been committed."""
        self._ready[deal.number] = self._score([match.seats for match in deal.matches])
        self._count()

    def joined(self, entrants: Sequence[Entrant]) -> None:
        """Ignore changes of entrants: nobody joins a comparison."""

    @property
    def decided(self) -> bool:
        """Whether the test has reached a bound."""
        return self.comparison.verdict is not Verdict.OPEN

    def standings(self, *, now: bool = False) -> tuple[Standing, ...] | None:
        """Return None: comparisons have no standings; `comparison` has the result."""
        del now
        return None

    def close(self) -> None:
        """If the test is decided, end the league with the deals played so far."""
        if self.decided:
            done = self._store.leagues.get(self._league.name).deals_done
            self._store.leagues.add(self._league.id, (), done)

    def _score(self, matches: Sequence[Sequence[SeatResult]]) -> DealScore:
        seats = ([(seat.entrant, seat.place, seat.score) for seat in match] for match in matches)
        return deal_score(seats, 0, 1, self.comparison.test.by)

    def _count(self) -> None:
        while not self.decided and self._next in self._ready:
            self.comparison = self.comparison.with_deal(self._ready.pop(self._next))
            self._next += 1


def sequential_test(elo0: float, elo1: float, alpha: float, beta: float, *, by: str = By.PLACES) -> SequentialTest:
    """Return a test with these hypotheses (Elo) and risks of error. `by`: a value of `By`.

    Raises:
        RequestError: if a number is out of range.
    """
    try:
        return SequentialTest(elo0, elo1, alpha, beta, By(by))
    except ComparisonError as wrong:
        raise RequestError(str(wrong)) from None


@dataclass(frozen=True, slots=True)
class Pair:
    """Results of two bots against each other in a league."""

    deals: tuple[PairDeal, ...]
    """Deals in which both bots played, by number."""
    test: Comparison
    """The test over these deals, up to its verdict."""
    by_places: Comparison
    """Comparison by places over all deals, without a verdict."""
    by_dollars: Comparison
    """Comparison by dollars over all deals, without a verdict."""

    def ahead(self, limit: int, *, sign: int = 1) -> tuple[PairDeal, ...]:
        """Return up to `limit` deals with the largest leads of the first bot, or of the second if `sign` is -1."""
        found = [deal for deal in self.deals if sign * deal.lead > 0]
        return tuple(sorted(found, key=lambda deal: (-sign * deal.mean_lead, deal.deal))[:limit])


def pair(store: Store, league: League, a: int, b: int, test: SequentialTest) -> Pair:
    """Return the results of entrant `a` against entrant `b`.

    Raises:
        RequestError: if both are the same bot.
    """
    if a == b:
        raise RequestError("a bot cannot be compared with itself; name two bots, or two versions of one")
    deals = store.pairs.by_deal(league.id, a, b, solo=league.solo)
    scores = [_score(deal) for deal in deals]
    counts: dict[DealScore, int] = {}
    for score in scores:
        counts[score] = counts.get(score, 0) + 1
    return Pair(
        deals=deals,
        test=_test_result(test, scores, every_deal=league.traits.compares),
        by_places=Comparison(SequentialTest(by=By.PLACES), counts),
        by_dollars=Comparison(SequentialTest(by=By.DOLLARS), counts),
    )


def _score(deal: PairDeal) -> DealScore:
    return DealScore(deal.share, deal.mean_lead, deal.squares / deal.pairs)


def _test_result(test: SequentialTest, scores: Sequence[DealScore], *, every_deal: bool) -> Comparison:
    """Return the test result at the deal of its verdict, or after all deals.

    `every_deal`: whether to evaluate the test after each deal.
    """
    counts: dict[DealScore, int] = {}
    comparison = Comparison(test, counts)
    for number, score in enumerate(scores, 1):
        seen = DealScore(score.share) if test.by is By.PLACES else score
        counts[seen] = counts.get(seen, 0) + 1
        if every_deal or number <= _FIRST_DEALS or number % (number // 100) == 0 or number == len(scores):
            comparison = comparison.judged()
            if comparison.verdict is not Verdict.OPEN:
                break
    return comparison
