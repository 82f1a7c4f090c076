"""A report in Markdown, aligned so that it is also read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from beanbot.analysis.course import Expected
from beanbot.analysis.report import Loss, MatchesReport


def markdown(of: MatchesReport, before: MatchesReport | None = None) -> Iterator[str]:
    """Yield the lines of a report; `before`: that of earlier versions, which stands beside it."""
    yield f"# {of.bot}: {_matches(of.matches)}{f', and {before.matches} before' if before else ''}"
    yield ""
    was = {figure.name: figure.own for figure in before.figures} if before else {}
    rows = [
        (
            figure.name,
            _told(figure.own),
            *([_told(was[figure.name])] if figure.name in was else []),
            _told(figure.others),
        )
        for figure in of.figures
    ]
    yield from _table(("a match", of.bot, *(["before"] if before else []), "others"), rows)
    yield from _table(("seat", "dollars above the table"), [(str(seat), _told(ahead, "+")) for seat, ahead in of.seats])
    yield from _table(("opponent", "dollars ahead"), [(name, _told(ahead, "+")) for name, ahead in of.opponents])
    yield f"## Otherwise than {of.yardstick}"
    yield ""
    if of.otherwise:
        yield "Of the chance to win in a match, in per cent:"
        yield ""
        yield from _losses(of.otherwise, before.otherwise if before else None)
    else:
        yield f"It decides all as {of.yardstick} does, but for what it offers."
        yield ""
    if of.mistakes:
        yield "## Mistakes that stand out"
        yield ""
        yield from _losses(of.mistakes, before.mistakes if before else None)
    if of.worst:
        yield "## Worst deals"
        yield ""
        rows = [(deal.match, str(deal.seat), str(deal.dollars), f"{deal.others:.1f}") for deal in of.worst]
        yield from _table(("match", "seat", "dollars", "others made of it"), rows)
    yield "## What to do"
    yield ""
    if not of.to_do:
        yield f"Nothing that it decides otherwise than {of.yardstick} loses more than the error."
    for number, loss in enumerate(of.to_do, 1):
        yield (
            f"{number}. It {loss.kind} where {of.yardstick} does not, in {loss.matches} of {_matches(of.matches)}, "
            f"and loses {_told(loss.a_match, scale=100)} % of a win in a match by it. Look at:"
        )
        for example in loss.examples:
            made = example.decision
            yield f"   - {example.match}:{made.move}, turn {made.turn}: {made.played}; better: {made.better}"


def _losses(losses: Sequence[Loss], before: Sequence[Loss] | None) -> Iterator[str]:
    was = {loss.kind: loss.a_match for loss in before or ()}
    none = Expected(0.0, 0.0)
    rows = [
        (
            loss.kind,
            str(loss.decisions),
            str(loss.matches),
            _told(loss.a_match, scale=100),
            *([] if before is None else [_told(was.get(loss.kind, none), scale=100)]),
        )
        for loss in losses
    ]
    yield from _table(("kind", "decisions", "matches", "lost", *([] if before is None else ["before"])), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, ["-" * width for width in widths], *rows):
        first, *others = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        cells = [text.strip().rjust(len(text)) for text in others]
        yield f"| {' | '.join((first, *cells))} |"
    yield ""


def _told(value: Expected, sign: str = "", scale: float = 1) -> str:
    return f"{scale * value.mean:{sign}.1f} ± {scale * value.error:.1f}"


def _matches(number: int) -> str:
    return f"{number} {'match' if number == 1 else 'matches'}"
