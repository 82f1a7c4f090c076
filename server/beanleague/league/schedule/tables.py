"""Next tables of a league by format, seatings of a deal, and the ranking of solo leagues."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from beanleague.league.schedule import owners, schedule
from beanleague.model import Entrant, League, SeatResult

MAX_BOTS = 127
"""Maximum number of bots in a solo league; together with the Thief they are `counters.MAX_SOLO` players."""

NextTable: TypeAlias = Callable[[], schedule.Table | None]
"""Function that returns the next table, or None if that depends on open deals; raises ScheduleError with too few
bots."""

Tables: TypeAlias = Callable[[League, Sequence[Entrant], Sequence[schedule.Table]], NextTable]
"""Factory of a `NextTable` for the entrants of a league, given its earlier tables."""


def tables_of_everybody(
    league: League, entrants: Sequence[Entrant], history: Sequence[schedule.Table]
) -> Callable[[], schedule.Table]:
    """Return the balanced tables of all seated bots; in a solo league all bots play every deal. See `Tables`."""
    if league.solo:
        bots = (entrant.number for entrant in entrants if entrant.active and entrant.version_id is not None)
        return partial(_always, tuple(bots), "no bot is left")
    gone, groups = _gone(entrants), _groups(league, entrants)
    cycles = schedule.plays_cycles(groups, league.seats, league.deals)
    return schedule.Schedule(
        league.entrants, league.seats, history, retired=gone, cycles=cycles, total=league.deals, groups=groups
    ).next


def tables_of_gauntlet(
    league: League, entrants: Sequence[Entrant], history: Sequence[schedule.Table]
) -> Callable[[], schedule.Table]:
    """Return tables of the hero with opponents from the field. See `Tables`."""
    assert league.hero is not None
    gone, groups = _gone(entrants), _groups(league, entrants)
    hero = league.hero
    return Gauntlet(league.entrants, hero, league.seats, league.deals, history, gone, groups=groups).next


def tables_of_comparison(
    league: League, entrants: Sequence[Entrant], history: Sequence[schedule.Table]
) -> Callable[[], schedule.Table]:
    """Return the only table of a comparison every time. See `Tables`."""
    del history
    table = () if _gone(entrants) else seatings_of_comparison(league)[0]
    return partial(_always, table, "a bot of the comparison is no longer seated")


def _gone(entrants: Sequence[Entrant]) -> list[int]:
    return [entrant.number for entrant in entrants if not entrant.active]


def _groups(league: League, entrants: Sequence[Entrant]) -> list[int]:
    """Return a number for each entrant, equal for entrants that are kept apart."""
    apart = owners.keeps_owners_apart(league)
    return owners.groups_of([entrant.owner for entrant in entrants]) if apart else list(range(len(entrants)))


def _always(table: schedule.Table, why_not: str) -> schedule.Table:
    """Return `table`; raise ScheduleError with the message `why_not` if the table is empty."""
    if not table:
        raise schedule.ScheduleError(why_not)
    return table


def seatings(league: League, table: Sequence[int]) -> list[schedule.Table]:
    """Return the entrants by seat for each match of a deal."""
    if league.traits.compares:
        return seatings_of_comparison(league)
    if league.solo:
        return [(entrant,) for entrant in table]
    return schedule.all_seatings(table) if league.all_seatings else schedule.rotations(table)


def seatings_of_comparison(league: League) -> list[schedule.Table]:
    """Return the seatings of every deal that compares entrants 0 and 1, with the others as fillers."""
    return schedule.comparison_seatings(0, 1, league.seats, range(2, league.entrants))


class Gauntlet:
    """One bot against the field: it sits at every table, and the field is balanced around it.

    `deals`: number of deals; if they suffice, all tables are played before any is repeated. `groups`: see `Schedule`;
    bots of the hero's group play only if there are too few others.
    """

    def __init__(
        self,
        bots: int,
        hero: int,
        seats: int,
        deals: int,
        history: Sequence[schedule.Table],
        retired: Collection[int] = (),
        *,
        groups: Sequence[int] | None = None,
    ) -> None:
        """Raises ScheduleError when the field is too small."""
        self._hero = hero
        self._hero_plays = hero not in retired
        self._field = field = _Field(bots, hero)
        others = seats - 1
        if field.size < others:
            raise schedule.ScheduleError(f"{field.size} other bots cannot fill {others} seats of a gauntlet")
        past, gone = [field.places(table) for table in history], set(field.places(retired))
        groups = groups or range(bots)
        numbers = [groups[bot] for bot in field.bots]
        if others > 1:
            cycles = schedule.plays_cycles(numbers, others, deals)
            self._next_places = schedule.Schedule(
                field.size,
                others,
                past,
                retired=gone,
                cycles=cycles,
                total=deals,
                groups=numbers,
                beside=groups[hero],
            ).next
        else:
            mates = [place for place in range(field.size) if numbers[place] == groups[hero]]
            self._next_places = _Opponents(field.size, past, gone, mates).next

    def next(self) -> schedule.Table:
        """Return the next table, beginning with the hero."""
        if not self._hero_plays:
            raise schedule.ScheduleError("the bot at every table of the gauntlet is no longer seated")
        return (self._hero, *(self._field.bots[place] for place in self._next_places()))


class _Field:
    """The bots of a gauntlet without its hero. Their *places* are consecutive numbers, as schedules need."""

    def __init__(self, bots: int, hero: int) -> None:
        self._hero = hero
        self.bots = [bot for bot in range(bots) if bot != hero]
        """Bot in each place."""
        self._place_of = {bot: place for place, bot in enumerate(self.bots)}

    @property
    def size(self) -> int:
        """Number of places."""
        return len(self.bots)

    def places(self, bots: Iterable[int]) -> schedule.Table:
        """Return the places of bots; the hero has none."""
        return tuple(self._place_of[bot] for bot in bots if bot != self._hero)


class _Opponents:
    """Next opponent of the hero in a gauntlet with two seats: always the opponent with the fewest deals.

    `mates`: places of the hero's group, which play only if no others are left.
    """

    def __init__(self, size: int, past: Iterable[schedule.Table], gone: set[int], mates: Collection[int]) -> None:
        self._mates = mates
        self._deals = Counter(dict.fromkeys(set(range(size)) - gone, 0))
        self._deals.update(place for table in past for place in table if place not in gone)

    def next(self) -> schedule.Table:
        """Return the place of the next opponent, alone."""
        if not self._deals:
            raise schedule.ScheduleError("no bot of the field is left")
        opponent = min(self._deals, key=lambda one: (one in self._mates, self._deals[one], one))
        self._deals[opponent] += 1
        return (opponent,)


def ranking(matches: Iterable[Sequence[SeatResult]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the entrants of a solo deal, the Thief last, and their places.

    `matches`: matches of one deal, each with the seats of the bot and of the Thief. Bots that won are before the Thief,
    bots that lost behind it, and bots that forfeited last. Within each group a larger lead over the Thief is better,
    and equal leads share a place.
    """
    played = [(bot, thief) for bot, thief in matches]
    standing = {
        bot.entrant: (-1, 0) if bot.forfeited else (2 if bot.place == 1 else 0, bot.score - thief.score)
        for bot, thief in played
    }
    standing[played[0][1].entrant] = (1, 0)
    return tuple(standing), tuple(1 + sum(other > own for other in standing.values()) for own in standing.values())
