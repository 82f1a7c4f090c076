"""Numbers on pages: as text, and as positions in pictures that templates draw as SVG."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil, floor, fsum, log2, log10

from beanleague.answers import rating_ends
from beanleague.names import format_bot
from beanproto.v1.league_pb2 import PairFlow, PastRating, RatingSnapshot, RatingsResponse, SeatEffect, Standing

_MINUS = "\N{MINUS SIGN}"
_MIN_RATINGS_ELO = 40.0
_MARGIN = 0.06

Point = tuple[int, float]
"""Point of a rating history: number of deals and rating."""

Version = tuple[str, int]
"""Bot name and version number."""

Path = Mapping[Version, Sequence[Point]]
"""Rating history: ratings by version, oldest first."""

_SPARK_WIDTH, _SPARK_HEIGHT = 96.0, 24.0
_MAX_SPARK_POINTS = 60

WIDTH, LABELS, LEFT, TOP, BOTTOM = 960.0, 190.0, 52.0, 12.0, 34.0
"""Dimensions of a chart in its own units: width, space for labels, margins."""

WINDOW = 40
"""Number of bots per row or column when only part of a matrix is shown."""
_MAX_LINES = 30  # maximum lines in a picture that shows all bots
_LEADERS = 10  # number of bots with lines in a picture of more bots; the others form clouds
_MAX_CHOSEN = 20
_CLOUDS = ((0.05, 0.95), (0.25, 0.75))  # quantiles of the other bots between which each cloud extends
_LINE = 17.0  # height of a name in the picture
_LABEL_WIDTH = 56.0  # width of a tick label
_MIN_HEIGHT = 360.0
_NOISY = 3  # early points are skipped while their intervals are more than this many times as wide as the last ones
_STYLES = 8  # colours; further lines are dashed
_STEPS = 5  # shades of colour on each side of the middle
_MIN_SEATS_ELO = 20.0


def number(value: float, digits: int = 0) -> str:
    """Format a number, e.g. 1,234."""
    return f"{value:,.{digits}f}".replace("-", _MINUS)


def signed(value: float, digits: int = 0) -> str:
    """Format a number with its sign, e.g. +12; zero after rounding has none."""
    text = f"{value:+,.{digits}f}".replace("-", _MINUS)
    return text[1:] if not any(digit in text for digit in "123456789") else text


def percent(share: float, digits: int = 0) -> str:
    """Format a share of 1, e.g. 45 %."""
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%".replace("-", _MINUS)


@dataclass(frozen=True, slots=True)
class Scale:
    """Linear scale from values `low` to `high` to positions `start` to `end`."""

    low: float
    """Value at `start`."""
    high: float
    """Value at `end`."""
    start: float = 0.0
    """Position of `low`."""
    end: float = 100.0
    """Position of `high`."""

    def at(self, value: float) -> float:
        """Return the position of a value, clamped to the line."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + (self.end - self.start) * min(1.0, max(0.0, share)), 2)

    def ticks(self, most: int = 6) -> list[float]:
        """Return about `most` round values along the scale."""
        raw = (self.high - self.low) / most
        unit = 10.0 ** floor(log10(raw))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
        return [step * n for n in range(ceil(self.low / step), floor(self.high / step) + 1)]


def rating_scale(values: Iterable[float | None], start: float = 0.0, end: float = 100.0) -> Scale:
    """Return a scale for these ratings, with a margin; None values are ignored."""
    known = [value for value in values if value is not None] or [1500.0]
    low, high = min(known), max(known)
    middle, width = (low + high) / 2, max(high - low, _MIN_RATINGS_ELO) * (1 + 2 * _MARGIN)
    return Scale(middle - width / 2, middle + width / 2, start, end)


@dataclass(frozen=True, slots=True)
class Bar:
    """Interval on a line from 0 to 100, the common scale of a table's rows."""

    left: float
    """Left end."""
    right: float
    """Right end."""
    at: float | None
    """Position of the value; None if only a bound is known."""
    open_left: bool = False
    """Whether there is no lower bound."""
    open_right: bool = False
    """Whether there is no upper bound."""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """Row of the standings, drawn lazily since most rows are on no page."""

    standing: Standing
    """Standing shown in the row."""
    scale: Scale
    """Scale of the intervals, the same for all rows."""
    points: Sequence[Point]
    """Latest ratings of the bot."""
    move: int
    """Number of ranks gained since the previous standings; negative if lost."""

    @property
    def bar(self) -> Bar | None:
        """Bar of the rating's interval; None if unknown."""
        low, high = rating_ends(self.standing) if self.standing.rank else (None, None)
        if low is None and high is None:
            return None
        scale = self.scale
        return Bar(
            left=scale.at(scale.low if low is None else low),
            right=scale.at(scale.high if high is None else high),
            at=scale.at(self.standing.rating) if low is not None and high is not None else None,
            open_left=low is None,
            open_right=high is None,
        )

    @property
    def spark(self) -> str:
        """Points of the sparkline in an SVG of 96 by 24; "" if there are too few."""
        points = self.points
        if len(points) < 2:
            return ""
        across = Scale(points[0][0], max(points[-1][0], points[0][0] + 1), 2, _SPARK_WIDTH - 2)
        down = rating_scale([rating for _, rating in points], _SPARK_HEIGHT - 3, 3)
        return " ".join(f"{across.at(deals)},{down.at(rating)}" for deals, rating in points)


def standing_rows(standings: Sequence[Standing], path: Path, before: Mapping[Version, int]) -> list[StandingRow]:
    """Return the rows of the standings. `path`: ratings so far; `before`: previous ranks."""
    scale = rating_scale([end for standing in standings if standing.rank for end in rating_ends(standing)])
    return [
        StandingRow(
            standing,
            scale,
            path.get((standing.bot, standing.version), ())[-_MAX_SPARK_POINTS:],
            before.get((standing.bot, standing.version), standing.rank) - standing.rank if standing.rank else 0,
        )
        for standing in standings
    ]


@dataclass(frozen=True, slots=True)
class Line:
    """Line of a bot in the rating history."""

    name: str
    """"name@version"."""
    bot: str
    """Name of the bot."""
    style: int
    """Number of the colour, from 0; when colours run out, lines are dashed."""
    dashed: bool
    """Whether the line is dashed."""
    parts: Sequence[str]
    """Points of each part of the line; it has gaps at snapshots without a rating."""
    bands: Sequence[str]
    """Polygons of the 95 % intervals, for each part that has some."""
    end: float
    """Vertical coordinate of the last point."""
    label: float
    """Vertical coordinate of the name: close to `end`, where no other name is."""
    provisional: bool
    """Whether the rating is provisional."""
    suspended: bool
    """Whether the bot is suspended."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Picture of the rating history."""

    height: float
    """Height of the chart."""
    lines: Sequence[Line]
    """Lines, best bot first."""
    clouds: Sequence[str]
    """Polygons around most of the bots without a line, and around half of them; empty if all have lines."""
    across: Sequence[tuple[float, str]]
    """Ticks of the deals, or of the days of a ladder: position and label."""
    down: Sequence[tuple[float, str]]
    """Ticks of the ratings."""


def drawn_in_history(standings: Sequence[Standing], chosen: Sequence[Standing] = ()) -> list[Standing]:
    """Return the bots with a line in the history: if there are many, the leaders and the `chosen` ones."""
    ranked = [standing for standing in standings if standing.rank]
    if len(ranked) <= _MAX_LINES:
        return ranked
    wanted = {(standing.bot, standing.version) for standing in chosen[:_MAX_CHOSEN]}
    return [each for number, each in enumerate(ranked) if number < _LEADERS or (each.bot, each.version) in wanted]


def history_table(
    drawn: Sequence[Standing], history: Sequence[RatingSnapshot]
) -> list[tuple[Standing, list[float | None]]]:
    """Return the rating of each of these bots in each snapshot, None if it had none."""
    by_bot = [{(past.bot, past.version): past.rating for past in snapshot.ratings} for snapshot in history]
    return [(standing, [past.get((standing.bot, standing.version)) for past in by_bot]) for standing in drawn]


@dataclass(frozen=True, slots=True)
class _Past:
    """Ratings of a history by position along the horizontal axis."""

    lines: dict[Version, list[list[tuple[float, PastRating]]]]
    """Rating history of each version that has its own line, in parts without a gap."""
    others: list[tuple[float, list[float]]]
    """Ratings of all other bots at each snapshot, lowest first."""

    def clouds(self) -> list[list[tuple[float, ...]]]:
        """Return for each cloud, at each position, the two ends of its range of the other ratings."""
        return [
            [(x, *(rest[round(share * (len(rest) - 1))] for share in shares)) for x, rest in self.others if rest]
            for shares in _CLOUDS
        ]


def history_chart(
    standings: Sequence[Standing], history: Sequence[RatingSnapshot], chosen: Sequence[Standing] = ()
) -> Chart | None:
    """Return the picture of a rating history; None with fewer than two snapshots. `chosen`: see `drawn_in_history`."""
    snapshots = _reliable([snapshot for snapshot in history if snapshot.deals])
    if len(snapshots) < 2:
        return None
    ranked = drawn_in_history(standings, chosen)
    height = max(_MIN_HEIGHT, TOP + BOTTOM + _LINE * len(ranked))
    axis = _Axis(snapshots)
    points = [(axis.at(snapshot), snapshot) for snapshot in snapshots]
    past = _past(points, {(each.bot, each.version) for each in ranked})
    clouds = past.clouds()
    down = rating_scale([*_rating_values(past), *_ends(clouds)], height - BOTTOM, TOP)
    drawn = [_line(each, number, past.lines[each.bot, each.version], down) for number, each in enumerate(ranked)]
    return Chart(
        height,
        _spread([line for line in drawn if line], TOP + _LINE / 2, height - BOTTOM),
        [_cloud(cloud, down) for cloud in clouds if len(cloud) > 1],
        _apart([(x, axis.label(snapshot)) for x, snapshot in points]),
        [(down.at(tick), f"{tick:.0f}") for tick in down.ticks()],
    )


class _Axis:
    """Horizontal axis of a history: time if snapshots are daily, as on ladders, else log2 of the deals."""

    def __init__(self, snapshots: Sequence[RatingSnapshot]) -> None:
        self._by_day = any(snapshot.day for snapshot in snapshots)
        self._scale = Scale(self._value(snapshots[0]), self._value(snapshots[-1]), LEFT, WIDTH - LABELS)

    def _value(self, snapshot: RatingSnapshot) -> float:
        return snapshot.created.ToMicroseconds() / 1e6 if self._by_day else log2(snapshot.deals)

    def at(self, snapshot: RatingSnapshot) -> float:
        """Return the position of a snapshot."""
        return self._scale.at(self._value(snapshot))

    def label(self, snapshot: RatingSnapshot) -> str:
        """Return the tick label of a snapshot."""
        if not self._by_day:
            return f"{snapshot.deals:,}"
        return f"day {snapshot.day}" if snapshot.day else "now"


def _past(points: Iterable[tuple[float, RatingSnapshot]], versions: Collection[Version]) -> _Past:
    """Split the ratings of snapshots into the lines of `versions` and all others."""
    lines: dict[Version, list[list[tuple[float, PastRating]]]] = {version: [] for version in versions}
    others: list[tuple[float, list[float]]] = []
    before: frozenset[Version] = frozenset()
    for x, snapshot in points:
        rest = list[float]()
        for rating in snapshot.ratings:
            version = rating.bot, rating.version
            parts = lines.get(version)
            if parts is None:
                rest.append(rating.rating)
                continue
            if version not in before:
                parts.append([])
            parts[-1].append((x, rating))
        before = frozenset((rating.bot, rating.version) for rating in snapshot.ratings)
        others.append((x, sorted(rest)))
    return _Past(lines, others)


def _rating_values(past: _Past) -> Iterator[float | None]:
    """Yield the ratings of all lines and the ends of their intervals."""
    for line in past.lines.values():
        for _, rating in chain.from_iterable(line):
            yield from (rating.rating, *rating_ends(rating))


def _ends(clouds: Iterable[Iterable[tuple[float, ...]]]) -> Iterator[float]:
    """Yield both ends of each cloud at each position."""
    for cloud in clouds:
        for _, *both in cloud:
            yield from both


def _reliable(snapshots: Sequence[RatingSnapshot]) -> Sequence[RatingSnapshot]:
    """Drop the first snapshots, whose wide intervals would flatten everything else."""
    if not snapshots:
        return snapshots
    limit = _NOISY * _width(snapshots[-1])
    first = next((number for number, snapshot in enumerate(snapshots) if 0 < _width(snapshot) <= limit), None)
    kept = snapshots[first:] if first is not None else snapshots
    return kept if len(kept) > 1 else snapshots[-2:]


def _width(snapshot: RatingSnapshot) -> float:
    """Return the median half-width of a snapshot's intervals; 0 if it has none."""
    widths = sorted(rating.interval for rating in snapshot.ratings if rating.HasField("interval") and rating.interval)
    return widths[len(widths) // 2] if widths else 0.0


def _apart(ticks: Sequence[tuple[float, str]]) -> Sequence[tuple[float, str]]:
    """Return ticks whose labels do not overlap, always including the last."""
    kept: list[tuple[float, str]] = []
    for x, label in reversed(ticks):
        if not kept or kept[-1][0] - x > _LABEL_WIDTH:
            kept.append((x, label))
    return kept


def _cloud(level: Sequence[tuple[float, ...]], down: Scale) -> str:
    """Return the polygon between two ratings at each position."""
    upper = [f"{x},{down.at(high)}" for x, _, high in level]
    return " ".join([*upper, *(f"{x},{down.at(low)}" for x, low, _ in reversed(level))])


def _line(
    standing: Standing, number: int, past: Sequence[Sequence[tuple[float, PastRating]]], down: Scale
) -> Line | None:
    if not past:
        return None
    end = down.at(past[-1][-1][1].rating)
    return Line(
        name=format_bot(standing.bot, standing.version),
        bot=standing.bot,
        style=number % _STYLES,
        dashed=number >= _STYLES,
        parts=[" ".join(f"{x},{down.at(rating.rating)}" for x, rating in part) for part in past],
        bands=[band for part in past if (band := _band(part, down))],
        end=end,
        label=end,
        provisional=standing.provisional,
        suspended=bool(standing.suspended),
    )


def _band(part: Iterable[tuple[float, PastRating]], down: Scale) -> str:
    """Return the polygon of the intervals of a part of a line; "" with fewer than two of them."""
    upper, lower = [], []
    for x, rating in part:
        low, high = rating_ends(rating)
        if low is not None and high is not None:
            upper.append(f"{x},{down.at(high)}")
            lower.append(f"{x},{down.at(low)}")
    return " ".join([*upper, *reversed(lower)]) if len(upper) > 1 else ""


def _spread(lines: Sequence[Line], top: float, bottom: float) -> Sequence[Line]:
    """Move labels apart until they do not overlap."""
    order = sorted(range(len(lines)), key=lambda number: lines[number].end)
    heights: list[float] = []
    for number in order:  # push down from the top
        heights.append(max(lines[number].end, heights[-1] + _LINE if heights else top))
    off = fsum(height - lines[number].end for number, height in zip(order, heights, strict=True)) / max(len(order), 1)
    for place, height in enumerate(heights):  # centre the names around the ends of their lines
        heights[place] = max(height - off, heights[place - 1] + _LINE if place else top)
    for place in reversed(range(len(heights))):  # push up again from the bottom
        most = bottom if place == len(heights) - 1 else heights[place + 1] - _LINE
        heights[place] = min(heights[place], most)
    label = dict(zip(order, heights, strict=True))
    return [replace(line, label=round(label[number], 1)) for number, line in enumerate(lines)]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix."""

    text: str
    """Text shown; "" if unknown."""
    heat: int
    """Colour: from -5 (far below the middle) to 5 (far above)."""
    title: str
    """Description of the cell in words."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A matrix of bots, or the part shown on a page."""

    names: Sequence[str]
    """"name@version" of each row."""
    columns: Sequence[str]
    """"name@version" of each column."""
    rows: Sequence[Sequence[Cell | None]]
    """The cells; None on the diagonal."""
    row: int = 0
    """Number of rows before the first one shown."""
    column: int = 0
    """Number of columns before the first one shown."""
    bots: int = 0
    """Total number of rows and columns; 0 if all are shown."""


def rating_matrix(rated: RatingsResponse, row: int = 0, column: int = 0) -> HeatMap:
    """Return each bot's share of pairs won against each other bot, and its probability of being stronger.

    `row`, `column`: indices in `rated` of the first row and column.
    """
    names = [format_bot(standing.bot, standing.version) for standing in rated.standings]
    across = names[column : column + len(rated.matrix[0].better)] if rated.matrix else []
    down = names[row : row + len(rated.matrix)]
    rows = []
    for name, values in zip(down, rated.matrix, strict=True):
        cells: list[Cell | None] = []
        for other, score, better in zip(across, values.pair_score, values.better, strict=True):
            if name == other:
                cells.append(None)
            elif score < 0:
                cells.append(Cell("", 0, f"{name} has not met {other}"))
            else:
                sure = f"; stronger with {better:.0%} probability" if better >= 0 else ""
                title = f"{name} won {score:.0%} of its pairs with {other}{sure}"
                cells.append(Cell(f"{100 * score:.0f}", _heat(2 * score - 1), title))
        rows.append(cells)
    return HeatMap(down, across, rows, row, column, len(names))


def gift_matrix(pairs: Sequence[PairFlow]) -> HeatMap:
    """Return the gifts of bots (rows) to others (columns), in dollars a match beyond the expected value.

    If there are too many bots, only those of the first pairs are included.
    """
    excess = {}
    chosen: set[str] = set()
    for pair in pairs:
        giver, receiver = (format_bot(each.bot, each.version) for each in (pair.giver, pair.receiver))
        excess[giver, receiver], excess[receiver, giver] = pair.excess, -pair.excess
        if len(chosen | {giver, receiver}) <= WINDOW:
            chosen |= {giver, receiver}
    names = sorted(chosen)
    most = max((abs(value) for value in excess.values()), default=0.0) or 1.0

    def cell(giver: str, receiver: str) -> Cell | None:
        if giver == receiver:
            return None
        value = excess.get((giver, receiver))
        if value is None:
            return Cell("", 0, f"{giver} and {receiver} cannot be compared with others")
        title = f"{giver} gave {receiver} {value:+.2f} dollars a match, beyond what is expected"
        return Cell(signed(value, 2), _heat(value / most), title)

    return HeatMap(names, names, [[cell(giver, receiver) for receiver in names] for giver in names])


def _heat(value: float) -> int:
    """Return the colour number of a value from -1 to 1."""
    return round(_STEPS * max(-1.0, min(1.0, value)))


def seat_bars(effects: Sequence[SeatEffect]) -> list[tuple[SeatEffect, Bar]]:
    """Return each seat's effect and its bar, on a line centred at the mean of all seats."""
    most = max([_MIN_SEATS_ELO, *(abs(effect.elo) + effect.interval for effect in effects)])
    scale = Scale(-most, most)
    return [
        (each, Bar(scale.at(each.elo - each.interval), scale.at(each.elo + each.interval), scale.at(each.elo)))
        for each in effects
    ]
