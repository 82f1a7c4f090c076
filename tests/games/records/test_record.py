"""Records as JSON: nothing is lost, nothing invalid accepted; the places and the worth of trades in them."""

import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from beanleague import games
from beanleague.games.bohnanza import Call, Counter, Decline, Pick, Refuse, Stop, Traded
from beanleague.games.bohnanza.moves import TradingEnded
from beanleague.games.core import Harvested, Pass, Plant, Planted
from beanleague.games.families import ACTIONS, EVENTS, Classes, snake
from beanleague.games.records.faults import league_places, places_with_forfeits
from beanleague.games.records.record import MAX_BYTES, TaggedCodec, check_record
from beanleague.games.records.trade_flow import TradeFlow, added_up, trade_flows
from tests.games.bohnanza.helpers import bohnanza
from tests.games.helpers import dull, play, recorded

SEED = b"record"


def a_record() -> games.Record:
    """A short game: seat 1 has a fault at its first move; seat 2, which would have won, forfeits at its second."""
    game = bohnanza(seed=SEED, max_rounds=1, interludes=(0, 2))
    moves = play(game, dull)
    first, second = (next(i for i, move in enumerate(moves) if move.seat == seat) for seat in (1, 2))
    second = next(i for i, move in enumerate(moves) if move.seat == 2 and i > second)
    for index, move in enumerate(moves):
        if index == first or (move.seat == 2 and index >= second):
            moves[index] = replace(move, by_default=True)
    faults = [
        games.Fault(1, first, "timeout", "no answer in 1000 ms", forfeited=False),
        games.Fault(2, second, "crash", 'exit code 1: "ü\n"', forfeited=True),
    ]
    record = recorded(game, moves, faults)
    assert record.places[2] == 1
    return replace(
        record,
        places=(record.places[0] - 1, record.places[1] - 1, 3),
        luck=tuple(bytes([seat]) * 16 for seat in range(3)),
        ms=tuple(range(len(moves))),
        node="table",
    )


RECORD = a_record()
TEXT = games.record_to_json(RECORD)


def changed(change: Callable[[Any], None]) -> str:
    data = json.loads(TEXT)
    change(data)
    return json.dumps(data)


def place(data: Any, name: str, key: str, value: object) -> int:
    """Return the index of the first entry of the list `name` where `key` is `value`."""
    return next(i for i, entry in enumerate(data[name]) if entry.get(key) == value)


def test_a_record_with_faults_comes_back_from_json_as_it_was() -> None:
    assert games.record_from_json(TEXT) == games.record_from_json(TEXT.encode()) == RECORD


def test_the_json_is_readable() -> None:
    """A line for each move and event, with names that need no key; what failed is marked."""
    data = json.loads(TEXT)
    assert list(data) == [
        *("format", "version", "rules", "ruleset", "seats", "seed", "options", "players", "luck", "node"),
        *("moves", "events", "scores", "places", "faults", "ms"),
    ]
    assert (data["format"], data["version"], data["rules"]) == ("beanleague record", 2, games.RULES_VERSION)
    assert data["luck"] == ["00" * 16, "01" * 16, "02" * 16]
    assert data["ms"] == list(range(len(RECORD.moves)))
    assert data["seed"] == SEED.hex()
    assert data["options"] == {"max_rounds": 1, "interludes": [0, 2]}
    assert data["moves"][0] == {"seat": 0, "action": "plant", "field": 0}
    assert data["moves"][RECORD.faults[0].move]["default"] is True
    assert data["events"][3] == {"event": "turn_started", "turn": 1, "seat": 0}
    assert data["faults"][1]["reason"] == 'exit code 1: "ü\n"'
    assert TEXT.count("\n") > len(RECORD.moves) + len(RECORD.events)


def test_options_are_written_in_the_order_of_their_names() -> None:
    """Equal records are equal bytes, in whichever order their options came."""
    one = replace(RECORD, options={"max_rounds": 2, "interludes": (0,)})
    other = replace(RECORD, options={"interludes": (0,), "max_rounds": 2})
    assert '"options": {"interludes": [0], "max_rounds": 2}' in games.record_to_json(one)
    assert games.record_to_json(one) == games.record_to_json(other)


def test_the_seat_of_a_move_is_who_made_it() -> None:
    """Whose answer is picked has another name."""
    record = replace(RECORD, moves=(games.PlayedMove(0, Pick(2, (1,)), by_default=False),), faults=(), ms=())
    data = json.loads(games.record_to_json(record))
    assert data["moves"] == [{"seat": 0, "action": "pick", "partner": 2, "hand": [1]}]
    assert games.record_from_json(json.dumps(data)) == record


@pytest.mark.parametrize("classes", [ACTIONS, EVENTS], ids=["actions", "events"])
def test_every_action_and_event_has_a_name_of_its_own(classes: Classes[object]) -> None:
    """In snake case, whichever game it belongs to."""
    names = TaggedCodec(classes).names
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)
    assert len(set(names)) == len(classes)


@pytest.mark.parametrize(
    ("base", "classes"), [(games.Action, ACTIONS), (games.Event, EVENTS)], ids=["actions", "events"]
)
def test_the_table_of_families_has_every_action_and_event(base: type, classes: Classes[object]) -> None:
    """None is forgotten in the `__all__` of its package."""
    listed = {cls.__name__ for cls in classes}  # which loads every family
    assert listed == {cls.__name__ for cls in all_subclasses(base) if not cls.__name__.startswith("_")} - {"SeatEvent"}


def all_subclasses(base: type) -> list[type]:
    """The classes of the games that derive from `base`, however far down."""
    below: list[type] = type.__subclasses__(base)
    found = [cls for cls in below if cls.__module__.startswith("beanleague.games.")]
    return found + list(chain.from_iterable(map(all_subclasses, found)))


def set_to(*path: Any, value: object) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


def without(*path: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_to("format", value="chess"), "format: must be 'beanleague record', not 'chess'"),
        (set_to("version", value=3), "version: this program reads version 2, not 3"),
        (set_to("version", value=1), "version: this program reads version 2, not 1"),
        (set_to("version", value=2.0), "version: this program reads version 2, not 2.0"),
        (without("version"), "version: this program reads version 2, not None"),
        (without("format"), "format: must be 'beanleague record', not None"),
        (without("seed"), "seed: missing"),
        (set_to("colour", value=1), "colour: unknown entry"),
        (set_to("seats", value="3"), "seats: must be a whole number, not '3'"),
        (set_to("seats", value=True), "seats: must be a whole number, not True"),
        (set_to("seats", value=2**31), "seats: must be 0 to 2147483647"),
        (set_to("seats", value=4), "players: must have an entry for each of 4 seats"),
        (set_to("seed", value="xy"), "seed: must be hexadecimal, not 'xy'"),
        (set_to("luck", 1, value="xy"), r"luck\[1\]: must be hexadecimal, not 'xy'"),
        (set_to("luck", 1, value="00"), "luck: must have 16 bytes for each of 3 seats, or be empty"),
        (without("luck", 1), "luck: must have 16 bytes for each"),
        (without("ms", 1), r"ms: must have an entry for each of \d+ moves, or be empty"),
        (set_to("ms", 1, value=-1), r"ms\[1\]: must be 0 to 2147483647, not -1"),
        (without("node"), "node: missing"),
        (set_to("options", value=[]), "options: must be an object"),
        (set_to("options", "max_rounds", value=1.5), "options.max_rounds: must be a whole number"),
        (set_to("options", "interludes", 1, value="2"), r"options.interludes\[1\]: must be a whole number"),
        (set_to("players", 1, value=None), r"players\[1\]: must be a string, not None"),
        (set_to("players", 1, value="\ud800"), r"players\[1\]: contains half of a surrogate pair"),
        (set_to("players", 1, value="x" * 100_001), r"players\[1\]: more than 100000 characters"),
        (without("players", 1), "players: must have an entry for each of 3 seats"),
        (without("scores", 1), "scores: must have an entry for each of 3 seats"),
        (set_to("scores", 1, value=-1), r"scores\[1\]: must be 0 to 2147483647, not -1"),
        (without("places", 1), "places: must have an entry for each of 3 seats"),
        (set_to("moves", value={}), "moves: must be a list, not {}"),
        (set_to("moves", 1, value=7), r"moves\[1\]: must be an object, not 7"),
        (set_to("moves", 0, "action", value="plow"), r"moves\[0\].action: 'plow' is unknown; there are: .*plant"),
        (without("moves", 0, "action"), r"moves\[0\].action: must be a string, not None"),
        (set_to("moves", 0, "field", value="1"), r"moves\[0\].field: must be a whole number, not '1'"),
        (without("moves", 0, "field"), r"moves\[0\].field: missing"),
        (set_to("moves", 0, "card", value=1), r"moves\[0\].card: unknown entry"),
        (set_to("moves", 0, "seat", value=3), r"moves\[0\].seat: must be 0 to 2, not 3"),
        (without("moves", 0, "seat"), r"moves\[0\].seat: must be a whole number, not None"),
        (set_to("moves", 0, "default", value=1), r"moves\[0\].default: must be true or false, not 1"),
        (set_to("moves", 0, "default", value=True), r"moves\[0\]: a default move, but seat 0 has no fault"),
        (set_to("events", 0, "cards", 2, value=3), r"events\[0\].cards\[2\]: must be a string, not 3"),
        (set_to("events", 0, "cards", value="red"), r"events\[0\].cards: must be a list, not 'red'"),
        (set_to("events", 3, "event", value="rained"), r"events\[3\].event: 'rained' is unknown"),
        (set_to("faults", 0, "seat", value=7), r"faults\[0\].seat: must be 0 to 2, not 7"),
        (set_to("faults", 0, "move", value=10**6), r"faults\[0\].move: moves\[1000000\] does not exist"),
        (set_to("faults", 0, "move", value=0), r"faults\[0\].move: moves\[0\] is not a default move of seat 1"),
        (set_to("faults", 0, "forfeited", value=None), r"faults\[0\].forfeited: must be true or false"),
        (
            set_to("faults", 0, "forfeited", value=True),
            r"moves\[\d+\]: seat 1 had forfeited, so this must be a default",
        ),
        (without("faults", 0, "reason"), r"faults\[0\].reason: missing"),
    ],
)
def test_an_invalid_record_is_refused_with_the_place(change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(games.RecordError, match=f"^{message}"):
        games.record_from_json(changed(change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON at line 1, column 1"),
        ("{", "not JSON at line 1, column 2"),
        (b"\xff\xfe", "not UTF-8 text at byte 0"),
        ("[]", "must be an object"),
        ("null", "must be an object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 5000, "a number has too many digits"),
        ('{"format": 1, "format": 2}', "an object has a duplicate key"),
        ("\ufeff{}", "not JSON at line 1"),
        (b" " * (MAX_BYTES + 1), "larger than 16 MiB"),
    ],
    ids=range(11),
)
def test_invalid_json_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(games.RecordError, match=f"^record: {message}"):
        games.record_from_json(text)


def attempt(text: str | bytes) -> None:
    """Read `text`; anything but a record or a RecordError fails the test."""
    with suppress(games.RecordError):
        check_record(games.record_from_json(text))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_record_error(text: bytes) -> None:
    attempt(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(data=st.data(), value=json_values)
def test_any_value_in_any_place_is_a_record_or_a_record_error(data: st.DataObject, value: object) -> None:
    """Something else is put somewhere into a good record."""
    document = json.loads(TEXT)
    at: Any = document
    for _ in range(data.draw(st.integers(0, 3))):
        inner = [key for key in (at if isinstance(at, dict) else range(len(at))) if isinstance(at[key], list | dict)]
        if not inner:
            break
        at = at[data.draw(st.sampled_from(inner))]
    keys = list(at) if isinstance(at, dict) else list(range(len(at)))
    if keys:
        at[data.draw(st.sampled_from(keys))] = value
    attempt(json.dumps(document))


@given(start=st.integers(0, len(TEXT)), length=st.integers(0, 20), put=st.text(max_size=10))
def test_any_damage_gives_a_record_or_a_record_error(start: int, length: int, put: str) -> None:
    attempt((TEXT[:start] + put + TEXT[start + length :]).encode("utf-8", "surrogatepass"))


class TestDocumentation:
    """What `docs/records.md` says of actions and events is complete."""

    TEXT = (Path(__file__).parents[3] / "docs/records.md").read_text(encoding="utf-8")

    def rows(self, start: str, end: str) -> dict[str, list[str]]:
        """Return name and cells of the rows of the tables between two headings."""
        lines = self.TEXT.split(start)[1].split(end)[0].splitlines()
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| `")]
        return {row[0].strip("`"): row[1:] for row in cells}

    def test_every_event_is_there_with_all_its_entries_and_what_it_changes(self) -> None:
        rows = self.rows("## Events", "\n## ")
        assert set(rows) == {snake(cls.__name__) for cls in EVENTS}
        for cls in EVENTS:
            entries, changes = rows[snake(cls.__name__)]
            assert re.findall(r"`(\w+)`", entries) == [field.name for field in fields(cls)]
            assert changes

    def test_every_action_is_there_with_all_its_entries(self) -> None:
        rows = self.rows("### Moves", "### Faults")
        assert set(rows) == {snake(cls.__name__) for cls in ACTIONS}
        for cls in ACTIONS:
            names = ["partner" if field.name == "seat" else field.name for field in fields(cls)]
            assert re.findall(r"`(\w+)`", rows[snake(cls.__name__)][0]) == names


@pytest.mark.parametrize(
    ("places", "forfeited_at", "expected"),
    [
        ((3, 1, 2), (None, None, None), (3, 1, 2)),
        ((3, 1, 2), (None, 5, None), (2, 3, 1)),
        ((1, 2, 3, 4), (9, None, 4, None), (3, 1, 4, 2)),
        ((1, 2, 3, 4), (9, None, 9, None), (3, 1, 3, 2)),
        ((1, 1, 3, 4), (None, None, None, 0), (1, 1, 3, 4)),
        ((1, 2, 2, 4), (7, None, None, None), (4, 1, 1, 3)),
        ((1, 2, 3), (2, 1, 0), (1, 2, 3)),
        ((3, 2, 1), (2, 1, 0), (1, 2, 3)),
        ((1, 2, 3), (6, 6, 6), (1, 1, 1)),
    ],
)
def test_seats_that_forfeited_come_last_and_the_later_one_is_better(
    places: tuple[int, ...], forfeited_at: tuple[int | None, ...], expected: tuple[int, ...]
) -> None:
    """Others close up and keep their order; of the seats that forfeited the later ranks higher, equal ones tie."""
    assert places_with_forfeits(places, forfeited_at) == expected


def test_places_are_always_a_ranking() -> None:
    """Each place is one more than the number of better ones, whatever the ties and forfeits."""
    for places in [(1, 2, 3), (1, 1, 3), (1, 2, 2), (1, 1, 1), (2, 3, 1)]:
        for forfeited_at in product([None, 0, 1], repeat=3):
            found = places_with_forfeits(places, forfeited_at)
            assert all(place == 1 + sum(other < place for other in found) for place in found)


def test_lengths_that_differ_are_refused() -> None:
    """A moment too few is a mistake of the caller, not a seat that stayed."""
    with pytest.raises(ValueError, match="shorter"):
        places_with_forfeits((1, 2, 3), (None, None))


def test_answers_to_one_offer_happen_at_the_same_moment() -> None:
    """All answers to an offer share a moment; what comes before and after them has later and later ones."""
    moves: list[tuple[int, games.Action]] = [
        (0, Plant(0)),
        (0, Pass()),
        (0, Call((1, 2))),
        (1, Decline()),
        (2, Counter((0,))),
        (0, Refuse()),
    ]
    moves += [(0, Call((1, 2))), (2, Decline()), (1, Decline()), (0, Stop())]
    game = games.new_game("bohnanza", seats=3, seed=b"seed")
    moments = []
    for seat, action in moves:
        moments.append(game.moment)
        game.apply(seat, action)
    first = moments[0]
    assert [moment - first for moment in moments] == [0, 1, 2, 3, 3, 4, 5, 6, 6, 7]


def test_seats_that_forfeit_while_answering_the_same_offer_tie() -> None:
    """Which of two simultaneous answers was applied first decides nothing."""
    moments = [4, 5, 5, 6]
    faults = [games.Fault(seat, seat, "timeout", "", True) for seat in (1, 2)]
    assert league_places((3, 2, 1), moments, faults) == (1, 2, 2)


def test_a_seat_forfeits_by_its_first_fault_that_says_so() -> None:
    """Strikes before and faults after it change nothing."""
    faults = [
        games.Fault(1, 1, "illegal", "", False),
        games.Fault(1, 6, "crash", "", True),
        games.Fault(0, 4, "crash", "", True),
        games.Fault(0, 8, "crash", "", True),
    ]
    assert league_places((1, 2, 3), range(9), faults) == (3, 2, 1)


def test_a_single_seat_keeps_its_place_behind_the_thief_and_loses_by_a_forfeit() -> None:
    assert places_with_forfeits([2], [None]) == (2,)
    assert places_with_forfeits([1], [None]) == (1,)
    assert places_with_forfeits([1], [5]) == (2,)


PLANTED = [Planted(1, 0, "blue", "hand", 0)] * 3


def gift(*cards: games.Kind) -> Traded:
    """Seat 0 gives cards to seat 1."""
    return Traded(0, 1, (), tuple(range(len(cards))), cards, (), ())


def flow_of(*events: games.Event) -> TradeFlow:
    """Return what seat 0 gave seat 1."""
    flow, _ = trade_flows(3, events)
    return flow


@pytest.mark.parametrize(
    ("events", "cents"),
    [
        ([*PLANTED, gift("blue")], 25),
        ([*PLANTED, gift("blue", "blue", "blue")], 125),
        ([*PLANTED, gift("blue"), gift("blue", "blue")], 125),
        ([*PLANTED, gift("red")], 0),
        ([*PLANTED, gift("red", "red")], 100),
        ([*PLANTED, gift("red"), gift("red")], 100),
        ([*PLANTED, *[Planted(1, 0, "blue", "hand", 0)] * 7, gift("blue")], 0),
        ([*PLANTED, Harvested(1, 0, "blue", 3, 0), gift("blue")], 0),
        ([*PLANTED, TradingEnded(1, ("blue",)), gift("blue")], 50),
        ([Planted(2, 0, "blue", "hand", 0), gift("blue")], 0),
    ],
    ids=[
        "on the line to the next dollar",
        "across a step",
        "in two trades as in one",
        "a single card of a new kind",
        "cards of a new kind that earn dollars by themselves",
        "likewise in two trades",
        "beyond the last step",
        "a kind that was harvested",
        "on top of cards set aside",
        "only what the receiver grows counts",
    ],
)
def test_cards_are_worth_what_they_add_to_the_fields_of_the_receiver(events: list[games.Event], cents: int) -> None:
    assert flow_of(*events).cents == cents


def test_cards_are_worth_something_once_when_planted() -> None:
    events = [*PLANTED, gift("blue"), Planted(1, 0, "blue", "aside", 0), gift("blue")]
    assert flow_of(*events).cents == 25 + 50


def test_trades_cards_and_gifts_are_counted_in_each_direction() -> None:
    trade = Traded(1, 0, (0,), (), ("red",), (0, 1), ("blue", "chili"))
    assert trade_flows(3, [*PLANTED, gift("blue"), trade]) == (
        TradeFlow(0, 1, 2, 3, 1, 25 + 50),
        TradeFlow(1, 0, 2, 1, 0, 0),
    )


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-extended", "bohnanza-classic"])
@pytest.mark.parametrize("seats", [3, 5])
def test_whole_games_add_up(ruleset: str, seats: int) -> None:
    chance = random.Random(seats)
    game = games.new_game(ruleset, seats=seats, seed=b"trades", options={})
    while not game.over:
        for seat in game.to_act():
            game.apply(seat, chance.choice(game.legal(seat)))
    flows = trade_flows(seats, game.events)
    trades = [event for event in game.events if isinstance(event, Traded)]
    assert trades
    assert sum(flow.trades for flow in flows) == 2 * len(trades)
    assert sum(flow.cards for flow in flows) == sum(len(trade.gives) + len(trade.receives) for trade in trades)
    assert all(flow.cents >= 0 for flow in flows)
    assert added_up([*flows, *flows]) == tuple(
        TradeFlow(f.giver, f.receiver, 2 * f.trades, 2 * f.cards, 2 * f.gifts, 2 * f.cents) for f in flows
    )


def test_games_without_trading_have_none() -> None:
    game = games.new_game("duel", seats=2, seed=b"trades", options={})
    while not game.over:
        for seat in game.to_act():
            game.apply(seat, game.default(seat))
    assert trade_flows(2, game.events) == ()
