"""Every die and every card follows from the seed, as `docs/chance.md` describes; computed here with hashlib alone."""

from hashlib import blake2b

import pytest

from beanleague.games import Event
from beanleague.games.core import TurnStarted
from beanleague.games.dice.moves import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DollarsDrawn,
    Rolled,
    Save,
    SuperStealRolled,
    ThiefRolled,
)
from beanleague.games.dice.table import DiceTable
from tests.games.dice.helpers import TABLES, deck_text, new
from tests.games.dice.matching import faces
from tests.games.helpers import chooser, do, dull, of_type, play

SEED = b"luck"


def number(key: str, i: int) -> int:
    block = blake2b(f"{key}/{i // 8}".encode(), key=SEED).digest()
    at = i % 8 * 8
    return int.from_bytes(block[at : at + 8], "little")


def thrown(edition: str, key: str, dice: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(faces(edition)[die][number(key, die) % 6] for die in dice)


def check_dice(game: DiceTable) -> int:
    """Check every throw of a game; return how many there were."""
    edition, turn, roll, throws = ("2022" if game.ruleset == "dice" else "2012"), 0, 0, 0
    for event in game.events:
        match event:
            case TurnStarted():
                turn = event.turn
            case Rolled():
                roll = event.roll
                assert event.kinds == thrown(edition, f"dice/{turn}/{roll}", event.dice)
            case ThiefRolled():
                assert event.kinds == thrown(edition, f"steal/{turn}/{roll}", event.dice)
            case SuperStealRolled():
                assert event.kinds == thrown(edition, f"super-steal/{turn}", tuple(range(7)))
            case _:
                continue
        throws += 1
    return throws


def check_draws(game: DiceTable) -> int:
    """Check every card drawn in a game; return how often the deck was renewed."""
    cards = len(game.rules.cards)
    deck, decks = set(range(cards)), 0

    def draw(order: int) -> int:
        card = min(deck, key=lambda card: (number(f"draw/{decks}/{order}", card), card))
        deck.remove(card)
        return card

    for event in game.events:
        match event:
            case CardDrawn():
                assert event.card == draw(event.seat)
            case DollarsDrawn():
                assert list(event.cards) == [draw(game.seats + event.seat) for _ in event.cards]
            case DeckRenewed():
                decks += 1
                assert event.number == decks
                assert not deck
                deck |= set(event.cards)
            case _:
                pass
    return decks


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_dice_and_cards_follow_from_the_seed(ruleset: str, seats: int) -> None:
    game = new(ruleset, seats, SEED)
    play(game, chooser(0))
    assert check_dice(game) > 10
    check_draws(game)


def test_cards_follow_from_the_seed_when_the_deck_runs_empty() -> None:
    game = new("dice", 5, SEED, {"deck": deck_text(["blue; green; soy; red; stink"] * 30)})
    play(game, chooser(0))
    assert check_draws(game) > 0


def test_a_die_shows_the_same_in_the_same_roll_of_a_turn_whichever_dice_were_saved() -> None:
    """So bots that are dealt the same luck meet the same dice, whatever they and others do."""
    games = [do(new("dice-2012", 3, SEED), (0, Save(dice))) for dice in ((0,), (0, 2, 5), (1, 2))]
    shown: dict[int, str] = {}
    for game in games:
        second = of_type(game.events, Rolled)[1]
        for die, kind in zip(second.dice, second.kinds, strict=True):
            assert shown.setdefault(die, kind) == kind
    assert len(shown) == 7
    first_rolls = {tuple(event.kinds for event in of_type(game.events, Rolled)[:1]) for game in games}
    assert len(first_rolls) == 1


def test_who_sits_at_the_table_hardly_changes_the_cards_of_a_seat() -> None:
    """Each seat has a draw order of its own: its first cards are the same however the others play."""

    def cards(events: list[Event], seat: int) -> list[int]:
        return [event.card for event in of_type(events, CardDrawn) if event.seat == seat]

    one, other = new("dice", 3, SEED), new("dice", 3, SEED)
    play(one, dull)
    play(other, chooser(5))
    alike = [
        mine == yours
        for seat in range(3)
        for mine, yours in zip(cards(list(one.events), seat), cards(list(other.events), seat), strict=False)
    ]
    assert sum(alike) > len(alike) / 2
    assert len(alike) > 10
    assert of_type(one.events, CardHarvested, CardStolen) != of_type(other.events, CardHarvested, CardStolen)


def test_the_faces_of_each_die_come_up_about_equally_often() -> None:
    game = new("dice-2012", 4, SEED)
    play(game, dull)
    count = dict.fromkeys(("china", "soy"), 0)
    rolls = of_type(game.events, Rolled)
    for roll in rolls:
        for kind in count:
            count[kind] += roll.kinds.count(kind)
    assert abs(count["china"] - len(rolls) * 4 / 6) < 4 * (len(rolls) * 4 / 6) ** 0.5
    assert abs(count["soy"] - len(rolls) * 3 / 3) < 4 * len(rolls) ** 0.5
