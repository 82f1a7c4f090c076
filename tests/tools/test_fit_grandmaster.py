"""The tool that fits grandmaster's network: what it learns from, that it learns, and that it can be repeated."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from beanbot import load_bot
from beanbot.practice import deals
from beanleague.games import Record

ROOT = Path(__file__).parents[2]
BOT = ROOT / "bots" / "grandmaster"


@pytest.fixture(scope="module")
def record() -> Record:
    """A match of four farmers."""
    kept: list[Record] = []
    next(deals([load_bot("farmer")], seats=4, keep=kept.append))
    return kept[0]


def test_an_example_has_what_the_bot_is_shown_and_what_the_seat_earns_later(tool: ModuleType, record: Record) -> None:
    home = load_bot(BOT).home
    assert home
    with home.entered():
        rows = list(tool.examples(record))
    turns = len([event for event in record.events if type(event).__name__ == "TurnStarted"])
    assert len(rows) == 4 * (turns - 1)
    assert [earned for _, earned in rows[:4]] == list(record.scores)
    assert all(0 <= earned <= score for (_, earned), score in zip(rows[-4:], record.scores, strict=True))
    assert all(np.isfinite(inputs).all() for inputs, _ in rows)


def test_a_fitted_network_ranks_positions_by_earnings(tool: ModuleType) -> None:
    random = np.random.default_rng(1)
    inputs = random.random((4000, 6)).astype(np.float32)
    earned = (5 * inputs[:, 0] + 2).astype(np.float32)
    data = tool.Examples(inputs, earned, np.arange(4000, dtype=np.int32))
    home = load_bot(BOT).home
    assert home
    with home.entered():
        output = importlib.import_module("network").output
        layers = tool.fit(data, output, 5.0, 1, rounds=0, epochs=25)
        guessed = output(inputs, tuple(layers))[:, 0] * 5
    assert np.abs(guessed - earned).mean() < 0.4
    assert np.abs(earned.mean() - earned).mean() > 1


def test_the_same_arguments_give_the_same_weights(tool: ModuleType, tmp_path: Path) -> None:
    for name in ("a", "b"):
        words = ["--deals", "1", "--rounds", "1", "--fits", "1", "--epochs", "1", "--out", str(tmp_path / name)]
        tool.main(words)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with np.load(tmp_path / "a") as new, np.load(BOT / "weights.npz") as kept:
        assert {name: new[name].shape for name in new.files} == {name: kept[name].shape for name in kept.files}
