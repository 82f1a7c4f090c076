"""The ladders of the house bots: each step beats the one below, by what it does otherwise."""

from itertools import pairwise

import pytest

from beanbot import load_bot
from beanbot._runtime.program import BotProgram
from beanbot.bohnanza import Accept, Action, BohnanzaView, Counter, Offer, Pick
from beanbot.bot import seat_bot
from beanbot.dice import DiceDecision, DiceView, RollAgain, useful_dice
from beanbot.practice import play
from beanleague.games import new_game
from beanleague.league.bots.house_bots import house_bots
from tests.bots.helpers import no_report
from tests.choices import first

TRADING = ("random", "beginner", "farmer", "haggler", "merchant", "trader", "grandmaster")
THIEVES = ("easy", "normal", "hard", "very-hard")
LADDERS = {
    "bohnanza-two": ("random", "novice", "apprentice", "journeyman", "gardener"),
    "duel": ("random", "novice", "pupil", "apprentice", "journeyman", "surveyor", "duelist", "grandmaster"),
    "dice": ("random", "novice", "pupil", "apprentice", "journeyman", "dicer"),
    "dice-2012": ("random", "novice", "pupil", "apprentice", "journeyman", "dicer"),
    **{f"bean-thief-{level}": ("random", "novice", "apprentice", "dicer") for level in THIEVES},
}
HOME = house_bots()[0].parent
STEPS = [(game, below, above) for game, names in LADDERS.items() for below, above in pairwise(names)]
TRADING_STEPS = [
    (game, below, above)
    for game in ("bohnanza", "bohnanza-extended", "bohnanza-classic")
    for below, above in pairwise(TRADING if game == "bohnanza" else TRADING[:-1])
]


@pytest.fixture(scope="module")
def bots() -> dict[str, BotProgram]:
    return {folder.name: load_bot(folder) for folder in house_bots()}


def done_by(bot: BotProgram) -> list[tuple[BohnanzaView, Action]]:
    """What four of a bot do in a game, with what they saw."""
    game = new_game("bohnanza", seats=4, seed=b"market")
    players = [
        seat_bot(bot.classes[0], ruleset=game.ruleset, seat=seat, seats=4, luck=b"any", settings=bot.settings)
        for seat in range(4)
    ]
    done = []
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            done.append((view, first(players[seat].decide(view))))
            game.apply(seat, done[-1][1])
    return done


@pytest.mark.slow  # as long as a bot decides as stored, it is as strong as it was
@pytest.mark.parametrize(("game", "below", "above"), TRADING_STEPS)
def test_each_step_of_the_trading_games_beats_the_one_below(
    bots: dict[str, BotProgram], game: str, below: str, above: str
) -> None:
    result = play([bots[above]] * 2 + [bots[below]] * 2, game=game, deals=6, seats=4, report=no_report)
    (pairing,) = result.pairings
    assert pairing.first == above
    assert pairing.score > 0.57, "50 Elo"


@pytest.mark.slow
@pytest.mark.parametrize(("game", "below", "above"), STEPS)
def test_each_step_of_the_other_games_beats_the_one_below(
    bots: dict[str, BotProgram], game: str, below: str, above: str
) -> None:
    deals = 100 if game == "bean-thief-easy" and above != "dicer" else 15  # there luck counts for most
    result = play([bots[above], bots[below]], game=game, deals=deals, report=no_report)
    (pairing,) = result.pairings
    assert pairing.first == above
    assert pairing.score > 0.57, "50 Elo"


def test_all_bots_of_a_ladder_play_its_game(bots: dict[str, BotProgram]) -> None:
    for game, names in {"bohnanza": TRADING, **LADDERS}.items():
        players = {folder.name for folder in house_bots(game)}
        assert players >= set(names)


def test_beginner_harvests_only_where_a_card_fits_nowhere() -> None:
    for view, action in done_by(load_bot(HOME / "beginner", {"mistakes": 0.0})):
        assert type(action).__name__ in {"Plant", "PlantAside", "Harvest", "Pass", "Stop", "Decline"}
        if type(action).__name__ == "Harvest":
            cards = view.own_aside or view.hand[:1]
            assert not any(view.places_for(kind) for kind in cards)


def test_beginner_plays_at_random_now_and_then(bots: dict[str, BotProgram]) -> None:
    done = done_by(bots["beginner"])
    mistakes = sum(action != view.default() for view, action in done)
    assert 0.01 < mistakes / len(done) < 0.1


@pytest.mark.parametrize(
    ("name", "family", "game"),
    [
        ("novice", "two", "bohnanza-two"),
        ("novice", "duel", "duel"),
        ("novice", "dice", "dice"),
        ("novice", "thief", "bean-thief-normal"),
        ("pupil", "duel", "duel"),
        ("pupil", "dice", "dice-2012"),
    ],
)
def test_without_mistakes_it_plays_as_apprentice_does(
    bots: dict[str, BotProgram], name: str, family: str, game: str
) -> None:
    (row,), (other,) = (
        play([bot], game=game, deals=2, report=no_report).rows
        for bot in (load_bot(HOME / name, {family: 0.0}), bots["apprentice"])
    )
    assert (row.dollars, row.decisions) == (other.dollars, other.decisions)
    (mistaken,) = play([bots[name]], game=game, deals=2, report=no_report).rows
    assert (mistaken.dollars, mistaken.decisions) != (other.dollars, other.decisions)


def test_haggler_trades_one_card_for_one_that_it_grows(bots: dict[str, BotProgram]) -> None:
    done = done_by(bots["haggler"])
    offers = [(view, action) for view, action in done if isinstance(action, Offer)]
    for view, offer in offers:
        assert (len(offer.turned), len(offer.hand), len(offer.wants)) == (1, 0, 1)
        assert offer.wants[0] in {field.kind for field in view.own_fields}
        assert view.turned[offer.turned[0]] not in {field.kind for field in view.own_fields}
    assert offers
    assert any(isinstance(action, Accept) for _, action in done)
    assert picked_counters(done)


def test_merchant_sells_the_card_that_it_plants_next_and_gives_nothing_away(bots: dict[str, BotProgram]) -> None:
    done = done_by(bots["merchant"])
    assert any(isinstance(action, Offer) and action.hand == (0,) for _, action in done)
    counters = [action for _, action in done if isinstance(action, Counter)]
    assert counters
    assert all(len(counter.hand) == len(counter.turned) == 1 for counter in counters)
    assert picked_counters(done)


def picked_counters(done: list[tuple[BohnanzaView, Action]]) -> list[Pick]:
    """The picks of counters."""
    return [
        action
        for view, action in done
        if isinstance(action, Pick)
        and any(made.answer == "counter" and made.seat == action.seat for made in view.answers)
    ]


def test_journeyman_uses_the_bean_piece_where_no_die_is_useful(bots: dict[str, BotProgram]) -> None:
    plays = bots["journeyman"].class_for("dice")
    assert plays
    game = new_game("dice", seats=2, seed=b"again")
    players = [seat_bot(plays, ruleset="dice", seat=seat, seats=2, luck=b"any") for seat in range(2)]
    used = 0
    while not game.over:
        (seat,) = game.to_act()
        view = game.view(seat)
        assert isinstance(view, DiceView)
        action = first(players[seat].decide(view))
        if view.decision is DiceDecision.SAVE and view.piece:
            assert (type(action) is RollAgain) == (not useful_dice(view))
            used += type(action) is RollAgain
        game.apply(seat, action)
    assert used
