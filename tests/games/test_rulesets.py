"""The list of rulesets, and what is said of names that do not exist. That each can be played is in the contract."""

import pytest

from beanleague.games import UnknownRulesetError, new_game, ruleset, rulesets
from beanleague.games.core.game import suggestion


def test_every_ruleset_is_found_by_its_id() -> None:
    assert all(ruleset(rules.id) is rules for rules in rulesets())
    assert len({rules.id for rules in rulesets()}) == len(rulesets())


@pytest.mark.parametrize(
    ("name", "there"),
    [("bonanza", r"did you mean 'bohnanza'\?"), ("", "there are: .*bohnanza"), ("BOHNANZA", "there are: .*bohnanza")],
)
def test_an_unknown_ruleset_is_refused_with_what_it_is_like_or_those_there_are(name: str, there: str) -> None:
    with pytest.raises(UnknownRulesetError, match=f"unknown ruleset '{name}'; {there}"):
        new_game(name, seats=3, seed=b"seed")


@pytest.mark.parametrize(
    ("name", "known", "end"),
    [
        ("farmr", ("dicer", "farmer"), "did you mean 'farmer'?"),
        ("Farmer", ("dicer", "farmer"), "did you mean 'farmer'?"),
        ("chess", ("dicer", "farmer"), "there are: dicer, farmer"),
        ("x", (), "there are: none"),
        (7, ("dicer",), "there are: dicer"),
        ("x", map(str, range(12)), "there are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        ("x", map(str, range(13)), "there are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..."),
    ],
)
def test_the_most_similar_name_is_suggested_or_else_names_are_listed(name: object, known: list[str], end: str) -> None:
    assert suggestion(name, known) == end
