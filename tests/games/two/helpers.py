"""Games for two in a chosen state."""

from collections.abc import Mapping, Sequence

from beanleague.games.two.game import BohnanzaTwo
from tests.games.bohnanza.helpers import arrange
from tests.games.helpers import begin, part


def scripted(
    *,
    hands: Sequence[str] = (),
    fields: Mapping[tuple[int, int], str] | None = None,
    open_cards: str = "",
    pile: str = "wax wax wax wax wax wax wax",
    discard: str = "",
    dollars: Sequence[int] = (),
    earned: Sequence[str] = (),
) -> BohnanzaTwo:
    """Return a game at the start of a turn of seat 0, with just these cards; kinds are separated by blanks.

    `fields[seat, field]`: cards there. `open_cards`: what seat 1 left. `pile`: in the order in which they are drawn,
    whoever draws. `discard`: its top card last. `dollars`: per seat; or `earned`, the cards they are.
    """
    game = BohnanzaTwo(2, b"seed", {})
    arrange(
        game, [f"{open_cards} {hands[0] if hands else ''}", *hands[1:]], fields or {}, pile, discard, dollars, earned
    )
    count = len(open_cards.split())
    first, second = part(game, "hands")
    return begin(game, open=first[:count], hands=[first[count:], second])
