"""Files of strangers: bundles and records are read, or refused by the errors that are declared for them."""

import contextlib
import json
from functools import cache
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import example, given, strategies as st

from beanleague.games import Record, RecordError, record_from_json, record_to_json
from beanleague.games.records.verify import verify
from beanleague.league.bots.bundles import read_bundle
from beanleague.league.bots.entries import MAX_UNPACKED_BYTES
from beanleague.league.bots.reading import MAX_PACKED_BYTES
from beanleague.league.errors import BundleError
from beanleague.wire import WireError, record_from_pb, record_to_pb
from beanproto.v1 import referee_pb2 as pb
from tests.cli.helpers import played
from tests.fuzz.mutations import EDITS, FEW, VALUES, Edits, edited, replaced
from tests.league.helpers import TOML, bundle, zipped

BUNDLE = bundle("fuzz", "print('beans')\n" * 50)
GAMES = ("bohnanza", "bohnanza-two", "duel", "dice", "bean-thief-hard")
SEATS = {"bohnanza": 3, "bean-thief-hard": 1}
PATHS = st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=4)


@cache
def match(game: str) -> Record:
    return played(SEATS.get(game, 2), ruleset=game)


@cache
def as_json(game: str) -> bytes:
    return record_to_json(match(game)).encode()


class TestBundles:
    @given(data=st.binary(max_size=200) | EDITS.map(lambda edits: edited(BUNDLE, edits)))
    @example(data=BUNDLE)
    def test_bytes(self, data: bytes) -> None:
        try:
            read = read_bundle(data)
        except BundleError:
            return
        assert len(read.data) <= MAX_PACKED_BYTES
        assert read.size <= MAX_UNPACKED_BYTES
        assert read_bundle(read.data).digest == read.digest

    @given(edits=EDITS)
    def test_manifests(self, edits: Edits) -> None:
        manifest = edited(TOML.format(name="fuzz").encode(), edits)
        with contextlib.suppress(BundleError):
            read_bundle(zipped({"bot.toml": manifest, "bot.py": b""}))

    @given(names=st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=4, unique=True))
    def test_names(self, names: list[str]) -> None:
        files = {"bot.toml": TOML.format(name="fuzz").encode(), "bot.py": b""}
        try:
            data = zipped(files | dict.fromkeys(names, b"x"))
        except (IndexError, UnicodeEncodeError, ValueError):
            return  # there is no such zip file
        try:
            read = read_bundle(data)
        except BundleError:
            return
        assert all(not name.startswith("/") and ".." not in name.split("/") for name in read.files)


@pytest.mark.parametrize("game", GAMES)
class TestRecords:
    @given(edits=EDITS)
    def test_edited_json(self, game: str, edits: Edits) -> None:
        self.check(edited(as_json(game), edits))

    @FEW
    @given(path=PATHS, value=VALUES)
    def test_json_with_other_values(self, game: str, path: list[float], value: Any) -> None:
        self.check(json.dumps(replaced(json.loads(as_json(game)), path, value)).encode())

    @given(edits=EDITS)
    def test_edited_protobuf(self, game: str, edits: Edits) -> None:
        data = record_to_pb(match(game)).SerializeToString()
        try:
            record = record_from_pb(pb.Record.FromString(edited(data, edits)))
        except (DecodeError, WireError):
            return
        verify(record)

    @staticmethod
    def check(text: bytes) -> None:
        try:
            record = record_from_json(text)
        except RecordError:
            return
        verify(record)
        assert record_from_json(record_to_json(record)) == record
