"""Dice games in a chosen state with chosen dice, players without a random generator, and a game's state as a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from beanleague.games import Action, Event, Option
from beanleague.games.dice.game import DiceGame
from beanleague.games.dice.table import DiceTable
from beanleague.games.dice.thief import BeanThief
from beanleague.games.dice.view import DiceView

Player: TypeAlias = Callable[[DiceView], Action]
GameT = TypeVar("GameT", bound=DiceTable)

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
    pile = game._pile
    pile._in_pile = bytearray(int(card >= len(shown)) for card in range(len(deck)))
    pile.size = len(deck) - len(shown)
    first = tuple(range(len(deck)))
    last = tuple(reversed(first))
    pile._orders = [*[first] * game.seats, *[last] * (len(pile._orders) - game.seats)]
    pile._at = [0] * len(pile._orders)
    game._cards = [[2 * seat, 2 * seat + 1] for seat in range(game.seats)]
    game._completed = [*completed, *[0] * (game.seats - len(completed))]
    game._dollars = [*dollars, *[0] * (game.seats - len(dollars))] + ([thief] if solo else [])
    game._singles = [[] for _ in game._dollars]
    game.script = [throw.split() for throw in throws]
    game._turn, game._events, game._seen, game._rolled = 0, [], [0] * game.seats, ()
    if not solo:
        game._active = -1
    game._start_turn()
    return game


def state(game: DiceTable) -> dict[str, Any]:
    """Everything there is in `game`, as values that later changes do not touch."""
    slots = [name for cls in type(game).__mro__ for name in getattr(cls, "__slots__", ())]
    parts = {name: getattr(game, name) for name in slots if name != "_pile"}
    parts |= {f"pile.{name}": getattr(game._pile, name) for name in game._pile.__slots__}
    return {name: _frozen(value) for name, value in parts.items()}


def do(game: GameT, *steps: tuple[int, Action]) -> GameT:
    """Let seats act, one after the other; return the game."""
    for seat, action in steps:
        game.apply(seat, action)
    return game


def dull(view: DiceView) -> Action:
    """Play the default."""
    return view.default()


def chooser(luck: object) -> Player:
    """Return a player that chooses among the legal actions by a digest of `luck` and how often it was asked."""
    asked = 0

    def choose(view: DiceView) -> Action:
        nonlocal asked
        asked += 1
        number = int.from_bytes(blake2b(f"{luck}/{asked}".encode(), digest_size=8).digest(), "big")
        legal = view.legal()
        return legal[number % len(legal)]

    return choose


def play(game: DiceTable, choose: Player, look: Callable[[DiceView], None] | None = None) -> list[tuple[int, Action]]:
    """Play `game` to its end; `look` is shown every view before it is answered. Return all moves."""
    moves = []
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            if look:
                look(view)
            action = choose(view)
            game.apply(seat, action)
            moves.append((seat, action))
    return moves


def of_type(events: Iterable[Event], *classes: type[Event]) -> list[Any]:
    """The events of these classes."""
    return [event for event in events if isinstance(event, classes)]


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return bytes(value) if isinstance(value, bytearray) else value
