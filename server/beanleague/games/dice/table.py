"""Common state of the dice games: dice, harvest cards, dollars, the deck, and the steps that change them."""

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar

from beanleague.games.core import game
from beanleague.games.core.chance import Pile, check_seed, numbers
from beanleague.games.core.moves import Pass
from beanleague.games.core.phased_game import AskingGame, Step, wrong_action
from beanleague.games.core.values import dataclass, field
from beanleague.games.dice import moves
from beanleague.games.dice.orders import Code, covers, needs
from beanleague.games.dice.rules import DiceHidden, DiceRules, dice_rulesets
from beanleague.games.dice.view import DiceView


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Lookup tables for the engine, computed once for all games with the same rules and deck."""

    rules: DiceRules
    """The rules."""
    faces: tuple[tuple[int, ...], ...]
    """`faces[die]`: the six faces of a die, as indices in `rules.kinds`."""
    digits: tuple[Code, ...]
    """`digits[kind]`: the code of one bean of a kind."""
    names: tuple[game.Kind | None, ...]
    """`names[kind]`: the name of a kind; `names[-1]` is None."""
    needs: tuple[tuple[tuple[Code, ...], ...], ...]
    """`needs[card][order]`: the minimal codes that meet an order, see the function `needs`."""
    all_dice: tuple[int, ...]
    """The index of every die."""
    _met: tuple[dict[Code, int], ...] = field(repr=False)

    def met(self, card: int, beans: Code) -> int:
        """Return the orders of `card` that `beans` meet, as a bit mask; bit 0 is the lowest order."""
        known = self._met[card]
        found = known.get(beans)
        if found is None:
            found = sum(
                1 << i for i, order in enumerate(self.needs[card]) if any(covers(beans, need) for need in order)
            )
            known[beans] = found
        return found


@lru_cache(maxsize=64, typed=True)  # typed, since 2.0 == 2, but 2.0 seats must be refused
def tables(ruleset: str, seats: int, deck: str | None) -> Tables:
    """Return the tables for `ruleset` with `seats` seats and the deck in the text `deck`, or the standard deck.

    Raises:
        SetupError: see `DiceRuleset.rules`.
    """
    return _tables(dice_rulesets()[ruleset].rules(seats, deck))


def tables_of(rules: DiceRules) -> Tables:
    """Return the tables for `rules`, cached by identity, since comparing decks takes long."""
    for known in _BY_RULES:
        if known.rules is rules:
            return known
    made = _tables(rules)
    _BY_RULES.appendleft(made)
    return made


_BY_RULES: deque[Tables] = deque(maxlen=16)


def _tables(rules: DiceRules) -> Tables:
    return Tables(
        rules=rules,
        faces=tuple(tuple(rules.kinds.index(kind) for kind in faces) for faces in rules.dice),
        digits=tuple(1 << 4 * kind for kind in range(len(rules.kinds))),
        names=(*rules.kinds, None),
        needs=tuple(tuple(needs(order, rules.kinds) for order in card.orders) for card in rules.cards),
        all_dice=tuple(range(len(rules.dice))),
        _met=tuple({} for _ in rules.cards),
    )


def dice_options(options: Mapping[str, game.Option]) -> dict[str, game.Option]:
    """Return the options of a dice game.

    `deck`: the text of a deck, see `beanleague.games.dice.rules` (default: the standard deck).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    game.check_option_names(options, ("deck",))
    if "deck" in options and not isinstance(options["deck"], str):
        raise game.SetupError(f"deck must be the text of a deck in TOML, not {game.brief(options['deck'])}")
    return dict(options)


_new_view = game.quick(DiceView)

_MARKER = 5  # number of single dollars exchanged for a marker when the deck is empty


class DiceTable(AskingGame):
    """The state of a dice game. A subclass adds the turns.

    `_queue` has the seats still to be asked whether they harvest.
    """

    __slots__ = (
        "_at_risk",
        "_cards",
        "_completed",
        "_declined",
        "_dollars",
        "_faces",
        "_piece",
        "_pile",
        "_roll",
        "_rolled",
        "_saved",
        "_singles",
        "_stolen",
        "_tables",
        "rules",
    )

    _PHASES: ClassVar[Mapping[moves.DiceDecision, Step]]
    _WAIT = moves.DiceDecision.WAIT
    _HIDDEN = frozenset({moves.DollarsDrawn, moves.DeckRenewed})
    _NESTED = ("_pile", "_cards", "_declined", "_singles")

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, game.Option]) -> None:
        """Set up, with two cards for every seat. `options`: see `dice_options`."""
        checked = dice_options(options)
        deck = checked.get("deck")
        self._tables: Tables = tables(ruleset, seats, deck if isinstance(deck, str) else None)
        super().__init__(ruleset, seats, check_seed(seed), checked)
        self.rules: DiceRules = self._tables.rules
        holders = seats + (self.rules.thief is not None)  # number of holders of dollars: the seats and the Thief
        self._pile = Pile(seed, len(self.rules.cards), seats + holders)
        self._cards: list[list[int]] = [[] for _ in range(seats)]  # per seat: top card, bottom card
        self._completed = [0] * seats
        # `_harvest_state` of each seat that declined to harvest in this turn
        self._declined: dict[int, tuple[int, ...]] = {}
        self._dollars = [0] * holders
        self._singles: list[list[int]] = [[] for _ in range(holders)]  # per holder: cards that count as a single dollar
        self._faces = [-1] * len(self.rules.dice)
        self._rolled: tuple[int, ...] = ()
        self._saved: tuple[int, ...] = ()
        self._stolen: tuple[int, ...] = ()
        self._at_risk: tuple[int, ...] = ()
        self._roll = 0
        self._piece = False
        for seat in range(seats):
            self._draw_card(seat)
            self._draw_card(seat)

    def _resume(self, view: DiceView, hidden: DiceHidden, seed: bytes) -> None:
        super()._resume(view, hidden, seed)
        self.rules = view.rules
        self._tables = tables_of(view.rules)
        kinds = {name: kind for kind, name in enumerate(view.rules.kinds)}
        self._faces = [-1 if face is None else kinds[face] for face in view.faces]
        self._rolled, self._saved, self._stolen, self._at_risk = view.rolled, view.saved, view.stolen, view.at_risk
        self._roll = view.roll
        self._piece = view.piece
        self._completed = list(view.completed)
        self._declined = dict(hidden.declined)
        self._dollars = [*view.dollars, view.thief] if view.rules.thief else list(view.dollars)
        self._cards = [list(cards) for cards in zip(view.tops, view.bottoms, strict=True)]
        self._singles = [list(cards) for cards in hidden.singles]
        self._queue = self._still_to_harvest(view.seat) if view.decision is moves.DiceDecision.HARVEST else []
        deck = bytearray(b"\1") * len(view.rules.cards)
        for cards in (*self._cards, *self._singles):
            for card in cards:
                deck[card] = 0
        gone = sum(map(len, self._cards)) + sum(map(len, self._singles))
        if deck.count(1) != view.deck or gone + view.deck != len(deck):
            raise game.SetupError(f"the view and the hidden cards do not leave {view.deck} cards for the deck")
        self._pile = Pile.holding(seed, deck, self.seats + len(self._dollars), [])

    def _reseed(self, seed: bytes) -> None:
        super()._reseed(seed)
        self._pile.reseed(seed)

    def view(self, seat: int, *, news: bool = True) -> DiceView:
        names = self._tables.names
        asked = seat in self._asked
        return _new_view(
            self.rules,
            seat,
            self._decision if asked else moves.DiceDecision.WAIT,
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
            self._news(seat) if news else (),
        )

    # Hooks of the games

    @abstractmethod
    def _save_chosen(self, dice: tuple[int, ...]) -> None:
        """Save `dice` for the active player."""

    @abstractmethod
    def _go_on(self) -> None:
        """Ask the next seat that waits to harvest, or continue the turn."""

    @abstractmethod
    def _still_to_harvest(self, seat: int) -> list[int]:
        """Return `seat`, which was just asked to harvest, and the seats that may be asked after it."""

    @abstractmethod
    def _beans_for(self, seat: int) -> Code:
        """Return the beans that `seat` may use for orders of its next card after a harvest."""

    @abstractmethod
    def _end_game(self) -> None:
        """End the game, in the last turn or when a seat has reached the target."""

    # Answers

    def _answer_harvest(self, seat: int, action: game.Action) -> None:
        if type(action) is not Pass:
            raise wrong_action(action, "harvest the top card, or pass")
        self._declined[seat] = self._harvest_state(seat)
        self._queue.pop(0)
        self._go_on()

    def _is_to_be_asked(self, seat: int) -> bool:
        """Return whether `seat` can harvest and has not declined in this turn in the same state."""
        return self._may_harvest(seat) and self._declined.get(seat) != self._harvest_state(seat)

    def _harvest_state(self, seat: int) -> tuple[int, ...]:
        """Return the state on which a seat's decision to harvest depends: completed orders, and everybody's dollars."""
        return (self._completed[seat], *self._dollars)

    def _answer_save(self, seat: int, action: game.Action) -> None:
        del seat
        if type(action) is not moves.Save:
            raise wrong_action(action, f"save at least one of the dice {self._rolled}, or harvest if you can")
        self._check_save(action.dice)
        self._save_chosen(action.dice)

    def _harvest_first(self, seat: int, action: moves.HarvestTop) -> None:
        del action
        done = self._completed[seat]
        if not self._may_harvest(seat):
            raise game.IllegalActionError(f"completed orders of your top card: {done}; a harvest needs at least three")
        self._harvest(seat)
        self._check(seat, self._beans_for(seat))

    def _after_free_step(self, seat: int) -> None:
        if self._dollars[seat] >= self.rules.target:
            self._end_game()
        else:
            self._go_on()

    # Rolling and saving

    def _roll_dice(self, dice: tuple[int, ...], *, again: bool = False) -> None:
        self._roll += 1
        self._rolled = dice
        thrown = self._thrown(f"dice/{self._turn}/{self._roll}", dice)
        for die, kind in zip(dice, thrown, strict=True):
            self._faces[die] = kind
        kinds = self.rules.kinds
        self._events.append(
            moves.Rolled(self._active, self._roll, dice, tuple([kinds[kind] for kind in thrown]), again)
        )

    def _thrown(self, key: str, dice: tuple[int, ...]) -> list[int]:
        """Return the kind that each of `dice` shows; a die's result does not depend on the other dice thrown."""
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
        raise game.IllegalActionError(
            f"save one or more of the dice just rolled, {self._rolled}, ascending; not {game.brief(dice)}"
        )

    def _save(self, dice: tuple[int, ...]) -> None:
        self._saved = tuple(sorted(self._saved + dice))
        self._rolled = tuple([die for die in self._rolled if die not in dice])
        self._events.append(moves.Saved(self._active, dice))

    def _beans(self, dice: tuple[int, ...]) -> Code:
        digits, faces = self._tables.digits, self._faces
        return sum([digits[faces[die]] for die in dice])

    # Completing orders and harvesting

    def _check(self, seat: int, beans: Code) -> int:
        """Complete the next orders of the top card of `seat`, from the bottom, that `beans` meet; return how many."""
        met = self._tables.met(self._cards[seat][0], beans)
        done = before = self._completed[seat]
        while met >> done & 1:
            done += 1
        if done > before:
            self._completed[seat] = done
            self._events.append(moves.OrdersCompleted(seat, done - before, done))
        return done - before

    def _may_harvest(self, seat: int) -> bool:
        return self.rules.dollars[self._completed[seat]] > 0

    def _harvest(self, seat: int) -> None:
        """Turn the top card of `seat` into dollars; the bottom card becomes the top card."""
        done = self._completed[seat]
        card, dollars = self._cards[seat].pop(0), self.rules.dollars[done]
        self._events.append(moves.CardHarvested(seat, card, done, dollars))
        self._take_dollars(seat, card, dollars)
        self._completed[seat] = 0
        self._draw_card(seat)

    def _take_dollars(self, holder: int, card: int, dollars: int) -> None:
        """Make `card` the first new dollar of `holder`, and draw the other dollars."""
        self._dollars[holder] += dollars
        self._singles[holder].append(card)
        drawn: list[int] = []
        for _ in range(dollars - 1):
            if not self._pile.size:
                self._log_dollars(holder, drawn)
                drawn = []
                self._renew_deck()
            drawn.append(self._pile.draw(self.seats + holder))
            self._singles[holder].append(drawn[-1])
        self._log_dollars(holder, drawn)

    def _log_dollars(self, holder: int, drawn: list[int]) -> None:
        if drawn:
            self._events.append(moves.DollarsDrawn(holder, len(drawn), tuple(drawn)))

    def _draw_card(self, seat: int) -> None:
        if not self._pile.size:
            self._renew_deck()
        card = self._pile.draw(seat)
        self._cards[seat].append(card)
        self._events.append(moves.CardDrawn(seat, card))

    def _renew_deck(self) -> None:
        """Exchange the five oldest single dollars of the richest player for a marker; they become the new deck."""
        able = [holder for holder, singles in enumerate(self._singles) if len(singles) >= _MARKER]
        richest = max(able, key=lambda holder: (self._dollars[holder], -holder))
        traded = self._singles[richest][:_MARKER]
        del self._singles[richest][:_MARKER]
        self._pile.discards = traded[:]
        self._pile.shuffle()
        self._events.append(moves.DeckRenewed(richest, self._pile.number, tuple(traded)))

    _FREE: ClassVar[Mapping[type[game.Action], Step]] = {moves.HarvestTop: _harvest_first}
