"""What is said of names that do not exist."""

from __future__ import annotations

import pytest

from beanleague.games.core.errors import suggestion


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
