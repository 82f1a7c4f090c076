"""What happened in a match, told in lines that people read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.text import Text

from beanleague.cli.replay.board import AnyBoard, Board, Happening, Step, TwoBoard
from beanleague.cli.replay.board_dice import DiceBoard
from beanleague.cli.replay.kinds import heap, row
from beanleague.cli.replay.lines import Part, ending, line
from beanleague.cli.replay.narrate_dice import DICE_TELLERS
from beanleague.cli.replay.narrate_duel import DUEL_TELLERS
from beanleague.games import Event, Kind, RecordedFault
from beanleague.games.bohnanza import Answered, Offered, Refused, Traded, TradingEnded
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
from beanleague.games.two import HandDiscarded, Joined, OpenDiscarded


def tell(step: Step, names: Sequence[str]) -> Iterator[tuple[Happening, Text]]:
    """Yield what happened in `step`, each with a line that tells it; seats that decline together share one."""
    declined: list[Answered] = []
    board = step.board
    for happening in step.happened:
        if isinstance(happening, Answered) and happening.answer == "decline":
            declined.append(happening)
            continue
        if declined:
            yield declined[-1], _declines(declined, names)
            declined = []
        if isinstance(board, DiceBoard) and isinstance(happening, Event):
            board = board.after(happening)
        yield happening, _TELLERS[type(happening)](happening, names, board)
    if declined:
        yield declined[-1], _declines(declined, names)


def _declines(answers: Sequence[Answered], names: Sequence[str]) -> Text:
    who = Text(", ").join(Text(names[answer.seat], "bold") for answer in answers)
    return Text.assemble("    ", who, (" decline" if len(answers) > 1 else " declines", "dim"))


def _turn_started(event: TurnStarted, names: Sequence[str], _: Board) -> Text:
    return Text.assemble((f"Turn {event.turn}", "bold underline"), "  ", (names[event.seat], "bold"))


def _dealt(event: Dealt, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "is dealt ", row(event.cards))


def _drew(event: Drew, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "draws ", row(event.cards))


def _planted(event: Planted, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "plants ", heap([event.kind]), f" in field {event.field}")


def _passed(event: Passed, names: Sequence[str], board: AnyBoard) -> Text:
    return line(names, event.seat, "goes on" if isinstance(board, TwoBoard) else "plants no second card")


def _harvested(event: Harvested, names: Sequence[str], _: Board) -> Text:
    crop = heap([event.kind] * event.cards)
    return line(names, event.seat, "harvests ", crop, " for ", (f"${event.dollars}", "bold green"))


def _turned_over(event: TurnedOver, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "turns over ", row(event.cards))


def _offered(event: Offered, names: Sequence[str], board: Board) -> Text:
    others = len(board.seats) - 1
    to = "all" if len(event.to) == others else ", ".join(names[seat] for seat in event.to)
    if not (event.gives or event.wants):
        return line(names, event.seat, f"asks {to} for offers")
    open_cards, hand = event.gives[: len(event.turned)], event.gives[len(event.turned) :]
    given = Text(" and ").join(
        part for part in (heap(open_cards), Text.assemble(heap(hand), " from hand") if hand else Text()) if part
    )
    if not event.wants:
        return line(names, event.seat, "offers ", given, f" to {to} as a gift")
    return line(names, event.seat, "offers ", given or "nothing", " for ", heap(event.wants), f" to {to}")


def _answered(event: Answered, names: Sequence[str], board: Board) -> Text:
    if event.answer == "accept":
        given: tuple[Part, ...] = (", giving ", heap(event.gives)) if event.gives else ()
        return Text.assemble("    ", (names[event.seat], "bold"), (" accepts", "green"), *given)
    wanted: list[Kind] = [board.turned[position] for position in event.turned] + list(event.wants)
    told: tuple[Part, ...] = ("gives ", heap(event.gives) or "nothing", " for ", heap(wanted) or "nothing")
    return Text.assemble("    ", (names[event.seat], "bold"), (" counters: ", "yellow"), *told)


def _traded(event: Traded, names: Sequence[str], _: Board) -> Text:
    gives, receives = heap(event.gives) or Text("nothing"), heap(event.receives) or Text("nothing")
    return Text.assemble(
        "  ", (names[event.seat], "bold"), (" trades ", "bold green"), gives, " for ", receives, " with ",
        (names[event.partner], "bold"),
    )  # fmt: skip


def _refused(event: Refused, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "takes none of the answers")


def _trading_ended(event: TradingEnded, names: Sequence[str], _: Board) -> Text:
    kept: tuple[Part, ...] = (" and keeps ", heap(event.left)) if event.left else ()
    return line(names, event.seat, "ends the trading", *kept)


def _ran_out(event: RanOut, _: Sequence[str], board: AnyBoard) -> Text:
    time = f", {event.time} of {board.rules.run_outs}" if isinstance(board, Board) else ""
    return Text(f"  The draw pile runs out{time}", "bold")


def _shuffled(event: Shuffled, _: Sequence[str], __: Board) -> Text:
    return Text(f"  {event.cards} discarded cards become the draw pile", "bold")


def _game_ended(event: GameEnded, names: Sequence[str], _: Board) -> Text:
    return ending(names, event.places, [f"${dollars}" for dollars in event.dollars])


def _field_bought(event: FieldBought, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "buys a field for ", (f"${event.price}", "bold green"))


def _joined(event: Joined, names: Sequence[str], _: Board) -> Text:
    del names
    return Text.assemble("  From the discard pile come ", row(event.cards))


def _open_discarded(event: OpenDiscarded, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from the open cards")


def _hand_discarded(event: HandDiscarded, names: Sequence[str], _: Board) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from hand")


def _fault(fault: RecordedFault, names: Sequence[str], _: Board) -> Text:
    end = "it forfeits, and default actions play on" if fault.forfeited else "the default action is played"
    return Text.assemble(
        "  ", (names[fault.seat], "bold"), (f" fault, {fault.kind}: ", "bold red"), f"{fault.reason}; {end}"
    )


_TELLERS: dict[type[Any], Callable[[Any, Sequence[str], Any], Text]] = {
    TurnStarted: _turn_started,
    Dealt: _dealt,
    Drew: _drew,
    Planted: _planted,
    Passed: _passed,
    Harvested: _harvested,
    TurnedOver: _turned_over,
    Offered: _offered,
    Answered: _answered,
    Traded: _traded,
    Refused: _refused,
    TradingEnded: _trading_ended,
    RanOut: _ran_out,
    Shuffled: _shuffled,
    GameEnded: _game_ended,
    FieldBought: _field_bought,
    Joined: _joined,
    OpenDiscarded: _open_discarded,
    HandDiscarded: _hand_discarded,
    **DUEL_TELLERS,
    **DICE_TELLERS,
    RecordedFault: _fault,
}
