"""How pairs of bots are shown whose trades are far from what the rest do."""

from __future__ import annotations

import io

from rich.console import Console, Group

from beanleague.cli.views.integrity import integrity_page
from beanproto.v1.league_pb2 import Entrant, IntegrityResponse, PairFlow, Side


def page(*, show_all: bool = False, found: bool = True) -> list[str]:
    mule, boss, bean = (Entrant(bot=name, version=1) for name in ("mule", "boss", "bean"))
    answer = IntegrityResponse(
        league="spring",
        deals=40,
        pairs=[
            PairFlow(
                giver=mule,
                receiver=boss,
                found=found,
                excess=2.218,
                interval=0.32,
                deals=12,
                conspicuous=[7, 3, 12, 1, 2, 4, 5],
                trades=380,
                given=Side(cards=437, gifts=250, dollars=152.5),
                received=Side(cards=224, gifts=9, dollars=64.25),
            ),
            PairFlow(giver=bean, receiver=mule, excess=0.1, deals=12, trades=100),
        ],
    )
    out = Console(file=io.StringIO(), width=120, color_system=None)
    out.print(Group(*integrity_page(answer, show_all=show_all)))
    assert isinstance(out.file, io.StringIO)
    return [line.rstrip() for line in out.file.getvalue().splitlines()]


def test_pairs_found_come_with_sizes_intervals_and_deals_to_look_at() -> None:
    lines = page()
    assert lines[0] == "spring  40 deals with trades, 2 pairs compared, 1 found"
    row = "! mule@1 boss@1 2.22 ± 0.32 152.50 64.25 437:224 250:9 380 7 of 12 7, 3, 12, 1, 2, 4, ..."
    assert " ".join(lines[4].split()) == row
    assert not any("bean@1" in line for line in lines)
    assert any("no proof" in line for line in lines)


def test_all_pairs_are_shown_on_request() -> None:
    assert any(line.split()[:3] == ["bean@1", "mule@1", "0.10"] for line in page(show_all=True))


def test_where_nothing_can_be_compared_that_is_said() -> None:
    (*_, line) = integrity_page(IntegrityResponse(league="spring", deals=3), show_all=True)
    assert str(line).startswith("No pair can be compared with others")


def test_where_nothing_is_found_that_is_said() -> None:
    assert page(found=False) == ["spring  40 deals with trades, 2 pairs compared, 0 found"]
