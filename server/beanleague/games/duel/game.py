"""The duel: the four phases of a turn in the rule book's order, and free actions."""

from collections.abc import Mapping
from typing import ClassVar

from beanleague.games import core
from beanleague.games.core.game import Action, IllegalActionError, Ruleset, brief
from beanleague.games.core.kinds import DECK_OPTION
from beanleague.games.core.moves import check_field, check_harvest, harvestable
from beanleague.games.core.phased_game import InterludeGame, Step, wrong_action
from beanleague.games.duel import moves
from beanleague.games.duel.rules import DUEL, SEATS
from beanleague.games.duel.table import DuelTable


class Duel(DuelTable):
    """A game of `duel`."""

    __slots__ = ()

    _INTERLUDE = moves.DuelDecision.INTERLUDE

    # Phase 1: plant one or two bean cards from your hand

    def _start_turn(self) -> None:
        self._begin_turn()
        if self._hands[self._active]:
            self._ask(moves.DuelDecision.PLANT_FIRST, self._active)
        else:
            self._turn_over()

    def _plant_first(self, seat: int, action: Action) -> None:
        self._plant_from_hand(seat, action, "plant the first card of the hand, harvest, or fulfil")
        if self._hands[seat]:
            self._ask(moves.DuelDecision.PLANT_SECOND, seat)
        else:
            self._turn_over()

    def _plant_second(self, seat: int, action: Action) -> None:
        if type(action) is core.Pass:
            self._events.append(core.Passed(seat))
        else:
            self._plant_from_hand(seat, action, "plant the next card of the hand, pass, harvest, or fulfil")
        self._turn_over()

    def _plant_from_hand(self, seat: int, action: Action, asked: str) -> None:
        if type(action) is not core.Plant:
            raise wrong_action(action, asked)
        self._check_place(seat, self._hands[seat][0], action.field)
        self._plant(seat, action.field, self._hands[seat].pop(0), "hand", 0)

    # Phase 2: turn over three bean cards and give away one

    def _turn_over(self) -> None:
        seat = self._active
        for _ in range(min(self.rules.turned, self._pile.size)):
            self._turned.append(self._draw_bean(seat))
        if self._turned:
            self._events.append(core.TurnedOver(seat, tuple(self._turned)))
            self._log_run_out()
        self._offered = []
        self._ask(moves.DuelDecision.OFFER_GIFT, seat)

    def _offer_gift(self, seat: int, action: Action) -> None:
        if type(action) is not moves.OfferGift:
            raise wrong_action(action, "offer a gift, harvest, or fulfil")
        kind = action.kind
        if type(kind) is not str or kind not in self.rules.number:
            raise IllegalActionError(
                f"{brief(kind)} is not a kind in this game; there are: {', '.join(self.rules.number)}"
            )
        if kind in self._offered:
            raise IllegalActionError(f"{kind} has already been offered in this phase")
        self._offered.append(kind)
        self._events.append(moves.GiftOffered(seat, kind))
        self._ask(moves.DuelDecision.ANSWER_GIFT, 1 - seat)

    def _answer_gift(self, seat: int, action: Action) -> None:
        if type(action) is moves.AcceptGift:
            self._events.append(moves.GiftAccepted(seat))
            self._hand_over(1 - seat)
        elif type(action) is moves.DeclineGift:
            self._events.append(moves.GiftDeclined(seat))
            if len(self._offered) < len(self.rules.kinds):
                self._ask(moves.DuelDecision.OFFER_GIFT, seat)
            else:
                self._plant_turned_and_gifts()
        else:
            raise wrong_action(action, "accept the gift, decline it, harvest, or fulfil")

    def _hand_over(self, giver: int) -> None:
        """Complete an accepted offer: the offering seat gives the card, or pays for its bluff."""
        choices = self._gift_choices(giver)
        if not choices:
            self._pay_for_bluff(giver)
        elif len(choices) == 1:
            self._give(giver, choices[0])
        else:
            self._ask(moves.DuelDecision.GIVE, giver)

    def _gift_choices(self, giver: int) -> list[moves.Give]:
        kind = self._offered[-1]
        turned = self._turned if giver == self._active else []
        return [
            *(moves.Give("turned", position) for position, card in enumerate(turned) if card == kind),
            *(moves.Give("hand", position) for position, card in enumerate(self._hands[giver]) if card == kind),
        ]

    def _choose_gift(self, seat: int, action: Action) -> None:
        if type(action) is not moves.Give:
            raise wrong_action(action, "give one of the cards you offered, harvest, or fulfil")
        choices = self._gift_choices(seat)
        if type(action.source) is not str or type(action.position) is not int or action not in choices:
            raise IllegalActionError(
                f"{brief(action)} does not give one of your {self._offered[-1]} cards; possible: "
                f"{', '.join(map(str, choices))}"
            )
        self._give(seat, action)

    def _give(self, seat: int, what: moves.Give) -> None:
        cards = self._turned if what.source == "turned" else self._hands[seat]
        kind = cards.pop(what.position)
        self._gifts[1 - seat] = kind
        self._events.append(moves.GiftGiven(seat, kind, what.source, what.position))
        self._plant_turned_and_gifts()

    def _pay_for_bluff(self, seat: int) -> None:
        """Pay for a bluff: a bean dollar, else the least valuable fulfilled bo(h)nus card, else nothing."""
        dollars, bohnus = 0, []
        if self._dollars[seat]:
            dollars = 1
        elif self._earned[seat]:
            bohnus = [min(self._earned[seat], key=lambda card: self.rules.bohnus[card].worth)]
        self._dollars[seat] -= dollars
        self._dollars[1 - seat] += dollars
        for card in bohnus:
            self._earned[seat].remove(card)
            self._earned[1 - seat].append(card)
        self._events.append(moves.BluffPaid(seat, dollars, tuple(bohnus)))
        self._plant_turned_and_gifts()

    # Phase 3: plant bean cards you've turned over and been given

    def _plant_turned_and_gifts(self) -> None:
        self._may_discard = True
        self._next_to_plant()

    def _next_to_plant(self) -> None:
        active, opponent = self._active, 1 - self._active
        if self._turned or self._gifts[active]:
            self._ask(moves.DuelDecision.PLANT_TURNED, active)
        elif self._gifts[opponent]:
            self._ask(moves.DuelDecision.PLANT_GIFT, opponent)
        elif not self._pile.size:
            self._end_game()
        else:
            self._draw_phase()

    def _plant_turned(self, seat: int, action: Action) -> None:
        if type(action) is moves.PlantTurned:
            self._check_turned(action.card)
            self._check_place(seat, self._turned[action.card], action.field)
            self._plant(seat, action.field, self._turned.pop(action.card), "turned", action.card)
        elif type(action) is moves.DiscardTurned:
            self._check_turned(action.card)
            if not self._may_discard:
                raise IllegalActionError("only one turned-over card may be discarded, and you have discarded one")
            self._may_discard = False
            kind = self._turned.pop(action.card)
            self._discarded[kind] += 1
            self._events.append(moves.TurnedDiscarded(seat, action.card, kind))
        elif type(action) is moves.PlantGift:
            self._plant_received(seat, action)
        else:
            raise wrong_action(action, "plant a turned-over card or the gift, discard a card, harvest, or fulfil")
        self._next_to_plant()

    def _plant_gift(self, seat: int, action: Action) -> None:
        if type(action) is not moves.PlantGift:
            raise wrong_action(action, "plant the gift, harvest, or fulfil")
        self._plant_received(seat, action)
        self._next_to_plant()

    def _plant_received(self, seat: int, action: moves.PlantGift) -> None:
        kind = self._gifts[seat]
        if kind is None:
            raise IllegalActionError("you have no gift left to plant")
        self._check_place(seat, kind, action.field)
        self._gifts[seat] = None
        self._plant(seat, action.field, kind, "gift", 0)

    def _check_turned(self, card: int) -> None:
        if type(card) is not int or not 0 <= card < len(self._turned):
            raise IllegalActionError(f"there is no turned-over card {brief(card)}; {len(self._turned)} are left")

    # Phase 4: draw bean cards, and bo(h)nus cards if possible

    def _draw_phase(self) -> None:
        seat = self._active
        drawn = tuple(self._draw_bean(seat) for _ in range(min(self.rules.draws, self._pile.size)))
        self._hands[seat] += drawn
        self._events.append(core.Drew(seat, len(drawn), drawn))
        self._log_run_out()
        self._discarding = [seat for seat in self._clockwise_from(self._active) if self._bohnus[seat]]
        self._drawing = self._clockwise_from(self._active)
        self._next_bohnus_step()

    def _next_bohnus_step(self) -> None:
        """Let both seats discard bo(h)nus cards, then draw.

        A seat draws once; cards fulfilled later are not replaced.
        """
        if self._discarding:
            self._ask(moves.DuelDecision.DISCARD_BOHNUS, self._discarding.pop(0))
            return
        while self._drawing:
            seat = self._drawing.pop(0)
            drawn = self._draw_bohnus(seat)
            if any(step.card in drawn for step in self._fulfillable(seat)):
                self._ask(moves.DuelDecision.DRAWN_BOHNUS, seat)
                return
        self._start_interlude()

    def _discard_bohnus(self, seat: int, action: Action) -> None:
        if type(action) is moves.DiscardBohnus:
            self._check_bohnus(seat, action.card)
            self._bohnus[seat].remove(action.card)
            self._bohnus_pile.discards.append(action.card)
            self._events.append(moves.BohnusDiscarded(seat, action.card))
        elif type(action) is not core.Pass:
            raise wrong_action(action, "discard a bo(h)nus card, pass, harvest, or fulfil")
        self._next_bohnus_step()

    def _drawn_bohnus(self, seat: int, action: Action) -> None:
        del seat
        if type(action) is not core.Pass:
            raise wrong_action(action, "fulfil a bo(h)nus card, harvest, or pass")
        self._next_bohnus_step()

    # At any time: harvest beans, fulfil bo(h)nus cards

    def _harvest_first(self, seat: int, action: core.Harvest) -> None:
        check_harvest(action.field, self._counts(seat))
        self._harvest(seat, action.field)

    def _fulfil(self, seat: int, action: moves.Fulfil) -> None:
        self._check_bohnus(seat, action.card)
        if type(action.owner) is not int or action.owner not in (0, 1):
            raise IllegalActionError(f"there is no seat {brief(action.owner)}")
        check_field(action.field, self.rules.fields)
        if action.card not in self._met[action.owner][action.field]:
            sequence = "-".join(map(str, self.rules.bohnus[action.card].sequence))
            raise IllegalActionError(
                f"field {action.field} of seat {action.owner} does not end with {sequence}, as bo(h)nus card "
                f"{action.card} requires"
            )
        self._earn(seat, action)

    def _has_free_step(self, seat: int) -> bool:
        return bool(harvestable(self._counts(seat)) or self._fulfillable(seat))

    def _after_free_step(self, seat: int) -> None:
        super()._after_free_step(seat)
        if self._decision is moves.DuelDecision.DISCARD_BOHNUS:
            idle = not self._bohnus[seat]
        else:
            idle = self._decision is moves.DuelDecision.DRAWN_BOHNUS and not self._fulfillable(seat)
        if idle:
            self._next_bohnus_step()

    _FREE: ClassVar[Mapping[type[Action], Step]] = {core.Harvest: _harvest_first, moves.Fulfil: _fulfil}
    _PHASES: ClassVar[Mapping[moves.DuelDecision, Step]] = {
        moves.DuelDecision.PLANT_FIRST: _plant_first,
        moves.DuelDecision.PLANT_SECOND: _plant_second,
        moves.DuelDecision.OFFER_GIFT: _offer_gift,
        moves.DuelDecision.ANSWER_GIFT: _answer_gift,
        moves.DuelDecision.GIVE: _choose_gift,
        moves.DuelDecision.PLANT_TURNED: _plant_turned,
        moves.DuelDecision.PLANT_GIFT: _plant_gift,
        moves.DuelDecision.DISCARD_BOHNUS: _discard_bohnus,
        moves.DuelDecision.DRAWN_BOHNUS: _drawn_bohnus,
        moves.DuelDecision.INTERLUDE: InterludeGame._pass_interlude,
    }


RULESETS = (
    Ruleset(
        id=DUEL,
        least_seats=SEATS,
        most_seats=SEATS,
        source="Bohnanza: The Duel (Amigo)",
        summary="104 cards of 8 kinds for two, with gifts, bluffs and bo(h)nus cards",
        new=Duel,
        from_view=Duel.from_view,
        options={"deck": DECK_OPTION},
        interludes=True,
    ),
)
"""Rulesets of the duel."""
