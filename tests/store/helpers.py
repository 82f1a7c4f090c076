"""Small stores for tests."""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import event

from beanleague.model import Deal, Fault, League, Manifest, NewLeague, Node, PlayedDeal, PlayedMatch, SeatResult
from beanleague.store import Store

NODE = Node("left", "a CPU", "0.2.0", "3.11.2")


def digest(text: str) -> str:
    """Return a digest as a bundle may have it."""
    return sha256(text.encode()).hexdigest()


def manifest(name: str, **more: str) -> Manifest:
    return Manifest(name, ("bohnanza",), ("python", "bot.py"), **more)


def wait_for_writers(store: Store, ms: int) -> None:
    """Let connections to a file wait no longer than this for another writer."""

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA busy_timeout = {ms}")

    event.listen(store.database._engine, "connect", limit)
    store.close()


def add_bots(store: Store, count: int) -> tuple[int, ...]:
    """Submit bot0, bot1, ...; return the ids of their versions."""
    return tuple(store.bots.add(manifest(f"bot{number}"), digest(str(number)), b"zip")[0].id for number in range(count))


def add_league(
    store: Store,
    versions: Sequence[int],
    name: str = "spring",
    *,
    seats: int = 3,
    deals: int = 10,
    one_cpu: bool = False,
) -> League:
    """Make a league and publish all its deals, at the table of the first bots."""
    league = store.leagues.create(
        NewLeague(
            name=name,
            ruleset="bohnanza",
            seats=seats,
            secret=b"secret",
            deals=deals,
            versions=tuple(versions),
            one_cpu=one_cpu,
        )
    )
    store.deals.schedule(
        league.id, [Deal(number, tuple(range(seats)), b"digest %d" % number) for number in range(1, deals + 1)]
    )
    return league


def deal(number: int, *, seats: int = 3, faults: Sequence[tuple[int, int]] = (), more: bytes = b"") -> PlayedDeal:
    """Return a played deal in which entrant 0 scores most. `faults`: (rotation, seat) of each; `more`: in records."""
    matches = []
    for rotation in range(seats):
        table = [(seat + rotation) % seats for seat in range(seats)]
        matches.append(
            PlayedMatch(
                rotation,
                b"record %d.%d" % (number, rotation) + more,
                seats=tuple(
                    SeatResult(
                        entrant=entrant,
                        score=10 - entrant,
                        place=1 + entrant,
                        decisions=50 + number,
                        faults=faults.count((rotation, seat)),
                        forfeited=False,
                    )
                    for seat, entrant in enumerate(table)
                ),
                faults=tuple(
                    Fault(seat, move, "timeout", f"slow at {number}.{rotation}", forfeited=False)
                    for move, (where, seat) in enumerate(faults)
                    if where == rotation
                ),
            )
        )
    return PlayedDeal(number, b"seed %d" % number, tuple(matches))
