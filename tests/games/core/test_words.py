"""The language of sentences, and that every family has one for all that it asks, does and tells."""

from dataclasses import dataclass

import pytest

from beanleague.games.bohnanza import Decision
from beanleague.games.core import Drew, GameEnded
from beanleague.games.core.words import Beans, Money, Said, Who, plain
from beanleague.games.dice import DiceDecision
from beanleague.games.duel import BohnusDrawn, DuelDecision
from beanleague.games.families import FAMILIES, Family, new_game, words_of
from beanleague.games.two import TwoDecision

DECISIONS = {"bohnanza": Decision, "two": TwoDecision, "duel": DuelDecision, "dice": DiceDecision}


@dataclass(frozen=True)
class Happened:
    """Something that a sentence is about."""

    seat: int = 1
    to: tuple[int, ...] = (0, 2)
    kinds: tuple[str, ...] = ("red", "soy", "red")
    none: tuple[str, ...] = ()
    count: int = 3
    numbers: tuple[int, ...] = (1, 7)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{@seat} sits", (Who(1), " sits")),
        ("to {@to}", ("to ", Who(0), ", ", Who(2))),
        ("{#kinds}", (Beans(("red", "soy", "red")),)),
        ("{#none}", ("nothing",)),
        ("{#none count}", ("3 cards",)),
        ("{$count}", (Money("$3"),)),
        ("{~numbers} of {count}", ("two, 7", " of ", "3")),
        ("{@seat} waits|{} wait", (Who(1), " waits")),
    ],
)
def test_slots_are_filled_with_what_the_sentence_is_about(text: str, parts: tuple[object, ...]) -> None:
    assert Said(text, {}, Happened()).parts(("one", "two")) == parts


def test_given_values_come_before_fields() -> None:
    assert plain(Said("{@seat}: {#kinds}", {"kinds": "black_eyed"}, Happened()).parts(), "ab") == "b: black-eyed"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_has_words_for_its_events_actions_and_decisions(family: Family) -> None:
    words = family.words
    assert set(family.events) <= set(words.EVENTS)
    assert set(family.actions) <= set(words.ACTIONS)
    assert set(words.QUESTIONS) == {decision for decision in DECISIONS[family.name] if decision}


def test_who_does_not_see_cards_reads_how_many() -> None:
    words = words_of(new_game("duel", seats=2, seed=b"x").view(0).rules)
    names = ("ann", "ben")
    assert plain(words.line(Drew(0, 2, ("soy", "soy"))), names) == "ann draws 2 soy"
    assert plain(words.line(Drew(0, 2, ()).seen_by(1)), names) == "ann draws 2 cards"
    assert plain(words.line(BohnusDrawn(1, 1, ())), names) == "ben draws from the bo(h)nus pile: a card"


def test_events_that_do_not_belong_to_the_game_still_have_lines() -> None:
    """As in a record that was altered."""
    words = words_of(new_game("dice", seats=2, seed=b"x").view(0).rules)
    assert plain(words.line(BohnusDrawn(1, 1, (0,))), ("ann", "ben")) == "BohnusDrawn"
    assert plain(words.line(GameEnded((3,), (2, 1))), ("ann", "ben")) == "Game over. 2. ann $3"
