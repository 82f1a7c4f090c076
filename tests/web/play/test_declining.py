"""Offers that a table declines by itself for the person who plays there."""

from dataclasses import replace

import pytest

from beanleague.games import Action
from beanleague.games.bohnanza import Accept, Call, Decline, Offer
from beanleague.games.core import Plant, TurnStarted
from beanleague.seat import GuestAsked
from beanleague.web.play_tables import PlayTable
from beanleague.web.security import Visitor
from beanproto.v1.league_pb2 import ROLE_AUTHOR
from tests.games.bohnanza.helpers import scripted


def asked(offer: Action) -> GuestAsked:
    """The question to seat 1, which holds chili and blue, about an offer of seat 0."""
    game = scripted(hands=("red green", "chili blue", ""), pile="soy stink red red red")
    game.apply(0, Plant(0))
    game.apply(0, game.default(0))
    game.apply(0, offer)
    return GuestAsked(3, replace(game.view(1), news=()))


@pytest.fixture
def table() -> PlayTable:
    return PlayTable(Visitor("", ROLE_AUTHOR), "here", {}, {})


@pytest.mark.parametrize(
    ("offer", "declined"),
    [
        (Offer((1, 2), turned=(0,), wants=("chili",)), False),
        (Offer((1, 2), turned=(0,), wants=("chili", "chili")), True),
        (Offer((1, 2), turned=(0,), wants=("garden",)), True),
        (Offer((1, 2), turned=(0,)), False),
        (Call((1, 2)), False),
    ],
    ids=["of a card that is held", "of one card more than held", "of a kind not held", "of a gift", "for offers"],
)
def test_an_offer_that_cannot_be_accepted_is_declined(table: PlayTable, offer: Action, declined: bool) -> None:
    assert table.declines(asked(offer).view) is declined


def test_who_wants_to_counter_is_asked_about_every_offer(table: PlayTable) -> None:
    table.declines_unfit = False
    assert not table.declines(asked(Offer((1, 2), turned=(0,), wants=("garden",))).view)


class FakeSeat:
    def play(self, action: Action) -> None: ...


class TestUntilOnesTurn:
    OFFER = Offer((1, 2), turned=(0,), wants=("chili",))

    @pytest.fixture
    def declining(self, table: PlayTable) -> PlayTable:
        """A table at which an offer, and all others until one's turn, were declined."""
        table.asked, table.seat = asked(self.OFFER), FakeSeat()  # type: ignore[assignment]
        table.play(3, Decline(), until_turn=True)
        return table

    def test_all_offers_are_declined(self, declining: PlayTable) -> None:
        assert declining.declines(asked(self.OFFER).view)
        assert declining.declines(asked(Call((1, 2))).view)

    def test_the_turn_of_another_player_changes_nothing(self, declining: PlayTable) -> None:
        view = asked(self.OFFER).view
        assert declining.declines(replace(view, news=(TurnStarted(4, 2),)))  # type: ignore[call-arg]

    def test_ones_own_turn_ends_it(self, declining: PlayTable) -> None:
        view = asked(self.OFFER).view
        assert not declining.declines(replace(view, news=(TurnStarted(4, 1),)))  # type: ignore[call-arg]
        assert not declining.declines(view)

    def test_accepting_an_offer_declines_no_others(self, table: PlayTable) -> None:
        table.asked, table.seat = asked(self.OFFER), FakeSeat()  # type: ignore[assignment]
        table.play(3, Accept((0,)), until_turn=True)
        assert not table.declines(asked(self.OFFER).view)
