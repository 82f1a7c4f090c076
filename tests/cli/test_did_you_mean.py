"""Names that people mistype at the command line are recognised."""

import pytest

from tests.cli.conftest import On


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("standing spring", "no command 'standing'; did you mean 'standings'?"),
        ("league creat x", "no command 'creat'; did you mean 'create'?"),
        ("bot shw ann", "no command 'shw'; did you mean 'show'?"),
        ("match xyz", "no command 'xyz'; there are: "),
        ("league show sprng", "there is no league 'sprng'; did you mean 'spring'?"),
        ("standings Spring", "there is no league 'Spring'; did you mean 'spring'?"),
        ("match show sprint/1.0", "there is no league 'sprint'; did you mean 'spring'?"),
        ("bot show anne", "there is no bot 'anne'; did you mean 'ann'?"),
        ("bot logs ben1@1", "there is no bot 'ben1'; did you mean 'ben'?"),
        ("league add spring cidd", "there is no bot 'cidd'; did you mean 'cid'?"),
        ("match list spring --bot an", "an does not play in the league spring; did you mean 'ann'?"),
        ("bot check farmr", "the name of a house bot; did you mean 'farmer'?"),
        ("play --game bohnanza --against farmr,trader", "there is no bot 'farmr'; did you mean 'farmer'?"),
        ("bot new mine --game bohnanzza", "unknown ruleset 'bohnanzza'; did you mean 'bohnanza'?"),
        ("quickstart --game duell", "unknown ruleset 'duell'; did you mean 'duel'?"),
        ("league create x --game bonanza", "unknown ruleset 'bonanza'; did you mean 'bohnanza'?"),
        ("league create x --game bohnanza --option max_round=3", "no option 'max_round'; did you mean 'max_rounds'?"),
        ("league create x --game bohnanza --deal 3", "No such option '--deal'"),
    ],
)
def test_a_mistyped_name_is_recognised(on: On, spring: str, words: str, end: str) -> None:
    result = on(*words.split())
    assert result.exit_code != 0
    assert end in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
