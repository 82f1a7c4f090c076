"""Records of practice matches."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from beanbot import Action, View
from beanbot.bohnanza import Plant
from beanbot.practice import deals
from beanbot.practice.__main__ import main
from beanleague.games import Record, record_from_json, record_to_json, verify
from tests.sdk.helpers import Dull

RANDOM = str(Path(__file__).parents[3] / "bots" / "random")


class Wrong(Dull):
    """Plants in a field that it does not have, and fails when it is to trade."""

    games = ("bohnanza",)

    def decide(self, view: View) -> Action:
        if view.turn > 2:
            return view.default()
        if view.decision.name == "TRADE":
            raise ValueError("no idea\nat all")
        return Plant(9)


def test_a_record_of_practice_is_reproduced_and_has_the_faults() -> None:
    kept: list[Record] = []
    list(islice(deals([Wrong, Dull], seats=3, report=lambda *_: None, keep=kept.append), 1))
    assert len(kept) == 3
    for record in kept:
        assert verify(record).problem == ""
        assert record_from_json(record_to_json(record)) == record
        assert {fault.kind for fault in record.faults} == {"illegal", "error"}
        assert all(record.moves[fault.move].by_default for fault in record.faults)
    assert kept[0].players == ("Wrong", "Dull", "Wrong")


def test_records_are_written_to_a_folder_and_none_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [RANDOM, "--games", "2", "--game", "duel", "--record", str(tmp_path / "kept")]
    assert main(arguments) == 0
    assert sorted(file.name for file in (tmp_path / "kept").iterdir()) == ["1.0.json", "1.1.json"]
    assert verify(record_from_json((tmp_path / "kept/1.0.json").read_bytes())).problem == ""
    before = (tmp_path / "kept/1.0.json").read_bytes()
    capsys.readouterr()
    assert main([*arguments, "--seed", "2"]) == 1
    assert f"practice: cannot open {tmp_path / 'kept/1.0.json'}: File exists" in capsys.readouterr().err
    assert (tmp_path / "kept/1.0.json").read_bytes() == before
