"""Places of matches in which seats forfeited."""

from __future__ import annotations

from itertools import product

import pytest

from beanleague.games import Action, new_game
from beanleague.games.bohnanza import Call, Counter, Decline, Refuse, Stop
from beanleague.games.core import Pass, Plant
from beanleague.games.records.faults import Fault, league_places, places_with_forfeits


@pytest.mark.parametrize(
    ("places", "forfeited_at", "expected"),
    [
        ((3, 1, 2), (None, None, None), (3, 1, 2)),
        ((3, 1, 2), (None, 5, None), (2, 3, 1)),
        ((1, 2, 3, 4), (9, None, 4, None), (3, 1, 4, 2)),
        ((1, 2, 3, 4), (9, None, 9, None), (3, 1, 3, 2)),
        ((1, 1, 3, 4), (None, None, None, 0), (1, 1, 3, 4)),
        ((1, 2, 2, 4), (7, None, None, None), (4, 1, 1, 3)),
        ((1, 2, 3), (2, 1, 0), (1, 2, 3)),
        ((3, 2, 1), (2, 1, 0), (1, 2, 3)),
        ((1, 2, 3), (6, 6, 6), (1, 1, 1)),
    ],
)
def test_seats_that_forfeited_come_last_and_the_later_one_is_better(
    places: tuple[int, ...], forfeited_at: tuple[int | None, ...], expected: tuple[int, ...]
) -> None:
    """Others close up and keep their order; of the seats that forfeited the later ranks higher, equal ones tie."""
    assert places_with_forfeits(places, forfeited_at) == expected


def test_places_are_always_a_ranking() -> None:
    """Each place is one more than the number of better ones, whatever the ties and forfeits."""
    for places in [(1, 2, 3), (1, 1, 3), (1, 2, 2), (1, 1, 1), (2, 3, 1)]:
        for forfeited_at in product([None, 0, 1], repeat=3):
            found = places_with_forfeits(places, forfeited_at)
            assert all(place == 1 + sum(other < place for other in found) for place in found)


def test_lengths_that_differ_are_refused() -> None:
    """A moment too few is a mistake of the caller, not a seat that stayed."""
    with pytest.raises(ValueError, match="shorter"):
        places_with_forfeits((1, 2, 3), (None, None))


def test_answers_to_one_offer_happen_at_the_same_moment() -> None:
    """All answers to an offer share a moment; what comes before and after them has later and later ones."""
    moves: list[tuple[int, Action]] = [
        (0, Plant(0)),
        (0, Pass()),
        (0, Call((1, 2))),
        (1, Decline()),
        (2, Counter((0,))),
        (0, Refuse()),
    ]
    moves += [(0, Call((1, 2))), (2, Decline()), (1, Decline()), (0, Stop())]
    game = new_game("bohnanza", seats=3, seed=b"seed")
    moments = []
    for seat, action in moves:
        moments.append(game.moment)
        game.apply(seat, action)
    first = moments[0]
    assert [moment - first for moment in moments] == [0, 1, 2, 3, 3, 4, 5, 6, 6, 7]


def test_seats_that_forfeit_while_answering_the_same_offer_tie() -> None:
    """Which of two simultaneous answers was applied first decides nothing."""
    moments = [4, 5, 5, 6]
    faults = [Fault(seat, seat, "timeout", "", True) for seat in (1, 2)]
    assert league_places((3, 2, 1), moments, faults) == (1, 2, 2)


def test_a_seat_forfeits_by_its_first_fault_that_says_so() -> None:
    """Strikes before and faults after it change nothing."""
    faults = [
        Fault(1, 1, "illegal", "", False),
        Fault(1, 6, "crash", "", True),
        Fault(0, 4, "crash", "", True),
        Fault(0, 8, "crash", "", True),
    ]
    assert league_places((1, 2, 3), range(9), faults) == (3, 2, 1)


def test_a_single_seat_keeps_its_place_behind_the_thief_and_loses_by_a_forfeit() -> None:
    assert places_with_forfeits([2], [None]) == (2,)
    assert places_with_forfeits([1], [None]) == (1,)
    assert places_with_forfeits([1], [5]) == (2,)
