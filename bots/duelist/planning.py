"""Planning where to plant cards: a beam search that considers the own bo(h)nus cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from plots import EMPTY, Plots, fits, grown, may_harvest, missing, plot_of, with_plot
from worth import ELSEWHERE, Worth, worth_now

from beanbot.duel import Column, DuelView, Kind

WIDTH = 6  # of the beam

lacking = lru_cache(maxsize=1 << 17)(missing)


@dataclass(frozen=True, slots=True)
class Step:
    """What to do with a card."""

    card: int
    """The card, by its position among those planned."""
    field: int | None
    """The field to plant it in; None to discard it."""
    harvest: bool = False
    """Whether to harvest the field first."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A situation that can be reached by planting."""

    value: float
    """Its value in dollars, including `gain`."""
    gain: float
    """Dollars earned on the way."""
    plots: Plots
    """The fields."""
    held: tuple[int, ...]
    """The bo(h)nus cards not fulfilled."""
    left: tuple[int, ...]
    """Positions of the cards still to be planted."""
    may_discard: bool
    """Whether one of these may be discarded."""
    first: Step | None
    """The first step on the way."""


class Planner:
    """Plans for one seat in the situation of one view; only for the viewing seat are bo(h)nus cards known."""

    def __init__(self, view: DuelView, worth: Worth, seat: int, fields: tuple[Column, ...]) -> None:
        self._worth = worth
        self._plots: Plots = tuple([plot_of(column, worth.number) for column in fields])
        self._others: Plots = tuple([plot_of(column, worth.number) for column in view.fields[1 - seat]])
        self._held = view.bohnus if seat == view.seat else ()
        self._cards = view.rules.bohnus
        self._elsewhere = {card: ELSEWHERE * self._nearness(card, self._others) for card in self._held}
        self.now = self._value(self._plots, self._held)

    @staticmethod
    def of(view: DuelView, seat: int, fields: tuple[Column, ...] = ()) -> Planner:
        """Return the planner for `seat`. `fields`: what its fields have become, if anything was planted since."""
        return Planner(view, worth_now(view), seat, fields or view.fields[seat])

    def numbers(self, kinds: tuple[Kind, ...]) -> tuple[int, ...]:
        """Return the numbers of `kinds`."""
        return tuple([self._worth.number[kind] for kind in kinds])

    def promise(self, card: int) -> float:
        """Return the value that holding the bo(h)nus card `card` has now, in dollars."""
        near = max(self._nearness(card, self._plots), ELSEWHERE * self._nearness(card, self._others))
        return near * self._cards[card].worth / 100

    def turned(self, turned: tuple[int, ...], gift: int | None = None) -> float:
        """Return the value of planting the cards `turned`, of which one may be discarded, and `gift` if given."""
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

        `discardable`: one of this many first cards may be discarded. `ordered`: they must be planted in this order.
        `after`: cards planted later, in their order. `width`: of the beam.
        """
        start = Outlook(self.now, 0.0, self._plots, self._held, tuple(range(len(cards))), discardable > 0, None)
        beam = self._follow(start, cards, discardable, width, ordered=ordered)
        if after:
            later = [replace(outlook, left=tuple(range(len(after))), may_discard=False) for outlook in beam]
            beam = [self._follow(outlook, after, 0, 3, ordered=True)[0] for outlook in later]
        return max(beam, key=lambda outlook: outlook.value)

    def _follow(
        self, start: Outlook, cards: tuple[int, ...], discardable: int, width: int, *, ordered: bool
    ) -> list[Outlook]:
        """Return the `width` best outlooks after planting `cards`, the best first."""
        beam = [start]
        for _ in cards:
            found: dict[object, Outlook] = {}
            for outlook in beam:
                for after in self._with_one_more(outlook, cards, discardable, ordered=ordered):
                    rest = after.left if ordered else tuple(sorted([cards[card] for card in after.left]))
                    key = tuple(sorted(after.plots)), after.held, rest, after.may_discard
                    if key not in found or found[key].gain < after.gain:
                        found[key] = after
            valued = [
                replace(outlook, value=outlook.gain + self._value(outlook.plots, outlook.held))
                for outlook in found.values()
            ]
            beam = sorted(valued, key=lambda outlook: -outlook.value)[:width]
        return beam

    def _with_one_more(
        self, before: Outlook, cards: tuple[int, ...], discardable: int, *, ordered: bool
    ) -> Iterator[Outlook]:
        """Yield all outlooks with one more card planted or discarded; their values are not computed yet."""
        tried: set[int] = set()
        for card in before.left[:1] if ordered else before.left:
            left = tuple([other for other in before.left if other != card])
            if before.may_discard and card < discardable:
                first = before.first or Step(card, None)
                yield Outlook(0.0, before.gain, before.plots, before.held, left, may_discard=False, first=first)
            if cards[card] in tried:
                continue
            tried.add(cards[card])
            for gain, plots, held, field, harvest in self._ways(before.plots, before.held, cards[card]):
                first = before.first or Step(card, field, harvest)
                yield Outlook(0.0, before.gain + gain, plots, held, left, before.may_discard, first)

    def _ways(
        self, plots: Plots, held: tuple[int, ...], kind: int
    ) -> Iterator[tuple[float, Plots, tuple[int, ...], int, bool]]:
        """Yield the ways to plant a card of `kind`: gain, plots, bo(h)nus cards left, field, whether harvested."""
        room = False
        for i, (last, count, _) in enumerate(plots):
            if not fits(plots[i], kind) or (not count and room):
                continue
            if not count:
                room = True
            elif count > 1 and self._worth.dollars[last][count] >= self._worth.most[last]:
                yield self._way(plots, held, kind, i, harvest=True)
            yield self._way(plots, held, kind, i, harvest=False)
        if not room:
            for i in may_harvest(plots):
                yield self._way(plots, held, kind, i, harvest=True)

    def _way(
        self, plots: Plots, held: tuple[int, ...], kind: int, i: int, *, harvest: bool
    ) -> tuple[float, Plots, tuple[int, ...], int, bool]:
        last, count, _ = plots[i]
        plot = grown(EMPTY if harvest else plots[i], kind)
        gain = float(self._worth.dollars[last][count]) if harvest else 0.0
        for card in held:
            if not lacking(plot, self._cards[card].sequence, self._worth.kinds):
                gain += self._cards[card].worth / 100
                held = tuple([other for other in held if other != card])
        return gain, with_plot(plots, i, plot), held, i, harvest

    def _value(self, plots: Plots, held: tuple[int, ...]) -> float:
        """Return the value of `plots` and of the bo(h)nus cards `held`."""
        worth = sum([self._worth.of[kind][count] for kind, count, _ in plots if count])
        for card in held:
            near = max(self._nearness(card, plots), self._elsewhere[card])
            worth += near * self._cards[card].worth / 100
        return worth

    def _nearness(self, card: int, plots: Plots) -> float:
        sequence, kinds = self._cards[card].sequence, self._worth.kinds
        return self._worth.nearness(min([lacking(plot, sequence, kinds) for plot in plots]))
