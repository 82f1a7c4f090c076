"""Who sits where, and with which seeds: every deal is played once in each rotation of its table.

In a game for one player, every bot plays each deal once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations, count, cycle, islice

from beanbot.practice.match import Entrant, Keep, MatchResult, Report, play_match
from beanleague.games import Option


def tables(entrants: Sequence[Entrant], seats: int) -> Iterator[tuple[Entrant, ...]]:
    """Yield a table of `seats` entrants for each deal, endlessly.

    Fewer entrants than seats are seated several times, in turn; of more, every combination plays, in turn. With one
    seat, all entrants play every deal.
    """
    if seats == 1:
        yield from cycle([tuple(dict.fromkeys(entrants))])
    if len(entrants) <= seats:
        yield from cycle([tuple(islice(cycle(entrants), seats))])
    yield from cycle(list(combinations(entrants, seats)))


def play_deals(
    entrants: Sequence[Entrant],
    *,
    game: str,
    seats: int,
    seed: int,
    report: Report,
    options: Mapping[str, Option] | None = None,
    keep: Keep | None = None,
) -> Iterator[tuple[MatchResult, ...]]:
    """Play deals endlessly; yield the matches of each, one for every rotation of its table."""
    for deal, table in zip(count(), tables(entrants, seats), strict=False):
        yield tuple(
            play_match(
                (table[-shift:] + table[:-shift])[:seats],
                game=game,
                seed=_secret(seed, f"deal/{deal}", 32),
                lucks=[_secret(seed, f"luck/{deal}/{shift}/{seat}", 16) for seat in range(seats)],
                report=report,
                options=options,
                keep=keep,
            )
            for shift in range(len(table))
        )


def _secret(seed: int, key: str, size: int) -> bytes:
    return blake2b(key.encode(), key=str(seed).encode()[:64], digest_size=size).digest()
