"""Planning where to plant cards: a beam search that considers the seat's bo(h)nus cards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from beanbot.duel import Column, DuelView, Kind
from beanbot.search.duelist.garden import ELSEWHERE, MANY, DuelWorth, Garden, Plots, Situation, garden_of, worth_now

WIDTH = 6  # width of the beam


@dataclass(frozen=True, slots=True)
class CardStep:
    """Placement of one card."""

    card: int
    """Position of the card among the cards to plant."""
    field: int | None
    """The field to plant it in; None to discard it."""
    harvest: bool = False
    """Whether to harvest the field before planting."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Best result of planting some cards."""

    value: float
    """Value in dollars, including harvests on the way."""
    first: CardStep | None
    """The first step; None if there was no card to plant."""


# Plain tuples, since thousands are made in a match.
First: TypeAlias = tuple[int, int | None, bool]
"""Values of a `CardStep`, as a tuple."""
Branch: TypeAlias = tuple[float, Situation, tuple[int, ...], bool, First | None]
"""State of the search: dollars earned, situation reached, positions of the cards still to be planted, whether one of
these may be discarded, and the first step on the way."""


class Planners:
    """Factory of planners for a match."""

    def __init__(self) -> None:
        self._garden: Garden | None = None  # cached, since finding it by the rules takes longer than a plan

    def of(self, view: DuelView, seat: int, fields: tuple[Column, ...] = ()) -> Planner:
        """Return the planner for `seat`. `fields`: current fields if the seat has planted since `view`."""
        self._garden = garden = self._garden or garden_of(view.rules)
        return Planner(view, garden, worth_now(garden, view), seat, fields or view.fields[seat])


class Planner:
    """Planner for one seat and one view; bo(h)nus cards are known only for the viewing seat."""

    def __init__(self, view: DuelView, garden: Garden, worth: DuelWorth, seat: int, fields: tuple[Column, ...]) -> None:
        self._garden = garden
        self._worth = worth
        self._known = garden.survey.plots
        self._at = garden.survey.at
        self._others = garden.survey.of(view.fields[1 - seat])
        held = view.bohnus if seat == view.seat else ()
        self._promises = {card: self._promise(card, range(MANY + 1)) for card in held}
        self._start = garden.situation(garden.survey.of(fields), held)
        self.now = self._value(self._start)

    def numbers(self, kinds: tuple[Kind, ...]) -> tuple[int, ...]:
        """Return the numbers of `kinds`."""
        return tuple([self._garden.number[kind] for kind in kinds])

    def promise(self, card: int) -> float:
        """Return the current value in dollars of holding bo(h)nus card `card`."""
        (promise,) = self._promise(card, [self._fewest(card, self._start[0])])
        return promise

    def turned(self, turned: tuple[int, ...], gift: int | None = None) -> float:
        """Return the value after planting the cards `turned`, one of which may be discarded, and `gift`."""
        cards = turned if gift is None else (*turned, gift)
        return self.best(cards, discardable=len(turned), width=3).value

    def best(
        self,
        cards: tuple[int, ...],
        *,
        discardable: int = 0,
        ordered: bool = False,
        after: tuple[int, ...] = (),
        width: int = WIDTH,
    ) -> Outlook:
        """Return the best outlook after planting `cards`, kinds by number.

        `discardable`: one of this many first cards may be discarded. `ordered`: the cards must be planted in this
        order. `after`: cards planted later, in their order. `width`: width of the beam.
        """
        start: Branch = (0.0, self._start, tuple(range(len(cards))), discardable > 0, None)
        beam = self._follow((self.now, start), cards, discardable, width, ordered=ordered)
        if after:
            left = tuple(range(len(after)))
            beam = [
                self._follow((value, (gain, reached, left, False, first)), after, 0, 3, ordered=True)[0]
                for value, (gain, reached, _, _, first) in beam
            ]
        value, (*_, first) = max(beam, key=itemgetter(0))
        return Outlook(value, CardStep(*first) if first else None)

    def _follow(
        self, start: tuple[float, Branch], cards: tuple[int, ...], discardable: int, width: int, *, ordered: bool
    ) -> list[tuple[float, Branch]]:
        """Return the `width` best (value, branch) pairs after planting `cards`, best first."""
        beam = [start]
        for _ in cards:
            found: dict[object, Branch] = {}
            for _, before in beam:
                self._add_card(found, before, cards, discardable, ordered=ordered)
            valued = [(branch[0] + self._value(branch[1]), branch) for branch in found.values()]
            valued.sort(key=itemgetter(0), reverse=True)
            beam = valued[:width]
        return beam

    def _add_card(
        self, found: dict[object, Branch], before: Branch, cards: tuple[int, ...], discardable: int, *, ordered: bool
    ) -> None:
        """Add to `found` all branches that plant or discard one more card.

        Among branches with the same cards and fields, only the branch that earns most is kept.
        """
        gain, (plots, held, _, shape), left, may_discard, first = before
        tried: set[int] = set()
        for card in left[:1] if ordered else left:
            kind = cards[card]
            still = tuple([other for other in left if other != card])
            rest = still if ordered else tuple(sorted([cards[other] for other in still]))
            if may_discard and card < discardable:
                key = shape, rest, False
                if key not in found or found[key][0] < gain:
                    found[key] = gain, before[1], still, False, first or (card, None, False)
            if kind in tried:
                continue
            tried.add(kind)
            for earned, after, field, harvest in self._garden.ways(plots, held, kind):
                key = after[3], rest, may_discard
                rival = found.get(key)
                if rival is None or rival[0] < gain + earned:
                    found[key] = gain + earned, after, still, may_discard, first or (card, field, harvest)

    def _value(self, reached: Situation) -> float:
        """Return the value of the fields and of the unfulfilled bo(h)nus cards."""
        plots, held, lacks, _ = reached
        of, at = self._worth.of, self._at
        value = 0.0
        for plot in plots:
            value += of[at[plot]]
        for i, card in enumerate(held):
            value += self._promises[card][lacks[i]]
        return value

    def _promise(self, card: int, lacks: Iterable[int]) -> list[float]:
        """Return the value of holding bo(h)nus card `card`, per number of cards that one of the fields still needs."""
        coming, worth = self._worth.coming, self._garden.worth[card]
        elsewhere = ELSEWHERE * coming[self._fewest(card, self._others)]
        return [max(coming[number], elsewhere) * worth / 100 for number in lacks]

    def _fewest(self, card: int, plots: Plots) -> int:
        return min([self._known[plot].lacks[card] for plot in plots])
