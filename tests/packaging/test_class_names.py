"""A public class name means one thing, so that searching for it finds that."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONE_A_FAMILY = {"Ahead", "Remembered"}
"""What families of games each have under one name."""


def test_no_two_public_classes_share_a_name() -> None:
    files = [file for package in ("server", "sdk") for file in (ROOT / package).rglob("*.py")]
    nodes = [node for file in files for node in ast.parse(file.read_text("utf-8")).body]
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    assert len(names) > 500
    assert {name for name, number in names.items() if number > 1} == ONE_A_FAMILY
