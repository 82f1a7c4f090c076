"""Make the deck of bo(h)nus cards that comes with the duel.

    python tools/make_bohnus_deck.py            writes server/beanleague/games/data/bohnus.toml
    python tools/make_bohnus_deck.py FILE       writes it there

The printed cards are not public, so this deck is our own. What a sequence is worth follows from how often a field comes
to end with it when two bots that ignore such cards play each other. Which sequences of a value are on cards follows
from a seed. `docs/decks.md` says what a deck must be like.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from beanbot.bot import seat_bot
from beanbot.duel import Column, ColumnHarvested, DuelBot, DuelView, Event, Planted
from beanleague.games import Action, new_game
from beanleague.games.core.chance import order
from beanleague.games.core.game import in_turn

FILE = Path(__file__).resolve().parent.parent / "server" / "beanleague" / "games" / "data" / "bohnus.toml"
SEED = b"bohnus"
GAMES = 1000
MAX_SYMBOLS = 4
CARDS_OF_A_VALUE = 8

HEAD = f"""\
# Bo(h)nus cards for `duel`: 32 cards, eight of each value.
# The printed cards are not public: this deck is our own, made by tools/make_bohnus_deck.py.
# sequence: how many beans of a kind in a row, in planting order. cents: printed value, beside the dollar of the card.
# seen: how often in a game a field, of either player, came to end with the sequence, in {GAMES} games between two bots
# that do not plan for it.
"""

Sequence: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """The cards of one value."""

    cents: int
    """Cents printed on the cards."""
    min_seen: float
    """Fewest average sightings of each sequence in a game."""
    max_seen: float
    """And less often than this."""


VALUES = (Value(10, 2.0, 6.0), Value(40, 0.9, 2.0), Value(70, 0.45, 0.9), Value(100, 0.2, 0.45))


def seen(games: int) -> dict[Sequence, float]:
    """Return how often a field comes to end with each sequence of up to four symbols: the mean of `games` games."""
    times = Counter[Sequence]()
    for number in range(games):
        for column in planted(play(number)):
            for symbols in range(1, min(MAX_SYMBOLS, len(column.runs)) + 1):
                first, *others = column.runs[-symbols:]
                times.update((run, *others) for run in range(1, first + 1))
    return {sequence: count / games for sequence, count in times.items()}


def play(number: int) -> tuple[Event, ...]:
    """Return the events of a game between two bots that fulfil cards when possible and plan nothing."""
    game = new_game("duel", seats=2, seed=SEED + b"/%d" % number)
    bots = [seat_bot(DuelBot, ruleset="duel", seat=seat, seats=2, luck=SEED) for seat in (0, 1)]
    while not game.over:
        (seat,) = game.to_act()
        view = game.view(seat)
        assert isinstance(view, DuelView)
        choice = bots[seat].decide(view)
        for action in in_turn(game, seat, [choice] if isinstance(choice, Action) else choice):
            game.apply(seat, action)
    return tuple(game.events)


def planted(events: tuple[Event, ...]) -> list[Column]:
    """Return every field as it was after each planting."""
    fields: dict[tuple[int, int], Column] = {}
    columns = []
    for event in events:
        if isinstance(event, Planted):
            at = event.seat, event.field
            fields[at] = fields.get(at, Column()).grown(event.kind)
            columns.append(fields[at])
        elif isinstance(event, ColumnHarvested):
            del fields[event.seat, event.field]
    return columns


def chosen(value: Value, often: dict[Sequence, float]) -> list[Sequence]:
    """Return the sequences of the cards of `value`, most frequent first."""
    candidates = sorted(sequence for sequence, times in often.items() if value.min_seen <= times < value.max_seen)
    drawn = order(SEED, f"cards/{value.cents}", len(candidates))[:CARDS_OF_A_VALUE]
    return sorted((candidates[i] for i in drawn), key=lambda sequence: (-often[sequence], sequence))


def card(sequence: Sequence, cents: int, times: float) -> str:
    """Return a card as TOML."""
    text = "-".join(map(str, sequence))
    return f'\n[[cards]]\nsequence = "{text}"\ncents = {cents}\nseen = {times:.2f}\n'


def main(file: Path) -> None:
    """Make the deck and write it to `file`."""
    often = seen(GAMES)
    cards = [card(sequence, value.cents, often[sequence]) for value in VALUES for sequence in chosen(value, often)]
    file.write_text(HEAD + "".join(cards), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
