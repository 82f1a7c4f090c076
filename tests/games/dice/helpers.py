"""Dice games in a chosen state, with chosen dice."""

from collections.abc import Iterable, Mapping, Sequence

from beanleague.games import Option
from beanleague.games.dice.game import DiceGame
from beanleague.games.dice.thief import BeanThief
from tests.games.helpers import begin, leave_in, owners_of_orders, part, put_orders

THIEF_LEVELS = ("bean-thief-easy", "bean-thief-normal", "bean-thief-hard", "bean-thief-very-hard")
TABLES = [
    *((ruleset, seats) for ruleset in ("dice", "dice-2012") for seats in (2, 3, 4, 5)),
    *((level, 1) for level in THIEF_LEVELS),
]


def new(
    ruleset: str = "dice", seats: int = 2, seed: bytes = b"seed", options: Mapping[str, Option] | None = None
) -> DiceGame | BeanThief:
    """A new game."""
    return (BeanThief if ruleset in THIEF_LEVELS else DiceGame)(ruleset, seats, seed, options or {})


class _Script:
    """What the dice show next: each entry is one throw, a kind for each die thrown; then chance goes on."""

    __slots__ = ()

    script: list[list[str]]

    def _thrown(self, key: str, dice: tuple[int, ...]) -> list[int]:
        if not self.script:
            return super()._thrown(key, dice)  # type: ignore[no-any-return,misc]
        kinds = self.script.pop(0)
        assert len(kinds) == len(dice), f"{key}: {len(dice)} dice are thrown, not {kinds}"
        for die, kind in zip(dice, kinds, strict=True):
            assert kind in self.rules.dice[die], f"{key}: die {die} has no {kind}"  # type: ignore[attr-defined]
        return [self.rules.kinds.index(kind) for kind in kinds]  # type: ignore[attr-defined]


class ScriptedGame(_Script, DiceGame):
    """A game of several players with chosen dice."""

    __slots__ = ("script",)


class ScriptedThief(_Script, BeanThief):
    """A game against the Thief with chosen dice."""

    __slots__ = ("script",)


FILLER = {5: "; ".join(["5 blue"] * 5), 6: "; ".join(["7 blue"] * 6)}
"""A card, by how many orders it has, on which nothing is completed by chance."""


def deck_text(cards: Iterable[str]) -> str:
    """A deck as a TOML text; the orders of each card are separated by semicolons, the lowest first."""
    lines = []
    for card in cards:
        orders = ", ".join(f'"{order.strip()}"' for order in card.split(";"))
        lines.append(f"[[cards]]\norders = [{orders}]\n")
    return "\n".join(lines)


def scripted(
    ruleset: str = "dice",
    *,
    cards: Sequence[tuple[str, str]],
    throws: Sequence[str] = (),
    completed: Sequence[int] = (),
    dollars: Sequence[int] = (),
    thief: int = 0,
    next_cards: Sequence[str] = (),
) -> ScriptedGame | ScriptedThief:
    """A game at the start of a turn of seat 0.

    `cards`: per seat, its top and bottom card, written as in `deck_text`; "" for a card that does not matter.
    `throws`: what the dice show, kinds separated by blanks, in the order of the dice thrown. `completed`, `dollars`:
    per seat. `next_cards`: cards drawn next, whoever draws one; any other, which does not matter, is a dollar.
    """
    solo = ruleset in THIEF_LEVELS
    orders = 5 if ruleset == "dice" else 6
    shown = [card or FILLER[orders] for pair in cards for card in pair]
    deck = [*shown, *next_cards, *[FILLER[orders]] * 60]
    cls: type[ScriptedGame | ScriptedThief] = ScriptedThief if solo else ScriptedGame
    game = cls.__new__(cls)
    game.script = []
    game.__init__(ruleset, len(cards), b"seed", {"deck": deck_text(deck)})  # type: ignore[misc]
    pile = part(game, "pile")
    first = range(len(deck))
    leave_in(pile, first[len(shown) :])
    put_orders(pile, [tuple(first if owner < game.seats else reversed(first)) for owner in owners_of_orders(pile)])
    game.script = [throw.split() for throw in throws]
    return begin(
        game,
        cards=[[2 * seat, 2 * seat + 1] for seat in range(game.seats)],
        completed=[*completed, *[0] * (game.seats - len(completed))],
        dollars=[*dollars, *[0] * (game.seats - len(dollars)), *([thief] if solo else [])],
        singles=[[] for _ in range(game.seats + solo)],
        rolled=(),
        **({} if solo else {"active": -1}),
    )
