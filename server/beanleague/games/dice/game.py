"""The dice game for several players: a turn in the order of the rule book."""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from beanleague.games.core.game import Action, IllegalActionError, Option, Outcome, Ruleset
from beanleague.games.core.kinds import DECK_OPTION
from beanleague.games.core.moves import GameEnded
from beanleague.games.core.phased_game import Step
from beanleague.games.dice.moves import DiceDecision, RollAgain
from beanleague.games.dice.orders import Code
from beanleague.games.dice.rules import dice_rulesets
from beanleague.games.dice.table import DiceTable
from beanleague.games.dice.thief import BeanThief


class DiceGame(DiceTable):
    """A game of `dice` or `dice-2012`."""

    __slots__ = ()

    def __init__(self, ruleset: str, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        super().__init__(ruleset, seats, seed, options)
        self._start_turn()

    # 1. Roll the bean dice

    def _start_turn(self) -> None:
        self._begin_turn()
        self._faces = [-1] * len(self._faces)
        self._saved = ()
        self._roll = 0
        self._piece = self.rules.piece
        self._declined = {}
        self._queue = [self._active]
        self._go_on()

    def _roll_and_check(self, dice: tuple[int, ...], *, again: bool = False) -> None:
        self._roll_dice(dice, again=again)
        self._others_profit()

    def _save_chosen(self, dice: tuple[int, ...]) -> None:
        self._save(dice)
        left, self._rolled = self._rolled, ()
        if left:
            self._roll_and_check(left)
        else:
            self._stop_rolling()

    def _ask_to_save(self) -> None:
        """Ask the active player, unless its only choice is to save its one die."""
        if len(self._rolled) == 1 and not self._piece and not self._may_harvest(self._active):
            self._save_chosen(self._rolled)
        else:
            self._ask(DiceDecision.SAVE, self._active)

    # 2. All other players profit from your dice rolls

    def _others_profit(self) -> None:
        """Let the other players check the dice just rolled, then ask them to harvest, clockwise."""
        beans = self._beans(self._rolled)
        others = self._left_of_active()[:-1]
        for seat in others:
            self._check(seat, beans)
        self._queue = others
        self._go_on()

    # 3. Use the bean piece to repeat a roll

    def _save_or_repeat(self, seat: int, action: Action) -> None:
        if type(action) is not RollAgain:
            self._answer_save(seat, action)
            return
        if not self._piece:
            why = "is used" if self.rules.piece else "does not exist in this game"
            raise IllegalActionError(f"the bean piece {why}: save at least one of the dice {self._rolled}")
        self._piece = False
        self._roll_and_check(self._rolled, again=True)

    # 4. Stop rolling the dice and check your own harvest card

    def _stop_rolling(self) -> None:
        self._check(self._active, self._beans(self._saved))
        self._queue = self._left_of_active()
        self._go_on()

    # Harvesting beans

    def _go_on(self) -> None:
        """Ask the next waiting seat that can harvest; otherwise roll, save, or end the turn."""
        while self._queue and not self._is_to_be_asked(self._queue[0]):
            self._queue.pop(0)
        if self._queue:
            self._ask(DiceDecision.HARVEST, self._queue[0])
        elif not self._roll:
            self._roll_and_check(self._tables.all_dice)
        elif self._rolled:
            self._ask_to_save()
        elif self._turn < self.rules.most_turns:
            self._start_turn()
        else:
            self._end_game()

    def _beans_for(self, seat: int) -> Code:
        """Return the dice just rolled, or none for the active player, who checks once, after saving all dice.

        In the harvest round after that, no dice are rolled: a late harvest checks nothing.
        """
        return 0 if seat == self._active else self._beans(self._rolled)

    def _still_to_harvest(self, seat: int) -> list[int]:
        if not self._roll:
            return [seat]
        seats = self._left_of_active()[:-1] if self._rolled else self._left_of_active()
        return seats[seats.index(seat) :]

    def _left_of_active(self) -> list[int]:
        """Return all seats clockwise, from the left of the active player to the active player."""
        return self._clockwise_from(self._active + 1)

    # The end of the game

    def _end_game(self) -> None:
        """Save the rolled dice, check orders for the last time, and let every seat harvest that can."""
        if self._rolled:
            self._save(self._rolled)
            self._check(self._active, self._beans(self._saved))
        for seat in self._left_of_active():
            if self._may_harvest(seat):
                self._harvest(seat)
        dollars = tuple(self._dollars)
        places = tuple([1 + sum(other > own for other in dollars) for own in dollars])
        self._end(Outcome(dollars, places), GameEnded(dollars, places))

    _PHASES: ClassVar[Mapping[DiceDecision, Step]] = {
        DiceDecision.HARVEST: DiceTable._answer_harvest,
        DiceDecision.SAVE: _save_or_repeat,
    }


RULESETS = tuple(
    Ruleset.of(
        dice,
        new=partial(BeanThief if dice.thief else DiceGame, dice.id),
        from_view=(BeanThief if dice.thief else DiceGame).from_view,
        options={"deck": DECK_OPTION},
    )
    for dice in dice_rulesets().values()
)
"""Rulesets of the dice games, for several players and solo against the Thief."""
