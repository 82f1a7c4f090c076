"""What the rule books say of each trading ruleset at each table size, written down a second time."""

from dataclasses import dataclass


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
