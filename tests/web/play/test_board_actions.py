"""What a click on the board means, and which harvests ask for a second click, without a browser."""

from typing import Any

import pytest

from beanleague.games import action_to_json, rulesets
from beanleague.games.families import new_game
from tests.web.viewer.node import Node

TAKES_CARDS_AWAY = {"harvest", "harvest_top", "fulfil", "discard_open", "discard_turned", "discard_hand", "buy_field"}


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in rulesets()])
def test_no_click_on_the_board_takes_cards_off_the_table(node: Node, ruleset: str) -> None:
    seats = next(game for game in rulesets() if game.id == ruleset).least_seats
    game = new_game(ruleset, seats=seats, seed=b"clicks")
    kinds = set()
    for _ in range(80):
        if game.over:
            break
        for seat in game.to_act():
            view = game.view(seat)
            for action in map(action_to_json, view.legal()):
                kinds.add(action["action"])
                if action["action"] in TAKES_CARDS_AWAY:
                    assert node.ask("placesOf", action, seat) == []
            game.apply(seat, game.default(seat))
    assert kinds & TAKES_CARDS_AWAY


PLANTS = ({"action": "plant", "field": 0}, {"action": "plant", "field": 2})
HARVEST = {"action": "harvest", "field": 1}


class TestMeaning:
    def means(self, node: Node, place: str, selected: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = node.ask("meant", [*PLANTS, HARVEST], 1, place, selected)
        return found

    def test_a_click_on_an_own_field_plants_there(self, node: Node) -> None:
        assert self.means(node, "field-1-2") == [PLANTS[1]]

    def test_a_click_on_a_field_that_takes_no_card_means_nothing(self, node: Node) -> None:
        assert self.means(node, "field-1-1") == []

    def test_a_click_on_another_players_field_means_nothing(self, node: Node) -> None:
        assert self.means(node, "field-0-0") == []

    def test_a_card_and_then_a_field_plants_there(self, node: Node) -> None:
        assert self.means(node, "hand-1-0") == list(PLANTS)
        assert self.means(node, "field-1-0", "hand-1-0") == [PLANTS[0]]


class TestEarlyHarvests:
    """Soy earns $1 with two cards, $2 with four."""

    @pytest.mark.parametrize(
        ("cards", "loss"),
        [
            (1, {"kind": "soy", "dollars": 0, "more": 1}),
            (2, None),
            (3, {"kind": "soy", "dollars": 1, "more": 2}),
            (4, None),
        ],
    )
    def test_a_harvest_one_card_short_of_a_dollar_is_early(self, node: Node, cards: int, loss: object) -> None:
        table = {"fields": [[], [["red"], ["soy"] * cards]]}
        assert node.ask("early", {"action": "harvest", "field": 1}, table, 1) == loss

    def test_planting_is_never_early(self, node: Node) -> None:
        assert node.ask("early", {"action": "plant", "field": 0}, {"fields": [[["soy"]]]}, 0) is None
