"""Fast second engine for the trading games, based on `FlatCards`."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from beanleague.games.bohnanza import moves
from beanleague.games.bohnanza.flat_cards import SHARED, FlatCards, Order
from beanleague.games.bohnanza.rules import take
from beanleague.games.core.game import Action, IllegalActionError
from beanleague.games.core.values import dataclass

if TYPE_CHECKING:
    from beanleague.games.bohnanza.game import Bohnanza

WAIT, PLANT_FIRST, PLANT_SECOND, TRADE, ANSWER, PICK, PLANT_ASIDE, INTERLUDE = range(8)
assert tuple(moves.Decision) == (WAIT, PLANT_FIRST, PLANT_SECOND, TRADE, ANSWER, PICK, PLANT_ASIDE, INTERLUDE)


@dataclass(frozen=True, slots=True)
class Proposal:
    """An offer, a counter-offer or an acceptance. Wanted kinds are in the order of the rules."""

    seat: int
    """Seat that makes the proposal."""
    hand: tuple[int, ...]
    """Positions of the hand cards given."""
    turned: tuple[int, ...]
    """Positions of turned-over cards: given in an offer, wanted in a counter."""
    wants: tuple[int, ...]
    """Kinds wanted from the other seat's hand."""
    accepts: bool
    """Whether it accepts the offer unchanged."""


class FlatBohnanza(FlatCards):
    """State of a trading game as lists of numbers."""

    __slots__ = ("answers", "aside", "interludes", "max_rounds", "offer", "queue", "rounds_left")

    max_rounds: int
    interludes: tuple[int, ...]
    aside: list[list[int]]
    rounds_left: int
    queue: list[int]
    """Seats still to be asked in turn, including the current one."""
    offer: Proposal | None
    """Offer on the table: being answered, or with answers to pick from."""
    answers: list[Proposal]
    """Acceptances and counter-offers so far."""

    @classmethod
    def of(cls, game: "Bohnanza", order: Order) -> Self:
        """Return the state of `game` as numbers; later shuffles use `order`."""
        new, index = cls._of(game, order, game._turned), game._deck.index
        rounds, interludes = game.options["max_rounds"], game.options["interludes"]
        assert isinstance(rounds, int)
        assert isinstance(interludes, tuple)
        new.max_rounds, new.interludes = rounds, interludes
        new.aside = [[index[card] for card in cards] for cards in game._aside]
        new.rounds_left, new.queue = game._rounds_left, game._queue[:]
        number = {kind.name: number for number, kind in enumerate(game.rules.kinds)}
        offer = game._offer
        new.offer = None
        if offer:
            new.offer = Proposal(offer.seat, offer.hand, offer.turned, tuple([number[k] for k in offer.wants]), False)
        new.answers = [
            Proposal(each.seat, each.hand, each.turned, tuple([number[k] for k in each.wants]), each.answer == "accept")
            for each in game._answers
            if each.answer != "decline"
        ]
        return new

    def copy(self) -> Self:
        new = super().copy()
        new.max_rounds, new.interludes, new.rounds_left = self.max_rounds, self.interludes, self.rounds_left
        new.aside, new.queue = [each[:] for each in self.aside], self.queue[:]
        new.offer, new.answers = self.offer, self.answers[:]
        return new

    def kinds(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the numbers of the kinds called `names`.

        Raises:
            IllegalActionError: if a kind is not in the game.
        """
        known: list[str] = [kind.name for kind in self.rules.kinds]
        if not all(name in known for name in names):
            raise IllegalActionError(f"not all of {names} are in this game")
        return tuple([known.index(name) for name in names])

    # At any time

    def harvest(self, seat: int, field: int) -> None:
        if self.decision == ANSWER:
            raise IllegalActionError("no harvest is allowed now")
        super().harvest(seat, field)
        if self.decision == INTERLUDE:
            self._next_interlude()

    def buy_field(self, seat: int) -> None:
        if self.decision == ANSWER:
            raise IllegalActionError("no field can be bought now")
        super().buy_field(seat)
        if self.decision == INTERLUDE:
            self._next_interlude()

    # Phase 1

    def _start_turn(self) -> None:
        self.turn += 1
        self.active = (self.active + 1) % len(self.hands)
        if self.hands[self.active]:
            self.decision, self.asked = PLANT_FIRST, [self.active]
        else:
            self._turn_over()

    def plant(self, seat: int, field: int) -> None:
        decision, hand = self.decision, self.hands[seat]
        if decision not in {PLANT_FIRST, PLANT_SECOND}:
            raise IllegalActionError("no hand card can be planted now")
        self._grow(seat, field, hand[0])
        del hand[0]
        if hand and decision == PLANT_FIRST:
            self.decision = PLANT_SECOND
        else:
            self._turn_over()

    def pass_(self, seat: int) -> None:
        if self.decision == PLANT_SECOND:
            self._turn_over()
        elif self.decision == INTERLUDE:
            del self.queue[0]
            self._next_interlude()
        else:
            raise IllegalActionError(f"seat {seat} cannot pass now")

    # Phase 2, without the rounds of trading

    def _turn_over(self) -> None:
        self._draw(self.rules.turned, self.turned)
        self.rounds_left = self.max_rounds
        self._lead_round()

    def _lead_round(self) -> None:
        if self.rounds_left:
            self.decision, self.asked = TRADE, [self.active]
        else:
            self._end_trading()

    def stop(self, seat: int) -> None:
        if self.decision != TRADE:
            raise IllegalActionError(f"seat {seat} is not leading a trade now")
        self.rounds_left = 0
        self._end_trading()

    def _end_trading(self) -> None:
        active, aside = self.active, self.aside
        aside[active] += self.turned
        self.turned = []
        self.queue = [seat for seat in (*range(active, len(aside)), *range(active)) if aside[seat]]
        self._next_planter()

    # The active player leads a round

    def propose(
        self, seat: int, to: tuple[int, ...], turned: tuple[int, ...], hand: tuple[int, ...], wants: tuple[int, ...]
    ) -> None:
        """Offer cards to the seats `to`, and name the kinds wanted; see `Offer`."""
        if not (turned or hand or wants):
            raise IllegalActionError("an offer must give or want something")
        _check_positions(turned, len(self.turned))
        _check_positions(hand, len(self.hands[seat]))
        self._check_wants(wants)
        moves.check_side(len(turned) + len(hand))
        moves.check_side(len(wants))
        self._lead(seat, to, Proposal(seat, hand, turned, tuple(sorted(wants)), accepts=False))

    def call(self, seat: int, to: tuple[int, ...]) -> None:
        """Ask other seats for offers; see `Call`."""
        self._lead(seat, to, Proposal(seat, (), (), (), accepts=False))

    def _lead(self, seat: int, to: tuple[int, ...], offer: Proposal) -> None:
        _check_positions(to, len(self.hands))
        if self.decision != TRADE or not to or seat in to:
            raise IllegalActionError("an offer is not possible now, or does not address other seats only")
        self.offer = offer
        self.decision, self.asked = ANSWER, list(to)

    # The others answer

    def decline(self, seat: int) -> None:
        """Decline the offer."""
        self._answered(seat, None)

    def accept(self, seat: int, hand: tuple[int, ...]) -> None:
        """Accept the offer and give the cards at the positions `hand`."""
        offer = self._answerable()
        _check_positions(hand, len(self.hands[seat]))
        if not (offer.hand or offer.turned or offer.wants) or self._cards_at(seat, hand) != offer.wants:
            raise IllegalActionError("only an offer can be accepted, by giving exactly the kinds it wants")
        self._answered(seat, Proposal(seat, hand, (), (), accepts=True))

    def counter(self, seat: int, hand: tuple[int, ...], turned: tuple[int, ...], wants: tuple[int, ...]) -> None:
        """Propose another trade; see `Counter`."""
        if not (hand or turned or wants):
            raise IllegalActionError("a counter must give or want something")
        _check_positions(hand, len(self.hands[seat]))
        _check_positions(turned, len(self.turned))
        self._check_wants(wants)
        moves.check_side(len(hand))
        moves.check_side(len(turned) + len(wants))
        self._answered(seat, Proposal(seat, hand, turned, tuple(sorted(wants)), accepts=False))

    def _answerable(self) -> Proposal:
        if self.decision != ANSWER or self.offer is None:
            raise IllegalActionError("there is no offer to answer")
        return self.offer

    def _answered(self, seat: int, answer: Proposal | None) -> None:
        self._answerable()
        if answer:
            self.answers.append(answer)
        self.asked.remove(seat)
        if self.asked:
            return
        if self.answers:
            self.decision, self.asked = PICK, [self.active]
        else:
            self._end_round()

    # The active player picks an answer

    def refuse(self, seat: int) -> None:
        """Pick none of the answers."""
        if self.decision != PICK:
            raise IllegalActionError(f"seat {seat} has no answers to refuse")
        self._end_round()

    def pick(self, seat: int, partner: int, given: tuple[int, ...]) -> None:
        """Carry out the answer of `partner`, giving the hand cards `given` for a counter's wants; see `Pick`."""
        answer = next((answer for answer in self.answers if answer.seat == partner), None)
        if self.decision != PICK or answer is None or self.offer is None:
            raise IllegalActionError(f"there is no answer of seat {partner} to pick")
        if answer.accepts:
            if given:
                raise IllegalActionError("an acceptance must be picked without naming cards")
            turned, hand = self.offer.turned, self.offer.hand
        else:
            _check_positions(given, len(self.hands[seat]))
            if self._cards_at(seat, given) != answer.wants:
                raise IllegalActionError("the cards given must be of exactly the kinds wanted")
            turned, hand = answer.turned, given
        receives = sorted(take(self.hands[partner], answer.hand))
        self.aside[partner] += take(self.turned, turned)
        self.aside[partner] += sorted(take(self.hands[seat], hand))
        self.aside[seat] += receives
        self._end_round()

    def _end_round(self) -> None:
        self.rounds_left -= 1
        self.offer, self.answers = None, []
        self._lead_round()

    # Phase 3

    def _next_planter(self) -> None:
        if self.queue:
            self.decision, self.asked = PLANT_ASIDE, [self.queue[0]]
        elif self.run_outs >= self.rules.run_outs:
            self._end()
        else:
            self._draw_phase()

    def plant_aside(self, seat: int, card: int, field: int) -> None:
        aside = self.aside[seat]
        if self.decision != PLANT_ASIDE or not 0 <= card < len(aside):
            raise IllegalActionError("you have no such card to plant now")
        self._grow(seat, field, aside[card])
        del aside[card]
        if not aside:
            del self.queue[0]
            self._next_planter()

    # Phase 4, and between turns

    def _draw_phase(self) -> None:
        rules, active, hands = self.rules, self.active, self.hands
        if rules.all_draw:
            for seat in (*range(active, len(hands)), *range(active)):
                self._draw(rules.draws, hands[seat])
        else:
            self._draw(rules.draws, hands[active])
        if self.run_outs >= rules.run_outs:
            self._end()
        elif self.interludes:
            after = (*range(active + 1, len(hands)), *range(active + 1))
            self.queue = [seat for seat in after if seat in self.interludes]
            self._next_interlude()
        else:
            self._start_turn()

    def _next_interlude(self) -> None:
        while self.queue and not any(self.counts[self.queue[0]]) and not self.may_buy(self.queue[0]):
            del self.queue[0]
        if self.queue:
            self.decision, self.asked = INTERLUDE, [self.queue[0]]
        else:
            self._start_turn()

    def _cards_at(self, seat: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        hand = self.hands[seat]
        return tuple(sorted([hand[i] for i in positions]))

    def _check_wants(self, wants: tuple[int, ...]) -> None:
        if any(wants.count(kind) > self.rules.kinds[kind].cards for kind in wants):
            raise IllegalActionError("more cards of a kind are wanted than exist")

    _APPLY: ClassVar[Mapping[type[Action], Callable[[Any, int, Any], None]]] = {
        **SHARED,
        moves.Stop: lambda table, seat, _: table.stop(seat),
        moves.Offer: lambda table, seat, action: table.propose(
            seat, action.to, action.turned, action.hand, table.kinds(action.wants)
        ),
        moves.Call: lambda table, seat, action: table.call(seat, action.to),
        moves.Decline: lambda table, seat, _: table.decline(seat),
        moves.Accept: lambda table, seat, action: table.accept(seat, action.hand),
        moves.Counter: lambda table, seat, action: table.counter(
            seat, action.hand, action.turned, table.kinds(action.wants)
        ),
        moves.Refuse: lambda table, seat, _: table.refuse(seat),
        moves.Pick: lambda table, seat, action: table.pick(seat, action.seat, action.hand),
        moves.PlantAside: lambda table, seat, action: table.plant_aside(seat, action.card, action.field),
    }


def _check_positions(positions: tuple[int, ...], cards: int) -> None:
    before = -1
    for position in positions:
        if not before < position < cards:
            raise IllegalActionError(f"positions must be ascending numbers from 0 to {cards - 1}")
        before = position
