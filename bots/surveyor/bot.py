"""Values the fields of both players with one function, and chooses the best action one card ahead."""

from __future__ import annotations

from collections.abc import Sequence

from beanbot import run
from beanbot.duel import (
    AcceptGift,
    Choice,
    Column,
    DeclineGift,
    DuelBot,
    DuelView,
    Harvest,
    Kind,
    OfferGift,
    Pass,
    Plant,
)

BECOMING = 0.6  # weight of a field's possible later earnings
COMING = (1.0, 0.4, 0.25, 0.15, 0.1, 0.0)  # weight of a bo(h)nus card by the number of cards missing
HAVING_TO_OFFER = 1.0  # dollars: cost of declining a gift
CENTS = 100  # cents in a dollar
NEVER = 99  # number of missing cards that stands for impossible
SMALL_LOSS = 0.1  # maximum loss of value in dollars for planting a second card


class Surveyor(DuelBot):
    """Compares all places for a card, and the value of a gift to both players."""

    news = False

    def plant_first(self, view: DuelView) -> Choice:
        """Plant in the best place, or harvest it first."""
        _, field, harvests = best_place(view, view.seat, view.hand[0])
        return Harvest(field) if harvests else Plant(field)

    def plant_second(self, view: DuelView) -> Choice:
        """Plant a second card unless that costs value."""
        gain, field, harvests = best_place(view, view.seat, view.hand[0])
        if gain < -SMALL_LOSS:
            return Pass()
        return Harvest(field) if harvests else Plant(field)

    def offer_gift(self, view: DuelView) -> Choice:
        """Offer the card that helps the opponent least and costs least."""
        turned = view.turned if view.seat == view.active else ()
        kinds = [kind for kind in dict.fromkeys(turned + view.hand) if kind not in view.offered]
        if not kinds:
            return super().offer_gift(view)  # offer as a bluff

        def cost(kind: Kind) -> float:
            return best_place(view, 1 - view.seat, kind)[0] + best_place(view, view.seat, kind)[0]

        return OfferGift(min(kinds, key=cost))

    def answer_gift(self, view: DuelView) -> Choice:
        """Accept unless that is worse than having to make an offer."""
        assert view.offer
        return AcceptGift() if best_place(view, view.seat, view.offer)[0] > -HAVING_TO_OFFER else DeclineGift()


def best_place(view: DuelView, seat: int, kind: Kind) -> tuple[float, int, bool]:
    """Return the gain of a card of `kind` for a seat in dollars, its best field, and whether to harvest it first."""
    fields = view.fields[seat]
    now = value(view, seat, fields)
    least = 2 if any(len(field.cards) > 1 for field in fields) else 1
    best: list[tuple[float, int, bool]] = []
    for i, field in enumerate(fields):
        if view.rules.may_follow(kind, field.last):
            best.append((value(view, seat, changed(fields, i, field.grown(kind))) - now, i, False))
        if len(field.cards) >= least:
            assert field.last
            earned = view.rules.dollars(field.last, len(field.cards))
            best.append((earned + value(view, seat, changed(fields, i, Column().grown(kind))) - now, i, True))
    return max(best)


def changed(fields: tuple[Column, ...], i: int, field: Column) -> tuple[Column, ...]:
    """Return `fields` with `field` at position `i`."""
    return (*fields[:i], field, *fields[i + 1 :])


def value(view: DuelView, seat: int, fields: Sequence[Column]) -> float:
    """Return the value of fields in dollars, with the bot's bo(h)nus cards."""
    total = 0.0
    for field in fields:
        if field.last:
            rule = view.rules.kind(field.last)
            count, full = len(field.cards), max(rule.beanometer)
            earns = rule.dollars(count)
            total += earns + BECOMING * (rule.dollars(full) * min(count, full) / full - earns)
    if seat == view.seat:
        kinds = [kind.name for kind in view.rules.kinds]
        for card in view.bohnus:
            bohnus = view.rules.bohnus[card]
            lacks = min(missing(field, bohnus.sequence, kinds) for field in fields)
            total += COMING[min(lacks, len(COMING) - 1)] * bohnus.worth / CENTS
    return total


def missing(field: Column, sequence: Sequence[int], kinds: Sequence[Kind]) -> int:
    """Return how many more cards a field needs to end with runs of the lengths `sequence`; `NEVER` if impossible."""
    last = kinds.index(field.last) if field.last else -1
    # if the sequence starts with the next kind planted
    best = sum(sequence) if last + len(sequence) < len(kinds) else NEVER
    # if the sequence starts with this many of the last runs
    for begun in range(1, min(len(sequence), len(field.runs)) + 1):
        tail = field.runs[-begun:]
        if begun == 1:
            more = max(0, sequence[0] - tail[0])
        elif tail[0] >= sequence[0] and tail[1:-1] == sequence[1 : begun - 1] and tail[-1] <= sequence[begun - 1]:
            more = sequence[begun - 1] - tail[-1]
        else:
            continue
        if last + len(sequence) - begun < len(kinds):
            best = min(best, more + sum(sequence[begun:]))
    return best


run(Surveyor)
