"""Hidden cards: their kinds and possible places."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Mapping
from random import Random
from typing import Generic, NamedTuple, TypeVar

Card = TypeVar("Card", bound=str | int)

_TRIES = 100  # attempts to deal the cards so that no seat gets one it is known to lack


class _Slot(NamedTuple):
    """A hidden card in a place."""

    shuffle: int
    """Number of shuffles of the pile before the card was drawn."""
    number: int
    """Number of the card among all hidden draws."""


class HiddenCards(Generic[Card]):
    """Cards of one pile that this seat has not seen.

    A place is a number: a seat, or anything else that holds hidden cards in an order. A card is a kind, or the number
    of a unique card. A shuffle reveals which cards are in the pile, so cards drawn before and after it are dealt
    separately. A card that is shown and stays in a hand may be any of the cards then in it.
    """

    def __init__(self, cards: Mapping[Card, int]) -> None:
        # by number of shuffles: hidden cards in the pile after them
        self._pools: list[Multiset[Card]] = [Multiset(cards)]
        self._places: dict[int, list[_Slot]] = {}
        # by place: cards shown, each with the number of the last draw before
        self._known: dict[int, list[tuple[Card, int]]] = {}
        # by place: cards found missing, each with the number of the last draw before
        self._lacking: dict[int, list[tuple[Card, int]]] = {}
        self._drawn = 0
        self._listed: list[list[Card]] = []  # pools as lists, cached for `_deal`

    def draws(self, place: int, count: int) -> None:
        """Move `count` hidden cards from the pile to the end of `place`."""
        slots = self._places.setdefault(place, [])
        for _ in range(count):
            self._drawn += 1
            slots.append(_Slot(len(self._pools) - 1, self._drawn))

    def turns_up(self, cards: Iterable[Card]) -> None:
        """Draw `cards` from the pile, visibly to this seat."""
        for card in cards:
            self._take(len(self._pools) - 1, card)

    def leaves(self, place: int, card: Card, *, first: bool = False) -> None:
        """Make `card` leave `place` visibly. `first`: whether it was the first card there."""
        slots, known = self._places.get(place), self._known.get(place, [])
        if not slots:  # no slots are left if events were missed
            return
        entry = next((entry for entry in known if entry[0] == card), None)
        if entry:
            known.remove(entry)
        slot = slots[0] if first else self._likeliest(slots, card, entry[1] if entry else self._drawn)
        slots.remove(slot)
        self._take(slot.shuffle, card)

    def shows(self, place: int, cards: Iterable[Card]) -> None:
        """Record that `cards` are in `place` and stay there."""
        known = self._known.setdefault(place, [])
        for card, count in Multiset(cards).items():
            before = sum(entry[0] == card for entry in known)
            known += [(card, self._drawn)] * (count - before)

    def lacks(self, place: int, card: Card) -> None:
        """Record that `place` has no `card`."""
        self._lacking.setdefault(place, []).append((card, self._drawn))

    def shuffled(self, cards: Iterable[Card]) -> None:
        """Replace the empty pile by `cards`."""
        self._pools.append(Multiset(cards))
        self._listed = []

    def known(self, place: int) -> tuple[Card, ...]:
        """Return the cards known to be in `place`."""
        return tuple(card for card, _ in self._known.get(place, ()))

    def fit(self, unseen: Mapping[Card, int], sizes: Mapping[int, int]) -> bool:
        """Return whether the memory is consistent with the `unseen` cards and with the `sizes` of the places."""
        if any(sizes[place] != len(slots) for place, slots in self._places.items()):
            return False
        per_shuffle = Multiset(slot.shuffle for slots in self._places.values() for slot in slots)
        if any(pool.total() != per_shuffle[shuffle] for shuffle, pool in enumerate(self._pools[:-1])):
            return False
        return sum(self._pools, Multiset[Card]()) == unseen

    def deal(self, random: Random) -> dict[int, list[Card]]:
        """Return random possible hidden cards for every place, in order; the pile has the rest."""
        dealt = self._deal(random)
        for _ in range(_TRIES):
            if not self._contradicts(dealt):
                break
            dealt = self._deal(random)
        return dealt

    def _deal(self, random: Random, *, forgotten: bool = False) -> dict[int, list[Card]]:
        """Deal without regard to missing cards. `forgotten`: whether the previous attempt forgot the times of draws."""
        if not self._listed:
            self._listed = [list(pool.elements()) for pool in self._pools]
        left = self._listed
        placed: dict[int, Card] = {}
        if any(self._known.values()):
            left = [cards[:] for cards in left]
            found = self._place_known(left, random)
            if found is None:
                self._forget_when(also_known=forgotten)
                return self._deal(random, forgotten=True)
            placed = found
        count = [0] * len(left)
        for slots in self._places.values():
            for slot in slots:
                if slot.number not in placed:
                    count[slot.shuffle] += 1
        drawn = [random.sample(cards, count) for cards, count in zip(left, count, strict=True)]
        return {
            place: [placed[slot.number] if slot.number in placed else drawn[slot.shuffle].pop() for slot in slots]
            for place, slots in self._places.items()
        }

    def _place_known(self, left: list[list[Card]], random: Random) -> dict[int, Card] | None:
        """Take the known cards out of `left`; return them by slot numbers that could hold them.

        Returns None if a card has no such slot.
        """
        placed: dict[int, Card] = {}
        for place, known in self._known.items():
            for card, last in known:
                free = [slot for slot in self._places[place] if slot.number <= last and slot.number not in placed]
                shuffles = {slot.shuffle for slot in free}
                parts = {n: left[n].count(card) / len(left[n]) for n in shuffles if left[n]}
                if not any(parts.values()):
                    return None
                if len(shuffles) == 1:
                    slot = random.choice(free)
                else:
                    (slot,) = random.choices(free, [parts.get(slot.shuffle, 0.0) for slot in free])
                left[slot.shuffle].remove(card)
                placed[slot.number] = card
        return placed

    def _contradicts(self, dealt: Mapping[int, list[Card]]) -> bool:
        return any(
            card == lacking and slot.number <= last
            for place, all_lacking in self._lacking.items()
            for lacking, last in all_lacking
            for card, slot in zip(dealt[place], self._places[place], strict=True)
        )

    def _take(self, shuffle: int, card: Card) -> None:
        """Take `card` out of the pool that it was drawn from."""
        if not self._pools[shuffle][card]:
            self._forget_when()
            shuffle = 0
        self._pools[shuffle][card] -= 1
        self._listed = []

    def _forget_when(self, *, also_known: bool = False) -> None:
        """Forget when cards were drawn, because another card left a hand than was assumed; the rest stays valid.

        `also_known`: also forget the shown cards, because events were missed.
        """
        if also_known:
            self._known = {}
        self._listed = []
        self._pools = [sum(self._pools, Multiset[Card]())]
        self._lacking = {}
        for place, slots in self._places.items():
            slots[:] = [slot._replace(shuffle=0) for slot in slots]
            self._known[place] = [(card, self._drawn) for card, _ in self._known.get(place, ())]

    def _likeliest(self, slots: list[_Slot], card: Card, last: int) -> _Slot:
        """Return the likeliest slot of `card`, drawn no later than `last`; ties go to the latest."""

        def chance(slot: _Slot) -> tuple[float, int]:
            pool = self._pools[slot.shuffle]
            return pool[card] / max(pool.total(), 1), slot.number

        return max([slot for slot in slots if slot.number <= last] or slots, key=chance)
