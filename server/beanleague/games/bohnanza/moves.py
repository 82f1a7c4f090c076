"""Actions, events and decisions of the card games, with checks of offers.

`docs/records.md` gives the effect of each event. Positions of hand cards are visible only to their owner: other seats
see the kinds given, not the position of a card. So kinds from a hand, and kinds wanted, are in the order of the rules,
rarest first. Failed checks raise `IllegalActionError` with a message for the bot's author.
"""

from collections import Counter as Multiset
from collections.abc import Collection, Mapping
from typing import Literal

from beanleague.games.core.game import Action, IllegalActionError, Kind, NamedDecision, SeatEvent, brief
from beanleague.games.core.values import dataclass


class Decision(NamedDecision):
    """Kinds of decisions that a seat can be asked for."""

    WAIT = 0
    """None: the seat is not asked now."""
    PLANT_FIRST = 1
    """Phase 1: plant the first card of the hand (`Plant`)."""
    PLANT_SECOND = 2
    """Phase 1: plant the next card too (`Plant`), or not (`Pass`)."""
    TRADE = 3
    """Phase 2, active player: `Offer`, `Call` or `Stop`."""
    ANSWER = 4
    """Phase 2, seat addressed by an offer: `Accept`, `Decline` or `Counter`."""
    PICK = 5
    """Phase 2, active player: `Pick` an answer, or `Refuse` all."""
    PLANT_ASIDE = 6
    """Phase 3: plant a card set aside (`PlantAside`)."""
    INTERLUDE = 7
    """Between turns, if requested: `Harvest` or `Pass`."""


@dataclass(frozen=True, slots=True)
class Offer(Action):
    """Phase 2, active player: offer cards to other seats.

    Either side may be empty (a gift), but not both; each has at most eight cards. The other seats see the kinds of the
    hand cards offered, not their positions.
    """

    to: tuple[int, ...]
    """The seats addressed, ascending."""
    turned: tuple[int, ...] = ()
    """Positions of the turned-over cards offered, ascending."""
    hand: tuple[int, ...] = ()
    """Positions of the hand cards offered, ascending."""
    wants: tuple[Kind, ...] = ()
    """The kinds wanted, one entry per card, in any order."""


@dataclass(frozen=True, slots=True)
class Call(Action):
    """Phase 2, active player: ask other seats for offers, which they make as counters."""

    to: tuple[int, ...]
    """The seats addressed, ascending."""


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """Phase 2, active player: end the trading of this turn."""


@dataclass(frozen=True, slots=True)
class Accept(Action):
    """Answer to an offer: accept it."""

    hand: tuple[int, ...] = ()
    """Positions of the hand cards given, ascending; exactly the kinds wanted."""


@dataclass(frozen=True, slots=True)
class Decline(Action):
    """Answer to an offer: decline it."""


@dataclass(frozen=True, slots=True)
class Counter(Action):
    """Answer to an offer: propose another trade. Its sides have the same limits as those of an `Offer`."""

    hand: tuple[int, ...] = ()
    """Positions of the hand cards given, ascending."""
    turned: tuple[int, ...] = ()
    """Positions of the turned-over cards wanted, ascending."""
    wants: tuple[Kind, ...] = ()
    """The kinds wanted from the active player's hand, one entry per card, in any order."""


@dataclass(frozen=True, slots=True)
class Pick(Action):
    """Phase 2, active player: carry out one of the answers."""

    seat: int
    """The seat whose answer is carried out."""
    hand: tuple[int, ...] = ()
    """For a counter that wants kinds: positions of the hand cards given for them, ascending; else empty."""


@dataclass(frozen=True, slots=True)
class Refuse(Action):
    """Phase 2, active player: pick none of the answers."""


@dataclass(frozen=True, slots=True)
class PlantAside(Action):
    """Phase 3: plant a card that was set aside."""

    card: int
    """The position of the card among the cards set aside."""
    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class Offered(SeatEvent):
    """Phase 2: the active player makes an offer. In a call, all fields but `seat` and `to` are empty."""

    to: tuple[int, ...]
    """The seats addressed, ascending."""
    turned: tuple[int, ...]
    """Positions of the turned-over cards offered."""
    hand: tuple[int, ...]
    """Positions of the hand cards offered; empty for all other seats."""
    gives: tuple[Kind, ...]
    """The kinds of the cards offered: turned-over cards first, then hand cards, rarest first."""
    wants: tuple[Kind, ...]
    """The kinds wanted, one entry per card, rarest first."""

    def seen_by(self, seat: int) -> "Offered":
        if seat == self.seat or not self.hand:
            return self
        return Offered(self.seat, self.to, self.turned, (), self.gives, self.wants)


@dataclass(frozen=True, slots=True)
class Answered(SeatEvent):
    """A seat answers an offer. All answers are revealed together, by ascending seat."""

    answer: Literal["accept", "decline", "counter"]
    """Kind of answer."""
    hand: tuple[int, ...] = ()
    """Positions of the hand cards given in the answer; empty for all other seats."""
    gives: tuple[Kind, ...] = ()
    """The kinds of the cards given, rarest first."""
    turned: tuple[int, ...] = ()
    """In a counter: positions of the turned-over cards wanted."""
    wants: tuple[Kind, ...] = ()
    """In a counter: the kinds wanted from the active player's hand, rarest first."""

    def seen_by(self, seat: int) -> "Answered":
        if seat == self.seat or not self.hand:
            return self
        return Answered(self.seat, self.answer, (), self.gives, self.turned, self.wants)


@dataclass(frozen=True, slots=True)
class Traded(SeatEvent):
    """A trade is carried out. Each player places the cards received behind the cards already set aside."""

    reveals = False
    partner: int
    """The other seat."""
    turned: tuple[int, ...]
    """Positions of the turned-over cards that the active player gives."""
    hand: tuple[int, ...]
    """Positions of the hand cards that the active player gives; empty for all other seats."""
    gives: tuple[Kind, ...]
    """The kinds of the cards given: turned-over cards first, then hand cards, rarest first."""
    partner_hand: tuple[int, ...]
    """Positions of the hand cards that the partner gives; empty for all other seats."""
    receives: tuple[Kind, ...]
    """The kinds of the cards received, rarest first."""

    def seen_by(self, seat: int) -> "Traded":
        hand = self.hand if seat == self.seat else ()
        partner_hand = self.partner_hand if seat == self.partner else ()
        if hand == self.hand and partner_hand == self.partner_hand:
            return self
        return Traded(self.seat, self.partner, self.turned, hand, self.gives, partner_hand, self.receives)


@dataclass(frozen=True, slots=True)
class Refused(SeatEvent):
    """The active player picks none of the answers."""

    reveals = False


@dataclass(frozen=True, slots=True)
class TradingEnded(SeatEvent):
    """Phase 2 ends. The remaining turned-over cards are placed behind the cards that the active player set aside."""

    reveals = False
    left: tuple[Kind, ...]
    """The turned-over cards that remain."""


MAX_SIDE = 8
"""Maximum number of cards on a side of an offer or counter."""


def check_positions(positions: tuple[int, ...], cards: int, where: str) -> None:
    """Check that `positions` are ascending positions of the `cards` cards in `where`."""
    if type(positions) is not tuple:
        raise IllegalActionError(f"{where} must be given as a tuple of numbers, not {brief(positions)}")
    before = -1
    for position in positions:
        if type(position) is not int or not before < position < cards:
            if not cards:
                raise IllegalActionError(f"{brief(positions)} is not possible: there are no {where}")
            raise IllegalActionError(
                f"{brief(positions)} must be numbers of {where} from 0 to {cards - 1}, ascending and without repeats"
            )
        before = position


def check_kinds(kinds: tuple[Kind, ...], cards_of: Mapping[Kind, int]) -> None:
    """Check that a game has enough cards of all `kinds` together; it has `cards_of[kind]` cards of a kind."""
    if type(kinds) is not tuple:
        raise IllegalActionError(f"the kinds wanted must be a tuple, not {brief(kinds)}")
    for kind in kinds:
        if type(kind) is not str or kind not in cards_of:
            raise IllegalActionError(f"{brief(kind)} is not a kind in this game; there are: {', '.join(cards_of)}")
    if len(kinds) > 1:
        for kind, cards in cards_of.items():
            if kinds.count(kind) > cards:
                raise IllegalActionError(f"{kinds.count(kind)} {kind} are wanted, but there are only {cards}")


def check_side(cards: int) -> None:
    """Check the number of cards on one side of an offer or counter."""
    if cards > MAX_SIDE:
        raise IllegalActionError(f"each side of an offer or counter names at most {MAX_SIDE} cards, not {cards}")


def check_addressed(to: tuple[int, ...], seat: int, seats: int) -> None:
    """Check that `to` has at least one seat, in ascending order and without `seat`."""
    check_positions(to, seats, "seats")
    if not to:
        raise IllegalActionError("an offer or a call must address at least one other seat")
    if seat in to:
        raise IllegalActionError(f"seat {seat} cannot address itself")


def check_offer(offer: Offer, *, seat: int, seats: int, turned: int, hand: int, cards_of: Mapping[Kind, int]) -> None:
    """Check an offer of `seat`; `turned` and `hand` are the numbers of turned-over and hand cards."""
    check_addressed(offer.to, seat, seats)
    check_positions(offer.turned, turned, "turned-over cards")
    check_positions(offer.hand, hand, "cards in your hand")
    check_kinds(offer.wants, cards_of)
    if not (offer.turned or offer.hand or offer.wants):
        raise IllegalActionError("an offer must give or want something; to ask for offers, call")
    check_side(len(offer.turned) + len(offer.hand))
    check_side(len(offer.wants))


def check_counter(counter: Counter, *, turned: int, hand: int, cards_of: Mapping[Kind, int]) -> None:
    """Check a counter; `turned` and `hand` are the numbers of turned-over and hand cards."""
    check_positions(counter.hand, hand, "cards in your hand")
    check_positions(counter.turned, turned, "turned-over cards")
    check_kinds(counter.wants, cards_of)
    if not (counter.hand or counter.turned or counter.wants):
        raise IllegalActionError("a counter must give or want something; to say no, decline")
    check_side(len(counter.hand))
    check_side(len(counter.turned) + len(counter.wants))


def check_given(given: tuple[Kind, ...], wanted: tuple[Kind, ...]) -> None:
    """Check that the kinds `given` are exactly the kinds `wanted`, in any order."""
    if len(given) == len(wanted) == 1:
        if given[0] == wanted[0]:
            return
    elif sorted(given) == sorted(wanted):
        return
    raise IllegalActionError(f"the cards given are {_counts_text(given)}, but {_counts_text(wanted)} must be given")


def _counts_text(kinds: Collection[Kind]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(Multiset(kinds).items())) or "nothing"
