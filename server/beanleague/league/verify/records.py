"""A match: its record, which is played again, against the rows of its seats and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from beanleague.games import Option, new_game, ruleset, verify
from beanleague.games.records.record import Record
from beanleague.games.records.verify import MatchVerdict
from beanleague.league.schedule.seeds import bot_luck
from beanleague.league.verify.findings import Finding, differs
from beanleague.model import Deal, League, SeatResult, StoredFault, StoredMatch
from beanleague.names import format_match
from beanleague.wire import WireError, record_from_bytes, unpacked


@dataclass(frozen=True, slots=True)
class Frame:
    """What the matches of a league have in common."""

    league: League
    """The league."""
    labels: tuple[str, ...]
    """"name@version" of each entrant, by its number."""
    thief: int | None
    """Number of the Bean Thief in a solo league."""


def check_match(
    frame: Frame,
    deal: Deal,
    seating: Sequence[int],
    match: StoredMatch,
    record: Record | None,
    verdict: MatchVerdict,
) -> Iterator[Finding]:
    """Yield what is wrong with a match of a deal, in which the entrants `seating` sit. The last two: see `replayed`."""
    where = format_match(frame.league.name, deal.number, match.rotation)
    if record is None:
        yield Finding(where, "match.record" if match.record else "match", verdict.problem)
        return
    if not verdict.reproduced:
        yield Finding(where, "match.record", f"the rules do not reproduce it: {verdict.problem}")
    yield from _check_setting(frame, where, deal.seed or b"", seating, record)
    luck = tuple(bot_luck(frame.league.secret, deal.number, match.rotation, seat) for seat in range(record.seats))
    if record.luck != luck:
        yield Finding(where, "match.record", "the luck of its bots does not follow from the league's master secret")
    expected = [*_seats(record, seating), *_thief(frame, record, verdict)]
    yield from _check_seats(where, match.seats, expected, record)
    yield from _check_faults(where, match.faults, record, seating)
    forgiven = [
        sum(not fault.forfeited for fault in record.faults if fault.seat == seat) for seat in range(record.seats)
    ]
    if max(forgiven, default=0) > frame.league.limits["strikes"]:
        yield Finding(where, "league.limits", f"{max(forgiven)} faults of a seat were forgiven, more than its strikes")


def replayed(data: bytes | None) -> tuple[Record | None, MatchVerdict]:
    """Return a stored record, None if it is damaged or missing, and the verdict of playing it again."""
    if data is None:
        return None, MatchVerdict("the row is missing, but others name the match")
    try:
        record = record_from_bytes(unpacked(data))
        return record, verify(record)
    except WireError as damaged:
        return None, MatchVerdict(f"it is damaged: {damaged}")


def _check_setting(frame: Frame, where: str, seed: bytes, seating: Sequence[int], record: Record) -> Iterator[Finding]:
    league = frame.league
    yield from differs(where, "league.ruleset", league.ruleset, record.ruleset, "the record says")
    yield from differs(where, "league.rules", league.rules, record.rules, "the record says")
    yield from differs(where, "league.seats", league.seats, record.seats, "the record says")
    yield from differs(where, "match.record", record.seed.hex(), seed.hex(), "the seed of the deal is")
    labels = tuple(frame.labels[entrant] for entrant in seating)
    yield from differs(where, "match.record", record.players, labels, "the table of the deal seats", "players")
    options: dict[str, Option] = dict(league.options)
    if ruleset(league.ruleset).interludes:
        options["interludes"] = record.options.get("interludes", ())  # bots ask for them; the rules say who may
    expected = new_game(league.ruleset, seats=league.seats, seed=seed, options=options).options
    yield from differs(where, "league.options", dict(expected), dict(record.options), "the record has")


def _seats(record: Record, seating: Sequence[int]) -> Iterator[SeatResult]:
    moves = Counter(move.seat for move in record.moves)
    for seat, entrant in enumerate(seating[: record.seats]):
        faults = [fault for fault in record.faults if fault.seat == seat]
        yield SeatResult(
            entrant,
            record.scores[seat],
            record.places[seat],
            decisions=moves[seat],
            faults=len(faults),
            forfeited=any(fault.forfeited for fault in faults),
        )


def _thief(frame: Frame, record: Record, verdict: MatchVerdict) -> Iterator[SeatResult]:
    if frame.thief is not None and verdict.outcome is not None and verdict.outcome.rival is not None:
        yield SeatResult(frame.thief, verdict.outcome.rival, 3 - record.places[0], 0, 0, forfeited=False)


def _check_seats(
    where: str, stored: Sequence[tuple[int, SeatResult]], expected: Sequence[SeatResult], record: Record
) -> Iterator[Finding]:
    numbers = [seat for seat, _ in stored]
    yield from differs(where, "match_seat.seat", numbers, list(range(len(expected))), "the seats are")
    for seat, result in stored:
        if not 0 <= seat < len(expected):
            continue
        for column in SeatResult.__dataclass_fields__:
            old, new = getattr(result, column), getattr(expected[seat], column)
            if column == "decisions" and expected[seat].forfeited:
                new = _decisions(record, seat, old)
            source = "the table says" if column == "entrant" else "the record gives"
            yield from differs(where, f"match_seat.{column}", old, new, source, f"seat {seat}:")


def _decisions(record: Record, seat: int, stored: int) -> int:
    """Return how often a seat that forfeited was asked: not after it, and with it only if it still lived then."""
    last = min(fault.move for fault in record.faults if fault.seat == seat and fault.forfeited)
    before = sum(move.seat == seat for move in record.moves[:last])
    return stored if stored in {before, before + 1} else before + 1


def _check_faults(
    where: str, stored: Sequence[StoredFault], record: Record, seating: Sequence[int]
) -> Iterator[Finding]:
    expected = sorted(record.faults, key=lambda fault: fault.seat)
    numbers = [row.number for row in stored]
    yield from differs(where, "fault.number", numbers, list(range(len(expected))), "the record has the faults")
    for row in stored:
        if not 0 <= row.number < len(expected):
            continue
        fault = expected[row.number]
        for column in type(fault).__dataclass_fields__:
            old, new = getattr(row.fault, column), getattr(fault, column)
            yield from differs(where, f"fault.{column}", old, new, "the record says", f"fault {row.number}:")
        yield from differs(
            where, "fault.entrant", row.entrant, seating[fault.seat], "in its seat is", f"fault {row.number}:"
        )
