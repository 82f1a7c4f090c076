"""Cheap policies for the trading games that plant and harvest but never trade."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from beanbot.policies.worth import SMALL_LOSS, worth_alone
from beanleague.games import Action
from beanleague.games.bohnanza import BohnanzaView, CardRules, Decline, PlantAside, Refuse, Stop
from beanleague.games.bohnanza.flat_cards import NOTHING
from beanleague.games.bohnanza.flat_trading import ANSWER, PICK, PLANT_ASIDE, PLANT_FIRST, PLANT_SECOND, TRADE
from beanleague.games.core import Harvest, Pass, Plant
from beanleague.games.two import TwoDecision

FlatPolicy: TypeAlias = Callable[[Any, int], None]
"""Function that plays one action of the seat to act, in a `FlatBohnanza` or an object with the same methods."""

_FIRST, _OFFERED = int(TwoDecision.PLANT_FIRST), int(TwoDecision.PLANT_OFFERED)


@cache
def flat_farmer(rules: CardRules) -> FlatPolicy:
    """Return the policy of `beanbot.policies.farmer.Farmer`."""
    earns = _earnings(rules)
    losses = [
        [worth_alone(kind, count) - kind.dollars(count) for count in range(kind.cards + 1)] for kind in rules.kinds
    ]
    full = [max(kind.beanometer) for kind in rules.kinds]
    second = [worth_alone(kind, 1) + SMALL_LOSS for kind in rules.kinds]

    def least_loss(grows: list[int], counts: list[int]) -> tuple[float, int]:
        """Return the smallest loss from a harvest, and the field; ties go to the field that earns most."""
        least = 2 if max(counts) > 1 else 1
        best, lost, earned = -1, 0.0, 0
        for field, count in enumerate(counts):
            if count >= least:
                kind = grows[field]
                loss = losses[kind][count]
                if best < 0 or loss < lost or (loss == lost and earns[kind][count] > earned):
                    best, lost, earned = field, loss, earns[kind][count]
        return lost, best

    def farmer(table: Any, seat: int) -> None:  # noqa: ANN401 - see FlatPolicy
        decision = table.decision
        grows, counts = table.grows[seat], table.counts[seat]
        best, most = -1, -1
        if decision in {PLANT_FIRST, PLANT_SECOND}:
            kind = table.hands[seat][0]
            for field, there in enumerate(grows):
                if counts[field] > most and there in (kind, NOTHING):
                    best, most = field, counts[field]
            if best < 0:
                lost, field = least_loss(grows, counts)
                if decision == PLANT_SECOND and lost > second[kind]:
                    table.pass_(seat)
                else:
                    table.harvest(seat, field)
            elif most >= full[kind]:
                table.harvest(seat, best)
            else:
                table.plant(seat, best)
        elif decision == PLANT_ASIDE:
            card = -1
            for position, kind in enumerate(table.aside[seat]):
                for field, there in enumerate(grows):
                    if counts[field] > most and there in (kind, NOTHING):
                        card, best, most = position, field, counts[field]
            if best < 0:
                table.harvest(seat, least_loss(grows, counts)[1])
            elif most > 0 and most >= full[grows[best]]:
                table.harvest(seat, best)
            else:
                table.plant_aside(seat, card, best)
        else:
            no_trade(table, seat)

    return farmer


@cache
def flat_default(rules: CardRules) -> FlatPolicy:
    """Return the policy that plays `view.default()`, in a `FlatBohnanza`."""
    earns = _earnings(rules)

    def by_default(table: Any, seat: int) -> None:  # noqa: ANN401 - see FlatPolicy
        decision, grows, counts = table.decision, table.grows[seat], table.counts[seat]
        if decision == PLANT_FIRST:
            field = _place(grows, counts, table.hands[seat][0])
            if field >= 0:
                table.plant(seat, field)
            else:
                table.harvest(seat, _make_room(earns, grows, counts))
        elif decision == PLANT_ASIDE:
            for card, kind in enumerate(table.aside[seat]):
                field = _place(grows, counts, kind)
                if field >= 0:
                    table.plant_aside(seat, card, field)
                    return
            table.harvest(seat, _make_room(earns, grows, counts))
        else:
            no_trade(table, seat)

    return by_default


@cache
def flat_default_for_two(rules: CardRules) -> FlatPolicy:
    """Return the policy that plays `view.default()` in the game for two, in a `FlatTwo`."""
    earns = _earnings(rules)

    def by_default(table: Any, seat: int) -> None:  # noqa: ANN401 - see FlatPolicy
        decision = table.decision
        if decision == _FIRST:
            grows, counts = table.grows[seat], table.counts[seat]
            field = _place(grows, counts, table.hands[seat][0])
            if field >= 0:
                table.plant(seat, field)
            else:
                table.harvest(seat, _make_room(earns, grows, counts))
        elif decision == _OFFERED:
            table.discard_open(seat, 0)
        else:
            table.pass_(seat)

    return by_default


def _earnings(rules: CardRules) -> list[list[int]]:
    """Return the dollars for a harvest, by kind and count."""
    return [[kind.dollars(count) for count in range(kind.cards + 1)] for kind in rules.kinds]


def _place(grows: list[int], counts: list[int], kind: int) -> int:
    """Return the fullest field that takes a card of `kind`, or -1."""
    fields = [field for field, there in enumerate(grows) if there in {kind, NOTHING}]
    return max(fields, key=lambda field: (counts[field], -field), default=-1)


def _make_room(earns: list[list[int]], grows: list[int], counts: list[int]) -> int:
    """Return the field to harvest by default: the one that earns most, then the fullest."""
    least = 2 if max(counts) > 1 else 1
    fields = [field for field, count in enumerate(counts) if count >= least]
    return max(fields, key=lambda field: (earns[grows[field]][counts[field]], counts[field], -field))


def no_trade(table: Any, seat: int) -> None:  # noqa: ANN401 - see FlatPolicy
    """Play the action that trades nothing: stop, decline, refuse or pass."""
    if table.decision == TRADE:
        table.stop(seat)
    elif table.decision == ANSWER:
        table.decline(seat)
    elif table.decision == PICK:
        table.refuse(seat)
    else:
        table.pass_(seat)


def choose(policy: FlatPolicy, view: BohnanzaView) -> Action:
    """Return the action of `policy` in the situation of `view`."""
    table = _Chosen(view)
    policy(table, view.seat)
    assert table.action is not None
    return table.action


class _Chosen:
    """View as a flat table that records the chosen action instead of carrying it out."""

    def __init__(self, view: BohnanzaView) -> None:
        number = {kind.name: number for number, kind in enumerate(view.rules.kinds)}
        self.decision = int(view.decision)
        self.hands = {view.seat: [number[kind] for kind in view.hand]}
        self.aside = {view.seat: [number[kind] for kind in view.own_aside]}
        self.grows = {view.seat: [number[field.kind] if field.kind else NOTHING for field in view.own_fields]}
        self.counts = {view.seat: [field.count for field in view.own_fields]}
        self.action: Action | None = None

    def plant(self, seat: int, field: int) -> None:
        del seat
        self.action = Plant(field)

    def plant_aside(self, seat: int, card: int, field: int) -> None:
        del seat
        self.action = PlantAside(card, field)

    def harvest(self, seat: int, field: int) -> None:
        del seat
        self.action = Harvest(field)

    def pass_(self, seat: int) -> None:
        del seat
        self.action = Pass()

    def stop(self, seat: int) -> None:
        del seat
        self.action = Stop()

    def decline(self, seat: int) -> None:
        del seat
        self.action = Decline()

    def refuse(self, seat: int) -> None:
        del seat
        self.action = Refuse()
