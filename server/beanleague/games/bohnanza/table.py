"""Common state of the card games (hands, fields, dollars, draw pile) and the steps that change it."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar

from beanleague.games.bohnanza.rules import CardRules, CardsHidden, CardsOfKinds
from beanleague.games.bohnanza.view import EMPTY, Field
from beanleague.games.core import game, moves
from beanleague.games.core.chance import Pile, check_seed
from beanleague.games.core.phased_game import AskingGame, Step, interludes_option, wrong_action
from beanleague.games.core.values import dataclass

DEFAULT_ROUNDS = 6
MAX_ROUNDS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """Lookup tables for the engine, computed once for all games with the same rules."""

    kinds: tuple[game.Kind, ...]
    """`kinds[card]`: the kind of a card."""
    index: tuple[int, ...]
    """`index[card]`: the index of its kind in the rules."""
    cards_of: Mapping[game.Kind, int]
    """Number of cards of each kind."""
    earnings: tuple[tuple[int, ...], ...]
    """`earnings[kind][count]`: dollars for a harvest of `count` cards."""
    filled: tuple[tuple[Field, ...], ...]
    """`filled[kind][count]`: the field with `count` cards of a kind."""
    empty: Field
    """The field without cards."""


@cache
def deck(rules: CardRules) -> Deck:
    """Return the lookup tables for `rules`."""
    return Deck(
        kinds=tuple(kind.name for kind in rules.kinds for _ in range(kind.cards)),
        index=tuple(i for i, kind in enumerate(rules.kinds) for _ in range(kind.cards)),
        cards_of={kind.name: kind.cards for kind in rules.kinds},
        earnings=tuple(tuple(map(kind.dollars, range(kind.cards + 1))) for kind in rules.kinds),
        filled=tuple((EMPTY, *(Field(kind.name, count) for count in range(1, kind.cards + 1))) for kind in rules.kinds),
        empty=EMPTY,
    )


def trading_options(options: Mapping[str, game.Option], seats: int) -> dict[str, game.Option]:
    """Return all options of a trading card game, defaults filled in.

    `max_rounds`: trade rounds per turn, 0 to 1000 (default 6). `interludes`: the seats offered a harvest between turns,
    ascending (default none).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    game.check_option_names(options, ("max_rounds", "interludes"))
    rounds = options.get("max_rounds", DEFAULT_ROUNDS)
    if type(rounds) is not int or not 0 <= rounds <= MAX_ROUNDS:
        raise game.SetupError(f"max_rounds must be a whole number from 0 to {MAX_ROUNDS}, not {game.brief(rounds)}")
    return {"max_rounds": rounds, "interludes": interludes_option(options, seats)}


class CardTable(AskingGame):
    """State of a card game. Cards are numbers, kind by kind in the order of the rules; players see only kinds.

    A subclass adds the phases.
    """

    __slots__ = (
        "_counts",
        "_deck",
        "_discarded",
        "_dollar_cards",
        "_dollars",
        "_fields",
        "_hands",
        "_pile",
        "_run_outs",
        "rules",
    )

    _HIDDEN: ClassVar[frozenset[type[game.Event]]] = frozenset({moves.Dealt, moves.Drew})
    _NESTED: ClassVar[tuple[str, ...]] = ("_dollar_cards", "_fields", "_hands", "_pile")

    def __init__(self, rules: CardRules, seed: bytes, options: Mapping[str, game.Option]) -> None:
        """Set up the table and deal. `options`: checked, with defaults filled in."""
        seats = rules.seats
        super().__init__(rules.ruleset, seats, check_seed(seed), options)
        self.rules = rules
        self._deck: Deck = deck(self.rules)
        self._pile = Pile(seed, self.rules.cards, seats)
        self._run_outs = 0
        self._discarded = [0] * len(self.rules.kinds)
        self._hands: list[list[int]] = [[] for _ in range(seats)]
        self._fields: list[list[list[int]]] = [[[] for _ in range(self.rules.fields)] for _ in range(seats)]
        self._counts: list[tuple[Field, ...]] = [(self._deck.empty,) * self.rules.fields] * seats
        self._dollars: list[int] = [0] * seats
        self._dollar_cards: list[list[int]] = [[] for _ in range(seats)]  # in the order earned
        self._deal()

    def _resume(self, view: Any, hidden: CardsHidden, seed: bytes) -> None:  # noqa: ANN401 - a view of either family
        super()._resume(view, hidden, seed)
        seats, own = self.seats, view.seat
        self.rules = view.rules
        self._deck = deck(self.rules)
        cards = CardsOfKinds(self.rules)
        hands = [view.hand if seat == own else hidden.hands[seat] for seat in range(seats)]
        if tuple(map(len, hands)) != view.hand_sizes or tuple(map(len, hidden.dollars)) != view.dollars:
            raise game.SetupError("the hidden hands or dollars do not have as many cards as the view says")
        self._hands = [cards.of(hand) for hand in hands]
        self._fields = [[cards.alike(field.kind, field.count) for field in fields] for fields in view.fields]
        self._counts = list(view.fields)
        self._dollars = list(view.dollars)
        self._dollar_cards = [cards.of(kinds) for kinds in hidden.dollars]
        self._resume_more(view, hidden, cards)
        discards = cards.of(self._discarded_kinds(view))
        self._discarded = [0] * len(self.rules.kinds)
        for card in discards:
            self._discarded[self._deck.index[card]] += 1
        self._pile = Pile.holding(seed, cards.rest(view.pile), seats, discards)

    def _reseed(self, seed: bytes) -> None:
        super()._reseed(seed)
        self._pile.reseed(seed)

    @abstractmethod
    def _resume_more(self, view: Any, hidden: CardsHidden, cards: CardsOfKinds) -> None:  # noqa: ANN401 - either family
        """Restore the state of the subclass, and `_run_outs`, from a view."""

    @abstractmethod
    def _discarded_kinds(self, view: Any) -> Iterable[game.Kind]:  # noqa: ANN401 - either family
        """Return the kinds of the discard pile, top card last."""

    # Planting

    def _check_place(self, seat: int, card: int, field: int) -> None:
        moves.check_field(field, len(self._fields[seat]))
        there = self._counts[seat][field].kind
        kind = self._deck.kinds[card]
        if there is not None and there != kind:
            raise game.IllegalActionError(
                f"{kind} cannot be planted in field {field}, where {there} grows: harvest it first"
            )

    def _plant(self, seat: int, card: int, field: int, source: moves.Source, position: int) -> None:
        cards = self._fields[seat][field]
        cards.append(card)
        self._set_count(seat, field, self._deck.filled[self._deck.index[card]][len(cards)])
        self._events.append(moves.Planted(seat, field, self._deck.kinds[card], source, position))

    def _plant_from_hand(self, seat: int, action: game.Action, asked: str) -> None:
        if type(action) is not moves.Plant:
            raise wrong_action(action, asked)
        hand = self._hands[seat]
        self._check_place(seat, hand[0], action.field)
        self._plant(seat, hand.pop(0), action.field, "hand", 0)

    def _set_count(self, seat: int, field: int, count: Field) -> None:
        counts = list(self._counts[seat])
        counts[field] = count
        self._counts[seat] = tuple(counts)

    # Harvesting

    def _harvestable(self, seat: int) -> tuple[int, ...]:
        return moves.harvestable([field.count for field in self._counts[seat]])

    def _harvest_first(self, seat: int, action: moves.Harvest) -> None:
        moves.check_harvest(action.field, [field.count for field in self._counts[seat]])
        self._harvest(seat, action.field)

    def _harvest(self, seat: int, field: int) -> None:
        """Harvest a field: the cards planted last become dollars by the beanometer, the rest are discarded."""
        cards = self._fields[seat][field]
        kind = self._deck.index[cards[0]]
        count = len(cards)
        dollars = self._deck.earnings[kind][count]
        self._discarded[kind] += count - dollars
        self._pile.discards += cards[: count - dollars]
        self._fields[seat][field] = []
        self._set_count(seat, field, self._deck.empty)
        self._dollars[seat] += dollars
        self._dollar_cards[seat] += cards[count - dollars :]
        self._events.append(moves.Harvested(seat, field, self._deck.kinds[cards[0]], count, dollars))

    # Buying a field

    def _may_buy(self, seat: int) -> bool:
        price = self.rules.field_price
        return 0 < price <= self._dollars[seat] and len(self._fields[seat]) == self.rules.fields

    def _buy_field(self, seat: int, action: moves.BuyField) -> None:
        del action
        if not self._may_buy(seat):
            raise game.IllegalActionError(self._why_not_buy(seat))
        price, cards = self.rules.field_price, self._dollar_cards[seat]
        paid = [cards.pop() for _ in range(price)]
        self._dollars[seat] -= price
        self._fields[seat].append([])
        self._counts[seat] += (self._deck.empty,)
        discarded = self._discard_paid(paid)
        self._events.append(moves.FieldBought(seat, price, tuple([self._deck.kinds[card] for card in discarded])))

    def _discard_paid(self, paid: list[int]) -> list[int]:
        """Discard the cards `paid` for a field, last earned first; return the cards discarded."""
        for card in paid:
            self._discarded[self._deck.index[card]] += 1
        self._pile.discards += paid
        return paid

    def _why_not_buy(self, seat: int) -> str:
        price = self.rules.field_price
        if not price:
            return "no field can be bought in this game"
        if len(self._fields[seat]) > self.rules.fields:
            return "only one field can be bought, and you have bought it"
        return f"a field costs {price} dollars, and you have {self._dollars[seat]}"

    # Drawing

    def _draw(self, seat: int, count: int, to: list[int], event: Callable[..., game.Event]) -> None:
        """Draw `count` cards for `seat`, shuffling when the pile runs out; none after the final run-out."""
        pile, drawn = self._pile, 0
        for _ in range(count):
            if self._run_outs >= self.rules.run_outs:
                break
            if not pile.size:  # shuffle the discard pile, or count a run-out if it is empty
                if not pile.discards:
                    self._run_out()
                    continue
                self._shuffle()
            to.append(pile.draw(seat))
            drawn += 1
            if not pile.size:
                self._log_drawn(seat, drawn, to, event)
                drawn = 0
                self._run_out()
                if self._run_outs < self.rules.run_outs and pile.discards:
                    self._shuffle()
        self._log_drawn(seat, drawn, to, event)

    def _log_drawn(self, seat: int, drawn: int, to: list[int], event: Callable[..., game.Event]) -> None:
        if drawn:
            kinds = self._deck.kinds
            cards = tuple([kinds[card] for card in to[-drawn:]])
            self._events.append(event(seat, cards) if event is moves.TurnedOver else event(seat, drawn, cards))

    _FREE: ClassVar[Mapping[type[game.Action], Step]] = {moves.Harvest: _harvest_first, moves.BuyField: _buy_field}

    def _run_out(self) -> None:
        self._run_outs += 1
        self._events.append(moves.RanOut(self._run_outs))

    def _shuffle(self) -> None:
        cards = self._pile.shuffle()
        self._discarded = [0] * len(self._discarded)
        self._events.append(moves.Shuffled(self._pile.number, cards))

    # Beginning and end

    def _deal(self) -> None:
        for dealt in range(max(self.rules.start_hands)):
            for seat, hand in enumerate(self._hands):
                if dealt < self.rules.start_hands[seat]:
                    hand.append(self._pile.draw(seat))
        for seat, hand in enumerate(self._hands):
            self._events.append(moves.Dealt(seat, len(hand), tuple([self._deck.kinds[card] for card in hand])))

    def _end_game(self) -> None:
        """Harvest every field, and rank by dollars and the tie rule."""
        for seat in range(self.seats):
            for field, cards in enumerate(self._fields[seat]):
                if cards:
                    self._harvest(seat, field)
        dollars = tuple(self._dollars)
        ties = [len(hand) for hand in self._hands] if self.rules.hand_breaks_ties else range(self.seats)
        ranks = list(zip(dollars, ties, strict=True))
        places = tuple(1 + sum(other > rank for other in ranks) for rank in ranks)
        self._end(game.Outcome(dollars, places), moves.GameEnded(dollars, places))
