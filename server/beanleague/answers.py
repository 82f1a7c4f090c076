"""Answers of the service as shown by the command line and the site alike.

For programs: messages of `league.proto` as JSON with field names as keys, and as CSV. For people: columns of standings,
notes on results, mistakes in trial matches.
"""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.games import GameError, UnknownRulesetError, new_game
from beanleague.games.families import points_per_dollar, words_of
from beanleague.names import format_bot
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


class Kind(Enum):
    """Kind of a value, which determines its format in each medium."""

    OTHER = auto()
    """Any other text or number, in a format of its own."""
    NUMBER = auto()
    DOLLARS = auto()
    SHARE = auto()
    """A share from 0 to 1, shown in percent."""


@dataclass(frozen=True, slots=True)
class StandingColumn:
    """Column of the standings: a field of `Standing`, whose name is also the JSON key and CSV heading."""

    name: str
    """Name of the column, which is a field of the standings."""
    kind: Kind = Kind.OTHER
    """Kind of the column's values."""
    title: str = ""
    """Heading in a terminal."""
    heading: str = ""
    """Heading on pages."""
    hint: str = ""
    """Explanation of the heading on pages, if needed."""


STANDING = {
    column.name: column
    for column in (
        StandingColumn("rank", Kind.NUMBER, "rank", "#"),
        StandingColumn("bot", Kind.OTHER, "bot", "Bot"),
        StandingColumn("version"),
        StandingColumn("rating", Kind.OTHER, "rating", "Rating"),
        StandingColumn("moved", Kind.OTHER, "day"),
        StandingColumn("interval", Kind.OTHER, heading="95 % interval"),
        StandingColumn("best_rank", Kind.OTHER, "ranks"),
        StandingColumn("worst_rank"),
        StandingColumn("provisional"),
        StandingColumn("deals", Kind.NUMBER, "deals", "Deals"),
        StandingColumn("matches"),
        StandingColumn("mean_score", Kind.DOLLARS, "mean $", "$", "mean dollars a match"),
        StandingColumn("wins", Kind.NUMBER, "wins"),
        StandingColumn("win_share", Kind.SHARE, "win %", "Wins"),
        StandingColumn("faults"),
        StandingColumn("fault_share", Kind.SHARE, "faults", "Faults", "share of its matches in which it made a fault"),
        StandingColumn("forfeits", Kind.NUMBER, heading="Forfeits"),
        StandingColumn("least"),
        StandingColumn("most"),
        StandingColumn("anchor"),
        StandingColumn("suspended"),
        StandingColumn("owner", Kind.OTHER, "author"),
        StandingColumn(
            "effective",
            Kind.NUMBER,
            "deals",
            "Deals",
            "effective deals: the number of equally weighted deals that would give the same certainty",
        ),
    )
}
"""All columns by name, in the order of CSV."""

RATED_IN_LADDER = (
    "results at tables drawn at random from the field, in which an entry has the share min(1, deals / 40) "
    "squared, and none once it has left"
)
"""Meaning of a rating in a ladder."""

RATED_IN_LEAGUE = "results at the balanced tables of the league"
"""Meaning of a rating in a league."""

RATED = f"in a ladder: {RATED_IN_LADDER}; in a league: {RATED_IN_LEAGUE}"
"""Legend of ratings that may be of leagues or ladders."""

PROVISIONAL = (
    "not reliable yet: fewer than 30 (in a ladder, effective) deals, or the distance to the next bots is not known to "
    "50 Elo; more deals help"
)
"""Legend of "?" after a rating: its meaning, and how to get a reliable one."""

_SEED = bytes(16)  # arbitrary, since this game is set up only for its sentences


def tie_note(matches: Iterable[pb.MatchInfo]) -> str:
    """Return the reason why players with equal money have different places; "" if there are no such players."""
    ties = {
        tie: None
        for match in matches
        if len({seat.score for seat in match.seats}) < len({(seat.score, seat.place) for seat in match.seats})
        for tie in (_tie(match.ruleset, len(match.seats)),)
        if tie
    }
    return f"At equal money, {' or '.join(ties)} comes first; a bot that forfeited comes last." if ties else ""


@cache
def _tie(ruleset: str, seats: int) -> str:
    try:
        return words_of(new_game(ruleset, seats=seats, seed=_SEED).view(0, news=False).rules).tie
    except GameError:  # the service may know more games than this program
        return ""


def amount(score: int, game: str) -> str:
    """Return the score of a seat in dollars, without the sign, e.g. "7", or "3.40" in a game with cents."""
    try:
        dollar = points_per_dollar(game)
    except UnknownRulesetError:  # the server may know more games than this program
        return str(score)
    return str(score) if dollar == 1 else f"{score / dollar:.2f}"


def known_rating(rated: pb.Standing) -> bool:
    """Return whether a rating is known: estimated, or fixed as the anchor's, and not only bounded."""
    return bool(rated.rank) and rated.HasField("interval")


def rating_ends(rated: pb.Standing | pb.PastRating) -> tuple[float | None, float | None]:
    """Return the ends of a rating's 95 % interval; None where it is unbounded."""
    if rated.HasField("interval"):
        return rated.rating - rated.interval, rated.rating + rated.interval
    return rated.least if rated.HasField("least") else None, rated.most if rated.HasField("most") else None


_WARNING = "warning: "  # prefix of log lines with advice from the bots' library


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a bot in its trial matches."""

    where: str
    """Match and move where it first occurred."""
    decision: str
    """Kind of decision, e.g. "TRADE"; "" if unknown."""
    reason: str
    """Description of the mistake."""
    count: int
    """Number of occurrences in all trial matches."""


def next_above(standings: Sequence[pb.Standing], bot: str) -> str:
    """Return the bot ranked just above the best version of `bot`, as "name@version"; "" if there is none."""
    place = next((place for place, each in enumerate(standings) if each.bot == bot), 0)
    return format_bot(standings[place - 1].bot, standings[place - 1].version) if place else ""


def warnings(report: pb.BotReport) -> tuple[str, ...]:
    """Return the distinct warnings of the bots' library."""
    lines = (line for trial in report.trials for line in trial.log.splitlines())
    return tuple(dict.fromkeys(line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)))


def mistakes(report: pb.BotReport) -> tuple[Mistake, ...]:
    """Return the distinct mistakes, in order of first occurrence."""
    made: dict[tuple[str, str], list[tuple[str, pb.TrialFault]]] = {}
    for trial in report.trials:
        for mistake in trial.distinct:
            where = f"{trial.ruleset}, {trial.seats} seats, move {mistake.fault.move}"
            made.setdefault((mistake.decision, mistake.fault.reason), []).append((where, mistake))
    return tuple(
        Mistake(found[0][0], decision, reason, sum(mistake.count for _, mistake in found))
        for (decision, reason), found in made.items()
    )


_CALL_ROWS = 1000  # maximum number of rows fetched per call


def matches(stub: "LeagueStub", asked: pb.ListMatchesRequest, wanted: int | None = None) -> Iterator[pb.MatchInfo]:
    """Yield the requested matches, page by page. `wanted`: number of matches that will be read, if known.

    Raises:
        grpc.RpcError: a call failed.
    """
    asked.limit = min(_CALL_ROWS, (wanted or _CALL_ROWS) + 1)
    while True:
        answer = stub.ListMatches(asked)
        yield from answer.matches
        if not answer.next_after:
            return
        asked.after = answer.next_after
        asked.limit = _CALL_ROWS


DECK = "deck"
"""The game option whose value is a whole file."""

_MATCH_FIELDS = ("match", "league", "deal", "rotation", "ruleset", "played")
_SEAT_FIELDS = ("bot", "version", "score", "place", "decisions", "faults", "forfeited")
_FORMULAS = ("=", "+", "-", "@", "\t")  # prefixes of texts that spreadsheets run as formulas
_NAMES = re.compile(r"-[a-z0-9_@ -]*")
_DEAL_FIELDS = ("deal", "table", "seed_digest", "seed", "voids", "published", "played", "node")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def shape(message: Message) -> dict[str, Json]:
    """Return every field of `message` by its name, in the order of the .proto file.

    Absent messages and optional fields are null, bytes are hex, times ISO 8601, enums their name in lower case
    without the prefix. A list of `OptionValue` becomes one object, from name to shown value. Unknown figures are null:
    a rating without an interval, means of a bot that played no match, and matrix entries below 0.
    """
    shaped = {field.name: _value(message, cast("FieldDescriptor", field)) for field in message.DESCRIPTOR.fields}
    if isinstance(message, pb.Standing | pb.PastRating) and not message.HasField("interval"):
        shaped["rating"] = None
    if isinstance(message, pb.Standing) and not message.matches:
        shaped |= dict.fromkeys(("mean_score", "fault_share"))
    if isinstance(message, pb.MatrixRow):
        for name, row in (("better", message.better), ("pair_score", message.pair_score)):
            shaped[name] = [share if share >= 0 else None for share in row]
    return shaped


def enum_name(enum: EnumDescriptor, number: int) -> str:
    """Return the name of an enum's value, e.g. "done" for LEAGUE_STATE_DONE."""
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.name)[1:].upper()
    return enum.values_by_number[number].name.removeprefix(f"{prefix}_").lower()


def _value(message: Message, field: FieldDescriptor) -> Json:
    value = getattr(message, field.name)
    if field.is_repeated:
        if field.message_type is pb.OptionValue.DESCRIPTOR:
            given = {each.name: each.text if each.WhichOneof("value") == "text" else each.number for each in value}
            return {name: shown_option(name, option) for name, option in given.items()}
        return [_single(field, each) for each in value]
    if field.has_presence and not message.HasField(field.name):
        return None
    return _single(field, value)


def _single(field: FieldDescriptor, value: object) -> Json:
    if isinstance(value, Timestamp):
        return value.ToJsonString()
    if isinstance(value, Message):
        return shape(value)
    if isinstance(value, bytes):
        return value.hex()
    if field.enum_type is not None:
        assert isinstance(value, int)
        return enum_name(field.enum_type, value)
    assert isinstance(value, bool | int | float | str)
    return value


def shown_option(name: str, value: int | str) -> int | str:
    """Return the value of a game's option for display; of a deck, which is long, the SHA-256 of its text."""
    return f"sha256:{hashlib.sha256(str(value).encode()).hexdigest()}" if name == DECK else value


def options_line(shown: Mapping[str, object]) -> str:
    """Return options as one line, e.g. "max_rounds=6". `shown`: values of `shown_option` by name."""
    return ", ".join(f"{name}={value}" for name, value in shown.items()) or "none"


def standings_csv(standings: Iterable[pb.Standing]) -> str:
    """Return the standings as CSV; unknown figures are empty, as they are null in `shape`."""
    return _csv([list(STANDING), *([row[name] for name in STANDING] for row in map(shape, standings))])


def matrix_csv(rated: pb.RatingsResponse) -> str:
    """Return both matrices as CSV, a line for each ordered pair of bots; unknown values are empty."""
    names = [format_bot(standing.bot, standing.version) for standing in rated.standings]
    rows: list[Sequence[object]] = [("bot", "opponent", "better", "pair_score")]
    for name, row in zip(names, rated.matrix, strict=True):
        for opponent, better, score in zip(names, row.better, row.pair_score, strict=True):
            if name != opponent:
                rows.append((name, opponent, better if better >= 0 else "", score if score >= 0 else ""))
    return _csv(rows)


def matches_csv(matches: Iterable[pb.MatchInfo]) -> str:
    """Return matches as CSV, a row for each seat. Scores are dollars, or cents in the duel."""
    rows: list[Sequence[object]] = [(*_MATCH_FIELDS, "seat", *_SEAT_FIELDS)]
    for match in matches:
        shaped = shape(match)
        rows += (
            (*(shaped[name] for name in _MATCH_FIELDS), seat, *(getattr(result, name) for name in _SEAT_FIELDS))
            for seat, result in enumerate(match.seats)
        )
    return _csv(rows)


def deals_csv(deals: Iterable[pb.Deal]) -> str:
    """Return deals as CSV. The table is by seat in rotation 0; seed and node are empty until a deal is played."""
    rows: list[Sequence[object]] = [_DEAL_FIELDS]
    for deal in deals:
        table = " ".join(format_bot(entrant.bot, entrant.version) for entrant in deal.table)
        times = (getattr(deal, name).ToJsonString() if deal.HasField(name) else "" for name in ("published", "played"))
        rows.append((deal.number, table, deal.seed_digest.hex(), deal.seed.hex(), deal.voids, *times, deal.node.name))
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    """Return a value for CSV: a text that a spreadsheet could run as a formula gets a leading apostrophe.

    Names may begin with "-". They stay unchanged: no harmful formula can be written with their characters.
    """
    if isinstance(value, str) and value.startswith(_FORMULAS) and not _NAMES.fullmatch(value):
        return f"'{value}"
    return value
