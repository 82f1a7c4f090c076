"""Tables and seeds of practice: every deal is played once in each rotation of its table.

In a game for one player, every bot plays each deal once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import combinations, cycle, islice

from beanbot.practice.match import STRIKES, PracticeMatch, PracticePlayer, Report, play_match
from beanleague.games import Option, Record

Keep = Callable[[str, Record], None]
"""Function called with the name, DEAL.ROTATION, and the record of each match."""


def tables(entrants: Sequence[PracticePlayer], seats: int) -> tuple[tuple[PracticePlayer, ...], ...]:
    """Return the tables of `seats` entrants that take turns at playing deals.

    Fewer entrants than seats are seated several times, in turn; with more, every combination plays.
    """
    if len(entrants) <= seats:
        return (tuple(islice(cycle(entrants), seats)),)
    return tuple(combinations(entrants, seats))


@dataclass(frozen=True, slots=True)
class PracticeSettings:
    """Settings of a practice."""

    game: str
    """The id of the ruleset."""
    entrants: tuple[PracticePlayer, ...]
    """The bots."""
    seats: int
    """Seats at the table."""
    seed: int | str
    """Seed of all randomness."""
    options: Mapping[str, Option]
    """Options of the game."""
    move_ms: int = 0
    """Milliseconds per decision; 0 for no limit."""
    hangs_s: float = 0
    """Seconds after which a decision is interrupted as hanging; 0: never. Bots cannot see this limit."""
    strikes: int | None = STRIKES
    """Number of faults that a seat may make per match; the next one forfeits, as in a league. None: a seat never
    forfeits."""
    paired: bool = False
    """Whether the first two entrants play each deal one after the other, from the same seats against the same
    opponents."""

    def tables(self) -> tuple[tuple[PracticePlayer, ...], ...]:
        """Return the tables that take turns at playing deals. In a solo game all entrants play every deal."""
        if self.paired:
            first, _, *others = self.entrants
            return tuple((first, *rest) for rest in tables(others, self.seats - 1))
        if self.seats == 1:
            return (tuple(dict.fromkeys(self.entrants)),)
        return tables(self.entrants, self.seats)

    def deal(self, number: int, report: Report, keep: Keep | None = None) -> tuple[PracticeMatch, ...]:
        """Play deal `number`, from 1, in all rotations. `report`: see `play_match`.

        If `paired`, the matches of the second entrant follow those of the first.
        """
        turns = self.tables()
        table = turns[(number - 1) % len(turns)]
        played = self._rotations(table, number, 0, report, keep)
        if self.paired:
            played += self._rotations((self.entrants[1], *table[1:]), number, len(table), report, keep)
        return played

    def _rotations(
        self, table: tuple[PracticePlayer, ...], number: int, named: int, report: Report, keep: Keep | None
    ) -> tuple[PracticeMatch, ...]:
        """Play a deal in all rotations of `table`; match names count rotations from `named`."""
        return tuple(
            play_match(
                (table[-shift:] + table[:-shift])[: self.seats],
                game=self.game,
                seed=_secret(self.seed, f"deal/{number - 1}", 32),
                lucks=[_secret(self.seed, f"luck/{number - 1}/{shift}/{seat}", 16) for seat in range(self.seats)],
                report=report,
                options=self.options,
                keep=keep and partial(keep, f"{number}.{named + shift}"),
                name=f"{number}.{named + shift}",
                move_ms=self.move_ms,
                hangs_s=self.hangs_s,
                strikes=self.strikes,
            )
            for shift in range(len(table))
        )


def _secret(seed: int | str, key: str, size: int) -> bytes:
    return blake2b(key.encode(), key=str(seed).encode()[:64], digest_size=size).digest()
