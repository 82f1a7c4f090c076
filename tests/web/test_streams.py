"""Streams of events about a league: read once for all who watch."""

from __future__ import annotations

import asyncio

import grpc

from beanleague.web.live import Live


def test_the_league_is_read_once_however_many_watch() -> None:
    looks: list[int] = []

    def read(league: str) -> dict[str, str]:
        looks.append(len(looks))
        return {"standings": f"{league} {min(len(looks), 3)}", "same": "always"}

    async def watch(live: Live) -> list[bytes]:
        frames = []
        async for frame in live.watch("spring"):
            frames.append(frame)
            if b"spring 3" in frame:
                break
        return frames

    async def everybody() -> list[list[bytes]]:
        live = Live(read, interval=0.01)
        try:
            return await asyncio.gather(*(watch(live) for _ in range(50)))
        finally:
            live.end()
            await asyncio.sleep(0)

    streams = asyncio.run(everybody())
    assert len(looks) < 10
    for frames in streams:
        assert frames[-1] == b"event: standings\ndata: spring 3\n\n"
        assert frames.count(b"event: same\ndata: always\n\n") == 1


def test_streams_end_with_the_site() -> None:
    async def watched() -> list[bytes]:
        live = Live(lambda league: {"standings": league}, interval=60)
        frames = []
        async for frame in live.watch("spring"):
            frames.append(frame)
            live.end()
        return frames

    assert asyncio.run(watched()) == [b"event: standings\ndata: spring\n\n"]


def test_a_text_of_lines_stays_one_event() -> None:
    async def first() -> bytes:
        live = Live(lambda _: {"standings": "one\r\n\ntwo\n"}, interval=60)
        async for frame in live.watch("spring"):
            live.end()
            return frame
        raise AssertionError

    assert asyncio.run(first()) == b"event: standings\ndata: one\ndata: \ndata: two\n\n"


def test_a_league_that_cannot_be_read_says_so_and_goes_on_when_it_can() -> None:
    looks: list[int] = []

    def read(league: str) -> dict[str, str]:
        looks.append(1)
        if len(looks) == 2:
            raise grpc.RpcError("away")
        return {"standings": league, "away": ""}

    async def watched() -> list[bytes]:
        live = Live(read, interval=0.01)
        frames = []
        async for frame in live.watch("spring"):
            frames.append(frame)
            if len(frames) == 4:
                live.end()
        return frames

    first, empty, away, again = asyncio.run(watched())
    assert first == b"event: standings\ndata: spring\n\n"
    assert b"cannot be read" in away
    assert again == empty
