"""Cards that are still hidden: which there are, and where they may be."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Mapping
from random import Random
from typing import Generic, NamedTuple, TypeVar

Card = TypeVar("Card", bound=str | int)

_TRIES = 100  # to deal such that nobody holds what it is known to lack


class _Slot(NamedTuple):
    """A hidden card in a place."""

    shuffle: int
    """How often the pile had been shuffled when the card was drawn."""
    number: int
    """The number of the card among all drawn, ascending."""


class HiddenCards(Generic[Card]):
    """The cards of one pile that nobody has shown to this seat.

    A place is a number: a seat, or anything else that holds hidden cards in an order. A card is a kind, or the number
    of a card that there is once. When a pile is shuffled it is known what is in it, so cards drawn before and after are
    dealt apart. A card that is shown and stays in a hand is taken to be any of those then in it.
    """

    def __init__(self, cards: Mapping[Card, int]) -> None:
        self._pools: list[Multiset[Card]] = [
            Multiset(cards)
        ]  # for each shuffle: the hidden cards that were in the pile then
        self._places: dict[int, list[_Slot]] = {}
        self._known: dict[int, list[tuple[Card, int]]] = {}  # cards shown, and the number of the last card drawn then
        self._lacking: dict[int, list[tuple[Card, int]]] = {}  # likewise: cards that were not there
        self._drawn = 0
        self._listed: list[list[Card]] = []  # the pools as lists, made when they are first dealt from

    def draws(self, place: int, count: int) -> None:
        """`count` hidden cards go from the pile to the end of `place`."""
        slots = self._places.setdefault(place, [])
        for _ in range(count):
            self._drawn += 1
            slots.append(_Slot(len(self._pools) - 1, self._drawn))

    def turns_up(self, cards: Iterable[Card]) -> None:
        """`cards` are drawn from the pile, and this seat sees them."""
        for card in cards:
            self._take(len(self._pools) - 1, card)

    def leaves(self, place: int, card: Card, *, first: bool = False) -> None:
        """`card` leaves `place` for where it is seen; `first`: it was the first there."""
        slots, known = self._places.get(place), self._known.get(place, [])
        if not slots:  # views were missed: nothing fits any more
            return
        entry = next((entry for entry in known if entry[0] == card), None)
        if entry:
            known.remove(entry)
        slot = slots[0] if first else self._likeliest(slots, card, entry[1] if entry else self._drawn)
        slots.remove(slot)
        self._take(slot.shuffle, card)

    def shows(self, place: int, cards: Iterable[Card]) -> None:
        """It is seen that `cards` are in `place`, and they stay there."""
        known = self._known.setdefault(place, [])
        for card, count in Multiset(cards).items():
            before = sum(entry[0] == card for entry in known)
            known += [(card, self._drawn)] * (count - before)

    def lacks(self, place: int, card: Card) -> None:
        """It is seen that there is no `card` in `place`."""
        self._lacking.setdefault(place, []).append((card, self._drawn))

    def shuffled(self, cards: Iterable[Card]) -> None:
        """The pile was empty, and is now `cards`."""
        self._pools.append(Multiset(cards))
        self._listed = []

    def known(self, place: int) -> tuple[Card, ...]:
        """Return the cards that are known to be in `place`."""
        return tuple(card for card, _ in self._known.get(place, ()))

    def fit(self, unseen: Mapping[Card, int], sizes: Mapping[int, int]) -> bool:
        """Return whether this is so: `unseen` are all hidden cards, and the places hold as many as in `sizes`."""
        if any(sizes[place] != len(slots) for place, slots in self._places.items()):
            return False
        per_shuffle = Multiset(slot.shuffle for slots in self._places.values() for slot in slots)
        if any(pool.total() != per_shuffle[shuffle] for shuffle, pool in enumerate(self._pools[:-1])):
            return False
        return sum(self._pools, Multiset[Card]()) == unseen

    def deal(self, random: Random) -> dict[int, list[Card]]:
        """Return hidden cards for every place, in their order, by chance; the pile has the others."""
        dealt = self._deal(random)
        for _ in range(_TRIES):
            if not self._contradicts(dealt):
                break
            dealt = self._deal(random)
        return dealt

    def _deal(self, random: Random, *, forgotten: bool = False) -> dict[int, list[Card]]:
        """Deal, whatever is lacking; `forgotten`: whether it was forgotten just now when cards were drawn."""
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
        """Take the known cards out of `left`, and return each by the number of a slot where it could be.

        Return None if a card has no such slot.
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
        """Take `card` out of the pool it came from."""
        if not self._pools[shuffle][card]:
            self._forget_when()
            shuffle = 0
        self._pools[shuffle][card] -= 1
        self._listed = []

    def _forget_when(self, *, also_known: bool = False) -> None:
        """Another card left a hand than was assumed: forget when cards were drawn, so that all else still holds.

        `also_known`: forget what was shown, too, as it cannot be: views were missed.
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
        """Return the slot that is likeliest to hold `card`, drawn not after `last`; of equals, the one drawn last."""

        def chance(slot: _Slot) -> tuple[float, int]:
            pool = self._pools[slot.shuffle]
            return pool[card] / max(pool.total(), 1), slot.number

        return max([slot for slot in slots if slot.number <= last] or slots, key=chance)
