"""Trading by scales: answering offers, making offers, and choosing among answers.

`TradingBot` combines them. All gains are in dollars; see `beanbot.policies.scales`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, TypeAlias

from beanbot.bohnanza import (
    MAX_SIDE,
    Accept,
    Action,
    Answered,
    BohnanzaBot,
    BohnanzaView,
    BuyField,
    Call,
    Choice,
    Counter,
    Decline,
    Kind,
    Offer,
    Offered,
    Pick,
    Refuse,
    Stop,
)
from beanbot.policies.scales import Scales
from beanbot.policies.worth import BECOMING, Cards, Worth, hope_of, turns_left, worth_of

Positions: TypeAlias = tuple[int, ...]
"""Positions of cards in the hand or among the turned-over cards."""

Appeal: TypeAlias = Callable[[float, float], float]
"""Function that rates an answer by the gains of the answering and of the active player; the best-rated answer is
given."""

MIN_GAIN = 0.03  # dollars that each side must gain by a trade
MIN_USE = 0.1  # dollars another seat must gain by a hand card for it to be offered
MAX_CALLS = 5  # maximum calls for offers in a turn
MAX_UNANSWERED = 4  # number of unanswered rounds after which a seat is rarely asked
ASKED_AGAIN = 12  # a seat that never answers is asked once in this many turns


class TradingBot(BohnanzaBot):
    """Base of bots that trade. Subclasses plant, and provide `scales`, `appeal` and `plant_all`.

    In games with a third field for sale, it buys one while there is time to fill it.
    """

    turns_to_buy: ClassVar[float] = 8.0
    """Turns each player must have left for a third field to pay."""
    becoming: ClassVar[float] = BECOMING
    """Weight of the dollars that a field may still earn; see `beanbot.policies.worth`."""
    min_gain: ClassVar[float] = MIN_GAIN
    """Dollars that each side must gain by a trade."""
    max_calls: ClassVar[int] = MAX_CALLS
    """Maximum number of calls for offers in a turn."""
    rivalry: ClassVar[float] = 0.0
    """Dollars subtracted from a trade for each dollar gained by the partner, since partners are rivals."""

    def match_started(self) -> None:
        self.leader = Leader(self.seats, min_gain=self.min_gain, max_calls=self.max_calls, rivalry=self.rivalry)
        # arguments and result of the last call of `worth_of`
        self._worth: tuple[tuple[float, bool], Worth] | None = None

    def scales(self, view: BohnanzaView) -> Scales:
        """Return the scales that value trades in the situation of `view`."""
        raise NotImplementedError(f"{type(self).__name__} must override scales")

    def appeal(self, mine: float, theirs: float) -> float:
        """Return the appeal of an answer; see `Appeal`."""
        raise NotImplementedError(f"{type(self).__name__} must override appeal")

    def plant_all(self, view: BohnanzaView, aside: Cards) -> list[Action]:
        """Return the actions that plant the cards `aside`, already set aside or about to be after a stop."""
        raise NotImplementedError(f"{type(self).__name__} must override plant_all")

    def decide(self, view: BohnanzaView) -> Choice:
        if view.can_buy and turns_left(view) > self.turns_to_buy:
            return BuyField()
        return super().decide(view)

    def trade(self, view: BohnanzaView) -> Choice:
        return self.lead(view)

    def answer(self, view: BohnanzaView) -> Choice:
        return best_answer(view, self.scales(view), self.appeal, self.min_gain)

    def pick(self, view: BohnanzaView) -> Choice:
        scales = self.scales(view)
        action = self.leader.pick(view, scales)
        if view.rounds_left > 1:
            if type(action) is Refuse:  # a refusal changes nothing, so the next call for offers can be decided now
                return [action, *self.lead(view, ahead=True)]
            if self.leader.calls_next(view):  # calling does not depend on the cards that this trade brings
                return [action, self.leader.lead(view, scales, ahead=True)]
        return action

    def plant_aside(self, view: BohnanzaView) -> Choice:
        return self.plant_all(view, view.own_aside)

    def lead(self, view: BohnanzaView, *, ahead: bool = False) -> list[Action]:
        """Return the trading actions of this round, or with `ahead` of the next; after a stop also the plantings."""
        action = self.leader.lead(view, self.scales(view), ahead=ahead)
        return [action, *self.plant_all(view, view.own_aside + view.turned)] if type(action) is Stop else [action]

    def worth(self, view: BohnanzaView) -> Worth:
        """Return the current values of fields, with or without trade; the same object while they do not change."""
        key = hope_of(view), self.leader.somebody_trades()
        if self._worth is None or self._worth[0] != key:
            self._worth = key, worth_of(view.rules, key[0], trading=key[1], becoming=self.becoming)
        return self._worth[1]


def best_answer(view: BohnanzaView, scales: Scales, appeal: Appeal, min_gain: float = MIN_GAIN) -> Action:
    """Return the best answer to the offer of `view`: accept, a better counter, or decline.

    `min_gain`: dollars that each side must gain; accepting the offer as it is may cost the other side.
    """
    offer = view.offer
    assert offer is not None
    best: tuple[float, Action] = (0.0, Decline())
    accepting = accept(view, offer)
    if accepting is not None:
        mine = scales.mine(offer.gives, accepting.hand)
        if mine > min_gain:
            best = appeal(mine, max(scales.theirs(view.active, offer.wants, offer.turned), 0.0)), accepting
    for hand, turned, wants, gives, gets in counters(view, offer):
        theirs = scales.theirs(view.active, gives, turned)
        if theirs < min_gain:
            continue
        mine = scales.mine(gets, hand)
        if mine >= min_gain and (value := appeal(mine, theirs)) > best[0]:
            best = value, Counter(hand, turned, wants)
    return best[1]


def accept(view: BohnanzaView, offer: Offered) -> Accept | None:
    """Return the `Accept` that gives the last hand cards of the wanted kinds; None if the offer cannot be accepted."""
    if not (offer.gives or offer.wants):
        return None
    given = positions(view.hand, offer.wants)
    return None if given is None else Accept(given)


def counters(view: BohnanzaView, offer: Offered) -> Iterator[tuple[Positions, Positions, Cards, Cards, Cards]]:
    """Yield counters that give at most one card, for cards turned over or offered.

    Yields the `hand`, `turned` and `wants` of a `Counter`, then the kinds given and the kinds received.
    """
    hand, turned = view.hand, view.turned
    wanted: list[tuple[Positions, Cards, Cards]] = [((i,), (), (kind,)) for i, kind in enumerate(turned)]
    if len(turned) > 1:
        wanted.append((tuple(range(len(turned))), (), turned))
    wanted += [((), (kind,), (kind,)) for kind in dict.fromkeys(offer.gives[len(offer.turned) :])]
    for taken, wants, gets in wanted:
        yield (), taken, wants, (), gets
    for i, kind in enumerate(hand):
        if kind in hand[:i]:
            continue
        yield (i,), (), (), (kind,), ()
        for taken, wants, gets in wanted:
            if kind not in gets:
                yield (i,), taken, wants, (kind,), gets


def positions(hand: Sequence[object], wants: Iterable[object]) -> Positions | None:
    """Return the ascending positions of the last cards in `hand` of the kinds `wants`; None if any is missing."""
    found: list[int] = []
    for kind in wants:
        at = next((i for i in reversed(range(len(hand))) if hand[i] == kind and i not in found), None)
        if at is None:
            return None
        found.append(at)
    return tuple(sorted(found))


class Leader:
    """Leads trading in the bot's turns: calls for offers, offers hand cards, and gives away harmful cards.

    Args:
        seats: The number of seats at the table.
        min_gain: Dollars that each side must gain by a trade.
        max_calls: Maximum calls for offers in a turn.
        rivalry: Dollars subtracted for each dollar that the partner gains.
    """

    def __init__(
        self, seats: int, *, min_gain: float = MIN_GAIN, max_calls: int = MAX_CALLS, rivalry: float = 0.0
    ) -> None:
        self._min_gain = min_gain
        self._max_calls = max_calls
        self._rivalry = rivalry
        self._asked = [0] * seats  # per seat: rounds in which it was addressed
        self._answered = [0] * seats  # per seat: rounds in which it did not decline
        self._addressed: tuple[int, ...] = ()  # seats addressed in the current round
        self._turn = 0
        self._led: tuple[tuple[int, int], Action] | None = None  # turn and round of the last `lead`, and its action
        self._calls = 0
        self._calling = True
        self._sold = False
        self._given: set[Kind] = set()

    def somebody_trades(self) -> bool:
        """Return whether any seat has answered, or some seats were not asked often enough to know."""
        return any(self._answered) or max(self._asked) < MAX_UNANSWERED

    def lead(self, view: BohnanzaView, scales: Scales, *, ahead: bool = False) -> Action:
        """Return the action for this round, or with `ahead` for the next; repeated calls in a round return the same."""
        round_ = view.turn, view.rounds_left - ahead
        if self._led is None or self._led[0] != round_:
            self._led = round_, self._lead(view, scales)
        return self._led[1]

    def calls_next(self, view: BohnanzaView) -> bool:
        """Return whether `lead` would call for offers now."""
        return self._calling and self._calls < self._max_calls and bool(self._worth_asking(view))

    def pick(self, view: BohnanzaView, scales: Scales) -> Action:
        """Pick the answer that gains most, or refuse all if none gains."""
        for seat in self._addressed:
            self._asked[seat] += 1
        self._addressed = ()
        best: tuple[float, Action] = (self._min_gain, Refuse())
        for answered in view.answers:
            if answered.answer == "decline":
                continue
            self._answered[answered.seat] += 1
            best = max(best, self._weigh(view, scales, answered), key=lambda weighed: weighed[0])
        if isinstance(best[1], Refuse):
            self._calling = False
        return best[1]

    def _lead(self, view: BohnanzaView, scales: Scales) -> Action:
        self._everybody_declined()
        if view.turn != self._turn:
            self._begin_turn(view.turn)
        to = self._worth_asking(view)
        action = self._propose(view, scales, to) if to else Stop()
        self._addressed = () if isinstance(action, Stop) else to
        return action

    def _everybody_declined(self) -> None:
        """Count the last round as declined by all its seats if `pick` was not called."""
        for seat in self._addressed:
            self._asked[seat] += 1
        if self._addressed:
            self._calling = False

    def _begin_turn(self, turn: int) -> None:
        self._turn = turn
        self._calls = 0
        self._calling = True
        self._sold = False
        self._given = set()

    def _worth_asking(self, view: BohnanzaView) -> tuple[int, ...]:
        """Return the seats that trade, and in every `ASKED_AGAIN`-th turn all other seats, too."""
        return tuple(
            seat
            for seat in range(len(self._asked))
            if seat != view.seat
            and (self._answered[seat] or self._asked[seat] < MAX_UNANSWERED or (view.turn + seat) % ASKED_AGAIN == 0)
        )

    def _propose(self, view: BohnanzaView, scales: Scales, to: tuple[int, ...]) -> Action:
        if self._calling and self._calls < self._max_calls:
            self._calls += 1
            return Call(to)
        if not self._sold:
            self._sold = True
            sale = _sale(view, scales, to)
            if sale:
                return sale
        return self._gift(view, scales, to)

    def _gift(self, view: BohnanzaView, scales: Scales, to: tuple[int, ...]) -> Action:
        """Give away the most harmful turned-over card, or stop if none is harmful; each kind is tried once a turn."""
        relief = {i: scales.mine(gives_turned=(i,)) for i, kind in enumerate(view.turned) if kind not in self._given}
        if not relief or max(relief.values()) <= self._min_gain:
            return Stop()
        worst = max(relief, key=relief.__getitem__)
        self._given.add(view.turned[worst])
        return Offer(to, (worst,))

    def _weigh(self, view: BohnanzaView, scales: Scales, answered: Answered) -> tuple[float, Action]:
        """Return the gain from an answer, minus `rivalry` times the partner's gain, and the action that picks it."""
        offer = view.offer
        assert offer is not None
        if answered.answer == "accept":
            gain, gives = scales.mine(answered.gives, offer.hand, offer.turned), offer.gives
            action = Pick(answered.seat)
        else:
            given = positions(view.hand, answered.wants)
            if given is None:
                return 0.0, Refuse()
            gain = scales.mine(answered.gives, given, answered.turned)
            gives = tuple(view.turned[i] for i in answered.turned) + answered.wants
            action = Pick(answered.seat, given)
        if self._rivalry:
            gain -= self._rivalry * max(scales.theirs(answered.seat, gives), 0.0)
        return gain, action


def _sale(view: BohnanzaView, scales: Scales, to: tuple[int, ...]) -> Offer | None:
    """Offer hand cards useful only to other seats for the kind most useful to the bot; None without such cards."""
    grows = scales.grows()
    useful = {kind for kind in set(view.hand) - grows if any(scales.theirs(seat, (kind,)) > MIN_USE for seat in to)}
    if not useful:
        return None
    needs = [kind.name for kind in view.rules.kinds if kind.name not in useful]
    if not needs:
        return None
    wanted = max(needs, key=lambda kind: scales.mine((kind,)))
    return Offer(to, (), tuple(i for i, kind in enumerate(view.hand) if kind in useful)[:MAX_SIDE], (wanted,))
