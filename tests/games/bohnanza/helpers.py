"""Trading games in a chosen state, and what the rule books say of each table size, written down a second time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beanleague.games import Option, new_game
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.bohnanza.table import CardTable
from tests.games.helpers import begin, part, put, stack_up


def bohnanza(seats: int = 3, seed: bytes = b"seed", ruleset: str = "bohnanza", **options: Option) -> Bohnanza:
    """Return a new game."""
    game = new_game(ruleset, seats=seats, seed=seed, options=options)
    assert isinstance(game, Bohnanza)
    return game


def scripted(
    *,
    ruleset: str = "bohnanza",
    seats: int = 3,
    hands: Sequence[str] = (),
    fields: Mapping[tuple[int, int], str] | None = None,
    pile: str = "red red red red red",
    discard: str = "",
    dollars: Sequence[int] = (),
    earned: Sequence[str] = (),
    run_outs: int = 0,
    options: Mapping[str, Option] | None = None,
) -> Bohnanza:
    """Return a game at the start of a turn of seat 0, with just these cards; kinds are separated by blanks.

    `fields[seat, field]`: cards there. `pile`: in the order in which they are drawn, whoever draws. `dollars`: per
    seat; or `earned`, the cards they are, those in the order earned.
    """
    game = bohnanza(seats, b"seed", ruleset, **(options or {}))
    arrange(game, hands, fields or {}, pile, discard, dollars, earned)
    return begin(game, run_outs=run_outs, active=-1, turned=[])


def arrange(
    game: CardTable,
    hands: Sequence[str],
    fields: Mapping[tuple[int, int], str],
    pile: str,
    discard: str,
    dollars: Sequence[int],
    earned: Sequence[str],
) -> None:
    """Let just these cards be there; see `scripted`. `discard`: its top card last."""
    kinds = part(game, "deck").kinds
    deck = list(enumerate(kinds))

    def cards(names: str) -> list[int]:
        taken = []
        for name in names.split():
            card = next(entry for entry in deck if entry[1] == name)
            deck.remove(card)
            taken.append(card[0])
        return taken

    seats = game.seats
    put(game, hands=[cards(hand) for hand in [*hands, *[""] * (seats - len(hands))]])
    for (seat, field), names in fields.items():
        planted = cards(names)
        part(game, "fields")[seat][field] = planted
        filled = part(game, "deck").filled[part(game, "deck").index[planted[0]]]
        part(game, "set_count")(seat, field, filled[len(planted)])
    draw_pile = part(game, "pile")
    stack_up(draw_pile, cards(pile))
    draw_pile.discards = cards(discard)
    dollar_cards = [cards(names) for names in [*earned, *[""] * (seats - len(earned))]]
    put(
        game,
        discarded=[discard.split().count(kind.name) for kind in game.rules.kinds],
        dollar_cards=dollar_cards,
        dollars=[*dollars, *map(len, dollar_cards[len(dollars) :])],
    )


@dataclass(frozen=True)
class Table:
    """The rules of a ruleset at one table size."""

    left_out: frozenset[str]
    """The kinds that are not in play."""
    cards: int
    fields: int
    dealt: tuple[int, ...]
    """Cards dealt, per seat."""
    drawn: int
    """Cards drawn in phase 4."""
    all_draw: bool
    last_run_out: int
    price: int
    """Dollars for a third field; 0 if none is sold."""
    hand_breaks_ties: bool


NEW_KINDS = frozenset({"cocoa", "wax", "coffee"})
WITHOUT_COCOA = frozenset({"cocoa"})
WITHOUT_COFFEE = frozenset({"coffee"})
WITHOUT_COCOA_AND_GARDEN = frozenset({"cocoa", "garden"})

TABLES = {
    ("bohnanza", 3): Table(NEW_KINDS, 104, 3, (5,) * 3, 3, False, 3, 0, False),
    ("bohnanza", 4): Table(NEW_KINDS, 104, 2, (5,) * 4, 3, False, 3, 0, False),
    ("bohnanza", 5): Table(NEW_KINDS, 104, 2, (5,) * 5, 3, False, 3, 0, False),
    ("bohnanza-extended", 3): Table(WITHOUT_COCOA, 150, 3, (5,) * 3, 1, True, 2, 0, False),
    ("bohnanza-extended", 4): Table(WITHOUT_COFFEE, 130, 2, (5,) * 4, 1, True, 3, 0, False),
    ("bohnanza-extended", 5): Table(WITHOUT_COFFEE, 130, 2, (5,) * 5, 1, True, 3, 0, False),
    ("bohnanza-extended", 6): Table(WITHOUT_COCOA_AND_GARDEN, 144, 2, (5,) * 6, 1, True, 3, 0, False),
    ("bohnanza-extended", 7): Table(WITHOUT_COCOA_AND_GARDEN, 144, 2, (5,) * 7, 1, True, 3, 0, False),
    ("bohnanza-classic", 3): Table(WITHOUT_COCOA, 150, 3, (5,) * 3, 3, False, 2, 0, True),
    ("bohnanza-classic", 4): Table(WITHOUT_COFFEE, 130, 2, (5,) * 4, 3, False, 3, 3, True),
    ("bohnanza-classic", 5): Table(WITHOUT_COFFEE, 130, 2, (5,) * 5, 3, False, 3, 3, True),
    ("bohnanza-classic", 6): Table(WITHOUT_COCOA_AND_GARDEN, 144, 2, (3, 4, 5, 6, 6, 6), 4, False, 3, 2, True),
    ("bohnanza-classic", 7): Table(WITHOUT_COCOA_AND_GARDEN, 144, 2, (3, 4, 5, 6, 6, 6, 6), 4, False, 3, 2, True),
}

SIZES = sorted(TABLES)
"""Every ruleset at every table size."""
