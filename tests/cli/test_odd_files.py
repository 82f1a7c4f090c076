"""Odd files, given to every command that reads one, and what commands write: by one function, whole or not at all."""

import ast
import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import beanbot
import beanleague.cli
from beanleague import files
from beanleague.games import record_to_json
from tests.cli.conftest import On, Run
from tests.cli.helpers import played

RECORD = record_to_json(played()).encode()
PACKED = gzip.compress(RECORD, mtime=0)


def line_of(match: str) -> bytes:
    """Return the line of a match in an export."""
    return json.dumps({"match": match, **json.loads(RECORD)}).encode() + b"\n"


CONTENTS = {
    "empty": b"",
    "blank": b" \n",
    "cut.json.gz": PACKED[: len(PACKED) // 2],
    "twice.json.gz": gzip.compress(PACKED, mtime=0),
    "marked-twice.txt": b"\xef\xbb\xbf" * 2 + b"beans",
    "utf-16.json": RECORD.decode().encode("utf-16"),
    "utf-16-without-mark.json": RECORD.decode().encode("utf-16-le"),
    "many.jsonl": line_of("spring/1.0") + line_of("spring/1.1"),
    "noise.bin": bytes(range(256)) * 8,
}
KINDS = (*CONTENTS, "folder", "pipe", "/dev/null", "/dev/zero")
READERS = {
    "record": "match verify FILE",
    "replay": "match replay FILE --plain",
    "page": "match replay FILE --single-file -",
    "analyse": "match analyse FILE",
    "ask": "match ask FILE 0 farmer",
    "bundle": "bot check FILE",
    "submitted": "bot submit FILE",
    "practice": "practice FILE farmer random",
    "token": "--server 127.0.0.1:1 --token-file FILE league list",
    "authorities": "--server https://127.0.0.1:1 --tls-ca FILE league list",
    "certificate": "serve --listen 127.0.0.1:0 --tls-cert FILE --tls-key FILE",
    "requirements": "environment add beans --requirements FILE",
}
USABLE = {("requirements", "marked-twice.txt"), ("token", "marked-twice.txt")}
"""Of these nothing is odd."""
WITHOUT_DATABASE = {"practice", "token", "authorities"}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Make a file of one of `KINDS`."""
    monkeypatch.setattr(files, "NO_WRITER_S", 0.02)

    def make(kind: str) -> Path:
        path = tmp_path / kind
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind in CONTENTS:
            path.write_bytes(CONTENTS[kind])
        return path

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_an_odd_file_is_told_by_every_command_that_reads_one(
    on: On, run: Run, made: Callable[[str], Path], kind: str, tmp_path: Path
) -> None:
    file = made(kind)
    before = sorted(tmp_path.iterdir())
    for name, command in READERS.items():
        if (name, kind) in USABLE:
            continue
        words = [word.replace("FILE", str(file)) for word in command.split()]
        result = run(*words) if name in WITHOUT_DATABASE else on(*words, db=str(tmp_path / "a.db"))
        assert isinstance(result.exception, SystemExit), (name, result.exception)
        assert result.exit_code in {1, 2}, (name, result.output)
        assert re.search("Error: .", result.stderr), name
        assert file.name in result.stderr, (name, result.stderr)
        assert "Traceback" not in result.stderr, name
        assert len(result.stderr) < 3000, name
    assert [path for path in sorted(tmp_path.iterdir()) if not path.name.startswith("a.db")] == before


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("folder", "is a folder; name a database in it"),
        ("pipe", "is a pipe, device or socket; a database is a file"),
        ("/dev/null", "is a pipe, device or socket; a database is a file"),
        ("/dev/zero", "is a pipe, device or socket; a database is a file"),
        ("cut.json.gz", "is compressed with gzip; decompress it"),
        ("noise.bin", "is not a database; choose another file"),
    ],
)
def test_an_odd_file_is_no_database(on: On, made: Callable[[str], Path], kind: str, why: str) -> None:
    result = on("league", "list", db=str(made(kind)))
    assert (result.exit_code, result.stdout) == (1, "")
    assert why in result.stderr


def test_a_file_with_many_records_is_told_with_what_to_do(run: Run, made: Callable[[str], Path]) -> None:
    assert (
        "contains many records, one per line, but only one can be read"
        in run("match", "verify", str(made("many.jsonl"))).stderr
    )


def test_a_line_of_an_export_is_a_record(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(line_of("spring/1.0"))
    assert run("match", "verify", str(tmp_path / "one.jsonl")).exit_code == 0


WRITES = {"write_text", "write_bytes"}
LEAVE = {
    ("sources.py", "open_in_browser"),  # a new file in a temporary folder
    ("match.py", "_write_lines"),  # the part that becomes the file
    ("server.py", "_receive"),
    ("server.py", "_send"),  # to a pipe or device
    ("__main__.py", "main"),  # the null device
    ("bot.py", "_make"),  # a new folder, renamed when it is whole
    ("streams.py", "open_missing_streams"),
    ("streams.py", "discard_output"),
}


def writers(source: Path) -> list[str]:
    """Return the functions in a file that write a file by themselves."""
    found = []
    for function in ast.walk(ast.parse(source.read_text("utf-8"))):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name)):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
            modes = [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
            opens = name in {"open", "fdopen"} and any(re.fullmatch("[wxa][bt]?", mode) for mode in modes)
            if name in WRITES or opens:
                found.append(function.name)
    return found


def test_commands_write_files_by_one_function_alone() -> None:
    """It writes a file as a whole or not at all: what is added writes so too, or is listed with the reason."""
    homes = [Path(module.__path__[0]) for module in (beanleague.cli, beanbot)]
    own = {(source.name, function) for home in homes for source in home.rglob("*.py") for function in writers(source)}
    assert own <= LEAVE
