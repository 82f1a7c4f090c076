"""Practice results as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from beanbot.practice.result import Paired, Pairing, PracticeResult

_HEADINGS = ("bot", "mean $", "wins", "mean place", "faults", "mean ms", "99 % ms")


def as_text(result: PracticeResult) -> str:
    """Return the table of bots, and a line for each pair of them."""
    lines = [f"{result.game}, {result.seats} seats, {result.deals} deals, {result.matches} matches", ""]
    cells = [
        (
            row.name,
            f"{row.dollars:.2f}",
            f"{row.win_share:.1%}",
            f"{row.place:.2f}",
            str(row.faults),
            _ms(row.mean_seconds),
            _ms(row.seconds_99),
        )
        for row in result.rows
    ]
    lines += _columns([_HEADINGS, *cells])
    if result.pairings:
        lines.append("")
    lines += [
        f"{pairing.first} is placed before {pairing.second} in {pairing.score:.1%} of their meetings: {_elo(pairing)}"
        for pairing in result.pairings
    ]
    if result.paired:
        lines += ["", _compared(result.paired)]
    slow = [(row.name, row.slowest) for row in result.rows if row.slowest]
    lines += ["", *(f"slowest decision of {name}: {_ms(worst.seconds)} ms at {worst.where}" for name, worst in slow)]
    return "\n".join(lines)


def _compared(pair: Paired) -> str:
    return (
        f"{pair.first} in place of {pair.second}, {pair.deals} deals: {pair.dollars:+.2f} ± {pair.dollars_error:.2f} "
        f"dollars a match, {100 * pair.wins:+.1f} ± {100 * pair.wins_error:.1f} % of wins"
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:,.2f}"


def _elo(pairing: Pairing) -> str:
    if pairing.elo_error is not None:
        return f"{pairing.elo:+.0f} ± {pairing.elo_error:.0f} Elo"
    if pairing.score in {0, 1}:
        return f"{'over' if pairing.score else 'under'} {pairing.elo:+.0f} Elo"
    return f"{pairing.elo:+.0f} Elo, the same in every deal"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_padded, row, widths, range(len(row)))) for row in rows]


def _padded(cell: str, width: int, column: int) -> str:
    """Align names to the left and numbers to the right."""
    return cell.rjust(width) if column else cell.ljust(width)
