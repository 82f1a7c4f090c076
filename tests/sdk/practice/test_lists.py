"""Practice with bots that return lists of actions, and with bots that never trade: as in a league."""

from collections.abc import Sequence
from typing import Any

import pytest

import beanleague.games
from beanbot import Bot, View, load_bot
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Decision, Pass, Plant, Planted, Stop
from beanbot.duel import DuelBot
from beanbot.practice import match as practice
from beanbot.practice import play
from beanbot.practice.match import PracticeMatch, PracticePlayer
from beanbot.two import BohnanzaTwoBot
from beanleague.games import Event, Game
from beanleague.league.bots.house_bots import house_bots
from tests.choices import first
from tests.sdk.helpers import LUCK

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
    result = play([Hasty], games=3, seats=3, report=lambda _, what: reports.append(what))
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
