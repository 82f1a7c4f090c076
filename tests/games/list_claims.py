"""What the contract says of lists of actions."""

from collections import Counter

from beanleague.games import Action, Game
from beanleague.games.bohnanza import Pick
from beanleague.games.core.game import in_turn
from tests.games.hidden import rearranged
from tests.games.played import Table

LOOKS = 3
"""How often a list is looked at for each pair of decisions."""


def goes_on(game: Game, seat: int, action: Action) -> bool:
    """Play the first of two actions of `seat`; return whether the second would be played as well."""
    actions = in_turn(game, seat, (action, action))
    game.apply(seat, next(actions))
    return next(actions, None) is not None


def a_list_goes_on_only_while_nothing_hidden_shows(table: Table) -> None:
    """Whatever is hidden from the seat: it would see the same when its next action is played.

    But for a pick: what it brings was said before, and could not be otherwise.
    """
    looked: Counter[tuple[str, str]] = Counter()
    for index, (game, move) in enumerate(table.replayed()):
        seat, decisions = move.seat, (*table.decisions[index : index + 2], "")
        pair = decisions[0], decisions[1]
        if [later.seat for later in table.moves[index + 1 : index + 2]] != [seat] or looked[pair] == LOOKS:
            continue
        after = game.copy()
        if goes_on(after, seat, move.action) and not isinstance(move.action, Pick):
            looked[pair] += 1
            other = rearranged(game, seat, index)
            assert goes_on(other, seat, move.action), pair
            assert other.view(seat) == after.view(seat), pair
