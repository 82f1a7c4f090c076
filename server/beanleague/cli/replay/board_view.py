"""A table of a replay drawn for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from beanleague.cli.replay.board import AnyBoard, Board, SeatBoard, TwoBoard
from beanleague.cli.replay.board_dice import DiceBoard, dice_picture
from beanleague.cli.replay.board_duel import DuelBoard, duel_picture
from beanleague.cli.replay.kinds import heap, label, row, short_label, style
from beanleague.cli.replay.lines import player_mark, player_name
from beanleague.games.bohnanza import CardRules, Field

_WIDE = 68  # and more for every field: from there on names are written out
_NARROW = 64  # below that the hands do not fit beside the fields
_FIELD = {False: 11, True: 16}  # width of a field: "10 stink $4", "10 black-eyed $4"
_LEAST_LOG = 4  # lines
_FEWER_CARDS = (16, 10, 6, 3)  # of every hand, tried in this order on a low terminal


def board_picture(
    board: AnyBoard, names: Sequence[str], title: str, width: int, *, cards: int | None = None
) -> RenderableType:
    """Return the table as it stands: each seat with its dollars, fields and hand, then what lies between them.

    `cards`: how many of a hand are shown; None for all.
    """
    if isinstance(board, DiceBoard):
        return dice_picture(board, names, title)
    if isinstance(board, DuelBoard):
        return duel_picture(board, names, title, cards)
    seats = (
        _stack(board, names, cards)
        if width < _NARROW
        else _table(board, names, cards, wide=width >= _WIDE + _FIELD[True] * _most_fields(board.rules))
    )
    return Group(_heading(board, title), seats, _between(board, names))


def fitted_picture(console: Console, board: AnyBoard, names: Sequence[str], title: str) -> RenderableType:
    """Return the table with as much of the hands as leaves room for what is told below it."""
    room = console.height - _LEAST_LOG - 2
    picture = board_picture(board, names, title, console.width)
    for cards in _FEWER_CARDS:
        if len(console.render_lines(picture)) <= room:
            break
        picture = board_picture(board, names, title, console.width, cards=cards)
    return picture


def _most_fields(rules: CardRules) -> int:
    """Return how many fields a player can have; a field that can be bought has its column from the first turn on."""
    return rules.fields + bool(rules.field_price)


def _table(board: Board, names: Sequence[str], cards: int | None, *, wide: bool) -> Table:
    """Return a row per seat."""
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, expand=True
    )
    table.add_column("", width=1)
    table.add_column("player", no_wrap=True, overflow="ellipsis", max_width=20 if wide else 14)
    table.add_column("$", justify="right", no_wrap=True, min_width=2)
    most = _most_fields(board.rules)
    for field in range(most):
        table.add_column(f"field {field}", no_wrap=True, overflow="ellipsis", width=_FIELD[wide])
    table.add_column("hand, first to plant first" if wide else "hand", ratio=1)
    for seat, own in enumerate(board.seats):
        fields = [_field(board.rules, field, wide=wide) for field in own.fields]
        fields += [Text()] * (most - len(fields))
        table.add_row(
            player_mark(board, seat),
            player_name(board, names, seat),
            _dollars(own),
            *fields,
            _hand(own, cards, wide=wide),
        )
    return table


def _stack(board: Board, names: Sequence[str], cards: int | None) -> Text:
    """Return three lines per seat, for a narrow terminal."""
    lines = []
    for seat, own in enumerate(board.seats):
        lines.append(
            Text.assemble(player_mark(board, seat), " ", player_name(board, names, seat), "  $", _dollars(own))
        )
        lines.append(
            Text.assemble("   ", Text(" | ").join(_field(board.rules, field, wide=False) for field in own.fields))
        )
        lines.append(Text.assemble("   ", ("hand ", "dim"), _hand(own, cards, wide=False)))
    return Text("\n").join(lines)


def _hand(own: SeatBoard, cards: int | None, *, wide: bool) -> Text:
    shown = row(own.hand[:cards], name=label if wide else short_label)
    more = len(own.hand) - len(own.hand[:cards])
    return Text.assemble(shown, (f" +{more}", "dim")) if more else shown


def _dollars(own: SeatBoard) -> Text:
    return Text(str(own.dollars), "bold green")


def _field(rules: CardRules, field: Field, *, wide: bool) -> Text:
    if field.kind is None:
        return Text("-", "dim")
    earns = rules.kind(field.kind).dollars(field.count)
    worth = (f" ${earns}", "green") if earns else ""
    name = label(field.kind) if wide else short_label(field.kind)
    return Text.assemble((f"{field.count} {name}", f"bold {style(field.kind)}"), worth)


def _heading(board: Board, title: str) -> Text:
    facts = f"pile {board.pile}  discards {board.discards}  run-outs {board.run_outs}/{board.rules.run_outs}"
    return Text.assemble((title, "bold"), "  " if title else "", f"turn {board.turn}  ", (facts, "dim"))


def _between(board: Board, names: Sequence[str]) -> Text:
    """Return one line: the turned-over cards, and whose cards lie aside."""
    lie = "open " if isinstance(board, TwoBoard) else "turned over "
    lying = [Text.assemble((lie, "dim"), row(board.turned))] if board.turned else []
    lying += [
        Text.assemble((f"{names[seat]} has aside ", "dim"), heap(own.aside))
        for seat, own in enumerate(board.seats)
        if own.aside
    ]
    return Text("   ").join(lying) or Text(" ")


class Screen:
    """A whole screen: the table, the newest of the lines told, and a footer, cut to the height of the terminal."""

    def __init__(self, board: RenderableType, told: Sequence[Text], fresh: int, footer: Text) -> None:
        """`told`: lines, oldest first, of which the last `fresh` are new in this step."""
        self._board = board
        self._told = told
        self._fresh = fresh
        self._footer = footer

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or options.max_height
        free = options.update(height=None)
        top = console.render_lines(self._board, free)[: max(0, height - 1 - _LEAST_LOG)]
        room = max(0, height - len(top) - 2)
        lines = [*top, [Segment("")], *self._log(console, free, room)]
        lines = lines[: height - 1]
        lines += [[Segment("")]] * (height - 1 - len(lines))
        footer = self._footer.copy()
        footer.truncate(options.max_width, overflow="ellipsis")
        lines += console.render_lines(footer, free)[:1]
        for index, line in enumerate(lines):
            yield from line
            if index < len(lines) - 1:
                yield Segment.line()

    def _log(self, console: Console, options: ConsoleOptions, room: int) -> list[list[Segment]]:
        lines: list[list[Segment]] = []
        for age, text in enumerate(reversed(self._told)):
            if len(lines) >= room:
                break
            shown = text
            if age >= self._fresh:
                shown = text.copy()
                shown.stylize("dim")
            lines = [*console.render_lines(shown, options), *lines]
        return lines[-room:] if room else []
