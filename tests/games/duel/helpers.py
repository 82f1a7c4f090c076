"""Duels in a chosen state."""

from collections.abc import Mapping, Sequence

import pytest

from beanleague.games.core.game import Action, IllegalActionError
from beanleague.games.duel.game import Duel
from beanleague.games.duel.moves import DeclineGift, DuelDecision, PlantTurned
from beanleague.games.duel.rules import EMPTY, Column
from tests.games.helpers import begin, do, part, stack_up
from tests.kinds import kinds


def deck(*cards: tuple[str, int]) -> str:
    """The text of a deck with `cards` first and cards nobody fulfils in passing behind them."""
    rest = [("20", 0)] * (32 - len(cards))
    return "".join(f'[[cards]]\nsequence = "{sequence}"\ncents = {cents}\n' for sequence, cents in [*cards, *rest])


def column(text: str) -> Column:
    """The field in which the kinds in `text`, separated by blanks, were planted in this order."""
    grown = EMPTY
    for kind in kinds(text):
        grown = grown.grown(kind)
    return grown


def scripted(
    *,
    hands: Sequence[str] = ("", ""),
    fields: Mapping[tuple[int, int], str] | None = None,
    pile: str = "red red red red red blue blue",
    bohnus: Sequence[Sequence[int]] = ((), ()),
    bohnus_pile: Sequence[int] | None = None,
    dollars: Sequence[int] = (3, 3),
    earned: Sequence[Sequence[int]] = ((), ()),
    cards: str = "",
    interludes: tuple[int, ...] = (),
) -> Duel:
    """A duel at the start of a turn of seat 0, with these cards; kinds are separated by blanks.

    `fields[seat, field]`: beans in planting order. `pile`: in the order in which they are drawn, whoever draws.
    `cards`: the text of the deck, `deck()` if none is given; `bohnus`: numbers of cards held; `bohnus_pile`: in order,
    else all other cards.
    """
    game = Duel(2, b"seed", {"deck": cards or deck(), "interludes": interludes})
    for seat in (0, 1):
        for field in range(3):
            part(game, "set_column")(seat, field, column((fields or {}).get((seat, field), "")))
    beans = list(enumerate(game.rules.deck))
    stack = []
    for name in pile.split():
        bean = next(entry for entry in beans if entry[1] == name)
        beans.remove(bean)
        stack.append(bean[0])
    stack_up(part(game, "pile"), stack)
    gone = {card for held in (*bohnus, *earned) for card in held}
    others = [card for card in range(len(game.rules.bohnus)) if card not in gone]
    stack_up(part(game, "bohnus_pile"), others if bohnus_pile is None else bohnus_pile)
    return begin(
        game,
        hands=[hand.split() for hand in hands],
        bohnus=[list(held) for held in bohnus],
        earned=[list(held) for held in earned],
        dollars=list(dollars),
        turned=[],
    )


def refused(game: Duel, seat: int, action: Action, why: str) -> None:
    with pytest.raises(IllegalActionError, match=why):
        game.apply(seat, action)


def nobody_accepts(game: Duel) -> Duel:
    while game.view(game.to_act()[0]).decision in {DuelDecision.OFFER_GIFT, DuelDecision.ANSWER_GIFT}:
        seat = game.to_act()[0]
        answering = game.view(seat).decision is DuelDecision.ANSWER_GIFT
        game.apply(seat, DeclineGift() if answering else game.legal(seat)[0])
    return game


def draw_phase(**state: object) -> Duel:
    """Seat 0 has planted all three red beans it turned over, and drawn two beans."""
    state.setdefault("hands", ["", ""])
    state.setdefault("pile", "red red red blue green soy soy")
    game = nobody_accepts(scripted(**state))  # type: ignore[arg-type]
    return do(game, *[(0, PlantTurned(0, 2))] * 3)
