"""The list of rulesets. That each can be set up and played is in the contract."""

from __future__ import annotations

import pytest

from beanleague.games import UnknownRulesetError, new_game, ruleset, rulesets


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
