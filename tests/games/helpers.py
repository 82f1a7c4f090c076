"""Helpers for tests of all games: playing, comparing states, and setting up a chosen state."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from beanleague.games import Action, Event, Fault, Game, PlayedMove, Record
from beanleague.games.bohnanza import MAX_SIDE, BohnanzaView, Call, Counter, Offer
from beanleague.games.core import BuyField, Harvest
from beanleague.games.core.chance import Pile

GameT = TypeVar("GameT", bound=Game)

_EVENTS = {"_events", "_past", "_past_events"}  # those of a copy are in several lists

Player: TypeAlias = Callable[[Any], Action]
"""Chooses an action for a view."""


def dull(view: Any) -> Action:
    """Play the default."""
    action: Action = view.default()
    return action


def chooser(luck: object) -> Player:
    """Return a player that chooses among the legal actions by a digest of `luck` and how often it was asked.

    Half of these players harvest a field only when they must, so that there are large fields and many dollars. Fields
    are bought often. One in eight trade offers and counters is larger than those `legal` lists.
    """
    asked = 0
    patient = blake2b(f"{luck}".encode()).digest()[0] % 2

    def choose(view: Any) -> Action:
        nonlocal asked
        asked += 1
        number = int.from_bytes(blake2b(f"{luck}/{asked}".encode(), digest_size=8).digest(), "big")
        if number % 4 == 0 and getattr(view, "can_buy", False):
            return BuyField()
        legal: tuple[Action, ...] = view.legal()
        if patient:
            legal = tuple(action for action in legal if not isinstance(action, Harvest)) or legal
        action = legal[number % len(legal)]
        return _larger(view, action, number >> 32) if number >> 61 == 0 else action

    return choose


def play(game: Game, choose: Player, look: Callable[[Any], object] | None = None) -> list[PlayedMove]:
    """Play `game` to its end; `look` is shown every view before it is answered. Return all moves."""
    moves = []
    while not game.over:
        for view in [game.view(seat) for seat in game.to_act()]:
            if look:
                look(view)
            action = choose(view)
            game.apply(view.seat, action)
            moves.append(PlayedMove(view.seat, action, by_default=False))
    return moves


def do(game: GameT, *steps: tuple[int, Action]) -> GameT:
    """Let seats act, one after the other; return the game."""
    for seat, action in steps:
        game.apply(seat, action)
    return game


def of_type(things: Iterable[Event | Action], *classes: type[Event | Action]) -> list[Any]:
    """Return the events, or the actions, of these classes."""
    return [thing for thing in things if isinstance(thing, classes)]


def recorded(game: Game, moves: Iterable[PlayedMove], faults: Iterable[Fault] = ()) -> Record:
    """Return the record of a game that was played, with the places the game gives."""
    assert game.outcome
    return Record(
        ruleset=game.ruleset,
        seats=game.seats,
        seed=game.seed,
        options=game.options,
        players=tuple(f"player {seat}" for seat in range(game.seats)),
        moves=tuple(moves),
        events=tuple(game.events),
        scores=game.outcome.scores,
        places=game.outcome.places,
        faults=tuple(faults),
    )


def part(owner: object, name: str) -> Any:
    """Return the private attribute `name` of a game or pile, written without its underscore."""
    return getattr(owner, f"_{name}")


def put(owner: object, **parts: Any) -> None:
    """Set private attributes of a game or pile, written without their underscore."""
    for name, value in parts.items():
        part(owner, name)  # fails if it was renamed
        setattr(owner, f"_{name}", value)


def begin(game: GameT, **parts: Any) -> GameT:
    """Put `parts` in place and start the first turn of seat 0, with no events so far; return the game."""
    put(game, turn=0, events=[], seen=[0] * game.seats, **parts)
    part(game, "start_turn")()
    return game


def left_in(pile: Pile) -> list[int]:
    """Return the cards in the draw pile, ascending."""
    return [card for card, there in enumerate(part(pile, "in_pile")) if there]


def leave_in(pile: Pile, cards: Collection[int]) -> None:
    """Let just `cards` be in the draw pile."""
    pile.size = len(cards)
    put(pile, in_pile=bytearray(int(card in cards) for card in range(len(part(pile, "in_pile")))))


def put_orders(pile: Pile, orders: Sequence[tuple[int, ...]]) -> None:
    """Let all cards be drawn in these orders: one for each seat, or whoever else has one."""
    put(pile, orders=list(orders), at=[0] * len(orders))


def owners_of_orders(pile: Pile) -> range:
    """Return the numbers of those who have a draw order."""
    return range(len(part(pile, "orders")))


def stack_up(pile: Pile, stack: Sequence[int]) -> None:
    """Let just the cards `stack` be in the draw pile, to be drawn in this order by whoever draws."""
    rest = [card for card in range(len(part(pile, "in_pile"))) if card not in stack]
    leave_in(pile, stack)
    put_orders(pile, [(*stack, *rest) for _ in owners_of_orders(pile)])


def plain(value: object) -> bool:
    """Whether `value` is made of numbers, texts, tuples and frozen dataclasses, and so refers to no game."""
    if value is None or type(value) in {int, str, bool} or isinstance(value, Enum):
        return True
    if type(value) is tuple:
        return all(map(plain, value))
    if not is_dataclass(value) or isinstance(value, type):
        return False
    frozen: bool = getattr(type(value), "__dataclass_params__").frozen  # noqa: B009 - the type checker does not know it
    return frozen and all(plain(getattr(value, field.name)) for field in fields(value))


def state(game: Game) -> dict[str, Any]:
    """Return everything there is in `game`, as values that later changes do not touch."""
    kept = {name: _frozen(getattr(game, name)) for name in _slots(type(game)) if name not in _EVENTS}
    return {**kept, "events": tuple(part(game, "events_from")(0))}


def _slots(cls: type) -> list[str]:
    return [name for each in cls.__mro__ for name in getattr(each, "__slots__", ())]


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, bytearray):
        return bytes(value)
    if type(value).__module__.startswith("beanleague.") and not is_dataclass(value) and hasattr(value, "__slots__"):
        return tuple(_frozen(getattr(value, name)) for name in type(value).__slots__)
    return value


def _larger(view: Any, action: Action, number: int) -> Action:
    """Return `action` with more cards in it, where it is a trade offer or a counter."""
    if not isinstance(view, BohnanzaView):
        return action
    names = [kind.name for kind in view.rules.kinds]
    wants = tuple(names[(number >> shift) % len(names)] for shift in range(0, number % 4 * 3, 3))
    hand = tuple(range(number % 3, len(view.hand), 2))[: MAX_SIDE - 2]
    if isinstance(action, Offer) and (hand or wants):
        return Offer(action.to[number % len(action.to) :], (), hand, wants)
    if isinstance(action, Call):
        return Call(action.to[:1])
    if isinstance(action, Counter) and (hand or wants):
        return Counter(hand, tuple(range(len(view.turned))), wants)
    if view.harvestable and number % 2:
        return Harvest(view.harvestable[0])
    return action
