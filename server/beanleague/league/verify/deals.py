"""Verification of a deal: seed, digest, table, and matches, which are replayed and compared with the stored rows."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from beanleague.games import Option, RecordError, new_game, ruleset, verify
from beanleague.games.records.record import Record
from beanleague.games.records.trade_flow import trade_flows
from beanleague.games.records.verify import MatchVerdict, with_events
from beanleague.league.schedule.seeds import bot_luck, deal_seed, seed_digest
from beanleague.league.schedule.tables import seatings
from beanleague.model import League, PlayedDeal, PlayedMatch, SeatResult
from beanleague.names import format_match
from beanleague.store.deals import places_of, rows_of
from beanleague.store.matches import Rows, TableRow
from beanleague.wire import WireError, record_from_bytes, unpacked


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction found in the database."""

    where: str
    """Name of the match, deal, entrant or league with the problem."""
    column: str
    """Table and column, e.g. "match_seat.score"; the table alone if a whole row is concerned."""
    problem: str
    """Description of the problem, a sentence."""

    def __str__(self) -> str:
        return f"{self.where}: {self.column}: {self.problem}"


def differs(where: str, column: str, stored: object, derived: object, source: str, about: str = "") -> list[Finding]:
    """Return a finding if a stored value differs from the one derived from `source`. `about`: which of several rows."""
    if stored == derived:
        return []
    row = f"{about} " if about else ""
    return [Finding(where, column, f"{row}{stored!r:.200} is stored, but {source} {derived!r:.200}")]


def unreadable(where: str, table: str, error: Exception) -> Finding:
    """Return the finding for rows that are too damaged to be checked."""
    return Finding(where, table, f"cannot be checked: {type(error).__name__}: {error!s:.200}")


@dataclass(frozen=True, slots=True)
class Frame:
    """Common settings of the matches of a league."""

    league: League
    """The league."""
    labels: tuple[str, ...]
    """"name@version" of each entrant, by number."""
    thief: int | None
    """Number of the Bean Thief in a solo league."""
    secrets: tuple[tuple[int, bytes], ...]
    """Secrets in order, each with the first deal whose seed depends on it."""

    def secret(self, deal: int) -> bytes:
        """Return the secret that decides a deal's seed."""
        place = bisect_right(self.secrets, deal, key=itemgetter(0))
        return self.secrets[place - 1][1] if place else b""


def check_deal(frame: Frame, number: int, rows: Rows) -> list[Finding]:
    """Return the findings about a deal. `rows`: all its rows, by table."""
    where = f"{frame.league.name}/{number}"
    if not rows["deal"]:
        return [Finding(where, "deal", "the row is missing, but others name the deal")]
    try:
        return [*_check(frame, where, rows["deal"][0], rows)]
    except Exception as error:  # noqa: BLE001  # rows may hold anything
        return [unreadable(where, "deal", error)]


def _check(frame: Frame, where: str, deal: TableRow, rows: Rows) -> Iterator[Finding]:
    seed = deal_seed(frame.secret(deal["number"]), deal["number"])  # seeds are secret until the deal is played
    if deal["seed_digest"] != seed_digest(seed):
        yield Finding(where, "deal.seed_digest", "does not follow from the league's master secret")
    if (deal["position"] is None) != (deal["played"] is None):
        yield Finding(where, "deal.position", f"is {deal['position']}, but the deal was played at {deal['played']}")
    voids = [void["number"] for void in rows["void"]]
    yield from differs(where, "deal.voids", deal["voids"], len(voids), "the number of its rows in void is")
    yield from differs(where, "void.number", voids, list(range(1, len(voids) + 1)), "the numbers should be")
    if deal["played"] is None:
        yield from _check_unplayed(where, deal, rows)
        return
    if deal["seed"] is None or seed_digest(deal["seed"]) != deal["seed_digest"]:
        yield Finding(where, "deal.seed", "its SHA-256 is not the digest that was published")
    if deal["dropped"] is not None:
        yield Finding(where, "deal.dropped", "it is set, but the deal was played")
    yield from _check_played(frame, where, deal, rows)


def _check_unplayed(where: str, deal: TableRow, rows: Rows) -> Iterator[Finding]:
    if any(rows[table] for table in ("match", "match_seat", "fault", "trade_flow")):
        yield Finding(where, "deal.played", "it is stored as not played, but has matches")
    for column in ("seed", "results"):
        if deal[column] is not None:
            yield Finding(where, f"deal.{column}", "it is set, but the deal is not played")


@dataclass(frozen=True, slots=True)
class _Replay:
    """A replayed match."""

    data: bytes | None
    """Record as stored; None if its row is missing."""
    record: Record | None
    """Decoded record; None if it is damaged or missing."""
    verdict: MatchVerdict
    """Verdict of replaying the record."""
    match: PlayedMatch
    """Match according to the record; an empty match without a record."""


def _check_played(frame: Frame, where: str, deal: TableRow, rows: Rows) -> Iterator[Finding]:
    """Replay the matches, and compare the stored rows with the rows that a commit would store."""
    tables = seatings(frame.league, tuple(deal["entrants"]))
    rotations = _rotations(rows)
    yield from differs(where, "match.rotation", rotations, list(range(len(tables))), "its table gives the rotations")
    stored = [rotation for rotation in range(len(tables)) if rotation in rotations]
    replays = {rotation: _replay(frame, tables[rotation], rotation, rows) for rotation in stored}
    for rotation, replay in replays.items():
        yield from _check_replay(frame, deal, rotation, tables[rotation], replay)
    matches = [replays[n].match if n in replays else PlayedMatch(n, b"", ()) for n in range(len(tables))]
    played = PlayedDeal(deal["number"], deal["seed"] or b"", tuple(matches))
    yield from _check_rows(frame.league, where, played, replays, deal, rows)


def _rotations(rows: Rows) -> list[int]:
    """Return the rotations that have rows in any table."""
    return sorted({row["rotation"] for table in ("match", "match_seat", "fault") for row in rows[table]})


def _check_rows(
    league: League, where: str, played: PlayedDeal, replays: Mapping[int, _Replay], deal: TableRow, rows: Rows
) -> Iterator[Finding]:
    """Yield differences between the stored rows and the rows of the deal rebuilt from its records."""
    expected = rows_of(league.id, played)
    readable = [rotation for rotation, replay in replays.items() if replay.record is not None]
    for rotation in readable:
        yield from _compare_match(format_match(league.name, played.number, rotation), rotation, rows, expected)
    if len(readable) == len(played.matches) and deal["results"] != (None if league.solo else places_of(played)):
        yield Finding(where, "deal.results", "the places differ from those that the records give")
    if all(replay.verdict.reproduced for replay in replays.values()):
        yield from _compare_flows(where, rows["trade_flow"], expected["trade_flow"])


def _replay(frame: Frame, table: Sequence[int], rotation: int, rows: Rows) -> _Replay:
    """Replay a match of the entrants `table`."""
    data: bytes | None = {row["rotation"]: row["record"] for row in rows["match"]}.get(rotation)
    record, verdict = replay_record(data)
    if record is None:
        return _Replay(data, None, verdict, PlayedMatch(rotation, b"", ()))
    decisions = {row["seat"]: row["decisions"] for row in rows["match_seat"] if row["rotation"] == rotation}
    return _Replay(data, record, verdict, _rebuild_match(frame, table, record, verdict, decisions))


def _check_replay(
    frame: Frame, deal: TableRow, rotation: int, table: Sequence[int], replay: _Replay
) -> Iterator[Finding]:
    """Yield problems of the record of a match of the entrants `table`."""
    where = format_match(frame.league.name, deal["number"], rotation)
    if replay.record is None:
        yield Finding(where, "match.record" if replay.data else "match", replay.verdict.problem)
    else:
        yield from _check_record(
            frame,
            where,
            deal=deal,
            rotation=rotation,
            table=table,
            record=replay.record,
            verdict=replay.verdict,
        )


def _compare_match(where: str, rotation: int, stored: Rows, expected: Rows) -> Iterator[Finding]:
    """Yield differences between the stored and the expected seats and faults of a match."""
    for table, key in (("match_seat", "seat"), ("fault", "number")):
        old, new = ([row for row in of[table] if row["rotation"] == rotation] for of in (stored, expected))
        numbers = [row[key] for row in old], [row[key] for row in new]
        yield from differs(where, f"{table}.{key}", *numbers, "its record gives")
        by_number = {row[key]: row for row in new}
        for row in old:
            if row[key] in by_number:
                about = f"{table.removeprefix('match_')} {row[key]}:"
                yield from _compare(where, table, row, by_number[row[key]], about)


def _compare(where: str, table: str, old: TableRow, new: TableRow, about: str) -> Iterator[Finding]:
    """Yield the columns in which a stored row differs from the expected one. `about`: which row of its table."""
    for column, value in new.items():
        source = "in its seat is" if column == "entrant" else "its record gives"
        yield from differs(where, f"{table}.{column}", old[column], value, source, about)


def _compare_flows(where: str, stored: Sequence[TableRow], expected: Sequence[TableRow]) -> Iterator[Finding]:
    pairs = [(row["giver"], row["receiver"]) for row in stored]
    should = [(row["giver"], row["receiver"]) for row in expected]
    yield from differs(where, "trade_flow", pairs, should, "its matches have trades of the pairs")
    for old, new in zip(stored, expected, strict=True) if pairs == should else ():
        yield from _compare(where, "trade_flow", old, new, f"{new['giver']} to {new['receiver']}:")


def replay_record(data: bytes | None) -> tuple[Record | None, MatchVerdict]:
    """Decode and replay a stored record: return the record, None if damaged or missing, and the verdict."""
    if data is None:
        return None, MatchVerdict("the row is missing, but others name the match")
    try:
        record = with_events(record_from_bytes(unpacked(data)))
        return record, verify(record)
    except (WireError, RecordError) as damaged:
        return None, MatchVerdict(f"it is damaged: {damaged}")


def _check_record(
    frame: Frame,
    where: str,
    *,
    deal: TableRow,
    rotation: int,
    table: Sequence[int],
    record: Record,
    verdict: MatchVerdict,
) -> Iterator[Finding]:
    """Yield the problems of the record of a match with the entrants `table`."""
    league = frame.league
    if not verdict.reproduced:
        yield Finding(where, "match.record", f"the rules do not reproduce it: {verdict.problem}")
    seed: bytes = deal["seed"] or b""
    yield from differs(where, "league.ruleset", league.ruleset, record.ruleset, "the record says")
    yield from differs(where, "league.rules", league.rules, record.rules, "the record says")
    yield from differs(where, "league.seats", league.seats, record.seats, "the record says")
    yield from differs(where, "match.record", record.seed.hex(), seed.hex(), "the seed of the deal is")
    labels = tuple(frame.labels[entrant] for entrant in table)
    yield from differs(where, "match.record", record.players, labels, "the table of the deal seats", "players")
    options: dict[str, Option] = dict(league.options)
    if ruleset(league.ruleset).interludes:
        options["interludes"] = record.options.get("interludes", ())  # set by bots, if the rules allow it
    expected = new_game(league.ruleset, seats=league.seats, seed=seed, options=options).options
    yield from differs(where, "league.options", dict(expected), dict(record.options), "the record has")
    luck = tuple(bot_luck(frame.secret(deal["number"]), deal["number"], rotation, seat) for seat in range(record.seats))
    if record.luck != luck:
        yield Finding(where, "match.record", "the luck of its bots does not follow from the league's master secret")
    forgiven = Counter(fault.seat for fault in record.faults if not fault.forfeited)
    if (most := max(forgiven.values(), default=0)) > league.limits["strikes"]:
        yield Finding(where, "league.limits", f"{most} faults of a seat were forgiven, more than its strikes")


def _rebuild_match(
    frame: Frame, seating: Sequence[int], record: Record, verdict: MatchVerdict, decisions: Mapping[int, int]
) -> PlayedMatch:
    """Return a match rebuilt from its record.

    `decisions`: stored numbers of decisions, which a record does not contain.
    """
    seats = []
    for seat, entrant in enumerate(seating[: record.seats]):
        faults = [fault for fault in record.faults if fault.seat == seat]
        forfeited = any(fault.forfeited for fault in faults)
        asked = _decisions(record, seat, decisions.get(seat, -1), forfeited=forfeited)
        seats.append(SeatResult(entrant, record.scores[seat], record.places[seat], asked, len(faults), forfeited))
    if frame.thief is not None and verdict.outcome is not None and verdict.outcome.rival is not None:
        seats.append(SeatResult(frame.thief, verdict.outcome.rival, 3 - record.places[0], 0, 0, forfeited=False))
    flows = trade_flows(record.seats, record.events) if verdict.reproduced else ()
    return PlayedMatch(0, b"", tuple(seats), record.faults, flows)


def _decisions(record: Record, seat: int, stored: int, *, forfeited: bool) -> int:
    """Return the number of decisions of a seat: the stored one if it is possible, else the largest possible one.

    A seat is asked at most once per move, since an answer may contain several moves, plus once when it forfeits; and at
    least once for each move that took time.
    """
    end = len(record.moves)
    if forfeited:
        end = min(fault.move for fault in record.faults if fault.seat == seat and fault.forfeited)
    most = sum(move.seat == seat for move in record.moves[:end]) + forfeited
    least = sum(move.seat == seat and ms > 0 for move, ms in zip(record.moves[:end], record.ms[:end], strict=False))
    return stored if least <= stored <= most else most
