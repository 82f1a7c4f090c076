"""Who sits where, and with which seeds: every deal is played once in each rotation of its table.

In a game for one player, every bot plays each deal once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import combinations, cycle, islice

from beanbot.practice.match import Entrant, MatchResult, Report, play_match
from beanleague.games import Option, Record

Keep = Callable[[str, Record], None]
"""Called with the name of each match, DEAL.ROTATION, and its record."""


def tables(entrants: Sequence[Entrant], seats: int) -> tuple[tuple[Entrant, ...], ...]:
    """Return the tables of `seats` entrants that play deals in turn.

    Fewer entrants than seats are seated several times, in turn; of more, every combination plays. With one seat, all
    entrants play every deal.
    """
    if seats == 1:
        return (tuple(dict.fromkeys(entrants)),)
    if len(entrants) <= seats:
        return (tuple(islice(cycle(entrants), seats)),)
    return tuple(combinations(entrants, seats))


@dataclass(frozen=True, slots=True)
class Playing:
    """How deals are played."""

    game: str
    """The id of the ruleset."""
    entrants: tuple[Entrant, ...]
    """Who plays; see `tables`."""
    seats: int
    """Seats at the table."""
    seed: int
    """Decides all chance."""
    options: Mapping[str, Option]
    """Options of the game."""
    move_ms: int = 0
    """Milliseconds that a decision may take; 0 for no limit."""

    def matches(self) -> int:
        """Return the number of matches in each deal."""
        return len(tables(self.entrants, self.seats)[0])

    def deal(self, number: int, report: Report, keep: Keep | None = None) -> tuple[MatchResult, ...]:
        """Play deal `number`, from 1, in all rotations; `report` is that of `play_match`."""
        turns = tables(self.entrants, self.seats)
        table = turns[(number - 1) % len(turns)]
        return tuple(
            play_match(
                (table[-shift:] + table[:-shift])[: self.seats],
                game=self.game,
                seed=_secret(self.seed, f"deal/{number - 1}", 32),
                lucks=[_secret(self.seed, f"luck/{number - 1}/{shift}/{seat}", 16) for seat in range(self.seats)],
                report=report,
                options=self.options,
                keep=keep and partial(keep, f"{number}.{shift}"),
                name=f"{number}.{shift}",
                move_ms=self.move_ms,
            )
            for shift in range(len(table))
        )


def _secret(seed: int, key: str, size: int) -> bytes:
    return blake2b(key.encode(), key=str(seed).encode()[:64], digest_size=size).digest()
