"""Views and rules of the duel as messages and back."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from beanleague.games import Kind
from beanleague.games.duel import BohnusCard, Column, DuelDecision, DuelRules, DuelView, Fulfil
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.kinds import kind_rules_from_pb, kind_rules_to_pb
from beanleague.wire.names import KINDS
from beanleague.wire.nested import pair, parted
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

_DECISIONS = {int(decision): decision for decision in DuelDecision}
_FULFIL = Codec(Fulfil, pb.Fulfil)


def rules_to_pb(rules: DuelRules) -> pb.DuelRules:
    """Return `rules` as a message; ruleset and seats are fields of `MatchStart`."""
    return pb.DuelRules(
        kinds=kind_rules_to_pb(rules.kinds),
        bohnus=[pb.BohnusCard(sequence=card.sequence, cents=card.cents) for card in rules.bohnus],
        fields=rules.fields,
        start_dollars=rules.start_dollars,
        start_hand=rules.start_hand,
        start_bohnus=rules.start_bohnus,
        turned=rules.turned,
        draws=rules.draws,
    )


def rules_from_pb(message: pb.DuelRules, ruleset: str, seats: int) -> DuelRules:
    """Return the rules in `message`."""
    return DuelRules(
        kinds=kind_rules_from_pb(message.kinds),
        bohnus=tuple(BohnusCard(tuple(card.sequence), card.cents) for card in message.bohnus),
        ruleset=ruleset,
        seats=seats,
        fields=message.fields,
        start_dollars=message.start_dollars,
        start_hand=message.start_hand,
        start_bohnus=message.start_bohnus,
        turned=message.turned,
        draws=message.draws,
    )


def view_to_pb(view: DuelView, message: pb.DuelView) -> None:
    """Write `view` into `message`, without its news."""
    columns = view.fields[0] + view.fields[1]
    message.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.hand.extend(KINDS.numbers(view.hand))
    message.hand_sizes.extend(view.hand_sizes)
    message.field_sizes.extend([len(column.cards) for column in columns])
    message.fields.extend(KINDS.numbers(chain.from_iterable(column.cards for column in columns)))
    message.dollars.extend(view.dollars)
    message.turned.extend(KINDS.numbers(view.turned))
    message.offered.extend(KINDS.numbers(view.offered))
    message.gifts.extend([KINDS.number[kind] for kind in view.gifts])
    message.may_discard = view.may_discard
    message.bohnus.extend(view.bohnus)
    message.bohnus_sizes.extend(view.bohnus_sizes)
    message.earned_sizes.extend(map(len, view.earned))
    message.earned.extend(chain.from_iterable(view.earned))
    message.pile = view.pile
    message.discard.extend(view.discard)
    message.bohnus_pile = view.bohnus_pile
    message.bohnus_discard.extend(view.bohnus_discard)
    message.harvestable.extend(view.harvestable)
    message.fulfillable.extend(map(_FULFIL.encode, view.fulfillable))


def view_from_pb(message: pb.DuelView, rules: DuelRules, seat: int) -> DuelView:
    """Return the view in `message`.

    Raises:
        WireError: if it has an unknown number, or its parts do not fit together.
    """
    columns = tuple(map(_column, parted(KINDS.names(message.fields), message.field_sizes)))
    try:
        one, other = columns[: rules.fields], columns[rules.fields :]
        return DuelView(
            rules=rules,
            seat=seat,
            decision=_DECISIONS[message.decision],
            turn=message.turn,
            active=message.active,
            hand=KINDS.names(message.hand),
            hand_sizes=pair(message.hand_sizes),
            fields=(one, other),
            dollars=pair(message.dollars),
            turned=KINDS.names(message.turned),
            offered=KINDS.names(message.offered),
            gifts=pair(map(KINDS.name_or_none, message.gifts)),
            may_discard=message.may_discard,
            bohnus=tuple(message.bohnus),
            bohnus_sizes=pair(message.bohnus_sizes),
            earned=pair(parted(tuple(message.earned), message.earned_sizes)),
            pile=message.pile,
            discard=tuple(message.discard),
            bohnus_pile=message.bohnus_pile,
            bohnus_discard=tuple(message.bohnus_discard),
            harvestable=tuple(message.harvestable),
            fulfillable=tuple(map(_FULFIL.decode, message.fulfillable)),
            news=News(message.news),
        )
    except (KeyError, ValueError) as problem:
        raise WireError(f"the view does not fit the rules: {problem}") from None


@lru_cache(maxsize=4096)
def _column(cards: tuple[Kind, ...]) -> Column:
    return _column(cards[:-1]).grown(cards[-1]) if cards else Column()
