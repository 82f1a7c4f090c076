"""Reports as JSON, and as Markdown that is readable in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from beanbot.analysis.course import VERSION, Expected
from beanbot.analysis.report import Loss, MatchesReport
from beanleague.games.core.words import kind_text

MOST_SIZES = 10
"""Maximum number of kinds and sizes of fields listed, largest gain from waiting first."""


@dataclass(frozen=True, slots=True)
class AdviceExample:
    """Move to look at."""

    match: str
    move: int
    text: str


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice to the author, with examples."""

    text: str
    examples: tuple[AdviceExample, ...]


def advice(of: MatchesReport) -> Iterator[Advice]:
    """Yield advice: decisions worse than the yardstick's first, then harvests that are too early."""
    for loss in of.worse:
        yield Advice(
            f"Unlike {of.yardstick} there, it {loss.kind} in {loss.matches} of {_matches(of.matches)}, "
            f"and loses {_expected_text(loss.a_match, scale=100)} % of a win in a match by it.",
            tuple(
                [
                    AdviceExample(each.match, made.move, f"turn {made.turn}: {made.played}; better: {made.better}")
                    for each in loss.examples
                    for made in (each.decision,)
                ]
            ),
        )
    for early in of.too_early:
        yield Advice(
            f"In {early.matches} of {_matches(of.matches)} {kind_text(early.kind)} was harvested at {early.cards}, "
            f"{early.short} short of more; waiting gained {_expected_text(early.a_match)} dollars a match.",
            tuple(
                [
                    AdviceExample(
                        each.match, made.move, f"turn {made.turn}: {made.came} more came, worth ${made.gained:.1f}"
                    )
                    for each in early.examples
                    for made in (each.harvest,)
                ]
            ),
        )


def report_object(of: MatchesReport, before: MatchesReport | None = None) -> dict[str, Any]:
    """Return a report as a JSON object."""
    return {
        "version": VERSION,
        **asdict(of),
        "to_do": [asdict(each) for each in advice(of)],
        "before": before and asdict(before),
    }


def markdown(of: MatchesReport, before: MatchesReport | None = None) -> Iterator[str]:
    """Yield the lines of a report. `before`: report on earlier versions, shown in its own columns."""
    yield f"# {of.bot}: {_matches(of.matches)}{f', and {before.matches} before' if before else ''}"
    yield ""
    was = {figure.name: figure.own for figure in before.figures} if before else {}
    rows = [
        (
            figure.name,
            _expected_text(figure.own),
            *([_expected_text(was[figure.name])] if figure.name in was else []),
            *([_expected_text(figure.against)] if figure.against else []),
            _expected_text(figure.others),
        )
        for figure in of.figures
        if figure.name in was or not before
    ]
    columns = [of.bot, *(["before"] if before else []), *([of.against] if of.against else []), "others"]
    yield from _table(("a match", *columns), rows)
    if of.against:
        yield f"The figures of {of.against} are of {_matches(of.against_matches)} of its own."
        yield ""
    yield from _table(
        ("seat", "dollars above the table"), [(str(seat), _expected_text(ahead, "+")) for seat, ahead in of.seats]
    )
    yield from _table(
        ("opponent", "dollars ahead"), [(name, _expected_text(ahead, "+")) for name, ahead in of.opponents]
    )
    yield f"## Otherwise than {of.yardstick}"
    yield ""
    if of.against and of.against.partition("@")[0] != of.yardstick:
        yield f"The bot that was asked for each decision is {of.yardstick}, not {of.against}."
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
    if of.early:
        yield "## Harvests a card or two short of more"
        yield ""
        yield "What waiting two turns would have gained, in dollars a match; as far as it can be told from what came:"
        yield ""
        rows = [
            (
                f"{kind_text(each.kind)} at {each.cards}",
                str(each.short),
                str(each.harvests),
                str(each.matches),
                f"{each.came:.1f}",
                _expected_text(each.a_match, "+"),
            )
            for each in of.early[:MOST_SIZES]
        ]
        yield from _table(("field", "short by", "harvests", "matches", "came", "gained"), rows)
    if of.worst:
        yield "## Worst deals"
        yield ""
        rows = [(deal.match, str(deal.seat), str(deal.dollars), f"{deal.others:.1f}") for deal in of.worst]
        yield from _table(("match", "seat", "dollars", "others made of it"), rows)
    yield "## What to do"
    yield ""
    found = list(advice(of))
    if not of.worse:
        yield f"Nothing that it decides otherwise than {of.yardstick} loses more than the error."
        yield from [""] * bool(found)
    for number, each in enumerate(found, 1):
        yield f"{number}. {each.text} Look at:"
        yield from (f"   - {example.match}:{example.move}, {example.text}" for example in each.examples)


def _losses(losses: Sequence[Loss], before: Sequence[Loss] | None) -> Iterator[str]:
    was = {loss.kind: loss.a_match for loss in before or ()}
    none = Expected(0.0, 0.0)
    rows = [
        (
            loss.kind,
            str(loss.decisions),
            str(loss.matches),
            _expected_text(loss.a_match, scale=100),
            *([] if before is None else [_expected_text(was.get(loss.kind, none), scale=100)]),
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


def _expected_text(value: Expected, sign: str = "", scale: float = 1) -> str:
    return f"{scale * value.mean:{sign}.1f} ± {scale * value.error:.1f}"


def _matches(number: int) -> str:
    return f"{number} {'match' if number == 1 else 'matches'}"
