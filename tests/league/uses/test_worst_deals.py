"""The worst match of a deal is found by what others earned in the same seat."""

import pytest

from beanleague.league.uses.worst_deals import lost_most
from beanleague.model import Match, SeatResult


def match(rotation: int, *seats: tuple[int, int]) -> Match:
    """A match of deal 1; for each seat the entrant and its score."""
    results = tuple(SeatResult(entrant, score, 1, 9, 0, forfeited=False) for entrant, score in seats)
    return Match(1, rotation, results, 0.0)


@pytest.mark.parametrize(
    ("own", "others", "worst"),
    [
        pytest.param((3, 4), (9, 5), 0, id="another earned six more in the first seat"),
        pytest.param((9, 2), (8, 7), 1, id="another earned five more in the second"),
        pytest.param((1, 5), (2, 9), 1, id="in a seat that is poor for everybody it lost little"),
    ],
)
def test_a_bot_lost_most_where_others_earned_more_in_its_seat(
    own: tuple[int, int], others: tuple[int, int], worst: int
) -> None:
    """Entrant 0 sits in the first seat in rotation 0, and in the second in rotation 1; by seat, as are the scores."""
    matches = [match(0, (0, own[0]), (1, others[1])), match(1, (1, others[0]), (0, own[1]))]
    assert lost_most(matches, 0).rotation == worst


def test_copies_of_a_bot_are_no_others() -> None:
    """Entrant 0 holds two seats of three; only what entrants 1 and 2 earned there counts."""
    matches = [match(0, (0, 5), (0, 9), (1, 6)), match(1, (1, 7), (2, 8), (0, 1)), match(2, (2, 5), (1, 4), (0, 2))]
    assert lost_most(matches, 0).rotation == 1
