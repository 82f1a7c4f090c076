"""Friendly match at a server's table, for a bot that its author runs."""

from __future__ import annotations

import argparse
import ipaddress
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from urllib.parse import urlsplit

import grpc

from beanbot._runtime.program import BotProgram
from beanbot._runtime.session import BotSession
from beanleague.files import MAX_PEM_BYTES, STANDARD, FileError, check_place, read, write
from beanleague.games import Record, record_to_json
from beanleague.signs import make_legible
from beanleague.wire import WireError, record_from_pb
from beanproto.v1 import table_pb2 as pb
from beanproto.v1.referee_pb2 import BotMessage, Option
from beanproto.v1.table_pb2_grpc import TableStub

_OWN = "-"  # the bot's own seat in the list of seats
_OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.enable_http_proxy", 0))


def sit(program: BotProgram, words: Sequence[str]) -> None:
    """Play the friendly match of the command line `words`, and print its result.

    Raises:
        SystemExit: if the match cannot be played; the message gives the reason.
    """
    make_legible(sys.__stdout__)
    asked = _parser(program).parse_args(words)
    if asked.record:
        _see_place(asked.record)
    seats = [name.strip() for name in asked.against.split(",")]
    if _OWN not in seats:
        seats.insert(0, _OWN)
    invitation = pb.Invitation(
        ruleset=asked.game,
        seats=["" if name == _OWN else name for name in seats],
        options=dict(asked.option),
        seed=asked.seed.encode(),
    )
    try:
        with _channel(asked.server, asked.tls_ca) as channel:
            record = _play(program, channel, invitation)
    except grpc.RpcError as error:
        sys.exit(f"{asked.server}: {error.details() if isinstance(error, grpc.Call) else error}")
    except WireError as error:
        sys.exit(f"{asked.server}: {error}; does it run the same version as this library?")
    out = sys.stderr if str(asked.record) == STANDARD else sys.__stdout__
    for place, score, seat, name in sorted(
        zip(record.places, record.scores, range(len(seats)), record.players, strict=False)
    ):
        print(f"{place}. {name} (seat {seat}): {score}", file=out)  # printed, since it is the result of the command
    for fault in record.faults:
        if seats[fault.seat] == _OWN:
            print(f"fault at move {fault.move}: {fault.kind}: {fault.reason}", file=out)
    if asked.record:
        _save(record, asked.record)


def _see_place(file: Path) -> None:
    """Exit if the record could not be written after the match."""
    try:
        check_place(file)
    except OSError as error:
        sys.exit(f"cannot write the record to {file}: {error.strerror}")


def _save(record: Record, file: Path) -> None:
    """Write the record of the match to a file, or to standard output for "-"."""
    text = record_to_json(record)
    if str(file) == STANDARD:
        print(text, end="", file=sys.__stdout__)
        return
    try:
        write(file, text)
    except OSError as error:
        sys.exit(f"cannot write the record to {file}: {error.strerror}")
    print(f"The record is in {file}; watch it: beanleague match replay {shlex.quote(str(file))}", file=sys.__stdout__)


def _parser(program: BotProgram) -> argparse.ArgumentParser:
    games = [game for bot_class in program.classes for game in bot_class.games]
    parser = argparse.ArgumentParser(
        description="Play a friendly match at a table of a server. The token for it is taken from BEANLEAGUE_TOKEN."
    )
    parser.add_argument(
        "--against",
        required=True,
        metavar="BOTS",
        help="the other bots, with commas; '-' is this bot's seat, by default the first",
    )
    parser.add_argument(
        "--server",
        default=os.environ.get("BEANLEAGUE_SERVER", "127.0.0.1:7411"),
        metavar="ADDRESS",
        help="host:port, https://host:port (with TLS) or unix:/path",
    )
    parser.add_argument("--game", default=games[0] if games else "bohnanza", help="the ruleset (default: %(default)s)")
    parser.add_argument(
        "--option", action="append", default=[], type=_option, metavar="NAME=VALUE", help="an option of the game"
    )
    parser.add_argument("--seed", default="", metavar="TEXT", help="play the same cards again: any text")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the record of the match to this file")
    parser.add_argument("--tls-ca", type=Path, metavar="FILE", help="the certificate authorities to trust")
    return parser


def _option(text: str) -> tuple[str, Option]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not an option; write NAME=VALUE")
    return name, Option(number=int(value)) if value.lstrip("-").isdecimal() else Option(text=value)


def _play(program: BotProgram, channel: grpc.Channel, invitation: pb.Invitation) -> Record:
    def log(text: str) -> None:
        print(text, file=sys.stderr, flush=True)  # noqa: T201  # output for the author's terminal

    session = BotSession(program, log, faults=True)
    outbox: SimpleQueue[pb.SitRequest | None] = SimpleQueue()
    outbox.put(pb.SitRequest(invitation=invitation))
    outbox.put(pb.SitRequest(message=session.hello()))
    token = os.environ.get("BEANLEAGUE_TOKEN", "").strip()
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    try:
        for answer in TableStub(channel).Sit(iter(outbox.get, None), metadata=metadata):
            if answer.HasField("record"):
                return record_from_pb(answer.record)
            for move in session.receive(answer.message):
                outbox.put(pb.SitRequest(message=BotMessage(moves=[move])))
    finally:
        outbox.put(None)
    raise WireError("the table ended without a record")


@contextmanager
def _channel(server: str, authorities: Path | None) -> Iterator[grpc.Channel]:
    """Connect to a server, with TLS if its address begins with https://."""
    if server.startswith("https://"):
        try:
            credentials = grpc.ssl_channel_credentials(read(authorities, MAX_PEM_BYTES) if authorities else None)
        except OSError as error:
            sys.exit(f"cannot read {authorities}: {error.strerror}")
        except FileError as error:
            sys.exit(f"{authorities} {error}")
        opened = grpc.secure_channel(urlsplit(server).netloc, credentials, options=_OPTIONS)
    else:
        if os.environ.get("BEANLEAGUE_TOKEN") and not _stays_here(server):
            sys.exit(
                f"without TLS your token could be intercepted on the way to {server}; use --server https://{server}"
            )
        opened = grpc.insecure_channel(server, options=_OPTIONS)
    with opened as channel:
        yield channel


def _stays_here(server: str) -> bool:
    """Return whether data sent to an address stays on this machine."""
    host = server.rpartition(":")[0].strip("[]")
    try:
        return server.startswith("unix:") or host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
