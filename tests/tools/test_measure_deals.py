"""The program that measures what replaying deals is worth."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from beanleague.games import new_game
from beanleague.games.core import chance

ROOT = Path(__file__).parents[2]


def deals_of_two(lead_of_seat: np.ndarray, lead_of_bot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Deals of bots 0 and 1 in both seats: who sits where, places, scores. Leads are of seat 0, and of bot 0."""
    seatings = np.array([[[0, 1], [1, 0]]] * len(lead_of_seat))
    lead = lead_of_seat[:, None] + np.array([1, -1]) * lead_of_bot  # of seat 0, in each match
    scores = np.stack([lead, np.zeros_like(lead)], axis=2)
    return seatings, np.where(scores == scores.max(axis=2, keepdims=True), 1, 2), scores


def test_rotations_take_out_the_luck_of_a_seat_and_leave_what_the_bots_do(tool: ModuleType) -> None:
    rng = np.random.default_rng(4)
    luck, skill = rng.normal(0, 3, 4000), rng.normal(0, 1, (4000, 2))
    played = tool.Played(*deals_of_two(luck, skill))
    assert tool._of_dollars(played)[0, 1] == pytest.approx(1, rel=0.08)
    assert tool._of_dollars(played.apart())[0, 1] == pytest.approx(10, rel=0.08)
    assert tool._of_ratings(played)[0, 1] < 0.3 * tool._of_ratings(played.apart())[0, 1]


def test_matches_that_have_no_luck_in_common_gain_nothing_by_rotations(tool: ModuleType) -> None:
    rng = np.random.default_rng(5)
    played = tool.Played(*deals_of_two(np.zeros(4000), rng.normal(0, 1, (4000, 2))))
    for measure in (tool._of_dollars, tool._of_ratings):
        assert measure(played)[0, 1] == pytest.approx(measure(played.apart())[0, 1], rel=0.1)


def test_with_a_common_order_every_seat_draws_from_the_same_one(tool: ModuleType) -> None:
    def hands() -> list[tuple[str, ...]]:
        game = new_game("bohnanza", seats=3, seed=b"a seed")
        return [game.view(seat).hand for seat in range(3)]  # type: ignore[attr-defined]

    own = hands()
    with tool._common_draw_order():
        common = hands()
    assert hands() == own
    stack = chance.order(b"a seed", "draw/0/0", 104)[:15]
    kinds = new_game("bohnanza", seats=3, seed=b"a seed").view(0).rules.kinds  # type: ignore[attr-defined]
    names = [kind.name for kind in kinds for _ in range(kind.cards)]
    assert common == [tuple(names[card] for card in stack[seat::3]) for seat in range(3)]


def test_the_table_has_a_line_for_every_two_bots(
    tool: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [str(ROOT / "bots" / name) for name in ("farmer", "random", "farmer")]
    monkeypatch.setattr("sys.argv", ["measure_deals.py", "--deals", "3", *bots])
    monkeypatch.setattr(tool, "RESAMPLES", 5)
    tool.main()
    heading, _, _, *lines = capsys.readouterr().out.splitlines()
    assert heading == "bohnanza, 3 seats, 3 deals of 3 matches: variance per match"
    assert [line.split()[0] for line in lines] == ["Elo"] * 3 + ["dollars"] * 3
    assert all(line.count("±") == 3 for line in lines)
