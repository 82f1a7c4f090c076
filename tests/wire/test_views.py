"""Views as they arrive: read when they are looked at, and otherwise like any view. See also the contract of games."""

import pickle
import re
from collections.abc import Mapping
from copy import copy, deepcopy
from dataclasses import FrozenInstanceError, fields, replace
from importlib import resources
from typing import Any

import pytest

from beanleague import wire
from beanleague.games import KindRule, Option, View, new_game, rulesets
from beanleague.games.bohnanza import BohnanzaView, Decision, Field
from beanleague.games.dice.rules import MAX_CARDS as MAX_HARVEST_CARDS
from beanleague.games.duel import DuelView
from beanleague.games.duel.rules import MAX_CARDS as MAX_BOHNUS_CARDS
from beanproto.v1 import referee_pb2 as pb
from tests.games.bohnanza.helpers import scripted
from tests.games.dice.helpers import deck_text

FIRST = {ruleset.id: ruleset.least_seats for ruleset in rulesets()}


def start(name: str, options: Mapping[str, Option] | None = None) -> View:
    """What seat 0 sees first."""
    game = new_game(name, seats=FIRST[name], seed=b"views", options=options or {})
    return game.view(game.to_act()[0])


def sent(view: View, **changes: object) -> Any:
    """The view as it arrives, with `changes` of the fields of its message."""
    request = pb.Request()
    wire.view_to_pb(view, request, map(wire.event_to_pb, view.news))
    message = getattr(request, request.WhichOneof("view") or "")
    for name, value in changes.items():
        message.ClearField(name)
        if isinstance(value, list):
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)
    return wire.view_from_pb(pb.Request.FromString(request.SerializeToString()), view.rules, view.seat)


@pytest.mark.parametrize("name", FIRST)
class TestValue:
    def test_a_view_read_back_equals_that_of_the_game_in_value_and_text(self, name: str) -> None:
        view = start(name)
        assert sent(view) == view
        assert view == sent(view)
        assert sent(view) == sent(view)
        assert hash(sent(view)) == hash(view)
        assert repr(sent(view)) == repr(view)
        assert sent(view) != replace(view, turn=9)
        assert isinstance(sent(view), type(view))
        assert sent(view).__class__ is type(view)

    def test_a_view_read_back_is_copied_and_replaced_like_any_value(self, name: str) -> None:
        view = start(name)
        restored = pickle.loads(pickle.dumps(sent(view)))  # our own
        for kept in (copy(sent(view)), deepcopy(sent(view)), replace(sent(view)), restored):
            assert kept == view
            assert type(kept) is type(view)
        assert replace(sent(view), news=()) == replace(view, news=())  # type: ignore[call-arg]  # of a family

    def test_a_view_read_back_is_frozen(self, name: str) -> None:
        view = start(name)
        arrived = sent(view)
        for field in [*(field.name for field in fields(arrived)), "more"]:
            with pytest.raises((FrozenInstanceError, AttributeError)):
                setattr(arrived, field, 0)
        with pytest.raises(AttributeError):
            _ = arrived.more
        assert arrived == view


class TestLate:
    def test_a_field_is_read_only_when_it_is_looked_at(self) -> None:
        arrived = sent(start("bohnanza"), hand=b"\x63")
        assert arrived.decision is Decision.PLANT_FIRST
        assert arrived.dollars == (0, 0, 0)
        with pytest.raises(wire.WireError, match="99 is not the number of a kind"):
            _ = arrived.hand

    def test_a_field_is_read_once(self) -> None:
        arrived = sent(start("bohnanza"))
        for name in ("hand", "fields", "news"):
            assert getattr(arrived, name) is getattr(arrived, name)

    def test_equal_hands_and_fields_are_the_same_objects(self) -> None:
        view = start("bohnanza")
        assert sent(view).hand is sent(view).hand
        assert sent(view).own_fields is sent(view).own_fields

    def test_an_unknown_decision_is_refused_at_once(self) -> None:
        with pytest.raises(wire.WireError, match="unknown decision: 99"):
            sent(start("bohnanza"), decision=99)

    @pytest.mark.parametrize(
        ("name", "field", "value"),
        [
            ("bohnanza", "fields", [b"\x09"]),
            ("bohnanza", "fields", [b"\x63\x01"]),
            ("bohnanza", "turned", b"\x00"),
            ("bohnanza-two", "hand_sizes", b"\x01\x02\x03"),
            ("bohnanza-two", "discard", b"\xff"),
            ("duel", "fields", [b"\x00"]),
            ("duel", "gifts", b"\x01"),
            ("dice", "faces", b"\xc8"),
        ],
    )
    def test_a_malformed_field_is_refused_at_its_first_access(self, name: str, field: str, value: object) -> None:
        arrived = sent(start(name), **{field: value})
        for _ in range(2):
            with pytest.raises(wire.WireError):
                getattr(arrived, field)


class TestNumbers:
    def test_no_ruleset_has_more_cards_than_a_byte_can_count(self) -> None:
        for ruleset in rulesets():
            for seats in range(ruleset.least_seats, ruleset.most_seats + 1):
                rules: Any = new_game(ruleset.id, seats=seats, seed=b"cards").view(0).rules
                cards = [kind.cards for kind in getattr(rules, "kinds", ()) if isinstance(kind, KindRule)]
                assert sum(cards) <= 255
        assert MAX_HARVEST_CARDS <= 256, "the last one has the number 255"

    def test_bohnus_cards_beyond_255_arrive(self) -> None:
        deck = '[[cards]]\nsequence = "1"\ncents = 5\n' * MAX_BOHNUS_CARDS
        view = start("duel", {"deck": deck})
        assert isinstance(view, DuelView)
        last = MAX_BOHNUS_CARDS - 1
        view = replace(view, bohnus=(last,), earned=((), tuple(range(300))), bohnus_discard=(256, last))
        assert sent(view) == view

    def test_harvest_cards_of_the_largest_deck_arrive(self) -> None:
        deck = deck_text(["blue; green; soy; red; stink"] * MAX_HARVEST_CARDS)
        view: Any = start("dice", {"deck": deck})
        view = replace(view, tops=(MAX_HARVEST_CARDS - 1,) * len(view.tops))
        assert sent(view) == view


class TestExample:
    """What referee.proto tells the authors of bots in other languages."""

    @staticmethod
    def example() -> dict[str, list[bytes]]:
        """The bytes of each field in the example of `referee.proto`; several where it is repeated."""
        text = resources.files("beanproto.v1").joinpath("referee.proto").read_text("utf-8")
        (lines,) = re.findall(r"^//   hand    = (?:.+\n)+", text, re.MULTILINE)
        shown: dict[str, list[bytes]] = {}
        for name, numbers in re.findall(r"^// +(?:(\w+) +=)? *\[?((?:[0-9a-f]{2} ?)+)", lines, re.MULTILINE):
            shown.setdefault(name or list(shown)[-1], []).append(bytes.fromhex(numbers))
        return shown

    def test_the_example_is_what_is_sent(self) -> None:
        view = scripted(
            seats=4,
            hands=["blue blue red"],
            fields={(0, 0): "blue blue", (2, 1): "soy soy soy"},
            dollars=(2, 0, 1, 0),
        ).view(0)
        request = pb.Request()
        wire.view_to_pb(view, request)
        assert self.example() == {
            "hand": [request.bohnanza.hand],
            "dollars": [request.bohnanza.dollars],
            "fields": list(request.bohnanza.fields),
        }

    def test_a_bot_needs_nothing_but_the_numbers_of_kinds(self) -> None:
        view = start("bohnanza-classic")
        assert isinstance(view, BohnanzaView)
        view = replace(view, fields=((Field("blue", 2), Field(None, 0)), (), (Field("wax", 7),)))
        request = pb.Request()
        wire.view_to_pb(view, request)
        kind = {int(number): name.removeprefix("KIND_").lower() for name, number in pb.Kind.items()}
        message = request.bohnanza
        assert tuple(kind[number] for number in message.hand) == view.hand
        assert [[(kind[own[i]], own[i + 1]) for i in range(0, len(own), 2)] for own in message.fields] == [
            [("blue", 2), ("unspecified", 0)],
            [],
            [("wax", 7)],
        ]
