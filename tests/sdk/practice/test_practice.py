"""Practice: matches in one process, with lists of actions as in a league."""

import math
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import pytest

import beanleague.games
from beanbot import Action, Bot, View, load_bot
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Call, Choice, Decision, Offer, Pass, Plant, Planted, Stop
from beanbot.duel import DuelBot
from beanbot.practice import PracticeError, deals, match as practice, play
from beanbot.practice.deals import tables
from beanbot.practice.match import PracticeMatch, PracticePlayer
from beanbot.practice.result import Pairing
from beanbot.two import BohnanzaTwoBot
from beanleague.games import Event, Game, Record, UnknownRulesetError, verify
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.league.bots.house_bots import house_bots
from tests.choices import first
from tests.sdk.helpers import LUCK, Dull


class Lucky(Dull):
    """Chooses by its own luck."""

    games = ("bohnanza",)
    news = False

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal()[:2])


def entrant(name: str) -> PracticePlayer:
    return PracticePlayer(name, Dull)


def test_a_deal_is_played_once_in_every_rotation_with_the_same_luck() -> None:
    (deal,) = islice(deals([Dull, Lucky, BohnanzaBot], seats=3), 1)
    seated = [[each.name for each in match.entrants] for match in deal]
    assert seated == [
        ["Dull", "Lucky", "BohnanzaBot"],
        ["BohnanzaBot", "Dull", "Lucky"],
        ["Lucky", "BohnanzaBot", "Dull"],
    ]
    (alike,) = islice(deals([Dull], seats=3), 1)
    assert len({match.outcome for match in alike}) == 1


def test_too_few_bots_are_seated_in_turn_and_of_too_many_every_choice() -> None:
    few = [entrant("a"), entrant("b")]
    (table,) = tables(few, 5)
    assert "".join(each.name for each in table) == "ababa"
    many = [entrant(name) for name in "abcd"]
    chosen = ["".join(each.name for each in table) for table in tables(many, 3)]
    assert chosen == ["abc", "abd", "acd", "bcd"]


def test_the_same_seed_gives_the_same_matches() -> None:
    def outcomes(seed: int) -> list[object]:
        return [match.outcome for deal in islice(deals([Lucky], seats=4, seed=seed), 2) for match in deal]

    assert outcomes(5) == outcomes(5)
    assert outcomes(5) != outcomes(6)


def test_whole_deals_are_played_and_every_seat_is_counted() -> None:
    result = play([Dull, Lucky], deals=3, seats=4)
    assert (result.deals, result.matches) == (3, 12)
    assert [row.played for row in result.rows] == [24, 24]
    assert math.isclose(sum(row.win_share * row.played for row in result.rows), 12)
    assert result.row("Dull").faults == 0
    assert result.row("Dull").decisions_per_second > 0
    with pytest.raises(KeyError):
        result.row("Nobody")


def test_bots_of_the_same_name_are_numbered_and_one_given_twice_is_one() -> None:
    other = type("Dull", (Dull,), {})
    result = play([Dull, other, Dull], deals=1)
    assert sorted((row.name, row.played) for row in result.rows) == [("Dull", 6), ("Dull #2", 3)]


def test_an_exception_a_wrong_answer_and_an_illegal_action_are_faults_and_reported() -> None:
    class Faulty(BohnanzaBot):
        def trade(self, view: BohnanzaView) -> Action:
            if view.turn == 1:
                raise ValueError("no idea")
            return Call((0, 1, 2)) if view.turn == 2 else None  # type: ignore[return-value]

    reports: list[tuple[str, str]] = []
    result = play([Faulty], deals=1, seats=3, report=lambda name, what: reports.append((name, what)))
    assert result.row("Faulty").faults == len(reports)
    first, second, third = (what for _, what in reports[:3])
    assert re.match(r"1\.0, move \d+ \(bohnanza, seat 0, turn 1, TRADE\):\nValueError: no idea \(test_", first)
    assert "ValueError: no idea" in first
    assert "turn 2, TRADE):\nCall(to=(0, 1, 2)) is illegal: " in second
    assert third.endswith("Faulty returned None, which is not an action; is a return missing?")


def test_a_bot_that_cannot_be_made_or_fails_at_the_end_is_reported() -> None:
    class Never(Dull):
        def __init__(self) -> None:
            raise OSError("no book")

    class Sore(Dull):
        def match_over(self, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
            raise ValueError("lost")

    reports: list[tuple[str, str]] = []
    result = play([Never, Sore, Dull], deals=1, report=lambda name, what: reports.append((name, what)))
    assert result.row("Never").faults == result.row("Never").decisions > 0
    assert any(name == "Never" and "before the match" in what and "no book" in what for name, what in reports)
    assert any(name == "Sore" and "after the match" in what and "lost" in what for name, what in reports)


def test_a_bot_without_news_is_given_the_view_that_the_game_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copying it without its news would take as long as making it."""
    made: list[BohnanzaView] = []
    given: list[BohnanzaView] = []
    new_view = Bohnanza.view

    def view(game: Bohnanza, seat: int, *, news: bool = True) -> BohnanzaView:
        made.append(new_view(game, seat, news=news))
        return made[-1]

    monkeypatch.setattr(Bohnanza, "view", view)

    class Newsless(BohnanzaBot):
        news = False

        def decide(self, view: BohnanzaView) -> Choice:
            given.append(view)
            return super().decide(view)

    play([Newsless], deals=1, seats=3)
    assert len(given) == len(made) > 100
    assert all(view is game_view for view, game_view in zip(given, made, strict=True))
    assert not any(view.news for view in given)


def test_news_and_interludes_are_as_in_a_league() -> None:
    class Curious(BohnanzaBot):
        interludes = True

        def decide(self, view: BohnanzaView) -> Choice:
            asked.add(view.decision.name)
            news.append(len(view.news))
            return super().decide(view)

    class Incurious(Curious):
        interludes = False
        news = False

    asked: set[str] = set()
    news: list[int] = []
    play([Curious], deals=1)
    assert "INTERLUDE" in asked
    assert sum(news)
    asked.clear()
    news.clear()
    play([Incurious], deals=1)
    assert asked
    assert "INTERLUDE" not in asked
    assert not sum(news)


def test_an_impossible_practice_is_refused() -> None:
    class Dice(Dull):
        games = ("dice",)

    with pytest.raises(PracticeError, match="3 to 5 seats, not 6"):
        play([Dull], seats=6)
    with pytest.raises(PracticeError, match="Dice does not play bohnanza; it plays dice"):
        play([Dull, Dice])
    with pytest.raises(PracticeError, match="at least one bot"):
        play([])
    with pytest.raises(PracticeError, match="deals must be at least 1"):
        play([Dull], deals=0)
    with pytest.raises(UnknownRulesetError, match="chess"):
        play([Dull], game="chess")


def test_elo_follows_from_the_score() -> None:
    pairing = Pairing("a", "b", deals=100, score=10 / 11, error=0.01)
    assert math.isclose(pairing.elo, 400)
    assert pairing.elo_error is not None
    slope = 400 / math.log(10) / (10 / 11 * 1 / 11)
    assert math.isclose(pairing.elo_error, 1.96 * 0.01 * slope)
    assert Pairing("a", "b", 100, 0.5, 0.01).elo == 0


def test_a_clean_sweep_has_a_finite_elo_and_no_interval() -> None:
    sweep = Pairing("a", "b", deals=100, score=1.0, error=0.0)
    assert 900 < sweep.elo < 1000
    assert sweep.elo_error is None
    assert math.isclose(Pairing("a", "b", 100, 0.0, 0.0).elo, -sweep.elo)


def test_the_error_of_a_score_is_that_of_deals_not_of_matches() -> None:
    played = list(islice(deals([Dull, Lucky], seats=4), 12))
    result = play([Dull, Lucky], deals=12, seats=4)
    (pairing,) = result.pairings
    scores = []
    for deal in played:
        met = [
            float(match.outcome.places[i] < match.outcome.places[j])
            for match in deal
            for i in range(4)
            for j in range(4)
            if (match.entrants[i].name, match.entrants[j].name) == (pairing.first, pairing.second)
        ]
        scores.append(sum(met) / len(met))
    mean = sum(scores) / 12
    variance = sum((score - mean) ** 2 for score in scores) / 11
    assert math.isclose(pairing.score, mean)
    assert math.isclose(pairing.error, math.sqrt(variance / 12))


def test_a_forfeiting_bot_is_last_is_not_asked_again_and_the_record_verifies() -> None:
    asked: list[int] = []

    class Failing(Dull):
        def decide(self, view: View) -> Action:
            asked.append(view.turn)
            raise ValueError("no idea")

    kept: list[Record] = []
    (first, *_) = next(deals([Failing, Dull, Dull], seats=3, report=lambda *_: None, keep=kept.append))
    assert first.faults[0] == first.decisions[0] == 4
    assert first.forfeited == (True, False, False)
    assert first.outcome.places[0] == 3
    assert [fault.forfeited for fault in kept[0].faults] == [False, False, False, True]
    assert verify(kept[0]).problem == ""
    lenient = next(deals([Failing, Dull, Dull], seats=3, report=lambda *_: None, lenient=True))[0]
    assert lenient.faults[0] > 4
    assert not any(lenient.forfeited)


def test_offers_to_oneself_do_not_stop_practice() -> None:
    class Selfish(BohnanzaBot):
        def trade(self, view: BohnanzaView) -> Action:
            return Offer((view.seat,), hand=(0,))

    assert play([Selfish], deals=1, report=lambda *_: None).row("Selfish").faults


HOUSE = {folder.name: folder for folder in house_bots()}


@pytest.fixture
def games(monkeypatch: pytest.MonkeyPatch) -> list[Game]:
    """All games that are practised, in order."""
    games: list[Game] = []
    new_game = beanleague.games.new_game

    def noted(*args: Any, **kwargs: Any) -> Game:
        games.append(new_game(*args, **kwargs))
        return games[-1]

    monkeypatch.setattr(practice, "new_game", noted)
    return games


def practised(game: str, *bots: type[Bot[Any]], options: dict[str, int] | None = None) -> PracticeMatch:
    """Play one match with these bots in its seats."""
    entrants = [PracticePlayer(bot.__name__, bot) for bot in bots]
    return practice.play_match(
        entrants, game=game, seed=b"lists", lucks=[LUCK] * len(bots), report=lambda *_: None, options=options
    )


def one_by_one(bot: type[Bot[Any]]) -> type[Bot[Any]]:
    """Return the same bot, but of each list it returns the first action only."""

    class OneByOne(bot):  # type: ignore[misc,valid-type]
        def decide(self, view: View) -> Choice:
            return first(super().decide(view))

    return OneByOne


def house(name: str) -> type[Bot[Any]]:
    """Return the class of a house bot."""
    return load_bot(HOUSE[name]).classes[0]


CASES = {
    "farmer": ("bohnanza", 3, 0.4),
    "trader": ("bohnanza-classic", 4, 0.75),
    "gardener": ("bohnanza-two", 2, 0.3),
    "duelist": ("duel", 2, 0.8),
    "BohnanzaBot": ("bohnanza-classic", 3, 0.3),
    "BohnanzaTwoBot": ("bohnanza-two", 2, 0.3),
    "DuelBot": ("duel", 2, 0.9),
}
"""Per bot a game, the seats, and the share of the decisions that it makes at most if it returns lists."""
DEFAULTS: Sequence[type[Bot[Any]]] = (BohnanzaBot, BohnanzaTwoBot, DuelBot)


@pytest.mark.parametrize("name", CASES)
def test_a_bot_plays_the_same_game_with_fewer_decisions(name: str, games: list[Game]) -> None:
    game, seats, share = CASES[name]
    bot = next((one for one in DEFAULTS if one.__name__ == name), None) or house(name)
    lists, singles = practised(game, *[bot] * seats), practised(game, *[one_by_one(bot)] * seats)
    assert list(games[0].events) == list(games[1].events)
    assert sum(lists.faults) == sum(singles.faults) == 0
    assert sum(lists.decisions) < share * sum(singles.decisions)


def test_the_defaults_decide_for_no_method_that_is_overridden(games: list[Game]) -> None:
    """Else a bot that plants no second card would plant it, since a default did."""

    class Patient(BohnanzaBot):
        def plant_second(self, view: BohnanzaView) -> Choice:
            return Pass()

    practised("bohnanza", *[Patient] * 3)
    per_turn = [
        sum(isinstance(event, Planted) and event.source == "hand" for event in turn) for turn in turns(games[0].events)
    ]
    assert max(per_turn) == 1


def turns(events: Sequence[Event]) -> list[list[Event]]:
    """Return the events of each turn."""
    starts = [i for i, event in enumerate(events) if type(event).__name__ == "TurnStarted"]
    return [list(events[a:b]) for a, b in zip(starts, [*starts[1:], len(events)], strict=True)]


def test_the_news_after_a_list_are_all_that_happened_since_the_bot_was_asked(games: list[Game]) -> None:
    class Reader(BohnanzaBot):
        def decide(self, view: BohnanzaView) -> Choice:
            news[self.seat] += view.news
            return super().decide(view)

    news: list[list[Event]] = [[], [], []]
    practised("bohnanza", *[Reader] * 3)
    for seat in range(3):
        assert news[seat] == [event.seen_by(seat) for event in games[0].events][: len(news[seat])]


def test_an_illegal_action_of_a_list_is_a_fault_that_names_it() -> None:
    class Hasty(BohnanzaBot):
        def plant_first(self, view: BohnanzaView) -> Choice:
            return [Plant(0), Plant(9), Pass()] if view.turn == 1 else super().plant_first(view)

    reports: list[str] = []
    result = play([Hasty], deals=1, seats=3, report=lambda _, what: reports.append(what))
    assert result.row("Hasty").faults == len(reports) == 3
    assert all(
        "move 1 (bohnanza, seat 0, turn 1, PLANT_FIRST, action 2 of the list):\nPlant(field=9) is illegal" in what
        for what in reports
    )


def test_a_bot_that_never_trades_is_not_asked_to_and_plays_as_one_that_stops_and_declines(games: list[Game]) -> None:
    """Whoever trades with it sees no difference."""

    class Asked(BohnanzaBot):
        def trade(self, view: BohnanzaView) -> Choice:
            return Stop()

        def decide(self, view: BohnanzaView) -> Choice:
            asked.add(view.decision)
            return super().decide(view)

    class Hermit(Asked):
        trades = False

    asked: set[Decision] = set()
    practised("bohnanza", house("trader"), Asked, Asked)
    assert asked >= {Decision.TRADE, Decision.ANSWER}
    asked.clear()
    practised("bohnanza", house("trader"), Hermit, Hermit)
    assert asked.isdisjoint({Decision.TRADE, Decision.ANSWER})
    assert list(games[0].events) == list(games[1].events)
