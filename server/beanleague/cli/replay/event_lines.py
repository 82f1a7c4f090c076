"""Lines for the events that several games have, and for faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.text import Text

from beanleague.cli.replay.kinds import heap, received, row
from beanleague.cli.replay.lines import ending, line
from beanleague.cli.replay.steps import Entry, ReplayTable
from beanleague.games import Fault
from beanleague.games.core import (
    Dealt,
    Drew,
    FieldBought,
    GameEnded,
    Harvested,
    Passed,
    Planted,
    RanOut,
    Shuffled,
    TurnedOver,
    TurnStarted,
)

Formatters: TypeAlias = Mapping[type[Any], Callable[[Any, Sequence[str], Any], Text]]
"""For each class of entries, what returns the line of one, given the players' names and the table after it."""


def format_each(
    entries: Iterable[Entry], names: Sequence[str], table: ReplayTable[Any], formatters: Formatters
) -> Iterator[tuple[Entry, Text]]:
    """Yield each of `entries` with its line."""
    for entry in entries:
        yield entry, formatters[type(entry)](entry, names, table)


def _turn_started(event: TurnStarted, names: Sequence[str], _: object) -> Text:
    return Text.assemble((f"Turn {event.turn}", "bold underline"), "  ", (names[event.seat], "bold"))


def _dealt(event: Dealt, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "is dealt ", received(event.cards, event.count))


def _drew(event: Drew, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "draws ", received(event.cards, event.count))


def _planted(event: Planted, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "plants ", heap([event.kind]), f" in field {event.field}")


def _passed(event: Passed, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "plants no second card")


def _harvested(event: Harvested, names: Sequence[str], _: object) -> Text:
    crop = heap([event.kind] * event.cards)
    return line(names, event.seat, "harvests ", crop, " for ", (f"${event.dollars}", "bold green"))


def _turned_over(event: TurnedOver, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "turns over ", row(event.cards))


def _ran_out(_: RanOut, __: Sequence[str], ___: object) -> Text:
    return Text("  The draw pile runs out", "bold")


def _shuffled(event: Shuffled, _: Sequence[str], __: object) -> Text:
    return Text(f"  {event.cards} discarded cards become the draw pile", "bold")


def _game_ended(event: GameEnded, names: Sequence[str], _: object) -> Text:
    return ending(names, event.places, [f"${dollars}" for dollars in event.dollars])


def _field_bought(event: FieldBought, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "buys a field for ", (f"${event.price}", "bold green"))


def _fault(fault: Fault, names: Sequence[str], _: object) -> Text:
    end = "it forfeits, and default actions play on" if fault.forfeited else "the default action is played"
    return Text.assemble(
        "  ", (names[fault.seat], "bold"), (f" fault, {fault.kind}: ", "bold red"), f"{fault.reason}; {end}"
    )


SHARED_FORMATTERS: Formatters = {
    TurnStarted: _turn_started,
    Dealt: _dealt,
    Drew: _drew,
    Planted: _planted,
    Passed: _passed,
    Harvested: _harvested,
    TurnedOver: _turned_over,
    RanOut: _ran_out,
    Shuffled: _shuffled,
    GameEnded: _game_ended,
    FieldBought: _field_bought,
    Fault: _fault,
}
"""The formatters that games share; a family replaces those that do not fit it."""
