"""`beanleague games`: what can be played."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from beanleague.games import RULES_VERSION, rulesets

Run = Callable[..., Result]

GAMES = {
    "bohnanza": ("3-5", "Amigo", ["max_rounds"]),
    "bohnanza-extended": ("3-7", "Amigo", ["max_rounds"]),
    "bohnanza-classic": ("3-7", "1997", ["max_rounds"]),
    "bohnanza-two": ("2", "1997", []),
    "duel": ("2", "Amigo", ["deck"]),
    "dice": ("2-5", "Amigo, 2022", ["deck"]),
    "dice-2012": ("2-5", "Amigo, 2012", ["deck"]),
    "bean-thief-easy": ("1", "2020", ["deck"]),
    "bean-thief-normal": ("1", "2020", ["deck"]),
    "bean-thief-hard": ("1", "2020", ["deck"]),
    "bean-thief-very-hard": ("1", "2020", ["deck"]),
}


def test_the_rulesets_of_the_rule_books_are_listed_with_players_source_and_the_options_one_can_set(
    run: Run, tmp_path: Path
) -> None:
    output = run("--db", str(tmp_path / "a.db"), "games").output
    lines = {line.split()[0]: line for line in output.splitlines() if line.split()}
    for game, (players, source, options) in GAMES.items():
        assert lines[game].split()[1] == players
        assert source in lines[game]
        assert all(option in lines[game] for option in options)
    assert "interludes" not in output


def test_the_same_as_json(run: Run, tmp_path: Path) -> None:
    answer = json.loads(run("--db", str(tmp_path / "a.db"), "games", "--json").stdout)
    listed = {game["id"]: [option["name"] for option in game["options"]] for game in answer["rulesets"]}
    assert answer["rules"] == RULES_VERSION
    assert list(listed) == [ruleset.id for ruleset in rulesets()]
    assert {game: listed[game] for game in GAMES} == {game: options for game, (_, _, options) in GAMES.items()}
