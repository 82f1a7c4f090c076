"""What the authors of entries are foretold."""

from pathlib import Path

from beanleague.league.ladder.changing import LadderRequest, create_ladder, enter
from beanleague.league.ladder.entries import deals_needed, forecasts
from beanleague.model import EntryState
from tests.league.helpers import store_with_bots

SLOW_FIELD = [(55, 40), (58, 39), (110, 28), (346, 19), (768, 12)]
"""Deals and half-widths in Elo of bots whose deals scatter nearly twice as much as those of docs/ladder.md."""


def test_a_newcomer_needs_as_many_deals_as_those_that_were_placed_last() -> None:
    assert deals_needed(SLOW_FIELD) == 55
    assert deals_needed([*SLOW_FIELD, *[(36, 40)] * 9]) == 36
    assert deals_needed([(29, 60), (4, 140)]) == 30, "nobody has played enough to tell"
    assert deals_needed([(120, 80)] * 3) == 120, "after which it is rated in any case"


def test_an_entry_that_has_played_is_foretold_what_its_own_deals_say(tmp_path: Path) -> None:
    with store_with_bots(tmp_path / "beans.db", 8) as store:
        request = LadderRequest(name="spring", ruleset="bohnanza", without_house_bots=True, anchor="bot0")
        league = create_ladder(store, request)
        for bot in range(1, 8):
            enter(store, "spring", f"bot{bot}")
        entrants = store.leagues.entrants(league.id)
        states = {entrant.number: EntryState.RATED for entrant in entrants[:5]}
        states |= {entrant.number: EntryState.PLACING for entrant in entrants[5:]}
        deals = [*(deals for deals, _ in SLOW_FIELD), 0, 9, 20]
        widths = dict(enumerate([*(width for _, width in SLOW_FIELD), 686, 100, 60]))
        found = forecasts(store, league, entrants, states, deals, widths, 0.0)
    assert [found[number].deals for number in (5, 6, 7)] == [55, 46, 25]
