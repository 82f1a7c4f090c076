"""Trading in the own turn: what to offer in each round, and which answer to pick."""

from __future__ import annotations

from answering import MIN_GAIN, RIVALRY, positions
from scales import Scales

from beanbot.bohnanza import MAX_SIDE, Action, Answered, BohnanzaView, Call, Kind, Offer, Pick, Refuse, Stop

MAX_CALLS = 5  # in a turn
MAX_UNANSWERED = 4  # rounds without an answer, after which a seat is rarely asked
MIN_USE = 0.1  # dollars another seat must gain by a hand card for it to be offered


class Leader:
    """Trades in the own turns of a match: calls for offers, offers hand cards, and gives away harmful cards."""

    def __init__(self, seats: int) -> None:
        self._asked = [0] * seats  # per seat: rounds in which it was addressed
        self._answered = [0] * seats  # per seat: rounds in which it did not decline
        self._addressed: tuple[int, ...] = ()  # seats addressed in the current round
        self._turn = 0
        self._led: tuple[tuple[int, int], Action] | None = None  # turn and round that `lead` was asked for last, answer
        self._calls = 0
        self._calling = True
        self._sold = False
        self._given: set[Kind] = set()

    def somebody_trades(self) -> bool:
        """Return whether any seat has answered, or has not yet had the chance to."""
        return any(self._answered) or max(self._asked) < MAX_UNANSWERED

    def lead(self, view: BohnanzaView, scales: Scales, *, ahead: bool = False) -> Action:
        """Return the action for this round, or with `ahead` for the next; the same if asked again in that round."""
        round_ = view.turn, view.rounds_left - ahead
        if self._led is None or self._led[0] != round_:
            self._led = round_, self._lead(view, scales)
        return self._led[1]

    def _lead(self, view: BohnanzaView, scales: Scales) -> Action:
        self._everybody_declined()
        if view.turn != self._turn:
            self._begin_turn(view.turn)
        to = self._worth_asking(view)
        action = self._propose(view, scales, to) if to else Stop()
        self._addressed = () if isinstance(action, Stop) else to
        return action

    def calls_next(self, view: BohnanzaView) -> bool:
        """Return whether `lead` would call for offers now."""
        return self._calling and self._calls < MAX_CALLS and bool(self._worth_asking(view))

    def pick(self, view: BohnanzaView, scales: Scales) -> Action:
        """Pick the answer that gains most, or refuse all if none gains."""
        for seat in self._addressed:
            self._asked[seat] += 1
        self._addressed = ()
        best: tuple[float, Action] = (MIN_GAIN, Refuse())
        for answered in view.answers:
            if answered.answer == "decline":
                continue
            self._answered[answered.seat] += 1
            best = max(best, _weigh(view, scales, answered), key=lambda weighed: weighed[0])
        if isinstance(best[1], Refuse):
            self._calling = False
        return best[1]

    def _everybody_declined(self) -> None:
        """Take note if all seats declined in the last round; then `pick` was not called."""
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
        """Return the seats that trade; each of the others is tried again every twelfth turn."""
        return tuple(
            seat
            for seat in range(len(self._asked))
            if seat != view.seat
            and (self._answered[seat] or self._asked[seat] < MAX_UNANSWERED or (view.turn + seat) % 12 == 0)
        )

    def _propose(self, view: BohnanzaView, scales: Scales, to: tuple[int, ...]) -> Action:
        if self._calling and self._calls < MAX_CALLS:
            self._calls += 1
            return Call(to)
        if not self._sold:
            self._sold = True
            sale = _sale(view, scales, to)
            if sale:
                return sale
        return self._gift(view, scales, to)

    def _gift(self, view: BohnanzaView, scales: Scales, to: tuple[int, ...]) -> Action:
        """Give away the most harmful turned-over card, or stop if none is; each kind is tried once a turn."""
        relief = {i: scales.mine(gives_turned=(i,)) for i, kind in enumerate(view.turned) if kind not in self._given}
        if not relief or max(relief.values()) <= MIN_GAIN:
            return Stop()
        worst = max(relief, key=relief.__getitem__)
        self._given.add(view.turned[worst])
        return Offer(to, (worst,))


def _sale(view: BohnanzaView, scales: Scales, to: tuple[int, ...]) -> Offer | None:
    """Offer the hand cards that only others can use, for the most useful kind; None if there are none."""
    grows = scales.grows()
    useful = {kind for kind in set(view.hand) - grows if any(scales.theirs(seat, (kind,)) > MIN_USE for seat in to)}
    if not useful:
        return None
    needs = [kind.name for kind in view.rules.kinds if kind.name not in useful]
    if not needs:
        return None
    wanted = max(needs, key=lambda kind: scales.mine((kind,)))
    return Offer(to, (), tuple(i for i, kind in enumerate(view.hand) if kind in useful)[:MAX_SIDE], (wanted,))


def _weigh(view: BohnanzaView, scales: Scales, answered: Answered) -> tuple[float, Action]:
    """Return the gain by an answer, less a part of what the partner gains, and the action that picks it."""
    offer = view.offer
    assert offer is not None
    if answered.answer == "accept":
        gain = scales.mine(answered.gives, offer.hand, offer.turned)
        return gain - RIVALRY * max(scales.theirs(answered.seat, offer.gives), 0.0), Pick(answered.seat)
    given = positions(view.hand, answered.wants)
    if given is None:
        return 0.0, Refuse()
    gain = scales.mine(answered.gives, given, answered.turned)
    gives = tuple(view.turned[i] for i in answered.turned) + answered.wants
    return gain - RIVALRY * max(scales.theirs(answered.seat, gives), 0.0), Pick(answered.seat, given)
