"""The state of a duel and the steps that change it: planting, harvesting, bo(h)nus cards, the end."""

from collections.abc import Mapping
from itertools import chain
from typing import ClassVar

from beanleague.games.core.chance import Pile, check_seed
from beanleague.games.core.game import Event, IllegalActionError, Kind, Option, Outcome, SetupError, brief, quick
from beanleague.games.core.moves import Dealt, Drew, Planted, RanOut, Source, check_field, harvestable
from beanleague.games.core.phased_game import InterludeGame
from beanleague.games.duel import moves
from beanleague.games.duel.rules import DOLLAR, EMPTY, SEATS, Column, DuelHidden, duel_options, duel_rules, left_of
from beanleague.games.duel.view import DuelView

_new_view = quick(DuelView)


class DuelTable(InterludeGame):
    """The state of a duel. A subclass adds the phases."""

    __slots__ = (
        "_bohnus",
        "_bohnus_pile",
        "_columns",
        "_discarded",
        "_discarding",
        "_dollars",
        "_drawing",
        "_earned",
        "_gifts",
        "_hands",
        "_may_discard",
        "_met",
        "_offered",
        "_pile",
        "_turned",
        "rules",
    )

    _WAIT = moves.DuelDecision.WAIT
    _NESTED: ClassVar[tuple[str, ...]] = (
        "_bohnus",
        "_bohnus_pile",
        "_columns",
        "_discarded",
        "_earned",
        "_hands",
        "_met",
        "_pile",
    )
    _HIDDEN: ClassVar[frozenset[type[Event]]] = frozenset(
        {moves.FirstDollars, Dealt, Drew, moves.BohnusDrawn, moves.GiftGiven}
    )

    # Setup

    def __init__(self, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        checked = duel_options(options)
        self.rules = duel_rules(checked, seats)
        super().__init__(self.rules.ruleset, seats, check_seed(seed), checked)
        self._pile = Pile(seed, self.rules.cards, seats)
        self._bohnus_pile = Pile(seed, len(self.rules.bohnus), seats, "bohnus")
        self._discarded = dict.fromkeys(self.rules.number, 0)
        self._hands: list[list[Kind]] = [[], []]  # per seat: the card to be planted first at the front
        self._bohnus: list[list[int]] = [[], []]  # per seat: bo(h)nus cards in hand
        self._columns: list[list[Column]] = [[EMPTY] * self.rules.fields for _ in range(seats)]
        self._met = [[self.rules.met_by(EMPTY)] * self.rules.fields for _ in range(seats)]
        self._dollars = [0, 0]  # bean dollars per seat
        self._earned: list[list[int]] = [[], []]  # per seat: fulfilled bo(h)nus cards, which count as money
        self._turned: list[Kind] = []
        self._gifts: list[Kind | None] = [None, None]  # per seat: gift received and not yet planted
        self._offered: list[Kind] = []  # kinds offered in this phase; the last one awaits an answer
        self._may_discard = False  # whether a turned-over card may still be discarded
        self._discarding: list[int] = []  # seats that may still discard a bo(h)nus card
        self._drawing: list[int] = []  # seats that still have to draw bo(h)nus cards
        self._deal()
        self._start_turn()

    def _deal(self) -> None:
        dollars: list[list[Kind]] = [[], []]
        for cards, to in ((self.rules.start_dollars, dollars), (self.rules.start_hand, self._hands)):
            for _ in range(cards):
                for seat in (0, 1):
                    to[seat].append(self._draw_bean(seat))
        for seat in (0, 1):
            self._dollars[seat] = len(dollars[seat])
            self._events.append(moves.FirstDollars(seat, len(dollars[seat]), tuple(dollars[seat])))
        for seat in (0, 1):
            self._events.append(Dealt(seat, len(self._hands[seat]), tuple(self._hands[seat])))
        for seat in (0, 1):
            self._draw_bohnus(seat)

    def _resume(self, view: DuelView, hidden: DuelHidden, seed: bytes) -> None:
        super()._resume(view, hidden, seed)
        own, other = view.seat, 1 - view.seat
        self.rules = rules = view.rules
        if (len(hidden.hand), len(hidden.bohnus)) != (view.hand_sizes[other], view.bohnus_sizes[other]):
            raise SetupError("the hidden hands do not have as many cards as the view says")
        if len(hidden.dollars) != sum(view.dollars):
            raise SetupError(
                f"the hidden cards name {len(hidden.dollars)} beans that became dollars, but the view has "
                f"{sum(view.dollars)} dollars"
            )
        self._hands = [list(view.hand), list(view.hand)]
        self._hands[other] = list(hidden.hand)
        self._bohnus = [list(view.bohnus), list(view.bohnus)]
        self._bohnus[other] = list(hidden.bohnus)
        self._columns = [list(columns) for columns in view.fields]
        self._met = [[rules.met_by(column) for column in columns] for columns in view.fields]
        self._dollars = list(view.dollars)
        self._earned = [list(cards) for cards in view.earned]
        self._turned = list(view.turned)
        self._gifts = list(view.gifts)
        self._offered = list(view.offered)
        self._may_discard = view.may_discard
        self._discarded = dict(zip(rules.number, view.discard, strict=True))
        columns = [column.cards for columns in view.fields for column in columns]
        discarded = [kind for kind, count in self._discarded.items() for _ in range(count)]
        gifts = [gift for gift in view.gifts if gift]
        seen = chain(view.hand, hidden.hand, hidden.dollars, view.turned, gifts, discarded, *columns)
        self._pile = Pile.holding(seed, left_of(rules.deck, seen, view.pile), SEATS, [])
        cards = bytearray(b"\1") * len(rules.bohnus)
        for card in chain(*self._bohnus, *view.earned, view.bohnus_discard):
            cards[card] = 0
        if cards.count(1) != view.bohnus_pile:
            raise SetupError(
                f"the view and the hidden cards do not leave {view.bohnus_pile} cards for the bo(h)nus pile"
            )
        self._bohnus_pile = Pile.holding(seed, cards, SEATS, list(view.bohnus_discard), "bohnus")
        self._resume_phase(own)

    def _reseed(self, seed: bytes) -> None:
        super()._reseed(seed)
        self._pile.reseed(seed)
        self._bohnus_pile.reseed(seed)

    def _resume_phase(self, asked: int) -> None:
        """Restore the queue of seats to be asked after `asked`."""
        follows = self._from(asked, self._active)[1:]
        self._discarding, self._drawing = [], []
        if self._decision is moves.DuelDecision.DISCARD_BOHNUS:
            self._discarding = [seat for seat in follows if self._bohnus[seat]]
            self._drawing = self._clockwise_from(self._active)
        elif self._decision is moves.DuelDecision.DRAWN_BOHNUS:
            self._drawing = follows
        elif self._decision is moves.DuelDecision.INTERLUDE:
            self._queue = self._interludes_from(asked)

    # Views

    def view(self, seat: int, *, news: bool = True) -> DuelView:
        asked = seat in self._asked
        return _new_view(
            rules=self.rules,
            seat=seat,
            decision=self._decision if asked else moves.DuelDecision.WAIT,
            turn=self._turn,
            active=self._active,
            hand=tuple(self._hands[seat]),
            hand_sizes=(len(self._hands[0]), len(self._hands[1])),
            fields=(tuple(self._columns[0]), tuple(self._columns[1])),
            dollars=(self._dollars[0], self._dollars[1]),
            turned=tuple(self._turned),
            offered=tuple(self._offered),
            gifts=(self._gifts[0], self._gifts[1]),
            may_discard=self._may_discard,
            bohnus=tuple(self._bohnus[seat]),
            bohnus_sizes=(len(self._bohnus[0]), len(self._bohnus[1])),
            earned=(tuple(self._earned[0]), tuple(self._earned[1])),
            pile=self._pile.size,
            discard=tuple(self._discarded.values()),
            bohnus_pile=self._bohnus_pile.size,
            bohnus_discard=tuple(self._bohnus_pile.discards),
            harvestable=harvestable(self._counts(seat)) if asked else (),
            fulfillable=tuple(self._fulfillable(seat)) if asked else (),
            news=self._news(seat) if news else (),
        )

    # Planting

    def _check_place(self, seat: int, kind: Kind, field: int) -> None:
        check_field(field, self.rules.fields)
        last = self._columns[seat][field].last
        if not self.rules.may_follow(kind, last):
            raise IllegalActionError(
                f"{kind} cannot be planted in field {field}, which ends with {last}: only {last} or the kind with the "
                f"next higher number can; harvest it first"
            )

    def _plant(self, seat: int, field: int, kind: Kind, source: Source, position: int) -> None:
        self._set_column(seat, field, self._columns[seat][field].grown(kind))
        self._events.append(Planted(seat, field, kind, source, position))

    def _set_column(self, seat: int, field: int, column: Column) -> None:
        self._columns[seat][field] = column
        self._met[seat][field] = self.rules.met_by(column)

    def _draw_bean(self, seat: int) -> Kind:
        return self.rules.deck[self._pile.draw(seat)]

    def _log_run_out(self) -> None:
        if not self._pile.size:
            self._events.append(RanOut(1))

    # The bo(h)nus cards

    def _earn(self, seat: int, step: moves.Fulfil) -> None:
        self._bohnus[seat].remove(step.card)
        self._earned[seat].append(step.card)
        self._events.append(moves.Fulfilled(seat, step.card, step.owner, step.field))

    def _fulfillable(self, seat: int) -> list[moves.Fulfil]:
        return [
            moves.Fulfil(card, owner, field)
            for card in self._bohnus[seat]
            for owner in (seat, 1 - seat)
            for field, met in enumerate(self._met[owner])
            if card in met
        ]

    def _check_bohnus(self, seat: int, card: int) -> None:
        if type(card) is not int or card not in self._bohnus[seat]:
            own = ", ".join(map(str, self._bohnus[seat])) or "none"
            raise IllegalActionError(f"bo(h)nus card {brief(card)} is not in your hand; your cards: {own}")

    def _draw_bohnus(self, seat: int) -> list[int]:
        """Let `seat` draw up to three bo(h)nus cards; an empty pile is refilled from its discards."""
        hand, pile = self._bohnus[seat], self._bohnus_pile
        before = logged = len(hand)
        while len(hand) < self.rules.start_bohnus and (pile.size or pile.discards):
            if pile.size:
                hand.append(pile.draw(seat))
            if not pile.size and pile.discards:
                logged = self._log_bohnus(seat, logged)
                self._events.append(moves.BohnusShuffled(pile.number + 1, pile.shuffle()))
        self._log_bohnus(seat, logged)
        return hand[before:]

    def _log_bohnus(self, seat: int, logged: int) -> int:
        drawn = tuple(self._bohnus[seat][logged:])
        if drawn:
            self._events.append(moves.BohnusDrawn(seat, len(drawn), drawn))
        return logged + len(drawn)

    # Harvesting beans

    def _counts(self, seat: int) -> list[int]:
        return [len(column.cards) for column in self._columns[seat]]

    def _harvest(self, seat: int, field: int) -> None:
        """Turn the last cards planted into dollars, as the beanometer of the last kind says; discard the rest."""
        column = self._columns[seat][field]
        assert column.last is not None
        dollars = self.rules.dollars(column.last, len(column.cards))
        for kind in column.cards[: len(column.cards) - dollars]:
            self._discarded[kind] += 1
        self._set_column(seat, field, EMPTY)
        self._dollars[seat] += dollars
        self._events.append(moves.ColumnHarvested(seat, field, column.cards, dollars))

    # The end of the game

    def _end_game(self) -> None:
        """Fulfil bo(h)nus cards, harvest all fields, and rank by money; the starting player loses a tie."""
        for seat in self._clockwise_from(self._active):
            for step in self._fulfillable(seat):
                if step.card in self._bohnus[seat]:  # a bo(h)nus card can be fulfilled only once
                    self._earn(seat, step)
        for seat in self._clockwise_from(self._active):
            for field, column in enumerate(self._columns[seat]):
                if column.cards:
                    self._harvest(seat, field)
        cents = (self._money(0), self._money(1))
        places = (1, 2) if cents[0] > cents[1] else (2, 1)
        self._end(Outcome(cents, places), moves.DuelEnded(cents, places))

    def _money(self, seat: int) -> int:
        return DOLLAR * self._dollars[seat] + sum(self.rules.bohnus[card].worth for card in self._earned[seat])
