"""Pages of a league of a thousand bots: each is a part of what there is, and not large."""

from collections.abc import Iterator

import httpx
import pytest

from benchmarks.pages import PAGES, fill, site_of

BOTS = 1_000

pytestmark = pytest.mark.slow  # test_charts has what is left out of pictures; tox -e web runs this


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of the site of such a league."""
    with site_of(fill(tmp_path_factory.mktemp("many") / "many.db", BOTS, 600)) as (_, client):
        yield client


def text(many: httpx.Client, path: str) -> str:
    return many.get(path).raise_for_status().text


def test_no_page_is_larger_than_200_kb(many: httpx.Client) -> None:
    sizes = {name: len(text(many, path).encode()) for name, path in PAGES.items()}
    assert {name: size for name, size in sizes.items() if size > 200_000} == {}


@pytest.mark.parametrize("path", ["/leagues/many", "/bots"])
def test_a_list_is_paged_and_can_be_searched(many: httpx.Client, path: str) -> None:
    assert "1 to 100 of 1,000" in text(many, path)
    assert "901 to 1000 of 1,000" in text(many, f"{path}?after=900")
    found = text(many, f"{path}?q=BOT77")
    assert found.count('href="/bots/bot77') == 11  # 77 and 770 to 779


def test_of_live_standings_only_the_first_part_moves(many: httpx.Client) -> None:
    assert 'sse-swap="standings"' in text(many, "/leagues/many")
    assert 'sse-swap="standings"' not in text(many, "/leagues/many?after=100")


def test_the_matrix_is_a_window_that_moves(many: httpx.Client) -> None:
    page = text(many, "/leagues/many/matrix?row=20&column=980")
    assert "Rows 21 to 60 and columns 981 to 1000 of 1,000" in page
    assert "row=30&amp;column=980" in page  # by half of what is shown


def test_the_history_has_the_first_ten_and_those_searched_for(many: httpx.Client) -> None:
    assert text(many, "/leagues/many/history").count("<polyline") == 10
    searched = text(many, "/leagues/many/history?q=bot77")
    assert searched.count("<polyline") >= 20
    assert "more bots, 90 % are in the pale cloud" in searched
