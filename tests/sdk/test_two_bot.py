"""BohnanzaTwoBot: a method per decision, and what each does by default."""

from functools import partial

from beanbot.two import (
    BohnanzaTwoBot,
    Choice,
    DiscardOpen,
    Pass,
    PlantOpen,
)
from beanleague.games import Kind
from tests.sdk.helpers import card_view

view_of = partial(card_view, "bohnanza-two")


def test_of_what_the_other_left_it_plants_what_grows_with_it_and_discards_the_rest() -> None:
    def act(*fields: tuple[Kind | None, int]) -> Choice:
        return BohnanzaTwoBot().decide(view_of("PLANT_OFFERED", *fields, open=("soy", "blue"), hand=()))

    assert act(("blue", 1), (None, 0)) == [PlantOpen(1, 0), DiscardOpen(0)]
    assert act(("red", 1), (None, 0)) == [DiscardOpen(0), DiscardOpen(0)]


def test_of_what_is_drawn_it_plants_what_has_a_place_and_leaves_the_rest() -> None:
    def act(*fields: tuple[Kind | None, int]) -> Choice:
        return BohnanzaTwoBot().decide(view_of("PLANT_DRAWN", *fields, open=("soy", "blue")))

    assert act(("blue", 1), ("red", 1)) == [PlantOpen(1, 0), Pass()]
    assert act(("red", 1), (None, 0)) == [PlantOpen(0, 1), Pass()]
    assert act(("red", 1), ("green", 2)) == [Pass()]


def test_it_discards_nothing_of_its_hand() -> None:
    assert BohnanzaTwoBot().decide(view_of("DISCARD_HAND", ("red", 1), ("green", 2))) == Pass()
