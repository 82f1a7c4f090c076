"""Views and rules of the duel as messages and back."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from beanleague.games import Kind
from beanleague.games.duel import BohnusCard, Column, DuelDecision, DuelRules, DuelView, Fulfil
from beanleague.wire.bohnanza import kind_rules_from_pb, kind_rules_to_pb
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.names import KINDS
from beanleague.wire.nested import pair, parted
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

_DECISIONS = {int(decision): decision for decision in DuelDecision}
_FULFIL = Codec(Fulfil, pb.Fulfil)


def rules_to_pb(rules: DuelRules) -> pb.DuelRules:
    """Return `rules` as a message; ruleset and seats are told beside it."""
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


def rules_from_pb(told: pb.DuelRules, ruleset: str, seats: int) -> DuelRules:
    """Return the rules that `told` are."""
    return DuelRules(
        kinds=kind_rules_from_pb(told.kinds),
        bohnus=tuple(BohnusCard(tuple(card.sequence), card.cents) for card in told.bohnus),
        ruleset=ruleset,
        seats=seats,
        fields=told.fields,
        start_dollars=told.start_dollars,
        start_hand=told.start_hand,
        start_bohnus=told.start_bohnus,
        turned=told.turned,
        draws=told.draws,
    )


def view_to_pb(view: DuelView, told: pb.DuelView) -> None:
    """Write `view` into `told`, without its news."""
    columns = view.fields[0] + view.fields[1]
    told.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    told.turn = view.turn
    told.active = view.active
    told.hand.extend(KINDS.numbers(view.hand))
    told.hand_sizes.extend(view.hand_sizes)
    told.field_sizes.extend([len(column.cards) for column in columns])
    told.fields.extend(KINDS.numbers(chain.from_iterable(column.cards for column in columns)))
    told.dollars.extend(view.dollars)
    told.turned.extend(KINDS.numbers(view.turned))
    told.offered.extend(KINDS.numbers(view.offered))
    told.gifts.extend([KINDS.number[kind] for kind in view.gifts])
    told.may_discard = view.may_discard
    told.bohnus.extend(view.bohnus)
    told.bohnus_sizes.extend(view.bohnus_sizes)
    told.earned_sizes.extend(map(len, view.earned))
    told.earned.extend(chain.from_iterable(view.earned))
    told.pile = view.pile
    told.discard.extend(view.discard)
    told.bohnus_pile = view.bohnus_pile
    told.bohnus_discard.extend(view.bohnus_discard)
    told.harvestable.extend(view.harvestable)
    told.fulfillable.extend(map(_FULFIL.encode, view.fulfillable))


def view_from_pb(told: pb.DuelView, rules: DuelRules, seat: int) -> DuelView:
    """Return the view that `told` is.

    Raises:
        WireError: a number in it stands for nothing, or its parts do not fit together.
    """
    columns = tuple(map(_column, parted(KINDS.names(told.fields), told.field_sizes)))
    try:
        one, other = columns[: rules.fields], columns[rules.fields :]
        return DuelView(
            rules=rules,
            seat=seat,
            decision=_DECISIONS[told.decision],
            turn=told.turn,
            active=told.active,
            hand=KINDS.names(told.hand),
            hand_sizes=pair(told.hand_sizes),
            fields=(one, other),
            dollars=pair(told.dollars),
            turned=KINDS.names(told.turned),
            offered=KINDS.names(told.offered),
            gifts=pair(map(KINDS.name_or_none, told.gifts)),
            may_discard=told.may_discard,
            bohnus=tuple(told.bohnus),
            bohnus_sizes=pair(told.bohnus_sizes),
            earned=pair(parted(tuple(told.earned), told.earned_sizes)),
            pile=told.pile,
            discard=tuple(told.discard),
            bohnus_pile=told.bohnus_pile,
            bohnus_discard=tuple(told.bohnus_discard),
            harvestable=tuple(told.harvestable),
            fulfillable=tuple(map(_FULFIL.decode, told.fulfillable)),
            news=News(told.news),
        )
    except (KeyError, ValueError) as problem:
        raise WireError(f"the view does not fit the rules: {problem}") from None


@lru_cache(maxsize=4096)
def _column(cards: tuple[Kind, ...]) -> Column:
    return _column(cards[:-1]).grown(cards[-1]) if cards else Column()
