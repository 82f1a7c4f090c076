"""The viewer's component data are those of the rules."""

import runpy
from pathlib import Path


def test_the_viewer_has_the_kinds_and_decks_of_the_games() -> None:
    tool = runpy.run_path(str(Path(__file__).parents[2] / "tools/make_viewer_data.py"))
    written = tool["FILE"].read_text(encoding="utf-8")
    assert written == tool["text"](), "it is not current: run python tools/make_viewer_data.py"
