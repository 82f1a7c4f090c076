"""What practice says of the difference between two bots."""

from beanbot.practice.result import Paired, Pairing, PracticeResult, as_text

ROWS = ()


def told(deals: int, error: float) -> str:
    """Return the results of so many deals, in which one bot did better. `error`: of its score."""
    places = Pairing("ann", "ben", deals, 0.75, error)
    paired = Paired("ann", "ben", deals, 2.5, 1.0, 0.2, 0.1, places)
    return as_text(PracticeResult("bohnanza", 3, deals, 3 * deals, ROWS, (places,), paired))


def test_one_deal_claims_no_elo_and_no_interval() -> None:
    text = told(1, 0.0)
    assert "75.0% of their meetings: one deal says nothing of Elo" in text
    assert "one deal: +2.50 dollars a match; play more deals to know how much of that is chance" in text
    assert "+191" not in text
    assert "±" not in text


def test_several_deals_have_an_interval() -> None:
    assert "+191 ± " in told(10, 0.1)
    assert "+191 Elo, the same in every deal" in told(10, 0.0)
