"""The steps of a replay, the lines for what happens, and the marks of what a step changed."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from beanleague.cli.params import CliError
from beanleague.cli.replay.lines import describe, new_cards, picture
from beanleague.cli.replay.steps import Entry, ReplayTable, Step, seen_from, steps
from beanleague.games import Event, Fault, PlayedMove, Record, View, core, new_game
from beanleague.games.bohnanza import Answered, BohnanzaView, Offered, Refused, Traded, TradingEnded
from beanleague.games.core.words import kind_text
from beanleague.games.dice import DiceView, Rolled, Saved
from beanleague.games.duel import ColumnHarvested
from tests.cli.helpers import played, with_fault
from tests.cli.replay.test_player import marked, text

NAMES = ("ann@1", "ben@2", "cid@1")


def step(*entries: Entry) -> Step[BohnanzaView]:
    """A step at a table for three with blue and soy turned over."""
    view = new_game("bohnanza", seats=3, seed=b"x").view(0)
    assert isinstance(view, BohnanzaView)
    table = ReplayTable((replace(view, turned=("blue", "soy")),) * 3, frozenset())
    return Step(1, table, table, entries)


def lines(*entries: Entry) -> list[str]:
    """The lines for what happened at a table for three with blue and soy turned over."""
    return [line.plain.strip() for _, line in describe(step(*entries), NAMES)]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (core.Dealt(0, 2, ("black_eyed", "red")), "ann@1 is dealt black-eyed, red"),
        (core.Drew(1, 2, ("blue", "blue")), "ben@2 draws 2 blue"),
        (core.Drew(1, 2, ()), "ben@2 draws 2 cards"),
        (core.TurnStarted(3, 1), "Turn 3: ben@2"),
        (core.Planted(0, 1, "soy", "hand", 0), "ann@1 plants soy in field 2"),
        (core.Passed(0), "ann@1 plants no second card"),
        (core.Harvested(2, 0, "stink", 5, 2), "cid@1 harvests 5 stink for $2"),
        (core.TurnedOver(0, ("blue", "soy")), "ann@1 turns over blue, soy"),
        (Offered(0, (1, 2), (), (), (), ()), "ann@1 asks all for offers"),
        (
            Offered(0, (1, 2), (0,), (3, 4), ("blue", "red", "red"), ("soy", "soy", "stink")),
            "ann@1 offers blue, 2 red for 2 soy, stink to all",
        ),
        (Offered(0, (2,), (0,), (), ("blue",), ()), "ann@1 offers blue to cid@1 as a gift"),
        (Offered(0, (1,), (), (), (), ("red",)), "ann@1 offers nothing for red to ben@2"),
        (Answered(1, "accept", (0,), ("red",)), "ben@2 accepts, giving red"),
        (Answered(1, "accept"), "ben@2 accepts"),
        (Answered(1, "counter", (0,), ("red",), (1,), ("chili",)), "ben@2 counters: gives red for soy, chili"),
        (Answered(1, "counter", (0,), ("red",)), "ben@2 counters: gives red for nothing"),
        (Traded(0, 2, (0,), (), ("blue",), (1, 2), ("red", "red")), "ann@1 trades with cid@1: gives blue for 2 red"),
        (Traded(0, 2, (0,), (), ("blue",), (), ()), "ann@1 trades with cid@1: gives blue for nothing"),
        (Refused(0), "ann@1 takes none of the answers"),
        (TradingEnded(0, ("blue",)), "ann@1 ends the trading and keeps blue"),
        (TradingEnded(0, ()), "ann@1 ends the trading"),
        (core.RanOut(2), "The draw pile runs out, 2 of 3"),
        (core.Shuffled(1, 60), "60 discarded cards become the draw pile"),
        (
            core.GameEnded((3, 9, 3), (3, 1, 2)),
            "Game over. 1. ben@2 $9, 2. cid@1 $3, 3. ann@1 $3; at equal money, the higher seat comes first",
        ),
        (core.GameEnded((3, 9, 3), (2, 1, 2)), "Game over. 1. ben@2 $9, 2. ann@1 $3, 2. cid@1 $3"),
        (
            Fault(1, 7, "timeout", "no answer in 1000 ms", forfeited=False),
            "ben@2 fault, timeout: no answer in 1000 ms; the default action is played",
        ),
        (
            Fault(1, 7, "crash", "the process ended", forfeited=True),
            "ben@2 fault, crash: the process ended; it forfeits, and default actions play on",
        ),
    ],
)
def test_every_entry_has_its_line(entry: Entry, text: str) -> None:
    assert lines(entry) == [text]


def test_seats_that_decline_one_after_the_other_share_a_line() -> None:
    answers = (Answered(0, "decline"), Answered(1, "decline"), Answered(2, "accept"))
    assert lines(*answers, Refused(0)) == ["2 declined", "cid@1 accepts", "ann@1 takes none of the answers"]
    assert lines(Answered(1, "decline"), Answered(2, "accept")) == ["ben@2 declines", "cid@1 accepts"]


def test_kinds_have_their_colours() -> None:
    (_, line), *_ = describe(step(core.Planted(0, 1, "red", "hand", 0)), NAMES)
    assert any("225,60,60" in str(span.style) and line.plain[span.start : span.end] == "red" for span in line.spans)


def first(ruleset: str, seats: int, kind: type[Event], *, which: Callable[[Any], bool] = lambda _: True) -> Step[Any]:
    """The first step of a match that has an event of this class alone."""
    return next(
        step
        for step in steps(played(seats, ruleset=ruleset))
        if [type(entry) for entry in step.entries] == [kind] and step.move and which(step.entries[0])
    )


def marks(step: Step[Any]) -> list[str]:
    names = [f"bot{seat}" for seat in range(len(step.table.views))]
    return marked(picture(step.table, names, "a match", 120, before=step.before), 120)


@pytest.mark.parametrize(("ruleset", "seats"), [("bohnanza", 3), ("bohnanza-two", 2), ("duel", 2)])
def test_a_planted_card_marks_its_field(ruleset: str, seats: int) -> None:
    step = first(ruleset, seats, core.Planted, which=lambda event: event.source == "hand")
    (event,) = step.entries
    assert isinstance(event, core.Planted)
    assert [mark.split()[1] for mark in marks(step)] == [kind_text(event.kind)]


def test_a_harvest_marks_its_field_and_dollars_that_were_earned() -> None:
    step = first("bohnanza", 3, core.Harvested, which=lambda event: event.dollars > 0)
    (event,) = step.entries
    assert isinstance(event, core.Harvested)
    assert [mark.strip() for mark in marks(step)] == [str(step.table.public.dollars[event.seat]), "-"]
    step = first("duel", 2, ColumnHarvested, which=lambda event: not event.dollars)
    assert marks(step) == ["-"]


def test_cards_drawn_and_turned_over_are_marked() -> None:
    turning = next(step for step in steps(played(3)) if isinstance(step.entries[-1], core.TurnedOver))
    event = turning.entries[-1]
    assert isinstance(event, core.TurnedOver)
    assert marks(turning)[-1] == " ".join(map(kind_text, event.cards))
    drawing = next(
        step for step in steps(played(3)) if step.move and any(isinstance(entry, core.Drew) for entry in step.entries)
    )
    (drew,) = [entry for entry in drawing.entries if isinstance(entry, core.Drew)]
    assert marks(drawing)[: drew.count] == [kind_text(kind) for kind in drew.cards]


def test_dice_that_were_rolled_and_saved_are_marked() -> None:
    saved = next(
        step for step in steps(played(1, ruleset="bean-thief-easy"))
        if [type(entry) for entry in step.entries[:2]] == [Saved, Rolled]
    )  # fmt: skip
    rolled, field = marks(saved)[:2]
    view = saved.table.public
    assert isinstance(view, DiceView)
    assert rolled.split() == [view.faces[die] for die in view.rolled]
    assert field.split() == [view.faces[die] for die in view.saved]


def test_nothing_is_marked_without_a_table_before() -> None:
    step = first("bohnanza", 3, core.Planted)
    assert not marked(picture(step.table, ["a", "b", "c"], "", 100))


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [("ab", "ab", 0), ("ab", "b", 0), ("ab", "abc", 1), ("aba", "baa", 1), ("abc", "ca", 1), ("", "ab", 2)],
)
def test_new_cards_are_those_at_the_back_that_were_not_there(before: str, now: str, new: int) -> None:
    assert new_cards(tuple(now), tuple(before)) == new  # type: ignore[arg-type]  # letters for kinds


def views(table: ReplayTable[View]) -> list[BohnanzaView]:
    """Return what each seat sees at a table of the trading games."""
    return [view for view in table.views if isinstance(view, BohnanzaView)]


def test_the_last_table_has_the_dollars_of_the_outcome() -> None:
    record = played(4)
    last = list(steps(record))[-1]
    assert views(last.table)[0].dollars == record.scores
    assert last.move == len(record.moves)


def test_every_table_holds_all_104_cards() -> None:
    for step in steps(played(5)):
        seats = views(step.table)
        first = seats[0]
        cards = first.pile + sum(first.discard) + len(first.turned) + sum(first.dollars)
        for own in seats:
            cards += len(own.hand) + len(own.own_aside) + sum(field.count for field in own.own_fields)
        assert cards == 104


def test_a_step_begins_with_the_table_that_the_one_before_ends_with() -> None:
    every = list(steps(played()))
    assert every[0].before == every[0].table
    assert all(later.before is step.table for step, later in pairwise(every))


def test_answers_to_an_offer_are_one_step() -> None:
    record = played(4)
    offered_to_all = [step for step in steps(record) if any(isinstance(event, Answered) for event in step.entries)]
    assert offered_to_all
    for step in offered_to_all:
        answers = [event for event in step.entries if isinstance(event, Answered)]
        assert len(answers) == 3


def test_a_fault_comes_before_what_was_played_instead() -> None:
    record = with_fault(played(), 0)
    second = list(steps(record))[1]
    assert second.entries[0] == record.faults[0]
    assert not isinstance(second.entries[1], Fault)


def test_a_forfeited_seat_is_marked_from_then_on() -> None:
    record = with_fault(played(), 5, forfeited=True)
    marked = [step.table.forfeited for step in steps(record)]
    assert marked[0] == frozenset()
    assert marked[-1] == {record.moves[5].seat}


def test_moves_against_the_rules_end_the_replay_with_their_place() -> None:
    record = played()
    wrong = replace(record, moves=(PlayedMove(0, core.Harvest(0), by_default=False), *record.moves))
    with pytest.raises(CliError, match="move 0 of seat 0 is not legal: field 0 is empty"):
        list(steps(wrong))


def test_a_game_that_cannot_be_set_up_is_an_error() -> None:
    with pytest.raises(CliError, match="cannot be replayed: bohnanza is for 3 to 5 seats, not 9"):
        list(steps(replace(played(), seats=9)))


def test_the_deal_is_the_first_step() -> None:
    first = next(iter(steps(played())))
    assert first.move == 0
    assert isinstance(first.entries[-1], core.TurnStarted)
    assert all(len(own.hand) == 5 for own in views(first.table))


GAMES = [("bohnanza", 5), ("bohnanza-two", 2), ("duel", 2), ("dice", 3)]


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_all_that_is_drawn_was_in_the_views_and_events_of_the_seat(ruleset: str, seats: int) -> None:
    """Other seats have only what the seat's own view says of them, and events are as this seat sees them."""
    record = played(seats, ruleset=ruleset)
    whole = list(steps(record))
    seen = list(seen_from(1, whole))
    assert len(whole) == len(seen)
    for step, known in zip(whole, seen, strict=True):
        own: Any = step.table.views[1]
        assert known.table.views[1] is own
        for seat, other in enumerate(known.table.views):
            assert replace(other, seat=1, **_private(own)) == own, seat
        assert known.entries == tuple(entry.seen_by(1) for entry in step.entries if hasattr(entry, "seen_by"))


def _private(own: Any) -> dict[str, Any]:
    return {name: getattr(own, name) for name in ("hand", "bohnus") if hasattr(own, name)}


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-two", "duel"])
def test_hidden_hands_are_drawn_as_numbers_of_cards(ruleset: str) -> None:
    seats = 3 if ruleset == "bohnanza" else 2
    record = played(seats, ruleset=ruleset)
    step = next(seen_from(1, steps(record)))
    drawn = text(picture(step.table, record.players, "", 100))
    assert drawn.count("5 cards") == seats - 1
    lines = [line.plain.strip() for entry, line in describe(step, record.players) if isinstance(entry, core.Dealt)]
    assert [line.endswith("is dealt 5 cards") for line in lines] == [seat != 1 for seat in range(seats)]


def test_a_seat_sees_its_own_faults_and_forfeit_alone() -> None:
    def faults(record: Record) -> tuple[int, set[int]]:
        seen = list(seen_from(1, steps(record)))
        return sum(entry in record.faults for step in seen for entry in step.entries), set(seen[-1].table.forfeited)

    record = played()
    of = {record.moves[move].seat: move for move in range(20)}
    assert faults(with_fault(record, of[0], forfeited=True)) == (0, set())
    assert faults(with_fault(record, of[1], forfeited=True)) == (1, {1})
