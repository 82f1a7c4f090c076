"""The house bots: their order of strength, their manners, and that they play alike whenever a match is repeated."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from beanbot import Bot, load_bot
from beanbot._runtime.program import BotProgram
from beanbot.bot import seat_bot
from beanbot.duel import DuelBot
from beanbot.practice import PracticeResult, play
from beanbot.practice.match import PracticePlayer, play_match
from beanleague.games import Game, new_game, ruleset, rulesets
from beanleague.games.bohnanza import BohnanzaView
from beanleague.games.duel import BluffPaid, DuelView, Fulfilled, OfferGift
from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.bots.submission import check
from beanleague.model import PlayedMatch
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchTask, VoidMatch
from beanleague.referee.pool import WorkerPool
from tests.bots.helpers import no_report
from tests.bots.pinning import BOTS, HOME, SHORT, digests, long_matches, pinned, short_matches
from tests.choices import first
from tests.matches import column
from tests.timeless import timeless


@pytest.fixture(scope="module")
def bots() -> dict[str, BotProgram]:
    """All house bots, which warn of nothing."""
    stderr = StringIO()
    with redirect_stderr(stderr):
        loaded = {folder.name: load_bot(folder) for folder in house_bots()}
    assert stderr.getvalue() == ""
    return loaded


def elo(result: PracticeResult, first: str, second: str) -> tuple[float, float]:
    """Return by how much `first` is better than `second`, and half the 95 % interval (0 for a clean sweep)."""
    for pairing in result.pairings:
        if {pairing.first, pairing.second} == {first, second}:
            return (pairing.elo if pairing.first == first else -pairing.elo), pairing.elo_error or 0.0
    raise KeyError(first, second)


WELL = {
    "bohnanza": "trader",
    "bohnanza-extended": "trader",
    "bohnanza-classic": "trader",
    "bohnanza-two": "gardener",
    "duel": "duelist",
    "dice": "dicer",
    "dice-2012": "dicer",
    "bean-thief-easy": "dicer",
    "bean-thief-normal": "dicer",
    "bean-thief-hard": "dicer",
    "bean-thief-very-hard": "dicer",
}
"""Who plays each game well."""

SIMILAR = {"bohnanza-extended", "bohnanza-classic", "dice-2012", "bean-thief-easy", "bean-thief-hard"}
"""Rulesets that differ little from another one."""

SEATS = [pytest.param(3, marks=pytest.mark.slow), 4, pytest.param(5, marks=pytest.mark.slow)]
"""Table sizes of the trading games."""

CLOSE = {"bean-thief-easy"}
"""Solitaires of which a match or two says little."""


def test_there_is_random_and_one_that_plays_well_for_every_ruleset(bots: dict[str, BotProgram]) -> None:
    assert set(WELL) == {game.id for game in rulesets()}
    for game, name in WELL.items():
        assert {"random", name} <= {folder.name for folder in house_bots(game)}
    for folder in house_bots():
        assert bots[folder.name].name == folder.name
        for game in read_bundle(pack(folder)).manifest.games:
            assert bots[folder.name].class_for(game)


@pytest.mark.parametrize("game", [pytest.param(game, marks=[pytest.mark.slow] * (game in SIMILAR)) for game in WELL])
def test_the_one_that_plays_well_beats_random(bots: dict[str, BotProgram], game: str) -> None:
    """It has more dollars, is better in most of their meetings, and never does what is not allowed."""
    deals = 3 if game in CLOSE or ruleset(game).most_seats == 2 else 2 if ruleset(game).most_seats > 1 else 1
    result = play([bots[WELL[game]], bots["random"]], game=game, deals=deals, report=no_report)
    (pairing,) = result.pairings
    assert pairing.first == WELL[game]
    assert pairing.score > 0.6


def test_duelist_bluffs_now_and_then_and_fulfils_more_bohnus_cards_than_one_that_does_not_plan(
    bots: dict[str, BotProgram],
) -> None:
    """Most of its bluffs are declined by somebody who takes only what grows."""
    offered = bluffs = called = 0
    fulfilled = [0, 0]
    for number in range(12):
        game = new_game("duel", seats=2, seed=b"%d" % number)
        players: list[Bot[DuelView]] = [
            seat_bot(cls, ruleset="duel", seat=seat, seats=2, luck=b"any")
            for seat, cls in enumerate((bots["duelist"].classes[0], DuelBot))
        ]
        while not game.over:
            (seat,) = game.to_act()
            view = game.view(seat)
            assert isinstance(view, DuelView)
            action = first(players[seat].decide(view))
            if seat == 0 and isinstance(action, OfferGift):
                offered += 1
                bluffs += action.kind not in view.hand + (view.turned if view.active == 0 else ())
            game.apply(seat, action)
        called += sum(isinstance(event, BluffPaid) and event.seat == 0 for event in game.events)
        for event in game.events:
            if isinstance(event, Fulfilled):
                fulfilled[event.seat] += 1
    assert 0 < bluffs < offered / 4
    assert called < bluffs / 2
    assert fulfilled[0] > 1.5 * fulfilled[1]


@pytest.mark.parametrize("game", ["bohnanza", "bohnanza-two", "duel", "dice", "bean-thief-normal"])
def test_a_copy_of_a_bot_made_in_the_middle_of_a_match_goes_its_own_way(bots: dict[str, BotProgram], game: str) -> None:
    program, seats = bots[WELL[game]], min(ruleset(game).most_seats, 3)
    cls = program.class_for(game)
    assert cls
    first_line = new_game(game, seats=seats, seed=b"copies")
    of_all: dict[str, Any] = {"ruleset": game, "seats": seats, "luck": b"any", "settings": program.settings}
    players = [seat_bot(cls, seat=seat, **of_all) for seat in range(seats)]
    play_on(first_line, players, 15)
    second_line, others = deepcopy((first_line, players))
    play_on(second_line, others, 60)
    events = len(first_line.events)
    play_on(first_line, players, 60)
    assert list(first_line.events) == list(second_line.events)
    assert len(first_line.events) > events


def play_on(game: Game, players: Sequence[Bot[Any]], decisions: int) -> None:
    """Let players decide so many times, or until the end."""
    while not game.over and decisions > 0:
        for seat in game.to_act():
            game.apply(seat, first(players[seat].decide(game.view(seat))))
            decisions -= 1


@pytest.mark.parametrize(("seats", "fields"), [(4, 3), (7, 2)])
@pytest.mark.parametrize("name", ["trader", pytest.param("merchant", marks=pytest.mark.slow)])
def test_the_third_field_is_bought_where_there_are_turns_enough_for_it_to_pay(
    bots: dict[str, BotProgram], name: str, seats: int, fields: int
) -> None:
    classes = [bots[name].classes[0]] * seats
    game = new_game("bohnanza-classic", seats=seats, seed=b"paid back")
    players = [seat_bot(cls, ruleset=game.ruleset, seat=i, seats=seats, luck=b"any") for i, cls in enumerate(classes)]
    while not game.over:
        for seat in game.to_act():
            game.apply(seat, first(players[seat].decide(game.view(seat))))
    view = game.view(0)
    assert isinstance(view, BohnanzaView)
    assert max(map(len, view.fields)) == fields


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_farmer_beats_random_clearly(bots: dict[str, BotProgram], seats: int) -> None:
    result = play([bots["farmer"], bots["random"]], deals=6, seats=seats, report=no_report)
    better, error = elo(result, "farmer", "random")
    assert better - error > 100
    assert result.row("farmer").dollars > 2 * result.row("random").dollars


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_trader_beats_farmer_clearly_where_two_traders_sit(bots: dict[str, BotProgram], seats: int) -> None:
    table = [bots["trader"]] * 2 + [bots["farmer"]] * (seats - 2)
    result = play(table, deals=12, seats=seats, report=no_report)
    better, error = elo(result, "trader", "farmer")
    assert better - error > 150
    assert result.row("trader").dollars > 1.5 * result.row("farmer").dollars


@pytest.mark.slow
def test_trader_beats_farmer_even_where_nobody_trades_with_it(bots: dict[str, BotProgram]) -> None:
    table = [bots["trader"]] + [bots["farmer"]] * 3
    result = play(table, deals=40, seats=4, report=no_report)
    better, error = elo(result, "trader", "farmer")
    assert better > error
    assert result.row("trader").dollars > result.row("farmer").dollars


@pytest.mark.parametrize("seats", SEATS)
def test_all_actions_are_legal_in_mixed_company(bots: dict[str, BotProgram], seats: int) -> None:
    table = [bots["random"], bots["trader"], bots["farmer"], bots["random"], bots["trader"]][:seats]
    result = play(table, deals=3, seats=seats, seed=17, report=no_report)
    assert sum(row.faults for row in result.rows) == 0


def test_trader_trades_with_itself(bots: dict[str, BotProgram]) -> None:
    alone = play([bots["farmer"]], deals=3, seats=4, report=no_report)
    together = play([bots["trader"]], deals=3, seats=4, report=no_report)
    assert together.row("trader").dollars > 2.5 * alone.row("farmer").dollars


def test_trader_stops_asking_those_who_never_answer(bots: dict[str, BotProgram]) -> None:
    alone = play([bots["trader"], bots["farmer"], bots["farmer"]], deals=4, seats=3, report=no_report)
    together = play([bots["trader"]], deals=4, seats=3, report=no_report)
    rounds = [row.decisions / row.played for row in (alone.row("trader"), together.row("trader"))]
    assert rounds[0] < rounds[1] / 3


def test_farmer_never_trades(bots: dict[str, BotProgram]) -> None:
    (farmer_class,) = bots["farmer"].classes
    farmer = farmer_class()
    game = new_game("bohnanza", seats=3, seed=b"quiet")
    said = set()
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            action = first(farmer.decide(view))
            said.add(type(action).__name__)
            game.apply(seat, action)
    assert said <= {"Plant", "PlantAside", "Harvest", "Pass", "Stop"}


def test_random_does_everything_there_is_to_do(bots: dict[str, BotProgram]) -> None:
    (random_class,) = bots["random"].classes
    done: set[str] = set()

    class Watched(random_class):  # type: ignore[misc,valid-type]
        def decide(self, view: BohnanzaView) -> object:
            action = super().decide(view)
            done.add(type(action).__name__)
            return action

    play([Watched], deals=2, seats=3, report=no_report)
    everything = {"Harvest", "Plant", "Pass", "Offer", "Call", "Stop", "Accept", "Decline", "Counter", "Pick", "Refuse"}
    assert done == everything | {"PlantAside"}


def test_a_repeated_match_is_played_alike_whatever_the_hash_seed() -> None:
    code = """
from itertools import islice
from beanbot import Bot, load_bot
from beanbot.bot import seat_bot
from beanbot.duel import DuelBot
from beanbot.practice import deals
bots = [load_bot(f"{home}/{name}") for name in ("trader", "farmer", "random", "trader")]
for deal in islice(deals(bots, seats=4, seed=3), 1):
    for match in deal:
        print(match.outcome, match.decisions)
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", f"home = {str(HOME)!r}\n{code}"],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert next(iter(outputs)).count("Outcome") == 4


def test_through_the_referee_they_play_as_in_practice_without_a_fault(bots: dict[str, BotProgram]) -> None:
    names = ("trader", "farmer", "random")
    specs = [BotSpec(i, name, str(HOME / name), ("python", "bot.py"), trusted=True) for i, name in enumerate(names)]
    luck = tuple(bytes([seat]) * 16 for seat in range(3))
    seed = b"the same in both"
    results: list[PlayedMatch] = []
    logs: list[BotLog] = []
    with WorkerPool(specs, Limits(move_ms=10_000), workers=1, in_flight=4) as pool:
        for number in range(2):
            pool.submit(MatchTask(number, "bohnanza", seed, (0, 1, 2), luck, number % pool.lanes(3)))
        while len(results) < 2:
            for report in pool.poll(1.0):
                assert not isinstance(report, VoidMatch)
                if isinstance(report, PlayedMatch):
                    results.append(report)
                elif isinstance(report, BotLog):
                    logs.append(report)
    assert [result.faults for result in results] == [()] * 2
    assert not "".join(log.text for log in logs)
    assert len({(column(result, "score"), timeless(result.record)) for result in results}) == 1

    entrants = [PracticePlayer(name, bots[name].classes[0]) for name in names]
    practised = play_match(entrants, game="bohnanza", seed=seed, lucks=luck, report=no_report)
    assert practised.outcome.scores == column(results[0], "score")
    assert practised.decisions == column(results[0], "decisions")


@pytest.mark.parametrize("folder", house_bots(), ids=lambda folder: folder.name)
def test_a_bundle_has_what_a_bundle_needs(folder: Path) -> None:
    manifest = read_bundle(pack(folder)).manifest
    assert manifest.name == folder.name
    assert manifest.games
    assert manifest.author == "Beanleague"
    assert manifest.description


@pytest.mark.slow
@pytest.mark.parametrize("folder", house_bots(), ids=lambda folder: folder.name)
def test_a_server_would_take_it(folder: Path, tmp_path: Path) -> None:
    """Its trials of all games that it plays find nothing wrong."""
    assert check(pack(folder), BundleCache(tmp_path), start_workers).problems == ()


@pytest.mark.slow
@pytest.mark.parametrize("match", [*short_matches(), *long_matches()])
def test_their_actions_and_the_events_are_as_pinned(match: str) -> None:
    """Also at tables that `decisions.toml` has not, where every environment looks for decisions that have changed."""
    assert digests(match) == pinned()[match]


def test_each_bot_is_pinned_in_each_of_its_games() -> None:
    """Grandmaster thinks for seconds in the duel, so that is among the long matches."""
    plays = {(game.id, name) for game in rulesets() for name in BOTS if HOME / name in house_bots(game.id)}
    assert plays - {(game, name) for game, bots in SHORT for name in bots} == {("duel", "grandmaster")}


def test_no_match_is_pinned_that_is_not_played() -> None:
    assert set(pinned()) == {*short_matches(), *long_matches()}
