"""What all dice games have: dice, harvest cards, dollars and the deck, and what is done with them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from beanleague.games.cards.actions import Pass
from beanleague.games.cards.pile import Pile
from beanleague.games.chance import check_seed, numbers
from beanleague.games.dice.actions import HarvestCard, LoseDie, RollAgain, Save
from beanleague.games.dice.decision import DiceDecision
from beanleague.games.dice.events import (
    CardDrawn,
    CardHarvested,
    DeckRenewed,
    DollarsDrawn,
    OrdersCompleted,
    Rolled,
    Saved,
)
from beanleague.games.dice.orders import Code
from beanleague.games.dice.rules import DiceRules
from beanleague.games.dice.setup import Tables, dice_options, tables
from beanleague.games.dice.view import DiceView
from beanleague.games.errors import IllegalActionError, shown
from beanleague.games.game import Action, Event, Game, Option, Outcome

_HIDDEN = frozenset({DollarsDrawn, DeckRenewed})
_MARKER = 5  # single dollars, traded for a marker when the deck is empty


class DiceTable(Game):
    """A dice game at any moment. A game adds its turns: who is asked what, and what an answer does."""

    __slots__ = (
        "_active",
        "_asked",
        "_at_risk",
        "_cards",
        "_completed",
        "_decision",
        "_dollars",
        "_events",
        "_faces",
        "_outcome",
        "_piece",
        "_pile",
        "_roll",
        "_rolled",
        "_saved",
        "_seen",
        "_singles",
        "_stolen",
        "_tables",
        "_turn",
        "_waiting",
        "options",
        "rules",
        "ruleset",
        "seats",
        "seed",
    )

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        """Set up: two cards in front of every seat.

        `options`: see `dice_options`.
        """
        self.options = dice_options(options)
        deck = self.options.get("deck")
        self._tables: Tables = tables(ruleset, seats, deck if isinstance(deck, str) else None)
        self.rules: DiceRules = self._tables.rules
        self.ruleset = ruleset
        self.seats = seats
        self.seed = check_seed(seed)
        holders = seats + (self.rules.thief is not None)  # of dollars: the seats and the Thief
        self._pile = Pile(seed, len(self.rules.cards), seats + holders)
        self._cards: list[list[int]] = [[] for _ in range(seats)]  # top, bottom
        self._completed = [0] * seats
        self._dollars = [0] * holders
        self._singles: list[list[int]] = [[] for _ in range(holders)]  # cards that are single dollars
        self._faces = [-1] * len(self.rules.dice)
        self._rolled: tuple[int, ...] = ()
        self._saved: tuple[int, ...] = ()
        self._stolen: tuple[int, ...] = ()
        self._at_risk: tuple[int, ...] = ()
        self._roll = 0
        self._piece = False
        self._waiting: list[int] = []  # seats still to be asked whether they harvest
        self._turn = 0
        self._active = -1
        self._asked: tuple[int, ...] = ()
        self._decision = DiceDecision.WAIT
        self._outcome: Outcome | None = None
        self._events: list[Event] = []
        self._seen = [0] * seats  # per seat: events that were there when it last acted
        for seat in range(seats):
            self._draw_card(seat)
            self._draw_card(seat)

    # What everybody may ask

    @property
    def over(self) -> bool:
        return self._outcome is not None

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def events(self) -> Sequence[Event]:
        return self._events

    def to_act(self) -> tuple[int, ...]:
        return self._asked

    def view(self, seat: int) -> DiceView:
        names = self._tables.names
        asked = seat in self._asked
        return DiceView(
            self.rules,
            seat,
            self._decision if asked else DiceDecision.WAIT,
            self._turn,
            self._active,
            self._roll,
            tuple([names[kind] for kind in self._faces]),
            self._rolled,
            self._saved,
            self._piece,
            tuple([cards[0] for cards in self._cards]),
            tuple([cards[1] for cards in self._cards]),
            tuple(self._completed),
            tuple(self._dollars[: self.seats]),
            self._pile.size,
            asked and self._may_harvest(seat),
            self._dollars[-1] if self.rules.thief else 0,
            self._stolen,
            self._at_risk,
            self._news(seat),
        )

    def apply(self, seat: int, action: Action) -> None:
        if seat not in self._asked:
            raise IllegalActionError(
                f"seat {shown(seat)} is not asked now; asked: {self._asked or 'nobody, the game is over'}"
            )
        seen = len(self._events)
        match self._decision:
            case DiceDecision.SAVE if type(action) is Save:
                self._check_save(action.dice)
                self._save_chosen(action.dice)
            case DiceDecision.SAVE if type(action) is RollAgain and self._piece:
                self._roll_again()
            case DiceDecision.LOSE if type(action) is LoseDie:
                self._lose_chosen(action.die)
            case DiceDecision.HARVEST if type(action) is Pass:
                self._waiting.pop(0)
                self._go_on()
            case _ if type(action) is HarvestCard and self._may_harvest(seat):
                self._harvest(seat)
                self._check(seat, self._beans_for(seat))
                self._after_harvest(seat)
            case _:
                raise self._refused(seat, action)
        self._seen[seat] = seen

    def _copy_of_table(self) -> DiceTable:
        """Return a copy, but for what subclasses add."""
        new = type(self).__new__(type(self))
        for name in DiceTable.__slots__:
            value = getattr(self, name)
            setattr(new, name, value[:] if type(value) is list else value)
        new._pile = self._pile.copy()
        new._cards = [cards[:] for cards in self._cards]
        new._singles = [cards[:] for cards in self._singles]
        return new

    # What a game adds

    @abstractmethod
    def _save_chosen(self, dice: tuple[int, ...]) -> None:
        """The active player saves `dice`."""

    @abstractmethod
    def _after_harvest(self, seat: int) -> None:
        """`seat` has harvested, as a free step or when it was its turn to say whether it does."""

    @abstractmethod
    def _go_on(self) -> None:
        """Ask the next of the seats waiting to harvest, or go on with the turn."""

    @abstractmethod
    def _beans_for(self, seat: int) -> Code:
        """Return what `seat`, who has just harvested, may complete orders of its next card with."""

    def _roll_again(self) -> None:
        """Repeat the roll; only a game with the bean piece has this."""
        raise NotImplementedError

    def _lose_chosen(self, die: int) -> None:
        """Let the Thief take `die`; only the game against it asks for this."""
        raise NotImplementedError

    # Who is asked, and what they see

    def _ask(self, decision: DiceDecision, seat: int) -> None:
        self._decision = decision
        self._asked = self._tables.alone[seat]

    def _news(self, seat: int) -> tuple[Event, ...]:
        since = self._events[self._seen[seat] :]
        return tuple([event.seen_by(seat) if type(event) in _HIDDEN else event for event in since])

    def _refused(self, seat: int, action: Action) -> IllegalActionError:
        if type(action) is HarvestCard:
            done = self._completed[seat]
            return IllegalActionError(f"completed orders of your top card: {done}; a harvest needs at least three")
        if type(action) is RollAgain and self._decision is DiceDecision.SAVE:
            why = "is used" if self.rules.piece else "does not exist in this game"
            return IllegalActionError(f"the bean piece {why}: save at least one of the dice {self._rolled}")
        asked = {
            DiceDecision.HARVEST: "harvest the top card, or pass",
            DiceDecision.SAVE: f"save at least one of the dice {self._rolled}",
            DiceDecision.LOSE: f"say which of the dice {self._at_risk} the Thief takes",
        }[self._decision]
        return IllegalActionError(f"{type(action).__name__} is not an answer to this: {asked}")

    # Rolling and saving

    def _roll_dice(self, dice: tuple[int, ...], *, again: bool = False) -> None:
        self._roll += 1
        self._rolled = dice
        thrown = self._thrown(f"dice/{self._turn}/{self._roll}", dice)
        for die, kind in zip(dice, thrown, strict=True):
            self._faces[die] = kind
        kinds = self.rules.kinds
        self._events.append(Rolled(self._active, self._roll, dice, tuple([kinds[kind] for kind in thrown]), again))

    def _thrown(self, key: str, dice: tuple[int, ...]) -> list[int]:
        """Return the kind that each of `dice` shows by chance; a die shows the same whichever others are thrown."""
        drawn = numbers(self.seed, key, len(self._faces))
        faces = self._tables.faces
        return [faces[die][drawn[die] % 6] for die in dice]

    def _check_save(self, dice: tuple[int, ...]) -> None:
        before = -1
        if isinstance(dice, tuple) and dice:
            for die in dice:
                if type(die) is not int or die <= before or die not in self._rolled:
                    break
                before = die
            else:
                return
        raise IllegalActionError(
            f"save one or more of the dice just rolled, {self._rolled}, ascending; not {shown(dice)}"
        )

    def _save(self, dice: tuple[int, ...]) -> None:
        self._saved = tuple(sorted(self._saved + dice))
        self._rolled = tuple([die for die in self._rolled if die not in dice])
        self._events.append(Saved(self._active, dice))

    def _beans(self, dice: tuple[int, ...]) -> Code:
        digits, faces = self._tables.digits, self._faces
        return sum([digits[faces[die]] for die in dice])

    # Completing orders and harvesting

    def _check(self, seat: int, beans: Code) -> int:
        """Complete the next orders of the top card of `seat` that `beans` meet, bottom-most first; return how many."""
        met = self._tables.met(self._cards[seat][0], beans)
        done = before = self._completed[seat]
        while met >> done & 1:
            done += 1
        if done > before:
            self._completed[seat] = done
            self._events.append(OrdersCompleted(seat, done - before, done))
        return done - before

    def _may_harvest(self, seat: int) -> bool:
        return self.rules.dollars[self._completed[seat]] > 0

    def _harvest(self, seat: int) -> None:
        """Turn the top card of `seat` into dollars; the bottom card becomes the top card."""
        done = self._completed[seat]
        card, dollars = self._cards[seat].pop(0), self.rules.dollars[done]
        self._events.append(CardHarvested(seat, card, done, dollars))
        self._take_dollars(seat, card, dollars)
        self._completed[seat] = 0
        self._draw_card(seat)

    def _take_dollars(self, holder: int, card: int, dollars: int) -> None:
        """Make `card` the first of the new dollars of `holder`, and draw the others."""
        self._dollars[holder] += dollars
        self._singles[holder].append(card)
        drawn: list[int] = []
        for _ in range(dollars - 1):
            if not self._pile.size:
                self._tell_dollars(holder, drawn)
                drawn = []
                self._renew_deck()
            drawn.append(self._pile.draw(self.seats + holder))
            self._singles[holder].append(drawn[-1])
        self._tell_dollars(holder, drawn)

    def _tell_dollars(self, holder: int, drawn: list[int]) -> None:
        if drawn:
            self._events.append(DollarsDrawn(holder, len(drawn), tuple(drawn)))

    def _draw_card(self, seat: int) -> None:
        if not self._pile.size:
            self._renew_deck()
        card = self._pile.draw(seat)
        self._cards[seat].append(card)
        self._events.append(CardDrawn(seat, card))

    def _renew_deck(self) -> None:
        """The player with most dollars trades the five single ones it has longest; they are shuffled in as the deck."""
        able = [holder for holder, singles in enumerate(self._singles) if len(singles) >= _MARKER]
        richest = max(able, key=lambda holder: (self._dollars[holder], -holder))
        traded = self._singles[richest][:_MARKER]
        del self._singles[richest][:_MARKER]
        self._pile.discards = traded[:]
        self._pile.shuffle()
        self._events.append(DeckRenewed(richest, self._pile.number, tuple(traded)))

    # The end

    def _end(self, outcome: Outcome, event: Event) -> None:
        self._outcome = outcome
        self._events.append(event)
        self._decision = DiceDecision.WAIT
        self._asked = ()
        self._at_risk = ()
