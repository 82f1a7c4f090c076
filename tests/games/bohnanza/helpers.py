"""Games in a chosen state, players that need no random generator, and the whole state of a game as a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from beanleague.games import Action, Event, Game, Option, PlayedMove, Record, RecordedFault, View, new_game
from beanleague.games.bohnanza import BohnanzaView, Call, Counter, Offer
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.bohnanza.table import CardTable
from beanleague.games.core import BuyField, Harvest
from beanleague.games.core.pile import Pile

GameT = TypeVar("GameT", bound=Game)

Player: TypeAlias = Callable[[BohnanzaView], Action]


def bohnanza(seats: int = 3, seed: bytes = b"seed", ruleset: str = "bohnanza", **options: Option) -> Bohnanza:
    """A new game."""
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
    """A game at the start of a turn of seat 0, with just these cards; kinds are separated by blanks.

    `fields[seat, field]`: cards there. `pile`: in the order in which they are drawn, whoever draws. `dollars`: per
    seat; or `earned`, the cards they are, those earned last last.
    """
    game = bohnanza(seats, b"seed", ruleset, **(options or {}))
    arrange(game, hands, fields or {}, pile, discard, dollars, earned)
    game._run_outs = run_outs
    game._turn, game._active, game._turned, game._events, game._seen = 0, -1, [], [], [0] * seats
    game._start_turn()
    return game


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
    deck = list(enumerate(game._deck.kinds))

    def cards(kinds: str) -> list[int]:
        taken = []
        for name in kinds.split():
            card = next(entry for entry in deck if entry[1] == name)
            deck.remove(card)
            taken.append(card[0])
        return taken

    seats = game.seats
    game._hands = [cards(hand) for hand in [*hands, *[""] * (seats - len(hands))]]
    for (seat, field), kinds in fields.items():
        put = cards(kinds)
        game._fields[seat][field] = put
        game._set_count(seat, field, game._deck.filled[game._deck.index[put[0]]][len(put)])
    stack_up(game._pile, cards(pile), game.rules.cards)
    game._pile.discards = cards(discard)
    game._discarded = [discard.split().count(kind.name) for kind in game.rules.kinds]
    game._dollar_cards = [cards(kinds) for kinds in [*earned, *[""] * (seats - len(earned))]]
    game._dollars = [*dollars, *map(len, game._dollar_cards[len(dollars) :])]


def stack_up(pile: Pile, stack: list[int], cards: int) -> None:
    """Let just the cards `stack` of so many be in `pile`, to be drawn in this order by whoever draws."""
    rest = tuple(card for card in range(cards) if card not in stack)
    pile.size = len(stack)
    pile._in_pile = bytearray(int(card in stack) for card in range(cards))
    pile._orders = [(*stack, *rest)] * len(pile._orders)
    pile._at = [0] * len(pile._orders)


def state(game: Game) -> dict[str, Any]:
    """Everything there is in `game`, as values that later changes do not touch."""
    slots = [name for cls in type(game).__mro__ for name in getattr(cls, "__slots__", ())]
    return {name: _frozen(getattr(game, name)) for name in slots}


def do(game: GameT, *steps: tuple[int, Action]) -> GameT:
    """Let seats act, one after the other; return the game."""
    for seat, action in steps:
        game.apply(seat, action)
    return game


def dull(view: BohnanzaView) -> Action:
    """Play the default."""
    return view.default()


def chooser(luck: object) -> Player:
    """Return a player that chooses among the legal actions by a digest of `luck` and how often it was asked.

    One in eight offers and counters is larger than those `legal` lists. Half of the players harvest only when they
    must, so that there are large fields and many dollars; fields are bought often.
    """
    asked = 0
    patient = blake2b(f"{luck}".encode()).digest()[0] % 2

    def choose(view: BohnanzaView) -> Action:
        nonlocal asked
        asked += 1
        number = int.from_bytes(blake2b(f"{luck}/{asked}".encode(), digest_size=8).digest(), "big")
        if view.can_buy and number % 4 == 0:
            return BuyField()
        legal = view.legal()
        if patient:
            legal = tuple(action for action in legal if not isinstance(action, Harvest)) or legal
        action = legal[number % len(legal)]
        return _larger(view, action, number >> 32) if number >> 61 == 0 else action

    return choose


def play(game: Bohnanza, choose: Player, look: Callable[[BohnanzaView], None] | None = None) -> list[PlayedMove]:
    """Play `game` to its end; `look` is shown every view before anybody answers. Return all moves."""
    moves = []
    while not game.over:
        views = [game.view(seat) for seat in game.to_act()]
        for view in views:
            if look:
                look(view)
            action = choose(view)
            game.apply(view.seat, action)
            moves.append(PlayedMove(view.seat, action, by_default=False))
    return moves


def default_is_legal(view: View) -> None:
    """Check that what would be played for a bot that fails may be played."""
    assert view.default() in view.legal()


def recorded(game: Bohnanza, moves: Iterable[PlayedMove], faults: Iterable[RecordedFault] = ()) -> Record:
    """The record of a game that was played."""
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


def of_type(things: Iterable[Event | Action], *classes: type[Event | Action]) -> list[Any]:
    """The events, or the actions, of these classes."""
    return [thing for thing in things if isinstance(thing, classes)]


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, Pile):
        return tuple(_frozen(getattr(value, name)) for name in Pile.__slots__)
    return bytes(value) if isinstance(value, bytearray) else value


def _larger(view: BohnanzaView, action: Action, number: int) -> Action:
    """Return `action` with more cards in it, where it is an offer or a counter."""
    names = [kind.name for kind in view.rules.kinds]
    wants = tuple(names[(number >> shift) % len(names)] for shift in range(0, number % 4 * 3, 3))
    hand = tuple(range(number % 3, len(view.hand), 2))
    if isinstance(action, Offer) and (hand or wants):
        return Offer(action.to[number % len(action.to) :], (), hand, wants)
    if isinstance(action, Call):
        return Call(action.to[:1])
    if isinstance(action, Counter) and (hand or wants):
        return Counter(hand, tuple(range(len(view.turned))), wants)
    if view.harvestable and number % 2:
        return Harvest(view.harvestable[0])
    return action
