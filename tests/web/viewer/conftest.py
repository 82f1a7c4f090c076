"""Where replays are followed, and the page on which they are shown: one for all tests of a file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.web.viewer.replaying import stage


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page for the replays of a file of tests: opening one takes longer than most of them."""
    with stage(browser) as page:
        yield page
