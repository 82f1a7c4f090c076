"""A port passed on to another: what `ssh -L` does, without encryption. Run as a program: see `main`."""

import asyncio
import sys
from contextlib import suppress


async def pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Pass on what comes, until the end."""
    with suppress(OSError):
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
        sink.close()


async def forward(listen: tuple[str, int], to: tuple[str, int]) -> None:
    """Accept connections, and connect each to an address."""

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*to)
        await asyncio.gather(pass_on(reader, far_writer), pass_on(far_reader, writer))

    async with await asyncio.start_server(accepted, *listen) as server:
        print("ready", flush=True)  # noqa: T201
        await server.serve_forever()


def main() -> None:
    """Forward HOST PORT to HOST PORT."""
    host, port, to, to_port = sys.argv[1:]
    asyncio.run(forward((host, int(port)), (to, int(to_port))))


if __name__ == "__main__":
    main()
