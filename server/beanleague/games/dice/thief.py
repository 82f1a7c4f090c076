"""The dice game for one player against the Bean Thief, in the order of its rules."""

from collections.abc import Mapping
from typing import ClassVar

from beanleague.games.core.game import Action, IllegalActionError, Option, Outcome, brief
from beanleague.games.core.moves import TurnStarted
from beanleague.games.core.phased_game import Step, wrong_action
from beanleague.games.dice import moves
from beanleague.games.dice.orders import Code
from beanleague.games.dice.rules import DiceHidden, ThiefRules
from beanleague.games.dice.table import DiceTable
from beanleague.games.dice.view import DiceView

PLAYER = 0  # seat of the only player


class BeanThief(DiceTable):
    """A game of `bean-thief-easy`, `-normal`, `-hard` or `-very-hard`."""

    __slots__ = ("_progress", "_thief")

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        super().__init__(ruleset, seats, seed, options)
        assert self.rules.thief is not None
        self._thief: ThiefRules = self.rules.thief
        self._active = PLAYER
        self._progress = False  # whether an order was completed in this turn
        self._start_turn()

    def _resume(self, view: DiceView, hidden: DiceHidden, seed: bytes) -> None:
        super()._resume(view, hidden, seed)
        assert self.rules.thief is not None
        self._thief = self.rules.thief
        self._progress = hidden.progress

    def _still_to_harvest(self, seat: int) -> list[int]:
        return [seat]

    # Gameplay

    def _start_turn(self) -> None:
        self._turn += 1
        self._events.append(TurnStarted(self._turn, PLAYER))
        self._faces = [-1] * len(self._faces)
        self._saved = self._stolen = ()
        self._roll = 0
        self._progress = False
        self._declined = {}
        self._queue = [PLAYER]
        self._go_on()

    def _go_on(self) -> None:
        """Ask the player to harvest if it is time; otherwise roll, lose a die, save, or end the turn."""
        if self._queue and self._is_to_be_asked(PLAYER):
            self._ask(moves.DiceDecision.HARVEST, PLAYER)
            return
        self._queue = []
        if not self._roll:
            self._roll_what_is_left()
        elif self._at_risk:
            self._ask_to_lose()
        elif self._rolled:
            self._ask_to_save()
        else:
            self._super_steal()

    def _roll_what_is_left(self) -> None:
        self._roll_dice(self._free_dice())
        self._ask_to_save()

    def _ask_to_save(self) -> None:
        """Ask the player to save dice, unless the only choice is to save one die."""
        if len(self._rolled) == 1 and not self._may_harvest(PLAYER):
            self._save_chosen(self._rolled)
        else:
            self._ask(moves.DiceDecision.SAVE, PLAYER)

    def _save_chosen(self, dice: tuple[int, ...]) -> None:
        self._save(dice)
        self._rolled = ()
        self._check(PLAYER, self._beans(self._saved))
        if not self._free_dice():
            self._queue = [PLAYER]
            self._go_on()
        elif len(dice) == 1:
            self._steal_from_field()
        else:
            self._roll_what_is_left()

    def _free_dice(self) -> tuple[int, ...]:
        """Return the dice that are neither in the field nor stolen."""
        gone = self._saved + self._stolen
        return tuple([die for die in self._tables.all_dice if die not in gone])

    def _check(self, seat: int, beans: Code) -> int:
        completed = super()._check(seat, beans)
        self._progress |= completed > 0
        return completed

    def _beans_for(self, seat: int) -> Code:
        del seat
        return self._beans(self._saved)

    # Beanfield stealing - when you plant only 1 bean from a roll

    def _steal_from_field(self) -> None:
        dice, kinds = self._free_dice(), self.rules.kinds
        thrown = self._thrown(f"steal/{self._turn}/{self._roll}", dice)
        self._events.append(moves.ThiefRolled(dice, tuple([kinds[kind] for kind in thrown])))
        self._at_risk = tuple([die for die in self._saved if self._faces[die] in thrown])
        if self._at_risk:
            self._ask_to_lose()
        else:
            self._roll_what_is_left()

    def _ask_to_lose(self) -> None:
        """Ask the player which die the Thief takes, unless all are alike."""
        if len({self._faces[die] for die in self._at_risk}) == 1 and not self._may_harvest(PLAYER):
            self._lose(self._at_risk[0])
        else:
            self._ask(moves.DiceDecision.LOSE, PLAYER)

    def _answer_lose(self, seat: int, action: Action) -> None:
        del seat
        if type(action) is not moves.LoseDie:
            raise wrong_action(
                action, f"choose which of the dice {self._at_risk} the Thief takes, or harvest if you can"
            )
        if type(action.die) is not int or action.die not in self._at_risk:
            raise IllegalActionError(f"the Thief must take one of the dice {self._at_risk}, not {brief(action.die)}")
        self._lose(action.die)

    def _lose(self, die: int) -> None:
        self._at_risk = ()
        self._saved = tuple([other for other in self._saved if other != die])
        self._stolen += (die,)
        self._events.append(moves.DieStolen(die))
        self._roll_what_is_left()

    # Super-steals - at the end of every turn

    def _super_steal(self) -> None:
        if not self._progress and self._thief.takes_idle:
            self._take_card(0, 0, 1)
            self._draw_card(PLAYER)
        if (self._progress or self._thief.idle_steals) and not self._thief_has_won():
            self._roll_for_cards()
        if self._thief_has_won() or self._turn >= self.rules.most_turns:
            self._end_game()
        else:
            self._start_turn()

    def _roll_for_cards(self) -> None:
        thrown = self._thrown(f"super-steal/{self._turn}", self._tables.all_dice)
        kinds, digits = self.rules.kinds, self._tables.digits
        self._events.append(moves.SuperStealRolled(tuple([kinds[kind] for kind in thrown])))
        beans = sum([digits[kind] for kind in thrown])
        top, bottom = self._cards[PLAYER]
        both = self._thief.both_cards and self._may_harvest(PLAYER)
        top_order = self._most_valuable(top, self._completed[PLAYER], beans)
        bottom_order = self._most_valuable(bottom, 0, beans) if both else 0
        if bottom_order:  # checked before the top card: losing the top card would move the bottom card up
            self._take_card(-1, bottom_order, self.rules.dollars[bottom_order] - 1)
        if top_order:
            self._take_card(0, top_order, self.rules.dollars[top_order] - 1)
        while len(self._cards[PLAYER]) < 2:
            self._draw_card(PLAYER)

    def _most_valuable(self, card: int, completed: int, beans: Code) -> int:
        """Return the highest of the top three uncompleted orders of `card` that `beans` meet, or 0."""
        met = self._tables.met(card, beans)
        orders = len(self.rules.cards[card].orders)
        return next((i + 1 for i in reversed(range(max(completed, orders - 3), orders)) if met >> i & 1), 0)

    def _take_card(self, position: int, order: int, dollars: int) -> None:
        card = self._cards[PLAYER].pop(position)
        self._completed[PLAYER] = 0
        self._events.append(moves.CardStolen(card, order, position != 0, dollars))
        self._take_dollars(moves.THIEF, card, dollars)

    # The end

    def _thief_has_won(self) -> bool:
        return self._dollars[moves.THIEF] >= self.rules.target

    def _end_game(self) -> None:
        """End the game: reaching the target wins; after the last turn the richer side wins, the Thief on a tie."""
        self._at_risk = ()
        dollars, thief = self._dollars
        won = dollars > thief
        self._end(Outcome((dollars,), (1 if won else 2,), rival=thief), moves.SoloEnded(dollars, thief, won))

    _PHASES: ClassVar[Mapping[moves.DiceDecision, Step]] = {
        moves.DiceDecision.HARVEST: DiceTable._answer_harvest,
        moves.DiceDecision.SAVE: DiceTable._answer_save,
        moves.DiceDecision.LOSE: _answer_lose,
    }
